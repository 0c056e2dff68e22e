"""Grades replies, a chunk at a time: what a worker process does. It loads no table library."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planimeter import evals

#: The scores of one reply, lenient and strict.
Graded = tuple[evals.Scores, evals.Scores]


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A row of ``config`` and replies to it, each with its prompt variant (empty: the default one)."""

    config: str
    row: Mapping[str, Any]
    replies: Sequence[tuple[str, str]]


class RowError(Exception):
    """A row of the dataset cannot be scored; the message says which and why."""


def grade(suite: str, chunk: Sequence[Asked]) -> list[list[Graded]]:
    """Return the scores of all replies of a chunk, row by row.

    Raises:
        RowError: if a row's own answer cannot be read.
    """
    return [_graded(suite, question) for question in chunk]


def _graded(suite: str, question: Asked) -> list[Graded]:
    graded = []
    for text, variant in question.replies:
        try:
            graded.append(evals.readings(question.row, text, suite=suite, config=question.config, variant=variant))
        except ValueError as error:
            raise RowError(f"row {question.row['id']} of {question.config} cannot be scored: {error}") from None
    return graded
