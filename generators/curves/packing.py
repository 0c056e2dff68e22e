"""Seed drawings: any tree as nested rectangles on a coarse grid, which always fits if the grid is fine enough.

Bottom up, a curve without children is a small rectangle of cells; a curve with children is the rectangle around their
rectangles, which stand on shelves one cell apart, with one cell all round. So two curves are at least one cell apart
from the start, and ``growth`` keeps it so. (Top-down ways, a child scaled into its parent or a region cut in two, run
out of room on caterpillars.) Sizes of leaves, order on the shelves and turns by a right angle are drawn, and rows and
columns are stretched at random to fill the grid: what is left of the rectangles after growth does not look like any.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from planimeter.generators.curves.trees import Parents, children_of

Labels = npt.NDArray[np.int16]


def least_side(parents: Parents, leaf_cells: float = 1) -> float:
    """Return a side (cells) that no drawing of the tree can undercut on any grid, empty curves of ``leaf_cells`` cells.

    By Brunn and Minkowski, an area of A cells takes (sqrt(A) + 1)^2 with half a lane around it, and these are disjoint.
    Paths and stars can be drawn on just that; uniform random trees of 100 curves take 1.1 to 1.25 times as much.
    """
    children = children_of(parents)
    areas = [float(leaf_cells)] * len(children)
    for node in range(len(parents), -1, -1):
        if children[node]:
            areas[node] = (math.sqrt(sum((math.sqrt(areas[c]) + 1) ** 2 for c in children[node])) + 1) ** 2
    return math.sqrt(areas[0]) - 2 if parents else 0.0


@dataclass(frozen=True, slots=True)
class _Box:
    """Where a node's rectangle lies in its parent's frame (cells)."""

    x: int
    y: int
    width: int
    height: int


def seed_labels(
    parents: Parents, cells: int, leaf_cells: tuple[int, int], fill: float, rng: np.random.Generator
) -> Labels | None:
    """Return the label map (``cells`` x ``cells``, 0 = exterior, -1 nowhere), or None if the tree does not fit.

    ``leaf_cells``: the smallest and largest side of an empty curve's seed; smaller ones are tried until the tree fits.
    ``fill``: the share of the grid's side to stretch the seed to. The outermost ring of cells is exterior. ``parents``
    must be numbered in preorder.
    """
    room = cells - 2
    for largest in range(leaf_cells[1], leaf_cells[0] - 1, -1):
        sides = rng.integers((largest + 2) // 2, largest + 1, (len(parents) + 1, 2))
        turns = rng.random((len(parents) + 1, 3))
        boxes, width, height = _arrange(parents, sides, turns)
        if max(width, height) <= room:
            return _paint(parents, boxes, (width, height), cells, round(fill * room), rng)
    return None


def _arrange(
    parents: Parents, sides: npt.NDArray[np.int64], turns: npt.NDArray[np.float64]
) -> tuple[list[_Box], int, int]:
    children = children_of(parents)
    sizes: list[tuple[int, int]] = [(0, 0)] * len(children)
    boxes = [_Box(0, 0, 0, 0)] * len(children)
    for node in range(len(parents), -1, -1):
        inner = [sizes[c] for c in children[node]]
        places, width, height = _shelve(inner, turns[node])
        for child, (x, y) in zip(children[node], places, strict=True):
            boxes[child] = _Box(x, y, *sizes[child])
        if node == 0:
            return boxes, width, height
        sizes[node] = (width + 2, height + 2) if inner else (int(sides[node, 0]), int(sides[node, 1]))
    raise ValueError("a tree has a root")


def _shelve(sizes: Sequence[tuple[int, int]], turn: npt.NDArray[np.float64]) -> tuple[list[tuple[int, int]], int, int]:
    """Return the places of boxes on shelves one cell apart, and the whole's width and height: near a square."""
    if not sizes:
        return [], 0, 0
    upright = bool(turn[0] < 0.5)
    spans = [(h, w) if upright else (w, h) for w, h in sizes]
    order = sorted(range(len(spans)), key=lambda i: (-spans[i][1], i))
    widest = max(w for w, _ in spans)
    total = sum(w + 1 for w, _ in spans)
    best: tuple[float, list[tuple[int, int]], int, int] | None = None
    for shelves in range(1, min(len(spans), max(12, math.isqrt(len(spans)) * 6 // 5)) + 1):
        places, width, height = _fill(spans, order, max(widest, -(-total // shelves)), bool(turn[1] < 0.5))
        # Any shape within reason, but small: the tree's outermost rectangle has to fit a square.
        cost = max(width, height) + 0.35 * min(width, height)
        if best is None or cost < best[0]:
            best = (cost, places, width, height)
    if best is None:
        raise ValueError("no shelf was tried")
    _, places, width, height = best
    if upright:
        return [(y, x) for x, y in places], height, width
    return places, width, height


def _fill(
    spans: Sequence[tuple[int, int]], order: Sequence[int], limit: int, mirrored: bool
) -> tuple[list[tuple[int, int]], int, int]:
    places = [(0, 0)] * len(spans)
    x = y = shelf = reach = 0
    for i in order:
        width, height = spans[i]
        if x and x + width > limit:
            x, y, shelf = 0, y + shelf + 1, 0
        places[i] = (x, y)
        reach, shelf, x = max(reach, x + width), max(shelf, height), x + width + 1
    if mirrored:
        places = [(reach - px - spans[i][0], py) for i, (px, py) in enumerate(places)]
    return places, reach, y + shelf


def _paint(
    parents: Parents, boxes: Sequence[_Box], size: tuple[int, int], cells: int, filled: int, rng: np.random.Generator
) -> Labels:
    width, height = size
    small = np.zeros((height, width), np.int16)
    corners = [(0, 0)] * len(boxes)
    for node, parent in enumerate(parents, start=1):
        border = 1 if parent else 0
        x = corners[parent][0] + boxes[node].x + border
        y = corners[parent][1] + boxes[node].y + border
        corners[node] = (x, y)
        small[y : y + boxes[node].height, x : x + boxes[node].width] = node
    return stretched(small, cells, filled, rng)


def stretched(small: Labels, cells: int, filled: int, rng: np.random.Generator) -> Labels:
    """Return a label map of ``cells`` x ``cells`` with ``small`` in its middle, stretched to ``filled`` at random."""
    height, width = small.shape
    labels = np.zeros((cells, cells), np.int16)
    rows = np.repeat(np.arange(height), _stretch(height, max(filled, height), rng))
    columns = np.repeat(np.arange(width), _stretch(width, max(filled, width), rng))
    top, left = (cells - len(rows)) // 2, (cells - len(columns)) // 2
    labels[top : top + len(rows), left : left + len(columns)] = small[np.ix_(rows, columns)]
    return labels


def _stretch(length: int, room: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return how often each of ``length`` rows is repeated to fill ``room``: each at least once, unevenly."""
    weights = rng.gamma(3.0, size=length)
    ends = np.floor(np.cumsum(weights) / weights.sum() * (room - length) + 0.5).astype(np.int64)
    ends[-1] = room - length
    return 1 + np.diff(ends, prepend=0)
