"""What shows why a reply is right or wrong: marks in the picture, trees, options, numbers, texts.

A suite's module ``results`` may have a function ``evidence`` that says which, and ``FACTS``: what to show, by name, of
the value of an answer, the true one and the reply's.

Everything here is data; the template draws and escapes it. Marks are SVG paths in pixels of the picture.
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

#: Config and the row of the dataset; what was read from the reply, and for each position whether it is right.
Reader = Callable[[str, Row, str, Sequence[bool]], "Evidence"]

#: Larger trees are described by their numbers.
MOST_NODES = 150


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A line in the picture: ``kind`` is ``truth``, ``reply``, ``path`` or ``done``, ``d`` an SVG path in px."""

    kind: str
    d: str
    title: str


@dataclass(frozen=True, kw_only=True)
class Tree:
    """A rooted tree as an outline: of each node its depth, its number and whether the other tree has it, too."""

    title: str
    nodes: tuple[tuple[int, int, bool], ...]

    @property
    def differs(self) -> bool:
        """Whether the other tree lacks a node."""
        return not all(alike for _, _, alike in self.nodes)


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What to show of a reply; ``note`` is one sentence, ``facts`` are (name, truth, reply), ``texts`` name and text.

    ``options`` are (text, whether right, whether chosen) in the order asked.
    """

    note: str = ""
    marks: tuple[Mark, ...] = ()
    trees: tuple[Tree, ...] = ()
    facts: tuple[tuple[str, str, str], ...] = ()
    options: tuple[tuple[str, bool, bool], ...] = ()
    texts: tuple[tuple[str, str], ...] = ()


def evidence(suite: str, config: str, row: Row, read: str, correct: Sequence[bool]) -> Evidence:
    """Return what to show of a reply to ``row`` of which ``read`` was read; nothing if the suite does not say."""
    results = declared(suite).load("results") if declared(suite).results else None
    reader: Reader | None = getattr(results, "evidence", None)
    shown = reader(config, row, read, correct) if reader else Evidence()
    facts: Mapping[str, Callable[[Any], object]] = getattr(results, "FACTS", {})
    if not facts:
        return shown
    grader = protocol(suite)
    values = [grader.read(config, row, grader.render(text), strict=False).value for text in (row["answer"], read)]
    said = {name: ["–" if value is None else str(of(value)) for value in values] for name, of in facts.items()}
    return replace(shown, facts=tuple((name, truth, reply) for name, (truth, reply) in said.items()))


def in_picture(row: Row, x: float, y: float) -> tuple[float, float]:
    """Return the place in the picture, px from its upper left corner, of a point of a counting plot in axis units."""
    across = (x - row["x_min"]) / (row["x_max"] - row["x_min"])
    up = (y - row["y_min"]) / (row["y_max"] - row["y_min"])
    return PLOT_LEFT + PLOT_SIZE * across, PLOT_TOP + PLOT_SIZE * (1 - up)


def tree(title: str, parents: Sequence[int], other: Sequence[int] | None) -> Tree | None:
    """Return the outline of a tree of parents, the root, 0, first; None for one of more than ``MOST_NODES`` nodes.

    A node is alike if ``other`` has one with an isomorphic subtree for it: each of its nodes counts once, and its root
    for the root only.
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
    """Return the line through ``points`` without ``gap`` px around each: the markers there keep their colours."""
    strokes = []
    for (x, y), (u, v) in pairwise(points):
        share = min(gap / max(math.hypot(u - x, v - y), gap), 0.5)
        dx, dy = share * (u - x), share * (v - y)
        strokes.append(_line([(x + dx, y + dy), (u - dx, v - dy)]))
    return "".join(strokes)


def ring(x: float, y: float, radius: float) -> str:
    half = f"a{radius:g} {radius:g} 0 1 0"
    return f"M{x - radius:.1f} {y:.1f}{half} {2 * radius:g} 0{half} {-2 * radius:g} 0z"
