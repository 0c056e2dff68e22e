"""What the datasets of curves say about crossing curves, the config ``planar_map``; part of the text of ``curves``."""

from planimeter.export.texts import Axis, ConfigText
from planimeter.generators.curves_maps.candidates import MOST_CURVES

#: Upper ends of the ranges by which faces are shown.
_FACES = (3, 5, 7, 9, 11, 13, 17, 21)

#: Crossings up to here stand in order in the report; closed curves cross an even number of times.
_MOST_CROSSINGS = 60


def _crossings(number: int) -> str:
    return f"{number} crossings"


def _faces(number: int) -> str:
    low = 1
    for high in _FACES:
        if number <= high:
            return f"{low} to {high} faces"
        low = high + 1
    return f"{low} and more faces"


def _curves(number: int) -> str:
    return f"{number} curves"


_CURVES_AXIS = Axis(
    title="Number of curves",
    of=lambda row: _curves(row["num_curves"]),
    order=tuple(map(_curves, range(2, MOST_CURVES + 1))),
)
_CROSSINGS_AXIS = Axis(
    title="Crossings",
    of=lambda row: _crossings(row["num_crossings"]),
    order=tuple(map(_crossings, range(2, _MOST_CROSSINGS, 2))),
)
_FACES_AXIS = Axis(
    title="Faces",
    of=lambda row: _faces(row["num_faces"]),
    order=tuple(map(_faces, (*_FACES, _FACES[-1] + 1))),
)

CONFIG_TEXT = ConfigText(
    title="Planar map",
    asks=(
        "Closed curves that cross. Into how many faces do they cut the plane, and which of these share a stretch of a "
        "curve? The answer is a graph in which the unbounded face is marked."
    ),
    scoring=(
        "The answer is a planar map inside `<answer>` tags: the number of faces without the unbounded one, which is 0, "
        "then a line `u v` for each pair of faces that share a stretch of a curve. The other faces may be numbered as "
        "one likes and the lines be in any order; a reply is right if some renumbering that keeps 0 turns its pairs "
        "into those of the row, which is decided exactly. The reward is 0.3 for the right number of faces and 0.7 for "
        "the exact map. Reported besides: whether the number of pairs is right, and replies that cannot be read, each "
        "by number of curves, of crossings and of faces."
    ),
    rows=_CURVES_AXIS,
    columns=_CROSSINGS_AXIS,
    distributions=(_CURVES_AXIS, _CROSSINGS_AXIS, _FACES_AXIS),
    caption=lambda row: f"{row['num_curves']} curves, {row['num_crossings']} crossings, {row['num_faces']} faces",
)

MADE = (
    "**Crossing curves** (`planar_map`) are smooth closed ovals with three random waves each, thrown on the canvas one "
    "after the other, each until all its crossings with the earlier ones are at a wide angle and far apart. An "
    "arrangement is taken if every curve crosses another, every face has paper enough and is wide enough everywhere, "
    "and no two faces are of like area; the limits stand in the recipe. Faces are numbered by the area of their paper, "
    "the largest first, 0 is the unbounded one."
)

CERTIFIED = (
    "Where curves cross, the program finds the connected regions of paper, gives each pixel of ink to the nearest of "
    "them, and calls two regions adjacent whose shares of ink meet along more than the width of a crossing. It must "
    "find the same faces, ranked by area in the same order, and the same pairs. The rules on the stored vertices ask "
    "for the angle of each crossing, the length of each arc, the width and area of each face, and find faces and "
    "adjacency once more; Euler's formula gives the number of faces a third time."
)

LIMITATIONS = (
    "Crossing curves (`planar_map`) are no task of the paper, which names them as further work: there are no published "
    "scores to compare with. They cross two at a time, widely and far apart, and never themselves; a picture with "
    "threefold, narrow or crowded crossings does not occur.",
)

BIASES = (
    "Crossing curves are ovals of like kind, and of all arrangements those are kept whose crossings are clear and "
    "whose faces are large: arrangements with many crossings on one curve are rare. Few maps can be drawn with three "
    "or four curves and they recur, so rows of one map are not independent questions.",
)
