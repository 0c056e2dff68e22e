"""Near-duplicate paths within a cell and across point counts (TraversalBench, A.4).

Two paths are near-duplicates if their shapes differ by less than a given greatest displacement of a vertex, after
moving, scaling, any of the 8 rotations and mirrors, and reversal (``generators.traversal.signatures``). Items keep
their order; the later one of a pair is rejected.
"""

from collections.abc import Hashable, Sequence

import numpy as np

from planimeter.filters.verdict import Verdict
from planimeter.generators.traversal.limits import LATTICE
from planimeter.generators.traversal.signatures import SignaturePool, signature
from planimeter.items import Point


def packed(path: Sequence[Point]) -> bytes:
    """Return the vertices of ``path``, px, in lattice steps: little-endian, 4 bytes a vertex."""
    return (np.array(path) * LATTICE).astype("<u2").tobytes()


def unpacked(path: bytes) -> list[Point]:
    """Return the vertices, px, from the result of ``packed``."""
    return [(x / LATTICE, y / LATTICE) for x, y in np.frombuffer(path, "<u2").reshape(-1, 2).tolist()]


class DistinctPaths:
    """Judges paths in order, each against those kept before it in the same pool, of all point counts.

    ``limit`` is the least distance of two paths as shapes (A.4 names no figure; ours is 24, one glyph), ``room`` the
    side inside the margins, both px.
    """

    def __init__(self, limit: float, room: float) -> None:
        self._limit, self._room = limit, room
        self._pools: dict[Hashable, SignaturePool] = {}

    def judge(self, pool: Hashable, path: Sequence[Point]) -> Verdict:
        """Judge the next path of ``pool``; the first of two near-duplicates is kept."""
        others = self._pools.setdefault(pool, SignaturePool(self._limit))
        shape = signature(path, self._room)
        gap = others.nearest(shape)
        if gap >= self._limit:
            others.add(shape)
        return Verdict.of("near-duplicate", gap >= self._limit, gap, self._limit)
