"""Near-duplicates among paths, whatever their numbers of points (TraversalBench, A.4).

Two paths are near-duplicates if no vertex of one is farther than a limit from its counterpart in the other, when both
are aligned as well as possible by translation, scaling, rotation by 90 degrees, reflection and reversal
(``generators.traversal.signatures``). The later of two near-duplicates is rejected.
"""

from collections.abc import Hashable, Sequence

import numpy as np

from planimeter.filters.verdict import Verdict
from planimeter.generators.traversal.limits import LATTICE
from planimeter.generators.traversal.signatures import SignaturePool, signature
from planimeter.items import Point


def packed(path: Sequence[Point]) -> bytes:
    """Return the vertices of ``path`` as bytes: x, then y of each as a little-endian uint16, in units of 1/16 px."""
    return (np.array(path) * LATTICE).astype("<u2").tobytes()


def unpacked(path: bytes) -> list[Point]:
    """Return the vertices, px, of a path that ``packed`` returned."""
    return [(x / LATTICE, y / LATTICE) for x, y in np.frombuffer(path, "<u2").reshape(-1, 2).tolist()]


class DistinctPaths:
    """A filter that judges paths in order, and rejects each that resembles one kept before it in the same pool.

    A pool is a group of paths that are compared. ``limit`` is the least allowed distance of the shapes of two paths
    (ours is 24, the size of a glyph; the paper has no number), ``room`` the side of the picture inside its margins,
    both px.
    """

    def __init__(self, limit: float, room: float) -> None:
        self._limit, self._room = limit, room
        self._pools: dict[Hashable, SignaturePool] = {}

    def judge(self, pool: Hashable, path: Sequence[Point]) -> Verdict:
        """Return the verdict on the next path of ``pool``; the later of two near-duplicates is rejected."""
        others = self._pools.setdefault(pool, SignaturePool(self._limit))
        shape = signature(path, self._room)
        gap = others.nearest(shape)
        if gap >= self._limit:
            others.add(shape)
        return Verdict.of("near-duplicate", gap >= self._limit, gap, self._limit)
