"""Spaghetti walk: a random walk over the view, each step gated by the rules against everything walked so far."""

import numpy as np

from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.family import Family, is_loose
from planimeter.generators.traversal.kernels import Floats, walk
from planimeter.generators.traversal.limits import Limits
from planimeter.generators.traversal.targets import targets


def _propose(cell: Cell, bins: Bins, limits: Limits, rng: np.random.Generator) -> Floats | None:
    stride = limits.room * (0.25 + 0.5 * rng.random())
    path, finished = walk(cell.n_points, targets(cell, bins, limits), stride, 60, rng)
    return path if finished else None


FAMILY = Family(
    name="spaghetti_walk",
    title="Spaghetti walk",
    propose=_propose,
    suits=lambda cell, bins: cell.tortuosity_bin > 0 and is_loose(cell, bins),
    proposals=40,
)
