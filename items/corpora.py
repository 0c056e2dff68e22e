"""The records of an imported corpus."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class RawProblem:
    """An unchanged problem of an imported corpus; ``line`` counts from 1 and identifies it in funnel and review.

    ``source``, ``level`` and ``difficulty`` are the corpus's own labels, or empty.
    """

    line: int
    problem: str
    answer: str
    source: str = ""
    level: str = ""
    difficulty: str = ""
