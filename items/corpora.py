"""The problems of an imported corpus as they are before curation."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class RawProblem:
    """A problem of an imported corpus before any change.

    ``line`` is its line number in the file, from 1; rejection counts and the review list identify it by this.

    ``source``, ``level`` and ``difficulty`` are the corpus's own labels, or empty.
    """

    line: int
    problem: str
    answer: str
    source: str = ""
    level: str = ""
    difficulty: str = ""
