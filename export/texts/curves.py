"""How the report of the datasets of nested curves lays out their rows."""

from planimeter.export.columns import Row
from planimeter.export.texts import Axis, Layout, suite_text
from planimeter.items import CURVE_CATEGORIES

#: Upper ends of the ranges by which sizes are shown.
_SIZES = (1, 2, 3, 4, 5, 8, 12, 20, 35, 55, 80, 120)


def _size(row: Row) -> str:
    """Return the range of the number of curves; the padding makes the names sort by number."""
    low = 1
    for high in _SIZES:
        if row["num_nodes"] <= high:
            return f"{low:>3} curve{'s' if high > 1 else ''}" if low == high else f"{low:>3} to {high} curves"
        low = high + 1
    return f"{low:>3} and more curves"


def _caption(row: Row) -> str:
    return f"{row['num_nodes']} curve{'s' if row['num_nodes'] > 1 else ''}, depth {row['depth']}"


_SIZE = Axis(title="Number of curves", of=_size)
_DEPTH = Axis(title="Depth", of="depth {depth:>2}".format_map)
_CATEGORY = Axis(title="Category", of="{category}".format_map)

#: CurveBench's Figure 3.
_RINGS = (_CATEGORY, Axis(title="Number of curves", of=lambda row: _size(row).split(" curve")[0]), _DEPTH)

_TEST = Layout(rows=_SIZE, columns=_DEPTH, distributions=(_SIZE, _DEPTH), caption=_caption, rings=_RINGS)
_EASY = Layout(
    rows=Axis(title="Tree", of="{canonical}".format_map),
    columns=Axis(title="Drawings", of=lambda _: "drawings of the tree"),
    distributions=(_SIZE, _DEPTH),
    caption=_caption,
    rings=_RINGS,
)
_CURRICULUM = Layout(
    rows=Axis(title="Level", of="level {level}".format_map),
    columns=_CATEGORY,
    distributions=(_CATEGORY, _SIZE, _DEPTH),
    caption=_caption,
    rings=_RINGS,
)

TEXT = suite_text("curves", dict.fromkeys(CURVE_CATEGORIES, _TEST) | {"easy": _EASY, "curriculum": _CURRICULUM})
