"""The figures of the report's charts: bars, and tables whose cells are shaded by their share."""

from collections.abc import Mapping, Sequence

from planimeter.export.layout import Axis
from planimeter.export.pages.funnel_view import share
from planimeter.export.pages.templating import Shown


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
            "width": round(100 * counter[name] / top, 1),
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
