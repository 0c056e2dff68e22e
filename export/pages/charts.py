"""The geometry of the report's pictures: bars, heatmaps of coverage, and the funnel. Templates draw them as SVG."""

from collections.abc import Mapping, Sequence
from typing import Any

from planimeter.export.pages.funnel_view import Stage, share
from planimeter.export.pages.survey import Survey
from planimeter.export.texts import Axis, Heatmap

#: Length of the longest bar of a distribution, and width of the funnel, in units of their viewBox.
BAR, FUNNEL = 135, 360

#: What is too small to be seen is drawn this wide.
_LEAST = 2.0


def bars(counter: Mapping[str, int], axis: Axis) -> list[dict[str, Any]]:
    """Return the bars of a distribution: in the order of ``axis``, else numbers by value and words by size."""
    names: Sequence[str]
    if axis.order:
        names = sorted(counter, key=axis.place)
    elif all(name.isdigit() for name in counter):
        names = sorted(counter, key=int)
    else:
        names = sorted(counter, key=lambda name: (-counter[name], name))
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


def heatmaps(found: Survey) -> list[dict[str, Any]]:
    """Return the panels of the config's heatmap, that of all rows first; none if it has no heatmap or no rows.

    A cell's ``share`` is of the fullest cell of its panel, in [0, 1].
    """
    layout = found.text.heatmap
    if layout is None or not found.heat:
        return []
    names = sorted({panel for panel, _, _ in found.heat}, key=layout.panels.place)
    pools = [("all", names), *((f"{layout.panels.title}: {name}", [name]) for name in names)]
    return [_panel(title, pool, found, layout) for title, pool in pools]


def _span(axis: Axis, names: set[str]) -> list[str]:
    """Return the names of ``axis`` from its first to the last that occurs, and those that its order does not know."""
    last = max((axis.order.index(name) for name in names if name in axis.order), default=-1)
    return [*axis.order[: last + 1], *sorted(names - set(axis.order))]


def _panel(title: str, pool: Sequence[str], found: Survey, layout: Heatmap) -> dict[str, Any]:
    rows = _span(layout.rows, {row for _, row, _ in found.heat})
    columns = _span(layout.columns, {column for _, _, column in found.heat})
    numbers = {
        (row, column): sum(found.heat[panel, row, column] for panel in pool) for row in rows for column in columns
    }
    top = max(1, *numbers.values())
    return {
        "title": title,
        "columns": columns,
        "total": sum(numbers.values()),
        "covered": sum(number > 0 for number in numbers.values()),
        "cells": len(numbers),
        "lines": [
            {
                "name": row,
                "cells": [
                    {
                        "column": column,
                        "number": numbers[row, column],
                        "share": round(numbers[row, column] / top, 3),
                        "empty": layout.empty(row, column) or "no rows",
                    }
                    for column in columns
                ],
            }
            # Upwards, as in TraversalBench's Figure 4.
            for row in reversed(rows)
        ],
    }


def funnel(stages: Sequence[Stage]) -> list[dict[str, Any]]:
    """Return the bars of a funnel: each check's ``kept`` and its reasons as (name, number, left, width), and ``next``.

    Widths are shares of the largest number that any check saw. ``next`` is the width of what the following check saw:
    more than was kept where an item is drawn in several styles, less where only some are looked at.
    """
    top = max((stage.seen for stage in stages), default=0) or 1
    found: list[dict[str, Any]] = []
    for stage, following in zip(stages, [*stages[1:], None], strict=True):
        kept = _width(stage.kept, top)
        left, parts = kept, []
        for reason, number in stage.reasons:
            width = _width(number, top)
            parts.append((reason, number, round(left, 1), width))
            left += width
        found.append(
            {
                "stage": stage,
                "kept": kept,
                "parts": parts,
                "next": _width(following.seen, top) if following else None,
            }
        )
    return found


def _width(number: int, top: int) -> float:
    return round(max(_LEAST, FUNNEL * number / top), 1) if number else 0.0
