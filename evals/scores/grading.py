"""Grades replies in chunks, in worker processes, which start fast since this module does not import pandas."""

from collections.abc import Sequence

from planimeter import evals
from planimeter.evals.places import Row
from planimeter.items.errors import PlanimeterError

#: A config, a row, a reply to it, the prompt variant, and True if the reply was cut off.
Asked = tuple[str, Row, str, str, bool]

#: The scores of one reply, lenient and strict.
Graded = tuple[evals.Scores, evals.Scores]


class RowError(PlanimeterError):
    """A row of the dataset cannot be scored; the message names the row and the cause."""


def grade(suite: str, chunk: Sequence[Asked]) -> list[Graded]:
    """Return the lenient and the strict scores of each reply of ``chunk``, in order.

    Raises:
        RowError: if a row's own answer cannot be read.
    """
    graded = []
    for config, row, text, variant, cut_off in chunk:
        try:
            graded.append(evals.readings(row, text, suite=suite, config=config, variant=variant, cut_off=cut_off))
        except ValueError as error:
            raise RowError(f"row {row['id']} of {config} cannot be scored: {error}") from None
    return graded
