"""Find the tree of disjoint closed curves from their coordinates."""

from collections.abc import Sequence

import numpy as np

from planimeter.generators.curves.outlines import Curve, area
from planimeter.generators.curves.trees import Parents, canonical_order, reorder


def nest(curves: Sequence[Curve]) -> tuple[Parents, list[Curve]]:
    """Return the tree of disjoint simple closed curves ((n, 2), px) in canonical form (``trees``), and the curves in
    the order of its nodes.

    Siblings with equal subtrees are ordered by the height of their topmost vertex, then from left to right.
    """
    by_area = sorted(range(len(curves)), key=lambda i: -abs(area(curves[i])))
    large_first = [curves[i] for i in by_area]
    parents: list[int] = []
    boxes = np.array([(*c.min(axis=0), *c.max(axis=0)) for c in large_first])
    for i, curve in enumerate(large_first):
        x, y = curve[0]
        inside = (boxes[:i, 0] < x) & (x < boxes[:i, 2]) & (boxes[:i, 1] < y) & (y < boxes[:i, 3])
        around = (j + 1 for j in np.flatnonzero(inside)[::-1].tolist() if _contains(large_first[j], x, y))
        # The smallest of the larger curves around the point is the parent.
        parents.append(next(around, 0))
    return canonicalised(tuple(parents), large_first)


def canonicalised(parents: Parents, curves: Sequence[Curve]) -> tuple[Parents, list[Curve]]:
    """Renumber a tree canonically, and put its curves in the same order; return both.

    ``curves[i]`` is the curve of node ``i + 1``. Siblings with equal subtrees are ordered as in ``nest``.
    """
    tops = [(0.0, 0.0), *map(_top, curves)]
    rank = np.argsort(np.lexsort(np.array(tops).T[::-1]), kind="stable").astype(float).tolist()
    order = canonical_order(parents, rank)
    return reorder(parents, order), [curves[node - 1] for node in order]


def _top(curve: Curve) -> tuple[float, float]:
    """Return y and x of the topmost vertex, the leftmost one of several; no two disjoint curves have the same.

    The bounding box is not enough: two disjoint curves can have the same least x and least y.
    """
    y = curve[:, 1].min()
    return float(y), float(curve[curve[:, 1] == y, 0].min())


def _contains(curve: Curve, x: float, y: float) -> bool:
    above = curve[:, 1] > y
    i = np.flatnonzero(above != np.roll(above, 1))
    ends, starts = curve[i], curve[i - 1]
    share = (y - ends[:, 1]) / (starts[:, 1] - ends[:, 1])
    crossings = np.count_nonzero(x < ends[:, 0] + share * (starts[:, 0] - ends[:, 0]))
    return crossings % 2 == 1
