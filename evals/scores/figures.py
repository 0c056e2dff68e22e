"""Draws the figures of a table, whose ``Plot`` declarations name the columns for axis, series and panels."""

import textwrap
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from planimeter.evals.scores import drawing
from planimeter.evals.scores.forms import Figure, Plot, Table, several
from planimeter.evals.scores.summary import BOUNDS, place

Floats = NDArray[np.float64]

#: The most series with bands: more bands hide each other.
MOST_BANDS = 4

#: The maximum width of panels side by side, in inches.
WIDEST = 14

#: Letters in a line of an axis label.
LABEL = 24

#: Columns of the rates to draw: a rate with its bounds, and the labels that determine its position in the figure.
_RATE, _ROLES = ["estimate", "lower", "upper"], ("x", "series", "panel")

_NOTES = {
    "lines": "Bands: 95% intervals, in which a question counts once.",
    **dict.fromkeys(("bars", "columns"), "Whiskers: 95% intervals, in which a question counts once."),
    "heat": "Crossed out: no reply.",
}


def draw(table: Table, plot: Plot) -> Figure:
    """Return the figure that ``plot`` declares for ``table``, which has at least one row."""
    lines = _long(table.frame, plot)
    share = {metric: table.unit(metric) == "share" for metric in lines["metric"].unique()}
    x, series, panels = (lines[role].cat.categories for role in _ROLES)
    floor = _floor(lines)
    width, height = _size(plot.kind, len(x), len(series))
    with drawing.sheet(len(panels), columns=min(3, max(1, int(WIDEST / width))), size=(width, height)) as page:
        for panel, title in zip(page.panels, panels, strict=True):
            part = lines[lines["panel"] == title]
            _PAINT[plot.kind](panel, part)
            _scale(panel, part, plot, floor, share=all(share[metric] for metric in part["metric"].unique()))
            page.title(panel, title)
        if plot.dashed[0]:
            page.panels[0].plot([], [], color="gray", linestyle="--", label=plot.dashed[2])
        page.legend()
    drawn = [plot.note, _NOTES.get(plot.kind, "") if plot.kind == "heat" or lines["lower"].notna().any() else ""]
    return Figure(
        name=plot.name or table.name,
        title=plot.title or table.title,
        source=plot.source or table.source,
        svg=page.svg,
        note=" ".join(filter(None, drawn)),
    )


def _long(frame: pd.DataFrame, plot: Plot) -> pd.DataFrame:
    """Return a table of one row for each rate to draw: the rate, its bounds, and its labels for x, series and panel.

    The labels are ordered categories.
    """
    frame = frame.query(plot.where) if plot.where else frame
    parts = []
    for metric in plot.metrics or plot.labels["metric"]:
        rate = {name: frame.get(metric + bound, np.nan) for name, bound in zip(_RATE, BOUNDS, strict=True)}
        parts.append(frame.assign(metric=metric, **rate))
    lines = pd.concat(parts, ignore_index=True)
    dashed = lines[plot.dashed[0]] == plot.dashed[1] if plot.dashed[0] else False
    return lines[["metric", *_RATE]].assign(dashed=dashed, **{role: _labels(lines, role, plot) for role in _ROLES})


def _labels(lines: pd.DataFrame, role: str, plot: Plot) -> "pd.Categorical[str]":
    """Return the label of each row of ``lines`` for ``role`` (x, series or panel), as a category in the order to draw.

    A heat map also has labels of values that do not occur, so that missing values are visible.
    """
    columns = several(getattr(plot, role))
    texts, ranks = [], []
    for column in columns:
        present, named = list(lines[column].unique()), list(plot.labels.get(column, ()))
        if column not in ("model", "metric"):
            present.sort(key=place)
        order = {value: rank for rank, value in enumerate(dict.fromkeys([*named, *present]))}
        texts.append({value: _text(plot, role, column, value) for value in order})
        ranks.append(order)
    keys = list(zip(*(lines[column] for column in columns), strict=True)) or [()] * len(lines)
    known = (
        {(value,) for value in ranks[0]} if plot.kind == "heat" and role != "panel" and len(columns) == 1 else {*keys}
    )
    in_order = sorted(known, key=lambda key: [order[value] for order, value in zip(ranks, key, strict=True)])
    words = {key: ", ".join(text[value] for text, value in zip(texts, key, strict=True)) for key in in_order}
    return pd.Categorical([words[key] for key in keys], list(dict.fromkeys(words.values())), ordered=True)


def _text(plot: Plot, role: str, column: str, value: object) -> str:
    if column in plot.labels:
        return plot.labels[column].get(value, str(value))
    if isinstance(value, (int, float, np.number)):
        return f"{column} {value:g}" if role == "panel" else f"{value:g}"
    return str(value) if column == "model" else str(value).replace("_", " ")


def _grid(part: pd.DataFrame) -> tuple[list[str], list[str], Floats]:
    """Return the labels along x, those of the series, and an array (3, x, series) of estimates, lower and upper bounds.

    Missing numbers are NaN.
    """
    x, series = part["x"].cat, part["series"].cat
    cells = np.full((3, len(x.categories), len(series.categories)), np.nan)
    cells[:, x.codes, series.codes] = part[_RATE].to_numpy(float).T
    return list(x.categories), list(series.categories), cells


