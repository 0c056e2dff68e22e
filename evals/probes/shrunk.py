"""Counts the rows whose answers the certifier still reads when the picture is shrunk."""

from collections.abc import Callable
from typing import Final

from planimeter.evals.probes.part import parts_of
from planimeter.export.built import RowGroup
from planimeter.filters.certify.readable import Look, is_readable_at
from planimeter.items.suites import declared
from planimeter.items.values import Recipe, Row

#: Longer sides (px) for which a published card has the shares: those of common image processors.
SIDES: Final = (448, 224)


def look_of(suite: str, config: str, recipe: Recipe) -> Callable[[Row], Look] | None:
    """Return the function that makes the reader of a row's shrunk picture; None if the suite has no such reader."""
    part = parts_of(suite)[config]
    return part.shrunk(recipe, config) if declared(suite).pictures and part.shrunk else None


def readable(row: Row, look: Callable[[Row], Look], side: int) -> bool:
    """Return True if the answer of ``row`` is readable after its picture is shrunk to a longer side of ``side`` px.

    ``look(row)`` is the function that reads the answer in the shrunk picture.
    """
    return is_readable_at(row["image"]["bytes"], str(row["answer"]), look(row), side)


def readable_rows(group: RowGroup, suite: str, config: str, recipe: Recipe, side: int) -> int:
    """Return the number of rows of ``group`` that are ``readable`` at ``side`` px; 0 if the suite has no reader."""
    look = look_of(suite, config, recipe)
    return sum(readable(row, look, side) for row in group.rows()) if look else 0
