"""The geometry of the report's pictures: bars, heatmaps of coverage, and the funnel. Templates draw them as SVG."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate

from planimeter.export.pages.funnel_view import Stage, share
from planimeter.export.pages.survey import Survey
from planimeter.export.pages.templating import Shown
from planimeter.export.texts import Axis, Heatmap

#: Length of the longest bar of a distribution, and width of the funnel, in units of their viewBox.
BAR, FUNNEL = 135, 360

#: Radii between which the rings of a chart lie, the inmost first; width and height of a letter in it.
RINGS, LETTER = (28, 104, 150, 190), (5.5, 12.0)

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


def rings(numbers: Mapping[tuple[str, ...], int]) -> list[Shown]:
    """Return the arcs of a chart of ``numbers``: of each name its share of the circle, around that of the name before.

    The first names come in the order of ``numbers``, further ones in that of the alphabet. ``d`` is an SVG path around
    (0, 0), clockwise from above; ``x`` and ``y`` are the middle of an arc, ``wide`` whether it has room for a word.
    """
    total, outermost = sum(numbers.values()), list(dict.fromkeys(path[0] for path in numbers))
    order = sorted(numbers, key=lambda path: (outermost.index(path[0]), *path[1:]))
    found: list[Shown] = []
    for depth in range(1, len(order[0]) + 1 if order else 0):
        low, high = RINGS[depth - 1 : depth + 1]
        sums = Counter[tuple[str, ...]]()
        for path in order:
            sums[path[:depth]] += numbers[path]
        before = 0
        for path, number in sums.items():
            first, last = 2 * math.pi * before / total, 2 * math.pi * (before + number) / total
            before += number
            middle = (first + last) / 2
            x, y = _at((low + high) / 2, middle)
            name = path[-1].strip()
            # Words are level: above and below the centre a ring must hold their length, beside it their height.
            needed = abs(math.cos(middle)) * LETTER[0] * len(name) + abs(math.sin(middle)) * LETTER[1]
            found.append(
                {
                    "names": [part.strip() for part in path],
                    "number": number,
                    "share": share(number, total),
                    "ring": depth,
                    "group": outermost.index(path[0]),
                    "d": _arc(low, high, first, last),
                    "x": x,
                    "y": y,
                    "wide": (last - first) * (low + high) / 2 > needed,
                }
            )
    return found


def _at(radius: float, angle: float) -> tuple[float, float]:
    return round(radius * math.sin(angle), 2), round(-radius * math.cos(angle), 2)


def _arc(low: float, high: float, first: float, last: float) -> str:
    """Return the part of a ring between two angles. No arc may end where it begins: a whole ring has two parts."""
    if last - first > 1.999 * math.pi:
        return _arc(low, high, first, first + math.pi) + _arc(low, high, first + math.pi, first + 1.998 * math.pi)
    (a, b), (c, d), (e, f), (g, h) = _at(high, first), _at(high, last), _at(low, last), _at(low, first)
    large = int(last - first > math.pi)
    return f"M{a} {b}A{high} {high} 0 {large} 1 {c} {d}L{e} {f}A{low} {low} 0 {large} 0 {g} {h}z"


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
