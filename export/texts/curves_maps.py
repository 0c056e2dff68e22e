"""What the datasets of crossing curves say about themselves; the paper is that of nested curves."""

from dataclasses import replace
from types import MappingProxyType

from planimeter.evals.curves_maps.prompt import CONFIG
from planimeter.export.texts import Axis, ConfigText, curves
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

_PLANAR_MAP = ConfigText(
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

TEXT = replace(
    curves.TEXT,
    summary=(
        "Pictures of closed curves that cross, and the question which faces they cut the plane into and which of these "
        "are adjacent: a planar map. The paper CurveBench names it as further work beside its own task, nested curves. "
        "Pictures, maps and questions are drawn by a program; no picture of the authors' release is contained."
    ),
    training=(
        "Rows for training that share no drawing with these are one command away: a split `train` in the recipe."
    ),
    made=(
        "Curves are smooth closed ovals with three random waves each, thrown on the canvas one after the other, each "
        "until all its crossings with the earlier ones are at a wide angle and far apart. An arrangement is taken if "
        "every curve crosses another, every face has paper enough and is wide enough everywhere, and no two faces are "
        "of like area; the limits stand in the recipe. Lines are black on white.",
        "Faces are numbered by the area of their paper, the largest first; 0 is the unbounded one.",
        "**Training and test rows share no drawing.** A hash of the drawing, which stays the same when it is turned, "
        "mirrored, moved or scaled, sets an eighth of all drawings apart for testing. Rows of a split `train` come "
        "from the rest and all others from that eighth, at any seed and scale.",
    ),
    certified=(
        "A row is published only if a program that sees nothing but the PNG recovers its answer. It finds the "
        "connected regions of paper, gives each pixel of ink to the nearest of them, and calls two regions adjacent "
        "whose shares of ink meet along more than the width of a crossing. It must find the same faces, ranked by area "
        "in the same order, and the same pairs. It knows neither the curves nor the answer, and shares no code with "
        "the generator or the renderer. `certified_by` names it.",
        "Before that, rules are judged on the stored vertices: the angle of each crossing, the length of each arc, the "
        "width and area of each face. They find faces and adjacency once more; Euler's formula gives the number of "
        "faces a third time.",
    ),
    checks=MappingProxyType(
        {
            "layout": "The throw of curves leads to clear crossings and faces that fit the canvas.",
            "disjoint": curves.TEXT.checks["disjoint"],
            "simple": "No curve crosses itself, and no two share a stretch.",
            "border": curves.TEXT.checks["border"],
            "stroke": curves.TEXT.checks["stroke"],
            "crossing": "Every two curves that cross do so at a wide angle.",
            "arc": "Every curve crosses another, and its crossings are far apart.",
            "face": "Every face has paper enough and no neck, and no two faces are of like area.",
            "map": "The stored curves draw the stored faces and pairs, as many as Euler's formula says.",
            "certify": "The map read from the picture alone is the right one.",
            "near-duplicate": curves.TEXT.checks["near-duplicate"],
        }
    ),
    limitations=(
        "Crossing curves are no task of the paper, which names them as further work: there are no published scores to "
        "compare with. They cross two at a time, widely and far apart, and never themselves; a picture with threefold, "
        "narrow or crowded crossings does not occur.",
        "The pictures are drawn by a program. They vary a great deal, but a person's hand varies in other ways, and "
        "scores here need not be those on hand-drawn curves.",
        "Curves are of one width in each picture; filled regions, labels and photographs do not occur.",
        "A drawing that the certifier cannot read is left out even where a person might read it.",
        "The prompt is in English only.",
    ),
    biases=(
        "Crossing curves are ovals of like kind, and of all arrangements those are kept whose crossings are clear and "
        "whose faces are large: arrangements with many crossings on one curve are rare. Few maps can be drawn with "
        "three or four curves and they recur, so rows of one map are not independent questions.",
        "All lines stand on a square canvas with much free space kept for legibility.",
    ),
    use_cases=(
        "Measuring how exactly vision-language models perceive adjacency and count regions, by number of curves, of "
        "crossings and of faces.",
        "Reinforcement learning with a reward that can be checked, on a split `train`.",
    ),
    sources=(
        replace(
            curves.TEXT.sources[0],
            description=(
                "The paper names crossing curves as further work. Only its text was used; no picture or annotation of "
                "its release was copied. There is no other source."
            ),
        ),
    ),
    activities=(
        replace(
            curves.TEXT.activities[0],
            description=(
                "Curves drawn by a seeded program (Planimeter); every item is a pure function of the recipe and the "
                "item's seed. No human annotators, no language model."
            ),
        ),
        *curves.TEXT.activities[1:],
    ),
    configs=MappingProxyType({CONFIG: _PLANAR_MAP}),
)
