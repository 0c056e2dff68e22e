"""Shortest ways over the surface of a box, compiled: over each pair of its edges, found by zooming in on a grid."""

from typing import Final

import numba
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def surface_path(u: Array, v: Array, a: Array, b: Array, c: Array, corner: Array) -> float:
    """Return the shortest way from U to V on the box with edges to A, B, C at ``corner``, over at most three faces."""
    frame = np.array([a - corner, b - corner, c - corner])
    sides = np.linalg.norm(frame, axis=1)
    p, q = ((w - corner) @ frame.T / sides for w in (u, v))
    return float(_shortest(p, q, sides))


#: The edges of a box: the axis along which one runs, and its side of the next axis and of the one after, in order.
_EDGES: Final = np.array([(axis, i, j) for axis in range(3) for i in (0, 1) for j in (0, 1)])


@numba.njit(cache=True)
def _shortest(p, q, sides):  # type: ignore[no-untyped-def]
    faces = [_faces(p, sides), _faces(q, sides)]
    stops = np.empty((2, 17, 3))
    middles = np.empty(len(_EDGES), np.int64)
    for i in range(len(_EDGES)):
        _put(stops[0, 0], _EDGES[i], 0.5, sides)
        middles[i] = _faces(stops[0, 0], sides)
    best = _apart(p, q) if faces[0] & faces[1] else np.inf
    for i in range(len(_EDGES)):
        if faces[0] & middles[i]:
            for j in range(len(_EDGES)):
                if (i == j or middles[i] & middles[j]) and middles[j] & faces[1]:
                    best = min(best, _over(p, q, sides, i, j, stops))
    return best


@numba.njit(cache=True)
def _faces(p, sides):  # type: ignore[no-untyped-def]
    """Return bits of the faces on which a point lies."""
    faces, slack = 0, 1e-9 * sides.max()
    for k in range(3):
        faces |= (abs(p[k]) < slack) << k | (abs(p[k] - sides[k]) < slack) << (k + 3)
    return faces


@numba.njit(cache=True)
def _put(point, edge, t, sides):  # type: ignore[no-untyped-def]
    axis, first, second = edge[0], 1 if edge[0] == 0 else 0, 1 if edge[0] == 2 else 2
    point[axis], point[first], point[second] = t * sides[axis], edge[1] * sides[first], edge[2] * sides[second]


@numba.njit(cache=True)
def _apart(p, q):  # type: ignore[no-untyped-def]
    x, y, z = p[0] - q[0], p[1] - q[1], p[2] - q[2]
    return np.sqrt(x * x + y * y + z * z)


@numba.njit(cache=True)
def _over(p, q, sides, i, j, stops):  # type: ignore[no-untyped-def]
    """Return the shortest way over one edge, or over two in order, found by zooming in on a grid."""
    centers, grid, width, best = np.full(2, 0.5), np.empty((2, 17)), 0.5, np.inf
    for _ in range(12):
        for side, edge in enumerate((i, j)):
            for k in range(17):
                grid[side, k] = min(max(centers[side] + width * (k / 8 - 1), 0.0), 1.0)
                _put(stops[side, k], _EDGES[edge], grid[side, k], sides)
        best = np.inf
        for m in range(17):
            start = _apart(stops[0, m], p)
            # Over one edge the way leaves it where it comes to it.
            for n in range(17) if i != j else range(m, m + 1):
                total = start + _apart(stops[0, m], stops[1, n]) + _apart(stops[1, n], q)
                if total < best:
                    best, centers[0], centers[1] = total, grid[0, m], grid[1, n]
        width /= 5
    return best
