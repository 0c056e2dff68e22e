"""How the report of the datasets of crossing curves lays out their rows; the paper is that of nested curves."""

from planimeter.evals.curves_maps.prompt import CONFIG
from planimeter.export.columns import Row
from planimeter.export.texts import Axis, Layout, suite_text
from planimeter.generators.curves_maps import MOST_CURVES

#: Ranges by which faces are shown.
_FACES = ((1, 3), (4, 5), (6, 7), (8, 9), (10, 11), (12, 13), (14, 17), (18, 21))

#: Crossings up to here stand in order in the report; closed curves cross an even number of times.
_MOST_CROSSINGS = 60


def _faces(row: Row) -> str:
    found = (f"{low} to {high} faces" for low, high in _FACES if row["num_faces"] <= high)
    return next(found, f"{_FACES[-1][1] + 1} and more faces")


_CURVES_AXIS = Axis(
    title="Number of curves",
    of="{num_curves} curves".format_map,
    order=tuple(f"{number} curves" for number in range(2, MOST_CURVES + 1)),
)
_CROSSINGS_AXIS = Axis(
    title="Crossings",
    of="{num_crossings} crossings".format_map,
    order=tuple(f"{number} crossings" for number in range(2, _MOST_CROSSINGS, 2)),
)
_FACES_AXIS = Axis(
    title="Faces",
    of=_faces,
    order=tuple(_faces({"num_faces": low}) for low in (*(low for low, _ in _FACES), _FACES[-1][1] + 1)),
)

_PLANAR_MAP = Layout(
    rows=_CURVES_AXIS,
    columns=_CROSSINGS_AXIS,
    distributions=(_CURVES_AXIS, _CROSSINGS_AXIS, _FACES_AXIS),
    caption="{num_curves} curves, {num_crossings} crossings, {num_faces} faces".format_map,
)

TEXT = suite_text("curves_maps", {CONFIG: _PLANAR_MAP})
