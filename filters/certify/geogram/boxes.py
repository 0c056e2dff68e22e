"""Shortest paths over the surface of a box, found by trying straight lines in all of its unfoldings."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def surface_path(u: Array, v: Array, a: Array, b: Array, c: Array, corner: Array) -> float:
    """Return the length of the shortest path over the surface of a box from the point ``u`` to the point ``v``.

    Three edges of the box lead from ``corner`` to ``a``, ``b`` and ``c``; all points are (3,). The path may cross up to
    five faces. The length is infinite if ``u`` or ``v`` is not on a face.
    """
    frame = np.array([a - corner, b - corner, c - corner])
    sides = np.linalg.norm(frame, axis=1)
    p, q = ((w - corner) @ frame.T / sides for w in (u, v))
    return _shortest(p, q, sides)


def _strips() -> list[list[int]]:
    """Return all sequences of adjacent faces of a box without repetition.

    A shortest path over a convex solid enters no face twice. A face is the number of its axis, 0 to 2, plus 3 if it
    is on the far side of the box.
    """
    strips = [[face] for face in range(6)]
    for strip in strips:
        strips += [[*strip, face] for face in range(6) if face not in strip and (face - strip[-1]) % 3]
    return strips


_STRIPS: Final = _strips()


def _shortest(p: Array, q: Array, sides: Array) -> float:
    starts, ends = _faces(p, sides), _faces(q, sides)
    tried = [strip for strip in _STRIPS if strip[0] in starts and strip[-1] in ends]
    return min((_along(p, q, sides, strip) for strip in tried), default=math.inf)


def _faces(p: Array, sides: Array) -> set[int]:
    """Return the faces of the box with edge lengths ``sides`` that contain the point ``p``."""
    slack = 1e-9 * sides.max()
    return {*np.flatnonzero(np.abs(p) < slack).tolist(), *(np.flatnonzero(np.abs(p - sides) < slack) + 3).tolist()}


def _along(p: Array, q: Array, sides: Array, strip: Sequence[int]) -> float:
    """Return the length of a path from ``p`` to ``q`` over the faces of ``strip``, a sequence of adjacent faces.

    The path is the shortest over these faces if it is straight in their unfolding. The line from ``p`` to ``q`` in the
    unfolded plane meets the line of each edge between two faces; the path crosses the edge there, or at the nearest end
    of the edge. So the path is always on the surface, and its length is never too small.
    """
    # The image of each axis in the plane, the image of the origin, and each edge's ends there.
    axes, origin, edges = np.zeros((3, 2)), np.zeros(2), []
    axes[(strip[0] + 1) % 3, 0] = axes[(strip[0] + 2) % 3, 1] = 1.0
    here = _image(p, axes, origin)
    for face, following in pairwise(strip):
        old, new = face % 3, following % 3
        free = 3 - old - new
        corner = np.zeros(3)
        corner[old] = sides[old] if face > 2 else 0.0
        corner[new] = sides[new] if following > 2 else 0.0
        edge = _image(corner, axes, origin)
        edges.append((edge, edge + sides[free] * axes[free]))
        # The next face is hinged at the edge: the direction that led to the edge leads away from it, along the other
        # axis.
        axes[old] = axes[new] if (face > 2) != (following > 2) else -axes[new]
        axes[new] = 0.0
        origin = edge - corner[old] * axes[old]
    return _over(here, _image(q, axes, origin), edges)


def _image(p: Array, axes: Array, origin: Array) -> Array:
    return origin + p[0] * axes[0] + p[1] * axes[1] + p[2] * axes[2]


def _over(here: Array, there: Array, edges: Sequence[tuple[Array, Array]]) -> float:
    """Return the length of a path in the plane from ``here`` to ``there`` that crosses ``edges`` in order.

    The path crosses each edge on the straight line to ``there``, or at the nearest end of an edge that the line misses.
    """
    line = there - here
    length, last = 0.0, here
    for start, end in edges:
        edge, lever = end - start, here - start
        across = edge[0] * line[1] - edge[1] * line[0]
        # A line along an edge does not cross it: the path stays on one of the edge's faces; another strip tries the
        # other.
        share = (lever[0] * line[1] - lever[1] * line[0]) / across if across else 0.0
        stop = start + min(max(share, 0.0), 1.0) * edge
        length += float(np.hypot(*(stop - last)))
        last = stop
    return length + float(np.hypot(*(there - last)))
