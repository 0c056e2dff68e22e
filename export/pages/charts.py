"""The geometry of the report's pictures: bars, tables of coverage, and the funnel. Templates draw them as SVG."""

from collections.abc import Mapping, Sequence
from itertools import accumulate

from planimeter.export.layout import Axis
from planimeter.export.pages.funnel_view import Stage, share
from planimeter.export.pages.templating import Shown

#: Length of the longest bar of a distribution, and width of the funnel, in units of their viewBox.
BAR, FUNNEL = 135, 360

#: What is too small to be seen is drawn this wide.
_LEAST = 2.0


def bars(counter: Mapping[str, int], axis: Axis) -> list[Shown]:
    """Return the bars of a distribution: names with numbers in their order, other words by size."""
    by_size = not axis.order and not any(character.isdigit() for name in counter for character in name)
    names = sorted(counter, key=lambda name: (-counter[name] if by_size else 0, axis.place(name)))
    top = max(counter.values(), default=1)
    total = sum(counter.values())
    return [
        {
            "name": name,
            "number": counter[name],
            "share": share(counter[name], total),
            "width": round(BAR * counter[name] / top, 1),
        }
        for name in names
    ]


def grid(rows: Sequence[str], columns: Sequence[str], numbers: Mapping[tuple[str, str], int]) -> Shown:
    """Return the lines of a table of ``numbers`` by row and column; a cell's ``share`` is of the fullest, in [0, 1]."""
    top = max(numbers.values(), default=1) or 1
    lines = []
    for row in rows:
        found = [numbers.get((row, column), 0) for column in columns]
        cells = [{"number": number, "share": round(number / top, 3)} for number in found]
        lines.append({"name": row, "cells": cells, "total": sum(found)})
    return {"columns": columns, "lines": lines}


def funnel(stages: Sequence[Stage]) -> list[Shown]:
    """Return the bars of a funnel: each check's ``kept`` and its reasons as (name, number, left, width), and ``next``.

    Widths are shares of the largest number that any check saw. ``next`` is the width of what the following check saw:
    more than was kept where an item is drawn in several styles, less where only some are looked at.
    """
    top = max((stage.seen for stage in stages), default=0) or 1
    found: list[Shown] = []
    for stage, following in zip(stages, [*stages[1:], None], strict=True):
        widths = [_width(number, top) for number in (stage.kept, *(number for _, number in stage.reasons))]
        parts = [
            (reason, number, round(left, 1), width)
            for (reason, number), left, width in zip(stage.reasons, accumulate(widths), widths[1:], strict=False)
        ]
        after = _width(following.seen, top) if following else None
        found.append({"stage": stage, "kept": widths[0], "parts": parts, "next": after})
    return found


def _width(number: int, top: int) -> float:
    return round(max(_LEAST, FUNNEL * number / top), 1) if number else 0.0
