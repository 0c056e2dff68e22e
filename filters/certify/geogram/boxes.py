"""Shortest paths over the surface of a box, compiled: straight in one of its unfoldings, which are all tried."""

from typing import Final

import numba
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def surface_path(u: Array, v: Array, a: Array, b: Array, c: Array, corner: Array) -> float:
    """Return the length of the shortest path from U to V over the box with edges to A, B, C at ``corner``.

    The path may cross any number of faces, at most five of the six. The length is infinite if U or V is on no face.
    """
    frame = np.array([a - corner, b - corner, c - corner])
    sides = np.linalg.norm(frame, axis=1)
    p, q = ((w - corner) @ frame.T / sides for w in (u, v))
    return float(_shortest(p, q, sides))


def _strips() -> npt.NDArray[np.int64]:
    """Return all strips of adjacent faces without repetition, -1 after their last face: int64 (strips, 6).

    A face is its axis, plus 3 on the far side of the box. A shortest path on a convex solid meets no face twice.
    """
    strips = [[face] for face in range(6)]
    for strip in strips:
        strips += [[*strip, face] for face in range(6) if face not in strip and (face - strip[-1]) % 3]
    return np.array([strip + [-1] * (6 - len(strip)) for strip in strips])


_STRIPS: Final = _strips()


@numba.njit(cache=True)
def _shortest(p, q, sides):  # type: ignore[no-untyped-def]
    starts, ends = _faces(p, sides), _faces(q, sides)
    best = np.inf
    for strip in _STRIPS:
        n = len(strip)
        while strip[n - 1] < 0:
            n -= 1
        if starts >> strip[0] & 1 and ends >> strip[n - 1] & 1:
            best = min(best, _along(p, q, sides, strip[:n]))
    return best


@numba.njit(cache=True)
def _faces(p, sides):  # type: ignore[no-untyped-def]
    """Return the bits of the faces that contain a point."""
    faces, slack = 0, 1e-9 * sides.max()
    for k in range(3):
        faces |= (abs(p[k]) < slack) << k | (abs(p[k] - sides[k]) < slack) << (k + 3)
    return faces


@numba.njit(cache=True)
def _along(p, q, sides, strip):  # type: ignore[no-untyped-def]
    """Return the length of a path over the faces of ``strip``, the shortest if it is straight in their unfolding.

    The line from P to Q in the unfolded plane meets the line of each edge between two faces; the path crosses the edge
    there, or at the nearest end of the edge. Therefore the path is always on the surface, and never too short.
    """
    n = len(strip)
    # The image of each axis in the plane, the image of the origin, and each edge's ends there.
    axes, origin, edges = np.zeros((3, 2)), np.zeros(2), np.empty((n - 1, 2, 2))
    axes[(strip[0] + 1) % 3, 0] = axes[(strip[0] + 2) % 3, 1] = 1.0
    here = _image(p, axes, origin)
    corner = np.empty(3)
    for k in range(n - 1):
        old, new = strip[k] % 3, strip[k + 1] % 3
        free = 3 - old - new
        corner[old] = sides[old] if strip[k] > 2 else 0.0
        corner[new] = sides[new] if strip[k + 1] > 2 else 0.0
        corner[free] = 0.0
        edges[k, 0] = _image(corner, axes, origin)
        edges[k, 1] = edges[k, 0] + sides[free] * axes[free]
        # The next face is hinged at the edge: the direction that led to the edge leads away from it, along the other
        # axis.
        axes[old] = axes[new] if (strip[k] > 2) != (strip[k + 1] > 2) else -axes[new]
        axes[new] = 0.0
        origin = edges[k, 0] - corner[old] * axes[old]
    there = _image(q, axes, origin)
    return _over(here, there, edges)


@numba.njit(cache=True)
def _image(p, axes, origin):  # type: ignore[no-untyped-def]
    return origin + p[0] * axes[0] + p[1] * axes[1] + p[2] * axes[2]


@numba.njit(cache=True)
def _over(here, there, edges):  # type: ignore[no-untyped-def]
    """Return the length of the path over ``edges`` that leaves the line to ``there`` only where it misses an edge."""
    line = there - here
    length, last = 0.0, here
    for k in range(len(edges)):
        edge, lever = edges[k, 1] - edges[k, 0], here - edges[k, 0]
        across = edge[0] * line[1] - edge[1] * line[0]
        # A line along an edge does not cross it: the path stays on one of the edge's faces; another strip tries the
        # other.
        share = (lever[0] * line[1] - lever[1] * line[0]) / across if across else 0.0
        stop = edges[k, 0] + min(max(share, 0.0), 1.0) * edge
        length += np.hypot(stop[0] - last[0], stop[1] - last[1])
        last = stop
    return length + np.hypot(there[0] - last[0], there[1] - last[1])
