"""What a drawing of nested curves shows, from its stored vertices alone: tree, distances, split; for the verifier.

Written apart from the generator on purpose, and in other ways: which curve lies in which by rays instead of areas and
boxes, trees as bracket strings instead of lists of parents, distances by a k-d tree instead of buckets, lengths and
areas by shapely. A fault in the generator's geometry shows as a difference.
"""

from collections.abc import Sequence
from hashlib import blake2b
from itertools import accumulate
from typing import Literal

import numpy as np
import numpy.typing as npt
import shapely
from scipy.spatial import cKDTree

Curve = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Side = Literal["test", "train"]

#: Stands for the tree where curves cross.
CROSSING = "crossing"

#: Two stretches of a curve face each other where the way along it is so many times as long as the straight one.
_AWAY = 4.5
#: Points along a curve are at most so many gaps apart.
_STEP = 0.65


def parents_by_rays(curves: Sequence[Curve]) -> list[int]:
    """Return for each of disjoint closed ``curves``, (n, 2) px, the curve directly around it, from 1 on; 0 for none.

    A ray from its topmost vertex upwards crosses each curve around it an odd number of times, any other an even one.
    """
    tops = np.array([curve[np.argmin(curve[:, 1])] for curve in curves])
    starts = np.vstack(curves)
    ends = np.vstack([np.roll(curve, -1, axis=0) for curve in curves])
    owner = np.repeat(np.arange(len(curves)), [len(curve) for curve in curves])
    ray, edge = np.nonzero((starts[:, 0] <= tops[:, :1]) != (ends[:, 0] <= tops[:, :1]))
    a, b, (x, y) = starts[edge], ends[edge], tops[ray].T
    above = a[:, 1] + (x - a[:, 0]) / (b[:, 0] - a[:, 0]) * (b[:, 1] - a[:, 1]) < y
    # Two edges meet in the vertex itself.
    above &= owner[edge] != ray
    crossed = np.zeros((len(curves), len(curves)), np.int64)
    np.add.at(crossed, (ray[above], owner[edge][above]), 1)
    around = crossed % 2 == 1
    depth = around.sum(axis=1)
    innermost = np.where(around, depth, -1).argmax(axis=1)
    return np.where(depth > 0, innermost + 1, 0).tolist()


def siblings_in_order(parents: Sequence[int], curves: Sequence[Curve]) -> bool:
    """Return whether siblings with equal trees stand from top to bottom, and those of equal height from the left."""
    trees = _subtrees(brackets(parents))
    tops = [min(zip(curve[:, 1].tolist(), curve[:, 0].tolist(), strict=True)) for curve in curves]
    last: dict[tuple[int, str], tuple[float, float]] = {}
    for parent, tree, top in zip(parents, trees[1:], tops, strict=True):
        if last.get((parent, tree), top) > top:
            return False
        last[parent, tree] = top
    return True


def brackets(parents: Sequence[int]) -> str:
    """Return the tree as nested brackets, root included, children in the order of their numbers.

    Raises:
        ValueError: if ``parents`` (of node ``i + 1`` at ``i``) are not numbered in preorder.
    """
    open_nodes, text = [0], "("
    for node, parent in enumerate(parents, start=1):
        while open_nodes and open_nodes[-1] != parent:
            open_nodes.pop()
            text += ")"
        if not open_nodes:
            raise ValueError(f"not in preorder: {list(parents)}")
        open_nodes.append(node)
        text += "("
    return text + ")" * len(open_nodes)


def canonical(text: str) -> str:
    """Return a tree of brackets with the children of each node in descending order of their strings."""
    levels: list[list[str]] = [[]]
    for bracket in text:
        if bracket == "(":
            levels.append([])
        else:
            children = levels.pop()
            levels[-1].append("(" + "".join(sorted(children, reverse=True)) + ")")
    return levels[0][0]


def _subtrees(text: str) -> list[str]:
    """Return the bracket string of each node of a tree, in preorder, the root's first."""
    heights = list(accumulate(1 if bracket == "(" else -1 for bracket in text))
    starts = (i for i, bracket in enumerate(text) if bracket == "(")
    return [text[i : heights.index(heights[i] - 1, i) + 1] for i in starts]


