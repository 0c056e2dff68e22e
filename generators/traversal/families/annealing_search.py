"""General search: a random path, annealed on all rules at once; reaches nearly every cell and favours no shape."""

import numpy as np

from planimeter.generators.traversal.annealing import Schedule
from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.family import Family, is_searchable
from planimeter.generators.traversal.kernels import Floats
from planimeter.generators.traversal.limits import Limits


def _propose(cell: Cell, bins: Bins, limits: Limits, rng: np.random.Generator) -> Floats:
    del bins
    return limits.margin + limits.room * rng.random((cell.n_points, 2))


FAMILY = Family(
    name="annealing_search",
    title="General search",
    propose=_propose,
    suits=is_searchable,
    proposals=1,
    finish=Schedule(steps=12000, hot=0.2, cold=0.002, whole=0.1, reach=0.5),
)
