"""Gentle meander: steady progress along a line, swinging aside in a few slow waves, as a river does."""

import math

import numpy as np

from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.family import Family
from planimeter.generators.traversal.kernels import Floats
from planimeter.generators.traversal.limits import Limits
from planimeter.generators.traversal.shaping import aim, bent, fitted, tuned


def _propose(cell: Cell, bins: Bins, limits: Limits, rng: np.random.Generator) -> Floats:
    n = cell.n_points
    tortuosity, _ = aim(cell, bins, rng)
    x = np.linspace(0.0, 1.0, n) + (rng.random(n) - 0.5) * 0.4 / n
    waves = 0.6 + rng.random(3) * np.array([1.0, 2.0, 3.0])
    weights = (rng.random(3) - 0.5) * np.array([1.0, 0.7, 0.4])
    y = (weights * np.sin(2 * math.pi * (np.outer(x, waves) + rng.random(3)))).sum(axis=1)
    y += (rng.random(n) - 0.5) * 0.1
    path = bent(np.stack([x, 0.3 * y], axis=1), (rng.random() - 0.5) * 2.4)
    return fitted(tuned(path, tortuosity), limits, rng)


FAMILY = Family(
    name="gentle_meander",
    title="Gentle meander",
    propose=_propose,
    suits=lambda cell, bins: bins.crossing_range(cell.crossing_bin)[0] == 0 and cell.tortuosity_bin <= 2,
)
