"""Label maps (``growth``) of nested rectangles, from which curves grow: every tree has one if the grid is fine enough.

Rectangles are made from the leaves of the tree up. A curve without children is a small rectangle of cells. Otherwise
the rectangles of its children are packed in rows, one cell apart, and the curve leaves one cell on each side around
them. So two curves are at least one cell apart from the start, and ``growth`` preserves this. (Methods that work from
the root down run out of room on deep trees.) The sizes of leaves, and the order and direction of the rows are random,
and rows and columns of cells are repeated unevenly to fill the grid: after growth the shapes do not look like
rectangles.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from planimeter.generators.curves.trees import Parents, children_of

Labels = npt.NDArray[np.int16]
#: x and y of a rectangle relative to its parent's, and its width and height; in cells.
Box = list[int]


def least_side(parents: Parents, leaf_cells: float = 1) -> float:
    """Return a lower bound on the side (cells) of any drawing of the tree, with ``leaf_cells`` cells inside each empty
    curve.

    By the Brunn-Minkowski inequality, an area of A cells with a border half a cell wide covers at least
    (sqrt(A) + 1)^2 cells. These areas are disjoint, because curves are one cell apart. Paths and stars can be drawn at
    this bound; uniform random trees of 100 curves need 1.1 to 1.25 times as much.
    """
    children = children_of(parents)
    areas = [float(leaf_cells)] * len(children)
    for node in range(len(parents), -1, -1):
        if children[node]:
            areas[node] = (math.sqrt(sum((math.sqrt(areas[c]) + 1) ** 2 for c in children[node])) + 1) ** 2
    return math.sqrt(areas[0]) - 2 if parents else 0.0


def seed_labels(
    parents: Parents, cells: int, leaf_cells: tuple[int, int], fill: float, rng: np.random.Generator
) -> Labels | None:
    """Return a label map of packed rectangles (``cells`` x ``cells``, 0 = exterior), or None if the tree does not fit.

    ``parents``: numbered in preorder; ``leaf_cells``: the least and greatest side (cells) of an empty curve. Sides are
    random, from half to all of the greatest with which the tree fits. ``fill``: the share of the grid's side that the
    drawing fills. The outermost ring of cells is exterior.
    """
    room = cells - 2
    for largest in range(leaf_cells[1], leaf_cells[0] - 1, -1):
        sides = rng.integers((largest + 2) // 2, largest + 1, (len(parents) + 1, 2))
        turns = rng.random((len(parents) + 1, 3))
        boxes = _arrange(parents, sides.tolist(), turns.tolist())
        if max(boxes[0][2:]) <= room:
            return _paint(parents, boxes, cells, round(fill * room), rng)
    return None


def _arrange(parents: Parents, sides: Sequence[Sequence[int]], turns: Sequence[Sequence[float]]) -> list[Box]:
    """Return the rectangle of each node, the exterior's first, with the children of each node packed on shelves.

    ``sides``: the sides of each node's rectangle if it has no children; ``turns``: see ``_shelve``.
    """
    children = children_of(parents)
    boxes = [[0, 0, 0, 0] for _ in children]
    for node in range(len(parents), -1, -1):
        if children[node]:
            border = 2 if node else 0
            boxes[node][2:] = [side + border for side in _shelve(boxes, children[node], turns[node])]
        elif node:
            boxes[node][2:] = sides[node]
    return boxes


def _shelve(boxes: list[Box], inner: Sequence[int], turn: Sequence[float]) -> list[int]:
    """Put the boxes of nodes ``inner`` on shelves one cell apart, nearly in a square; return (width, height) of all.

    The boxes are moved in place. ``turn``: random numbers from [0, 1); the first chooses whether shelves are rows or
    columns, the second whether their order is reversed.
    """
    along = 1 if turn[0] < 0.5 else 0
    # Highest first, those of equal height in their order.
    order = sorted(inner, key=lambda child: -boxes[child][3 - along])
    spans = [(boxes[child][2 + along], boxes[child][3 - along]) for child in order]
    total, widest = sum(width + 1 for width, _ in spans), max(width for width, _ in spans)
    best, places, whole = math.inf, [(0, 0)], [0, 0]
    for shelves in range(1, min(len(order), max(12, math.isqrt(len(order)) * 6 // 5)) + 1):
        tried, width, height = _fill(spans, max(widest, (total + shelves - 1) // shelves))
        # Small rather than square: the sides of the tree's outermost rectangle must fit on the grid.
        cost = max(width, height) + 0.35 * min(width, height)
        if cost < best:
            best, places, whole[along], whole[1 - along] = cost, tried, width, height
    for child, (x, y), (width, _) in zip(order, places, spans, strict=True):
        boxes[child][along], boxes[child][1 - along] = whole[along] - x - width if turn[1] < 0.5 else x, y
    return whole


def _fill(spans: Sequence[tuple[int, int]], limit: int) -> tuple[list[tuple[int, int]], int, int]:
    """Return the positions (x, y) of boxes put one by one on shelves at most ``limit`` cells long, and the width and
    height of the whole.

    ``spans``: the width and height of each box.
    """
    places = []
    x = y = shelf = reach = 0
    for width, height in spans:
        if x and x + width > limit:
            x, y, shelf = 0, y + shelf + 1, 0
        places.append((x, y))
        reach, shelf, x = max(reach, x + width), max(shelf, height), x + width + 1
    return places, reach, y + shelf


def _paint(
    parents: Parents, boxes: Sequence[Sequence[int]], cells: int, filled: int, rng: np.random.Generator
) -> Labels:
    _, _, width, height = boxes[0]
    small = np.zeros((height, width), np.int16)
    corners = [(0, 0)] * len(boxes)
    for node, parent in enumerate(parents, start=1):
        border = 1 if parent else 0
        x, y = corners[parent][0] + boxes[node][0] + border, corners[parent][1] + boxes[node][1] + border
        corners[node] = (x, y)
        small[y : y + boxes[node][3], x : x + boxes[node][2]] = node
    return stretched(small, cells, filled, rng)


def stretched(small: Labels, cells: int, filled: int, rng: np.random.Generator) -> Labels:
    """Return a label map of ``cells`` x ``cells`` with an enlarged ``small`` in its middle.

    Rows and columns of ``small`` are repeated at random until it is ``filled`` cells wide and high.
    """
    height, width = small.shape
    labels = np.zeros((cells, cells), np.int16)
    rows = np.repeat(np.arange(height), _stretch(height, max(filled, height), rng))
    columns = np.repeat(np.arange(width), _stretch(width, max(filled, width), rng))
    top, left = (cells - len(rows)) // 2, (cells - len(columns)) // 2
    labels[top : top + len(rows), left : left + len(columns)] = small[np.ix_(rows, columns)]
    return labels


def _stretch(length: int, room: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return the random number of copies, at least 1, of each of ``length`` rows; they sum to ``room``."""
    weights = rng.gamma(3.0, size=length)
    ends = np.floor(np.cumsum(weights) / weights.sum() * (room - length) + 0.5).astype(np.int64)
    ends[-1] = room - length
    return 1 + np.diff(ends, prepend=0)
