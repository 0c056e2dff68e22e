"""Near-duplicate paths within a cell and across point counts (TraversalBench, A.4).

Two paths are near-duplicates where their shapes differ by less than a given greatest displacement of a vertex, after
moving, scaling, any of the 8 rotations and mirrors, and reversal (``generators.traversal.signatures``). Items keep the
order in which they come; the later one of a pair goes.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from filters.verdict import Verdict
from generators.items import Point, TraversalItem
from generators.traversal.cells import Cell
from generators.traversal.signatures import SignaturePool, distance, signature


class Pair(NamedTuple):
    """Two near-duplicates by their place in the sequence, and how far apart they are, px."""

    first: int
    second: int
    distance: float


def duplicate_pairs(paths: Sequence[Sequence[Point]], limit: float, room: float) -> list[Pair]:
    """Return every pair of ``paths`` closer than ``limit`` px; ``room`` is the side inside the margins, px."""
    shapes = [signature(path, room) for path in paths]
    pool = SignaturePool()
    found = []
    for second, shape in enumerate(shapes):
        if pool.nearest(shape) < limit:
            gaps = ((first, distance(shapes[first], shape)) for first in range(second))
            found += [Pair(first, second, gap) for first, gap in gaps if gap < limit]
        pool.add(shape)
    return found


def judge_distance(path: Sequence[Point], others: SignaturePool, limit: float, room: float) -> Verdict:
    """Return the verdict on ``path`` against the signatures of paths accepted before it."""
    gap = others.nearest(signature(path, room))
    reason = "" if gap >= limit else "near-duplicate"
    return Verdict(check="near-duplicate", kept=not reason, measured=gap, limit=limit, reason=reason)


def distinct_across_points(
    cells: Mapping[Cell, Sequence[TraversalItem]], quota: int, limit: float, room: float
) -> dict[Cell, list[TraversalItem]]:
    """Return at most ``quota`` items of each cell, no two of one (tortuosity, crossing) bin near-duplicates.

    Cells are taken in the order of points, so that the choice does not depend on which was generated first. Give each
    cell a few items more than ``quota``; a cell that ends with fewer is a shortfall to be reported.
    """
    accepted: dict[tuple[int, int], SignaturePool] = {}
    chosen: dict[Cell, list[TraversalItem]] = {}
    for cell in sorted(cells):
        before = accepted.setdefault((cell.tortuosity_bin, cell.crossing_bin), SignaturePool())
        rows: list[TraversalItem] = []
        for item in cells[cell]:
            shape = signature(item.points, room)
            if len(rows) < quota and before.nearest(shape) >= limit:
                before.add(shape)
                rows.append(item)
        chosen[cell] = rows
    return chosen
