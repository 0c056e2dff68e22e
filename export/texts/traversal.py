"""How the report of TraversalBench lays out its rows."""

from planimeter.export.columns import Row
from planimeter.export.texts import Axis, Heatmap, Layout, suite_text

#: Names of the bins of the recipes that come along, the harder ones last.
_TORTUOSITY = ("[1, 1.3)", "[1.3, 2)", "[2, 3)", "[3, 4.5)", "[4.5, 6.5)", "[6.5, 9)", "[9, 14)")
_CROSSINGS = ("0", "1", "2-3", "4-5", "6-8", "9-12", "13-20", "21-30", "31-40")
_REGIMES = {
    "ltr_tb": "left to right, lanes downwards",
    "rtl_tb": "right to left, lanes downwards",
    "ttb_rl": "downwards, lanes leftwards",
    "ttb_lr": "downwards, lanes rightwards",
}


def _named(names: tuple[str, ...], index: int) -> str:
    return names[index] if 0 <= index < len(names) else f"bin {index}"


def _crossings(row: Row) -> str:
    return _named(_CROSSINGS, row["self_intersection_bin"])


def _unreachable(tortuosity: str, crossings: str) -> str:
    """Say of a pair of bins whether it is one of the three that no path reaches."""
    return "unreachable" if tortuosity == _TORTUOSITY[0] and crossings in _CROSSINGS[4:] else ""


def _spurs(row: Row) -> str:
    number = row["self_intersections"]
    crossings = f"{number} crossing{'' if number == 1 else 's'}"
    return f"{row['n_points']} points, {crossings}, {len(row['confounders'])} spurs"


_POINTS = Axis(title="Points", of="{n_points}".format_map, order=tuple(map(str, range(2, 100))))
_BY_TORTUOSITY = Axis(title="Tortuosity", of=lambda row: _named(_TORTUOSITY, row["tortuosity_bin"]), order=_TORTUOSITY)
_BY_CROSSINGS = Axis(title="Crossings", of=_crossings, order=_CROSSINGS)
_CONDITION = Axis(title="Condition", of="{condition}".format_map, order=("low", "high"))
_FAMILY = Axis(title="Family of the path", of=lambda row: row["generator_family"].replace("_", " "))
_START = Axis(title="Colour of the start marker", of=lambda row: row["markers"][0].split()[0])

_BASE = Layout(
    rows=_BY_TORTUOSITY,
    columns=Axis(
        title="Crossings and points",
        of=lambda row: f"{_crossings(row)} crossings, {row['n_points']} points",
        order=tuple(f"{crossings} crossings, {points} points" for crossings in _CROSSINGS for points in range(2, 100)),
    ),
    distributions=(
        _FAMILY,
        _POINTS,
        Axis(title="Number of crossings", of="{self_intersections}".format_map),
        _START,
    ),
    caption="tortuosity {tortuosity:.2f}".format_map,
    empty=lambda row, column: _unreachable(row, column.partition(" ")[0]),
    family=_FAMILY,
    heatmap=Heatmap(rows=_BY_TORTUOSITY, columns=_BY_CROSSINGS, panels=_POINTS, empty=_unreachable),
)

_CONFOUNDED = Layout(
    rows=_BY_TORTUOSITY,
    columns=Axis(
        title="Crossings and spurs",
        of=lambda row: f"{_crossings(row)} ({row['condition']})",
        order=tuple(f"{crossings} ({condition})" for crossings in _CROSSINGS for condition in _CONDITION.order),
    ),
    distributions=(
        _CONDITION,
        Axis(title="Number of spurs", of=lambda row: str(len(row["confounders"]))),
        _POINTS,
        _FAMILY,
    ),
    caption=_spurs,
    empty=lambda row, column: _unreachable(row, column.rpartition(" (")[0]),
    family=_FAMILY,
    heatmap=Heatmap(rows=_BY_TORTUOSITY, columns=_BY_CROSSINGS, panels=_CONDITION, empty=_unreachable),
)

_READING_ORDER = Layout(
    rows=Axis(title="Direction", of=lambda row: _REGIMES[row["regime"]]),
    columns=Axis(title="Lanes and points", of="{lanes} lanes, {n_points} points".format_map),
    distributions=(Axis(title="Lanes", of="{lanes}".format_map), _POINTS, _BY_TORTUOSITY, _START),
    family=_FAMILY,
    caption="{n_points} points in {lanes} lanes".format_map,
)

_SMOOTHNESS = Axis(title="Smoothness", of=lambda row: f"{row['smoothness']:g}")

_CURVED = Layout(
    rows=_SMOOTHNESS,
    columns=Axis(title="Crossings and points", of=_BASE.columns.of, order=_BASE.columns.order),
    distributions=(
        _SMOOTHNESS,
        Axis(title="Curvature in 1/1000 px", of=lambda row: str(round(1000 * row["curvature"]))),
        _BY_TORTUOSITY,
        _POINTS,
        _FAMILY,
    ),
    caption="smoothness {smoothness:g}, curvature {curvature:.4f} / px".format_map,
    family=_FAMILY,
    heatmap=Heatmap(rows=_BY_TORTUOSITY, columns=_BY_CROSSINGS, panels=_SMOOTHNESS, empty=_unreachable),
)

TEXT = suite_text(
    "traversal",
    {"base": _BASE, "confounded": _CONFOUNDED, "reading_order": _READING_ORDER, "curved": _CURVED},
)
