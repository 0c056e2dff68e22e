"""Draws the figures of a table: which columns make the axis, the series and the panels its plots say."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes

from planimeter.evals.scores import drawing
from planimeter.evals.scores.forms import Figure, Plot, Table, several
from planimeter.evals.scores.summary import BOUNDS, place

#: The values of a line in the columns of an axis.
Key = tuple[object, ...]

#: Estimates and bounds, each (values along x, series).
Rates = tuple[npt.NDArray[np.float64], ...]

#: With more series than that, bands hide each other.
MOST_BANDS = 4

#: Inches that panels side by side may take.
WIDEST = 14

_NOTES = {
    "lines": "Bands: 95% intervals, in which a question counts once.",
    **dict.fromkeys(("bars", "columns"), "Whiskers: 95% intervals, in which a question counts once."),
    "heat": "Crossed out: no reply.",
}


def draw(table: Table, plot: Plot) -> Figure:
    """Return the figure of ``table`` that ``plot`` declares, of a table with lines."""
    lines = _long(table.frame, plot)
    x, series, panels = (_values(lines, role, plot) for role in ("x", "series", "panel"))
    share = {metric: table.unit(metric) == "share" for metric in lines["metric"].unique()}
    floor = _floor(lines)
    width, height = _size(plot, x, series)
    with drawing.sheet(len(panels), columns=min(3, max(1, int(WIDEST / width))), size=(width, height)) as page:
        for panel, (key, title) in zip(page.panels, panels.items(), strict=True):
            part = lines[lines["panel"] == key]
            there = {*part["x"]} if plot.kind == "lines" else x
            _paint(panel, part, plot, {value: text for value, text in x.items() if value in there}, series)
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
    """Return a line for each rate that is drawn, with its place in the figure."""
    frame = frame.query(plot.where) if plot.where else frame
    parts = []
    for metric in plot.metrics or plot.labels["metric"]:
        rate = {name: frame.get(metric + bound, np.nan) for name, bound in zip(_RATE, BOUNDS, strict=True)}
        parts.append(frame.assign(metric=metric, **rate))
    lines = pd.concat(parts, ignore_index=True)
    keys = {role: list(zip(*(lines[name] for name in _columns(plot, role)), strict=True)) for role in _ROLES}
    dashed = lines[plot.dashed[0]] == plot.dashed[1] if plot.dashed[0] else False
    places = {role: pd.Series(some or [()] * len(lines), dtype=object) for role, some in keys.items()}
    return lines[["metric", *_RATE]].assign(dashed=dashed, **places)


#: Columns that no table has.
_RATE, _ROLES = ("estimate", "lower", "upper"), ("x", "series", "panel")


def _columns(plot: Plot, role: str) -> tuple[str, ...]:
    return several(getattr(plot, role))


def _values(lines: pd.DataFrame, role: str, plot: Plot) -> dict[Key, str]:
    """Return what stands along an axis, in its order, and what it is called.

    In a heat map that may be more than there is, so that what is missing shows.
    """
    columns, keys = _columns(plot, role), list(dict.fromkeys(lines[role]))
    places: list[dict[object, int]] = []
    for number, column in enumerate(columns):
        named = plot.labels.get(column, ())
        present = list(dict.fromkeys(key[number] for key in keys))
        if column not in ("model", "metric"):
            present.sort(key=place)
        places.append({value: order for order, value in enumerate([*named, *(v for v in present if v not in named)])})
    if plot.kind == "heat" and role != "panel" and len(columns) == 1:
        keys = [(value,) for value in places[0]]
    keys.sort(key=lambda key: [order[value] for order, value in zip(places, key, strict=True)])
    return {key: ", ".join(_text(plot, role, *part) for part in zip(columns, key, strict=True)) for key in keys}


def _text(plot: Plot, role: str, column: str, value: object) -> str:
    if column in plot.labels:
        return plot.labels[column].get(value, str(value))
    if isinstance(value, (int, float, np.number)):
        return f"{column} {value:g}" if role == "panel" else f"{value:g}"
    return str(value) if column == "model" else str(value).replace("_", " ")


def _rates(part: pd.DataFrame, x: Mapping[Key, str], series: Mapping[Key, str]) -> Rates:
    rows, columns = ({key: number for number, key in enumerate(keys)} for keys in (x, series))
    cells = np.full((3, len(rows), len(columns)), np.nan)
    cells[:, part["x"].map(rows).to_numpy(int), part["series"].map(columns).to_numpy(int)] = (
        part[[*_RATE]].to_numpy(float).T
    )
    return tuple(cells)


def _paint(panel: Axes, part: pd.DataFrame, plot: Plot, x: Mapping[Key, str], series: Mapping[Key, str]) -> None:
    values, low, high = _rates(part[~part["dashed"]], x, series)
    names, labels = list(x.values()), list(series.values())
    if plot.kind == "lines":
        _lines(panel, part, x, series)
    elif plot.kind == "heat":
        drawing.heat(panel, values.T, labels, names)
    elif plot.kind == "stacked":
        drawing.stacked(panel, names, dict(zip(labels, values.T, strict=True)))
    else:
        # A single series is named by the title.
        bars = {
            label if len(labels) > 1 else "": (values[:, k], low[:, k], high[:, k]) for k, label in enumerate(labels)
        }
        drawing.bars(panel, names, bars, across=plot.kind == "bars")


def _lines(panel: Axes, part: pd.DataFrame, x: Mapping[Key, str], series: Mapping[Key, str]) -> None:
    numbers = [int(key[0]) for key in x if isinstance(key[0], (int, np.integer))]
    spaced = len(numbers) == len(x) and min(numbers, default=0) < 0
    at = numbers if spaced else list(range(len(x)))
    for is_dashed in (False, True):
        values, *bounds = _rates(part[part["dashed"] == is_dashed], x, series)
        for index, label in enumerate(series.values()):
            band = [bound[:, index] for bound in bounds] if len(series) <= MOST_BANDS else ()
            shown = None if is_dashed else label
            if not np.isnan(values[:, index]).all():
                drawing.line(panel, at, values[:, index], *band, index=index, label=shown, dashed=is_dashed)
    panel.set_xticks(at, list(x.values()))
    if spaced:
        # Offsets: what lies before is apart from what is at 0 or past it.
        panel.axvline(-0.5, color="gray", linewidth=0.8, linestyle=":")


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
    """Return the fifth at or below all rates: from there on, lines near 100% can be distinguished."""
    least = np.nanmin([0.99, *lines["estimate"], *lines["lower"]])
    return float(np.floor(5 * max(0.0, least)) / 5)


def _size(plot: Plot, x: Mapping[Key, str], series: Mapping[Key, str]) -> tuple[float, float]:
    """Return width and height of a panel in inches."""
    return {
        "lines": (3.3, 2.6),
        "bars": (4.6, 0.9 + (0.12 + 0.13 * len(series)) * len(x)),
        "columns": (max(3.2, 1.0 + 0.12 * (1 + len(series)) * len(x)), 2.4),
        "stacked": (4.2, 1.0 + 0.3 * len(x)),
        "heat": (1.8 + 0.42 * len(x), 1.1 + 0.3 * len(series)),
    }[plot.kind]
