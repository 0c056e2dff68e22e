"""Measure the clearance of curves: the least distance between two curves, and between non-adjacent parts of one curve.

Distances are in pixels between centre lines; the blank paper between two strokes is one stroke width narrower. Two
points of a curve are non-adjacent if the path along the curve between them is more than ``AWAY`` times as long as the
straight line between them. Therefore the two sides of a corner of 30 degrees or more are adjacent (the ratio is at most
1 / sin 15 = 3.9), and the two sides of a bottleneck are not.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numba
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

AWAY = 4.5

#: As the rules sample curves (``filters.curves.rules``): evenly resampled ones, 0.6 gaps apart, need no more points.
STEP = 0.65

#: Far above the rounding of distances, px.
_SLACK = 1e-6

#: Open lines are short and sampled at points this many px apart.
_OPEN_STEP = 1.0


@dataclass(frozen=True, slots=True)
class Clearance:
    """The clearances (px) of the curves of a drawing: arrays of one entry per curve.

    ``between``: the distance to the nearest other curve; ``within``: the least distance between non-adjacent parts of
    the curve itself; ``nearest``: the index of the nearest other curve. Distances above the ``reach`` of ``measure``
    are stored as ``reach``, with -1 in ``nearest``.
    """

    between: npt.NDArray[np.float64]
    within: npt.NDArray[np.float64]
    nearest: npt.NDArray[np.int64]

    def tight(self, least: float) -> npt.NDArray[np.intp]:
        """Return the indices of the curves whose clearance, ``between`` or ``within``, is below ``least`` px."""
        return np.flatnonzero(np.minimum(self.between, self.within) < least)


def has_clearance(curves: Sequence[npt.NDArray[np.float64]], gap: float) -> bool:
    """Return True if different curves, and non-adjacent parts of one curve, are at least ``gap`` px apart."""
    return not len(measure(curves, gap + 0.1, stop=gap).tight(gap))


def measure(curves: Sequence[npt.NDArray[np.float64]], reach: float, stop: float = 0.0) -> Clearance:
    """Return the clearances of closed curves ((n, 2), px); those above ``reach`` px are returned as ``reach``.

    The measurement ends early at the first clearance below ``stop`` px; the other entries are then upper bounds.
    Clearances are measured from sample points on the curves, at most ``STEP`` times ``reach`` apart.

    Raises:
        ValueError: if there are no curves, or one has fewer than three vertices.
    """
    if not curves or min(len(c) for c in curves) < 3:
        raise ValueError("need one or more curves, each with three or more vertices")
    points, owner, starts, ends = sampled(curves, STEP * reach)
    return Clearance(*_nearest(points, owner, *_segments(points, starts, ends), float(reach), stop))


def open_clearance(line: npt.NDArray[np.float64], reach: float) -> float:
    """Return the least distance (px) between non-adjacent parts of an open line (n, 2), or ``reach`` if that is less.

    Distances are measured between points of the line that are at most ``_OPEN_STEP`` px apart.
    """
    steps = np.sqrt((np.diff(line, axis=0) ** 2).sum(axis=1))
    ends = np.concatenate([[0.0], np.cumsum(steps)])
    at = np.linspace(0.0, ends[-1], int(ends[-1] / _OPEN_STEP) + 2)
    points = np.stack([np.interp(at, ends, line[:, 0]), np.interp(at, ends, line[:, 1])], axis=1)
    distances = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    facing = np.abs(at[:, None] - at[None]) > AWAY * distances + 1e-9
    return float(distances[facing].min(initial=reach))


def sampled(curves: Sequence[Floats], longest: float) -> tuple[Floats, Places, Places, Places]:
    """Sample closed curves ((k, 2), px) at their vertices and between these, at most ``longest`` px apart.

    Returns the sample points (n, 2), the index of the curve of each point, and for each curve the index of its first
    point and one more than the index of its last.
    """
    vertices, sizes = np.concatenate(curves), np.array([len(curve) for curve in curves])
    lasts = np.cumsum(sizes)
    steps = vertices[_following(lasts - sizes, lasts)] - vertices
    parts = np.maximum(1, np.ceil(_norms(steps) / longest)).astype(np.int64)
    at, filled = np.repeat(np.arange(len(vertices)), parts), np.cumsum(parts)
    share = (np.arange(filled[-1]) - (filled - parts)[at]) / parts[at]
    ends = filled[lasts - 1]
    starts = np.concatenate([[0], ends[:-1]])
    return vertices[at] + steps[at] * share[:, None], np.repeat(np.arange(len(sizes)), ends - starts), starts, ends


def _segments(points: Floats, starts: Places, ends: Places) -> tuple[Floats, Places, Floats, Floats, Floats]:
    """Describe the segment from each sample point to the next one of its curve, in px.

    Returns, for each point, its distance along its curve from the first point, the index of the next point, and half
    the length and the midpoint of the segment; and, for each curve, its perimeter. ``starts`` and ``ends``: see
    ``sampled``.
    """
    following = _following(starts, ends)
    steps = points[following] - points
    sides = _norms(steps)
    along, perimeter = np.zeros(len(points)), np.empty(len(starts))
    for curve, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        ways = np.cumsum(sides[start:end])
        along[start + 1 : end], perimeter[curve] = ways[:-1], ways[-1]
    return along, following, sides / 2, points + steps / 2, perimeter


def _following(starts: Places, ends: Places) -> Places:
    """Return for each point the index of the next one on its closed curve; the last point is followed by the first.

    Curve c has the points from ``starts[c]`` to before ``ends[c]``.
    """
    following = np.arange(1, ends[-1] + 1)
    following[ends - 1] = starts
    return following


def _norms(steps: Floats) -> Floats:
    norms: Floats = np.sqrt(steps[:, 0] * steps[:, 0] + steps[:, 1] * steps[:, 1])
    return norms


@numba.njit(cache=True, error_model="numpy")
def _nearest(points, owner, along, following, half, middles, perimeter, reach, stop):  # type: ignore[no-untyped-def]
    """Return the arrays ``between``, ``within`` and ``nearest`` of a ``Clearance``.

    ``owner``: the curve index of each point; the next five arguments: the result of ``_segments``; ``reach`` and
    ``stop``: see ``measure``.
    """
    # Buckets of one reach and half a segment: the middles of near segments are in a point's bucket or an adjacent one.
    size = reach + half.max()
    outside = (size + _SLACK) ** 2
    low_x, low_y = middles[:, 0].min(), middles[:, 1].min()
    member, fill, columns = _buckets(middles, size, low_x, low_y)
    rows = (len(fill) - 1) // columns
    between = np.full(len(perimeter), reach)
    within = np.full(len(perimeter), reach)
    nearest = np.full(len(perimeter), -1)
    # In the order of the buckets, which is that of reading.
    xs, ys, whose, follower = middles[member, 0], middles[member, 1], owner[member], following[member]
    far_along, half_long = along[member] + half[member], half[member]
    neighbours = np.empty(len(points), np.uint64)
    for i in range(len(points)):
        x, y, a = points[i, 0], points[i, 1], owner[i]
        row, column = int(np.floor((y - low_y) / size)), int(np.floor((x - low_x) / size))
        left, right = min(columns, max(0, column - 1)), max(0, min(columns, column + 2))
        # Without branches, which would be mispredicted one time in three.
        filled = np.uint64(0)
        for r in range(max(0, row - 1), min(rows, row + 2)):
            for k in range(np.uint64(fill[r * columns + left]), np.uint64(fill[r * columns + right])):
                neighbours[filled] = k
                filled += np.uint64((xs[k] - x) ** 2 + (ys[k] - y) ** 2 <= outside)
        # No point of a segment is nearer than its middle less half its length: of the same curve most segments are too
        # far to face the point, and the two that end in it never do.
        count, filled = filled, np.uint64(0)
        for n in range(count):
            k = neighbours[n]
            square = (xs[k] - x) ** 2 + (ys[k] - y) ** 2
            ahead = abs(far_along[k] - along[i])
            facing = (min(ahead, perimeter[a] - ahead) + half_long[k]) / AWAY + half_long[k] + _SLACK
            likely = (whose[k] != a) | (square <= facing * facing)
            neighbours[filled] = k
            filled += np.uint64(likely & (member[k] != i) & (follower[k] != i))
        for n in range(filled):
            k = neighbours[n]
            j, b = member[k], whose[k]
            distance, share = _to_segment(points, i, j, follower[k])
            if a != b:
                if distance < between[a]:
                    between[a], nearest[a] = distance, b
                if distance < between[b]:
                    between[b], nearest[b] = distance, a
            elif distance < within[a]:
                step = abs(along[j] + share - along[i])
                if min(step, perimeter[a] - step) > AWAY * distance + 1e-9:
                    within[a] = distance
        if min(between[a], within[a]) < stop:
            break
    return between, within, nearest


@numba.njit(cache=True)
def _buckets(points, size, low_x, low_y):  # type: ignore[no-untyped-def]
    """Sort points into a grid of square buckets, so that the points near a place are found quickly.

    Returns the point indices, bucket by bucket, the position in this array at which each bucket begins, and the number
    of columns of the grid, which begins at (``low_x``, ``low_y``). ``size``: the side of a bucket, px.
    """
    columns = int((points[:, 0].max() - low_x) / size) + 1
    rows = int((points[:, 1].max() - low_y) / size) + 1
    bucket = np.empty(len(points), np.int64)
    fill = np.zeros(rows * columns + 1, np.int64)
    for i in range(len(points)):
        bucket[i] = int((points[i, 1] - low_y) / size) * columns + int((points[i, 0] - low_x) / size)
        fill[bucket[i] + 1] += 1
    for b in range(rows * columns):
        fill[b + 1] += fill[b]
    slot = fill[:-1].copy()
    member = np.empty(len(points), np.int64)
    for i in range(len(points)):
        member[slot[bucket[i]]] = i
        slot[bucket[i]] += 1
    return member, fill, columns


@numba.njit(cache=True, error_model="numpy")
def _to_segment(points, i, j, k):  # type: ignore[no-untyped-def]
    """Return the distance (px) of point ``i`` from the segment between points ``j`` and ``k``, and the distance (px)
    from ``j`` to the nearest point of the segment.
    """
    sx, sy = points[k, 0] - points[j, 0], points[k, 1] - points[j, 1]
    px, py = points[i, 0] - points[j, 0], points[i, 1] - points[j, 1]
    square = sx * sx + sy * sy
    t = 0.0 if square == 0.0 else min(1.0, max(0.0, (px * sx + py * sy) / square))
    dx, dy = px - t * sx, py - t * sy
    return np.sqrt(dx * dx + dy * dy), t * np.sqrt(square)
