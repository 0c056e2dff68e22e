"""Evidence that a reply is right or wrong, shown next to it: lines in the picture, trees, options, numbers, texts.

A suite's module ``results`` may have a function ``evidence`` that returns it, and ``FACTS``, {name: function of a
parsed answer}: each fact is shown for the true answer and for that of the reply.

This module returns data only, which the template of the page draws and escapes.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from planimeter.evals.curves.metrics import canonical_subtrees
from planimeter.evals.places import protocol
from planimeter.items.suites import declared
from planimeter.items.values import Row
from planimeter.rendering.frame import PLOT_LEFT, PLOT_SIZE, PLOT_TOP

#: A suite's ``evidence``: of config, row, answer of the reply as text, and for each position True if it is right.
Reader = Callable[[str, Row, str, Sequence[bool]], "Evidence"]

#: Larger trees are described by their numbers.
MOST_NODES = 150


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A line drawn over the picture: ``d`` is an SVG path in px, ``title`` its tooltip.

    ``kind`` determines the style: ``truth`` (a true answer), ``reply`` (an answer of the reply), ``path`` (a path to
    follow) or ``done`` (the part of it that the reply has right).
    """

    kind: str
    d: str
    title: str


@dataclass(frozen=True, kw_only=True)
class Tree:
    """A rooted tree to be shown as an indented outline, next to another one: the true tree and that of the reply.

    ``nodes`` are (depth, number, True if the other tree has the node too).
    """

    title: str
    nodes: tuple[tuple[int, int, bool], ...]

    @property
    def differs(self) -> bool:
        """True if the other tree lacks a node of this one."""
        return not all(alike for _, _, alike in self.nodes)


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The evidence that a reply is right or wrong, for the page of scores.

    ``note`` is a sentence; ``facts`` are (name, value for the true answer, value for that of the reply); ``options``
    are (text, True if right, True if chosen) in the order of the prompt; ``texts`` are (name, text).
    """

    note: str = ""
    marks: tuple[Mark, ...] = ()
    trees: tuple[Tree, ...] = ()
    facts: tuple[tuple[str, str, str], ...] = ()
    options: tuple[tuple[str, bool, bool], ...] = ()
    texts: tuple[tuple[str, str], ...] = ()


def evidence(suite: str, config: str, row: Row, read: str, correct: Sequence[bool]) -> Evidence:
    """Return the evidence that a reply to ``row`` is right or wrong; it is empty if the suite declares none.

    ``read`` is the answer of the reply as text. ``correct`` is True at each right position of a list of markers.
    """
    results = declared(suite).load("results") if declared(suite).results else None
    reader: Reader | None = getattr(results, "evidence", None)
    own = reader(config, row, read, correct) if reader else Evidence()
    facts: Mapping[str, Callable[[Any], object]] = getattr(results, "FACTS", {})
    if not facts:
        return own
    grader = protocol(suite)
    values = [grader.read(config, row, grader.render(text), strict=False).value for text in (row["answer"], read)]
    texts = {name: ["–" if value is None else str(of(value)) for value in values] for name, of in facts.items()}
    return replace(own, facts=tuple((name, truth, reply) for name, (truth, reply) in texts.items()))


def in_picture(row: Row, x: float, y: float) -> tuple[float, float]:
    """Return the pixel position (x, y down) in a plot's picture of the point (``x``, ``y``), given in axis units."""
    across = (x - row["x_min"]) / (row["x_max"] - row["x_min"])
    up = (y - row["y_min"]) / (row["y_max"] - row["y_min"])
    return PLOT_LEFT + PLOT_SIZE * across, PLOT_TOP + PLOT_SIZE * (1 - up)


def tree(title: str, parents: Sequence[int], other: Sequence[int] | None) -> Tree | None:
    """Return the outline of the tree ``parents``, depth first from the root, 0; None for over ``MOST_NODES`` nodes.

    A node is marked as present in the tree ``other`` if it has a partner there: a node with an isomorphic subtree.
    Partners are one to one; a root can only have the other root. If ``other`` is None, all nodes are marked.
    """
    if len(parents) > MOST_NODES:
        return None
    alike, waiting, nodes = _alike(parents, other), [(0, 0)], []
    while waiting:
        depth, node = waiting.pop()
        nodes.append((depth, node, alike[node]))
        children = (child for child, parent in enumerate(parents, start=1) if parent == node)
        waiting += [(depth + 1, child) for child in children][::-1]
    return Tree(title=title, nodes=tuple(nodes))


def _alike(parents: Sequence[int], other: Sequence[int] | None) -> list[bool]:
    if other is None:
        return [True] * (len(parents) + 1)
    (root, *children), (other_root, *left) = canonical_subtrees(parents), canonical_subtrees(other)
    same = [root == other_root]
    for shape in children:
        same.append(shape in left)
        if same[-1]:
            left.remove(shape)
    return same


def _line(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def between(points: Sequence[tuple[float, float]], gap: float) -> str:
    """Return a line through ``points`` as an SVG path with gaps of ``gap`` px before and after each, for its marker."""
    strokes = []
    for (x, y), (u, v) in pairwise(points):
        share = min(gap / max(math.hypot(u - x, v - y), gap), 0.5)
        dx, dy = share * (u - x), share * (v - y)
        strokes.append(_line([(x + dx, y + dy), (u - dx, v - dy)]))
    return "".join(strokes)


def ring(x: float, y: float, radius: float) -> str:
    """Return the circle with the centre (``x``, ``y``) as an SVG path; all numbers are in px."""
    half = f"a{radius:g} {radius:g} 0 1 0"
    return f"M{x - radius:.1f} {y:.1f}{half} {2 * radius:g} 0{half} {-2 * radius:g} 0z"
