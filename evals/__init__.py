"""Protocols: for each suite a folder with the words of the question, and the reading and scoring of replies.

``prompt`` words the question and decides bytes of rows; ``grader`` reads and scores replies and decides none.
``grade(row, reply)``, ``strata(row)`` and ``question(row)`` are the same for all suites.
"""

from planimeter.evals.grading import Scores as Scores
from planimeter.evals.grading import gold_score as gold_score
from planimeter.evals.grading import grade as grade
from planimeter.evals.grading import question as question
from planimeter.evals.grading import readings as readings
from planimeter.evals.grading import strata as strata
from planimeter.evals.places import protocol as suite
from planimeter.evals.variants import DEFAULT as DEFAULT
from planimeter.evals.variants import prompt_of as prompt_of
from planimeter.evals.variants import variants as variants
from planimeter.items import suites

__all__ = [
    "DEFAULT",
    "SUITES",
    "Scores",
    "gold_score",
    "grade",
    "prompt_of",
    "question",
    "readings",
    "strata",
    "suite",
    "variants",
]


def __getattr__(name: str) -> tuple[str, ...]:
    if name == "SUITES":
        # Looked for when it is asked for: reading what is installed takes longer than importing this package.
        return suites.names()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
