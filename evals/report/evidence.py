"""What shows why a reply is right or wrong: marks in the picture, trees, options, numbers, texts; one function a suite.

Everything here is data; the template draws and escapes it. Marks are SVG paths in pixels of the picture.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from planimeter.evals import suite as protocol
from planimeter.evals.curves.metrics import depth
from planimeter.evals.marvl_qa.prompt import LABELS
from planimeter.rendering.frame import PLOT_LEFT, PLOT_SIZE, PLOT_TOP

Record = Mapping[str, Any]
#: Suite, config and the row of the dataset; what was read from the reply, and for each position whether it is right.
Reader = Callable[[str, str, Record, str, Sequence[bool]], "Evidence"]

#: Larger trees are told by their numbers.
MOST_NODES = 150

#: Distance of a tree's nodes across and down in px, and its margin.
_ACROSS, _DOWN, _MARGIN = 16, 26, 9


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A line in the picture: ``kind`` is ``truth``, ``reply``, ``path`` or ``done``, ``d`` an SVG path in px."""

    kind: str
    d: str
    title: str


@dataclass(frozen=True, kw_only=True)
class Tree:
    """A rooted tree in px: its edges, the nodes that the other tree has alike, and those that it has not."""

    title: str
    width: int
    height: int
    edges: str
    alike: str
    odd: str


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What to show of a reply; ``told`` is one sentence, ``facts`` are (name, truth, reply), ``texts`` name and text.

    ``options`` are (text, whether right, whether chosen) in the order asked.
    """

    told: str = ""
    marks: tuple[Mark, ...] = ()
    trees: tuple[Tree, ...] = ()
    facts: tuple[tuple[str, str, str], ...] = ()
    options: tuple[tuple[str, bool, bool], ...] = ()
    texts: tuple[tuple[str, str], ...] = ()


def evidence(suite: str, config: str, row: Record, read: str, correct: Sequence[bool]) -> Evidence:
    """Return what to show of a reply to ``row`` of which ``read`` was read; nothing for a suite that is not ours."""
    return _READERS[suite](suite, config, row, read, correct) if suite in _READERS else Evidence()


def in_picture(row: Record, x: float, y: float) -> tuple[float, float]:
    """Return the place in the picture, px from its upper left corner, of a point of a counting plot in axis units."""
    across = (x - row["x_min"]) / (row["x_max"] - row["x_min"])
    up = (y - row["y_min"]) / (row["y_max"] - row["y_min"])
    return PLOT_LEFT + PLOT_SIZE * across, PLOT_TOP + PLOT_SIZE * (1 - up)


def _marvl_qa(suite: str, config: str, row: Record, read: str, correct: Sequence[bool]) -> Evidence:  # noqa: ARG001
    if config == "transformation":
        options = enumerate((str(LABELS[name]) for name in row["options"]), start=1)
        return Evidence(options=tuple((text, str(k) == row["answer"], str(k) == read) for k, text in options))
    kind = row["feature"].removesuffix("a") + "um"
    rings = [
        Mark(kind="truth", d=_ring(*in_picture(row, e["x"], e["y"]), 11), title=f"{kind} {k}")
        for k, e in enumerate(row["extrema"], start=1)
    ]
    return Evidence(told=f"Each {kind} is ringed.", marks=tuple(rings))


def _traversal(suite: str, config: str, row: Record, read: str, correct: Sequence[bool]) -> Evidence:  # noqa: ARG001
    points = [(float(x), float(y)) for x, y in row["points"]]
    truth, named = list(row["markers"]), read.split(", ") if read else []
    right = len(correct) if all(correct) else list(correct).index(False)
    facts = (
        ("markers", str(len(truth)), str(len(named))),
        ("right from the start", str(len(truth)), str(right)),
    )
    gap = float(row["glyph_radius"]) + 2
    marks = [Mark(kind="path", d=_between(points, gap), title="the path")]
    if right > 1:
        marks.append(Mark(kind="done", d=_between(points[:right], gap), title="right so far"))
    if not read or (right == len(truth) == len(named)):
        return Evidence(facts=facts)
    if right == len(truth):
        return Evidence(told="All markers are right, and more follow.", marks=tuple(marks), facts=facts)
    radius = 1.5 * float(row["glyph_radius"]) + 2
    marks.append(Mark(kind="truth", d=_ring(*points[right], radius), title=f"right: {truth[right]}"))
    told = f"First fault at marker {right + 1}: it is the {truth[right]}, ringed in full; the reply "
    if right >= len(named):
        return Evidence(told=f"{told}ends before it.", marks=tuple(marks), facts=facts)
    places = [point for point, marker in zip(points, truth, strict=True) if marker == named[right]]
    marks += [Mark(kind="reply", d=_ring(*place, radius), title=f"named: {named[right]}") for place in places]
    where = "its ring is dashed" if places else "which the picture lacks"
    return Evidence(told=f"{told}names the {named[right]}, {where}.", marks=tuple(marks), facts=facts)


def _curves(suite: str, config: str, row: Record, read: str, correct: Sequence[bool]) -> Evidence:  # noqa: ARG001
    own = protocol(suite)
    truth, reply = (own.parse(config, own.render(text)).value for text in (row["answer"], read))
    facts = [("curves", str(len(truth)), "–" if reply is None else str(len(reply)))]
    facts.append(("depth", str(depth(truth)), "–" if reply is None else str(depth(reply))))
    pairs = [("truth", truth, reply), ("reply", reply, truth)]
    drawn = (tree(name, own_one, other) for name, own_one, other in pairs if own_one is not None)
    trees = tuple(one for one in drawn if one)
    told = "Hollow nodes: the other tree has no such node with all that it holds."
    return Evidence(told=told if any(one.odd for one in trees) else "", trees=trees, facts=tuple(facts))


def _curves_maps(suite: str, config: str, row: Record, read: str, correct: Sequence[bool]) -> Evidence:  # noqa: ARG001
    own = protocol(suite)
    truth, reply = (own.parse(config, own.render(text)).value for text in (row["answer"], read))
    faces = ("faces", str(truth.faces), "–" if reply is None else str(reply.faces))
    pairs = ("pairs that touch", str(len(truth.adjacent)), "–" if reply is None else str(len(reply.adjacent)))
    return Evidence(facts=(faces, pairs))


def _geogram(suite: str, config: str, row: Record, read: str, correct: Sequence[bool]) -> Evidence:  # noqa: ARG001
    return Evidence(texts=(("problem", row["problem"]), ("program", row["code"])))


_READERS: Mapping[str, Reader] = {
    "marvl_qa": _marvl_qa,
    "traversal": _traversal,
    "curves": _curves,
    "curves_maps": _curves_maps,
    "geogram": _geogram,
    "geogram_import": _geogram,
}


def tree(title: str, parents: Sequence[int], other: Sequence[int] | None) -> Tree | None:
    """Return the drawing of a tree of parents, the root on top; None for one of more than ``MOST_NODES`` nodes.

    A node is alike if ``other`` has one with an isomorphic subtree for it: each of its nodes counts once, and its root
    for the root only.
    """
    if len(parents) > MOST_NODES:
        return None
    children: list[list[int]] = [[] for _ in range(len(parents) + 1)]
    levels = [0]
    for node, parent in enumerate(parents, start=1):
        children[parent].append(node)
        levels.append(levels[parent] + 1)
    places, leaves = [0.0] * len(children), 0
    for node in _postorder(children):
        if children[node]:
            places[node] = (places[children[node][0]] + places[children[node][-1]]) / 2
        else:
            places[node], leaves = float(leaves), leaves + 1
    spots = [(_MARGIN + _ACROSS * x, _MARGIN + float(_DOWN * y)) for x, y in zip(places, levels, strict=True)]
    alike = _alike(parents, other)
    return Tree(
        title=title,
        width=round(2 * _MARGIN + _ACROSS * (leaves - 1)),
        height=2 * _MARGIN + _DOWN * max(levels),
        edges="".join(_line([spots[parent], spots[node]]) for node, parent in enumerate(parents, start=1)),
        alike="".join(_ring(*spot, 4.5) for node, spot in enumerate(spots) if alike[node]),
        odd="".join(_ring(*spot, 4.5) for node, spot in enumerate(spots) if not alike[node]),
    )


def _postorder(children: Sequence[Sequence[int]]) -> list[int]:
    order, waiting = [], [0]
    while waiting:
        order.append(waiting.pop())
        waiting += children[order[-1]]
    return order[::-1]


def _alike(parents: Sequence[int], other: Sequence[int] | None) -> list[bool]:
    if other is None:
        return [True] * (len(parents) + 1)
    (root, *own), (other_root, *left) = _shapes(parents), _shapes(other)
    found = [root == other_root]
    for shape in own:
        found.append(shape in left)
        if found[-1]:
            left.remove(shape)
    return found


def _shapes(parents: Sequence[int]) -> list[str]:
    """Return the canonical form of each node's subtree, the root's first."""
    inner: list[list[str]] = [[] for _ in range(len(parents) + 1)]
    shapes = [""] * len(inner)
    for node in range(len(parents), -1, -1):
        shapes[node] = f"({''.join(sorted(inner[node]))})"
        if node:
            inner[parents[node - 1]].append(shapes[node])
    return shapes


def _line(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _between(points: Sequence[tuple[float, float]], gap: float) -> str:
    """Return the line through ``points`` without ``gap`` px around each: the markers there keep their colours."""
    found = []
    for (x, y), (u, v) in pairwise(points):
        share = min(gap / max(math.hypot(u - x, v - y), gap), 0.5)
        dx, dy = share * (u - x), share * (v - y)
        found.append(_line([(x + dx, y + dy), (u - dx, v - dy)]))
    return "".join(found)


def _ring(x: float, y: float, radius: float) -> str:
    half = f"a{radius:g} {radius:g} 0 1 0"
    return f"M{x - radius:.1f} {y:.1f}{half} {2 * radius:g} 0{half} {-2 * radius:g} 0z"