def depth(text: str) -> int:
    """Return how many curves lie around the innermost place of a tree of brackets."""
    return max(accumulate(1 if bracket == "(" else -1 for bracket in text)) - 1


def every_tree(low: int, high: int) -> list[str]:
    """Return all rooted unordered trees of ``low`` to ``high`` curves in canonical brackets, the smallest first.

    Each is one of a curve less with a leaf more.
    """
    trees, brackets = {"()"}, []
    for curves in range(1, high + 1):
        trees = {
            canonical(f"{t[: i + 1]}(){t[i + 1 :]}") for t in trees for i, bracket in enumerate(t) if bracket == "("
        }
        brackets += sorted(trees) if curves >= low else []
    return brackets


def least_distance(curves: Sequence[Curve], gap_px: float) -> float:
    """Return how near (px) two closed curves, (n, 2), or two facing stretches of one, come; at most ``gap_px``.

    Each point, ``_STEP`` gaps from the next at most, is held against each segment whose nearer end is a neighbour.
    """
    rings = shapely.segmentize([shapely.LinearRing(curve) for curve in curves], _STEP * gap_px)
    dense = [shapely.get_coordinates(ring)[:-1] for ring in rings]
    points, owner = np.vstack(dense), np.repeat(np.arange(len(dense)), [len(curve) for curve in dense])
    first = np.cumsum([0, *map(len, dense)])
    after, before = np.arange(1, len(points) + 1), np.arange(-1, len(points) - 1)
    after[first[1:] - 1], before[first[:-1]] = first[:-1], first[1:] - 1
    edges = points[after] - points
    lengths = np.sqrt((edges**2).sum(axis=1))
    ends = np.concatenate([[0.0], np.cumsum(lengths)])
    along, around = ends[:-1], np.diff(ends[first])

    def facing(i: Indices, j: Indices, at: Curve, distance: Curve) -> npt.NDArray[np.bool_]:
        way = np.abs(along[j] + at - along[i])
        way = np.minimum(way, around[owner[i]] - way)
        return (owner[i] != owner[j]) | (way > _AWAY * distance + 1e-9)

    half = _STEP * gap_px / 2
    i, k = cKDTree(points, balanced_tree=False, compact_nodes=False).query_pairs(gap_px + half, output_type="ndarray").T
    straight = np.sqrt(((points[i] - points[k]) ** 2).sum(axis=1))
    # Most pairs are neighbours on one curve, however their segments lie.
    likely = facing(i, k, np.zeros(1), straight - half - half / _AWAY - 1e-6)
    i, k = i[likely], k[likely]
    i, k = np.concatenate([i, k, i, k]), np.concatenate([k, i, before[k], before[i]])
    step, reach = edges[k], points[i] - points[k]
    share = np.clip((reach * step).sum(axis=1) / np.maximum(lengths[k] ** 2, 1e-12), 0.0, 1.0)
    distance = np.sqrt(((reach - share[:, None] * step) ** 2).sum(axis=1))
    return float(distance[facing(i, k, share * lengths[k], distance)].min(initial=gap_px))


def side_of(shown: str, curves: Sequence[Curve]) -> Side:
    """Return the split that a drawing belongs to; ``shown``: its tree in brackets, or ``CROSSING``.

    An eighth of all drawings belong to the test split: those whose digest, of ``shown`` and of the share of each curve
    in the total length and area, to four digits, begins with a multiple of 8.
    """
    rings = [shapely.LinearRing(curve) for curve in curves]
    lengths, areas = shapely.length(rings).tolist(), (2 * shapely.area(shapely.polygons(rings))).tolist()
    shares = sorted((round(a / sum(lengths), 4), round(b / sum(areas), 4)) for a, b in zip(lengths, areas, strict=True))
    text = f"{shown}|{sum(lengths) / sum(areas) ** 0.5:.4f}|{shares}"
    return "train" if int(blake2b(text.encode(), digest_size=16).hexdigest()[:8], 16) % 8 else "test"
