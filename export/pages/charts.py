"""The geometry of the report's pictures: bars, heatmaps of coverage, and the funnel. Templates draw them as SVG."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate

from planimeter.export.pages.funnel_view import Stage, share
from planimeter.export.pages.survey import Survey
from planimeter.export.pages.templating import Shown
from planimeter.export.texts import Axis, Heatmap

#: Length of the longest bar of a distribution, and width of the funnel, in units of their viewBox.
BAR, FUNNEL = 135, 360

#: What is too small to be seen is drawn this wide.
_LEAST = 2.0


def bars(counter: Mapping[str, int], axis: Axis) -> list[Shown]:
    """Return the bars of a distribution: in the order of ``axis``, else numbers by value and words by size."""
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


def heatmaps(found: Survey) -> list[Shown]:
    """Return the panels of the config's heatmap, that of all rows first; none if it has no heatmap or no rows."""
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


def _panel(title: str, pool: Sequence[str], found: Survey, layout: Heatmap) -> Shown:
    rows = _span(layout.rows, {row for _, row, _ in found.heat})
    columns = _span(layout.columns, {column for _, _, column in found.heat})
    numbers = Counter(
        {(row, column): sum(found.heat[panel, row, column] for panel in pool) for row in rows for column in columns}
    )
    counts = {"total": numbers.total(), "covered": sum(map(bool, numbers.values())), "cells": len(numbers)}
    # Upwards, as in TraversalBench's Figure 4.
    return {"title": title, **counts, **grid(rows[::-1], columns, numbers, layout.empty, "no rows")}


def grid(
    rows: Sequence[str],
    columns: Sequence[str],
    numbers: Counter[tuple[str, str]],
    empty: Callable[[str, str], str],
    otherwise: str,
) -> Shown:
    """Return the lines of a table of ``numbers`` by row and column; ``empty`` says why a cell has none, if it can.

    A cell's ``share`` is of the fullest cell, in [0, 1].
    """
    top = max(numbers.values(), default=1) or 1
    lines = [
        {
            "name": row,
            "cells": [
                {
                    "column": column,
                    "number": numbers[row, column],
                    "share": round(numbers[row, column] / top, 3),
                    "empty": empty(row, column) or otherwise,
                }
                for column in columns
            ],
            "total": sum(numbers[row, column] for column in columns),
        }
        for row in rows
    ]
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