def _lines(panel: Axes, part: pd.DataFrame) -> None:
    part = part.assign(x=part["x"].cat.remove_unused_categories())
    for dashed in (False, True):
        names, labels, cells = _grid(part[part["dashed"] == dashed])
        places = range(len(names))
        for index, label in enumerate(labels):
            values, *bounds = cells[:, :, index]
            if not np.isnan(values).all():
                band = bounds if len(labels) <= MOST_BANDS else ()
                legend = None if dashed else label
                drawing.line(panel, places, values, *band, index=index, label=legend, dashed=dashed)
    panel.set_xticks(places, names)
    if "-1" in names and "0" in names:
        # Offsets: negative ones are separated from 0 and positive ones.
        panel.axvline(names.index("0") - 0.5, color="gray", linewidth=0.8, linestyle=":")


def _bars(panel: Axes, part: pd.DataFrame, *, lying: bool = True) -> None:
    names, labels, cells = _grid(part)
    width = 0.8 / len(labels)
    for index, label in enumerate(labels):
        values, low, high = cells[:, :, index]
        shift = np.arange(len(names)) + width * (index - (len(labels) - 1) / 2)
        # The title names a single series; matplotlib ignores a label with an underscore.
        style: dict[str, Any] = {"color": drawing.colour(index), "label": label if len(labels) > 1 else "_"}
        style["xerr" if lying else "yerr"] = np.abs([values - low, high - values])
        (panel.barh if lying else panel.bar)(shift, values, width * 0.92, error_kw={"elinewidth": 0.9}, **style)
    _label_bars(panel, names, lying=lying)


def _columns(panel: Axes, part: pd.DataFrame) -> None:
    _bars(panel, part, lying=False)


def _stacked(panel: Axes, part: pd.DataFrame) -> None:
    names, labels, cells = _grid(part)
    left = np.zeros(len(names))
    for index, label in enumerate(labels):
        values = np.nan_to_num(cells[0, :, index])
        panel.barh(range(len(names)), values, 0.72, left=left, label=label, color=drawing.colour(index))
        left += values
    _label_bars(panel, names, lying=True)


def _label_bars(panel: Axes, names: list[str], *, lying: bool) -> None:
    (panel.set_yticks if lying else panel.set_xticks)(range(len(names)), _wrapped(names) if lying else names)
    if lying:
        panel.set_ylim(len(names) - 0.4, -0.6)
    panel.grid(visible=False, axis="y" if lying else "x")


def _wrapped(names: Iterable[str]) -> list[str]:
    return [textwrap.fill(name, LABEL) for name in names]


def _heat(panel: Axes, part: pd.DataFrame) -> None:
    """Draw a heat map with the numbers in its cells: shares in one colour, negative and positive values in two."""
    names, labels, (cells, _, _) = _grid(part)
    signed = bool((cells < 0).any())
    top = float(np.nanmax(np.abs(cells))) if signed else 1.0
    panel.grid(visible=False)
    # Dark cells would hide their numbers: the darkest colour is beyond the scale.
    scale: dict[str, Any] = {"cmap": "RdBu", "vmin": -1.6 * top} if signed else {"vmin": 0}
    panel.pcolormesh(np.ma.masked_invalid(cells.T), vmax=1.6 * top, **scale)
    for (column, row), value in np.ndenumerate(cells):
        # Adding 0 turns -0.0 into 0.0.
        text = f"{round(100 * value, 1) + 0:+.1f}" if signed else f"{100 * value:.0f}"
        panel.text(column + 0.5, row + 0.5, "×" if np.isnan(value) else text, ha="center", va="center", fontsize=8)
    panel.set_xticks(np.arange(len(names)) + 0.5, names)
    if max(map(len, names)) > 6:
        for tick in panel.get_xticklabels():
            tick.set(rotation=35, ha="right", rotation_mode="anchor")
    panel.set_yticks(np.arange(len(labels)) + 0.5, _wrapped(labels))
    panel.invert_yaxis()


_PAINT = {"lines": _lines, "bars": _bars, "columns": _columns, "stacked": _stacked, "heat": _heat}


def _scale(panel: Axes, part: pd.DataFrame, plot: Plot, floor: float, *, share: bool) -> None:
    panel.set(xlabel=plot.xlabel, ylabel=plot.ylabel)
    if plot.kind == "heat":
        return
    lying, signed = plot.kind in ("bars", "stacked"), bool((part[["estimate", "lower"]] < 0).any(axis=None))
    if not share:
        (panel.axvline if lying else panel.axhline)(0, color="gray", linewidth=0.8)
        return
    drawing.percent(panel, "x" if lying else "y", signed=signed)
    if not signed:
        panel.set(**{"xlim": (0, 1)} if lying else {"ylim": (floor - 0.02 if plot.kind == "lines" else 0, 1.02)})


def _floor(lines: pd.DataFrame) -> float:
    """Return the start of a line plot's axis: the largest of 0, 0.2, ..., 0.8 that is not above any rate or bound.

    Lines of high rates are then farther apart than on an axis from 0.
    """
    least = np.nanmin([0.99, *lines["estimate"], *lines["lower"]])
    return float(np.floor(5 * max(0.0, least)) / 5)


def _size(kind: str, x: int, series: int) -> tuple[float, float]:
    return {
        "lines": (3.3, 2.6),
        "bars": (4.6, 0.9 + (0.12 + 0.13 * series) * x),
        "columns": (max(3.2, 1.0 + 0.12 * (1 + series) * x), 2.4),
        "stacked": (4.2, 1.0 + 0.3 * x),
        "heat": (1.8 + 0.42 * x, 1.1 + 0.3 * series),
    }[kind]
