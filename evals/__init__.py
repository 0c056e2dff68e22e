"""Prompts and graders: a folder for each suite (benchmark), and functions that grade replies to rows of any suite.

In a suite's folder the module ``prompt`` has the texts of its prompts, which every row of a dataset contains;
``grader`` parses and scores the replies of models. ``grade(row, reply)`` scores a reply, ``strata(row)`` returns the
strata of a row, such as its level, and ``question(row)`` the id of its question; all three accept rows of any suite.
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
