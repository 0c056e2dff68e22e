"""Protocols: each suite has a folder with its prompts and the grader of its replies.

``prompt`` contains the prompts, which are bytes of rows; ``grader`` reads and scores replies and changes no bytes.
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
        # Computed on access: reading the metadata of installed distributions takes longer than importing this package.
        return suites.names()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
