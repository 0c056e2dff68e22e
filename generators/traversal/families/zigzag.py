"""Zigzag: strokes from side to side along a straight or bent axis, close together where tortuosity is high."""

import numpy as np

from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.family import Family
from planimeter.generators.traversal.kernels import Floats
from planimeter.generators.traversal.limits import Limits
from planimeter.generators.traversal.shaping import aim, bent, fitted, tuned


def _propose(cell: Cell, bins: Bins, limits: Limits, rng: np.random.Generator) -> Floats:
    n = cell.n_points
    tortuosity, _ = aim(cell, bins, rng)
    x = np.arange(n) / (n - 1) + (rng.random(n) - 0.5) * 0.5 / n
    side = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    swell = 1.0 + (rng.random() - 0.5) * np.cos(np.pi * (x * int(rng.integers(1, 3)) + rng.random()))
    y = side * swell * (0.55 + 0.45 * rng.random(n)) * 0.3
    sweep = (rng.random() - 0.5) * (1.0 if tortuosity < 2 else 5.0)
    path = tuned(np.stack([x, y], axis=1), tortuosity if abs(sweep) < 1 else 0.7 * tortuosity)
    return fitted(bent(path, sweep), limits, rng)


FAMILY = Family(
    name="zigzag",
    title="Zigzag",
    propose=_propose,
    suits=lambda cell, bins: bins.crossing_range(cell.crossing_bin)[0] == 0,
)
