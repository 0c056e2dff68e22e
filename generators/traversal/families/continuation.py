"""Continuation: a path found in the next higher tortuosity bin, led into its own bin with little heat.

Where many crossings must fit into little length, a search from scratch freezes too early; one bin up it succeeds, and
from there the way is short.
"""

import numpy as np

from planimeter.generators.traversal.annealing import Schedule, anneal
from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.family import Family, is_searchable
from planimeter.generators.traversal.kernels import Floats
from planimeter.generators.traversal.limits import Limits
from planimeter.generators.traversal.targets import targets

_FIRST = Schedule(steps=30000, hot=0.2, cold=0.002, whole=0.1, reach=0.5)


def _propose(cell: Cell, bins: Bins, limits: Limits, rng: np.random.Generator) -> Floats | None:
    above = Cell(n_points=cell.n_points, tortuosity_bin=cell.tortuosity_bin + 1, crossing_bin=cell.crossing_bin)
    start = limits.margin + limits.room * rng.random((cell.n_points, 2))
    path, _ = anneal(start, targets(above, bins, limits), _FIRST, rng)
    return path


def _suits(cell: Cell, bins: Bins) -> bool:
    crowded = 2 * bins.crossing_range(cell.crossing_bin)[0] >= cell.tortuosity_bin * 4 + 6
    return crowded and cell.tortuosity_bin + 2 < len(bins.tortuosity_edges) and is_searchable(cell, bins)


FAMILY = Family(
    name="continuation",
    title="Continuation from the next bin",
    propose=_propose,
    suits=_suits,
    proposals=1,
    work=_FIRST.steps,
    finish=Schedule(steps=10000, hot=0.05, cold=0.002, whole=0.1, reach=0.3),
)
