"""What an imported corpus holds."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class RawProblem:
    """A problem of an imported corpus as it stands there; ``line`` counts from 1 and names it in funnel and review.

    ``source``, ``level`` and ``difficulty`` are what the corpus says of it, empty where it says nothing.
    """

    line: int
    problem: str
    answer: str
    source: str = ""
    level: str = ""
    difficulty: str = ""
