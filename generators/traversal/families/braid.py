"""Braids and knots: two strands that swing across each other out and back, or one strand that runs in open loops."""

import math

import numpy as np

from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.family import Family, is_loose
from planimeter.generators.traversal.kernels import Floats
from planimeter.generators.traversal.limits import Limits
from planimeter.generators.traversal.shaping import aim, bent, fitted, tuned, warped


def _strands(n: int, crossings: int, rng: np.random.Generator) -> Floats:
    """Out along a wave, back along its mirror image: about one crossing for each half wave."""
    half = (n + int(rng.integers(2))) // 2
    wave = 0.5 * (crossings + rng.random())
    out, back = np.linspace(0.0, 1.0, half), np.linspace(1.0, rng.random() * 0.35, n - half)
    phase = rng.random()
    y_out = 0.2 * np.sin(math.pi * (2 * wave * out + phase))
    y_back = -0.2 * np.sin(math.pi * (2 * wave * back + phase)) + 0.06 * (rng.random() - 0.5)
    return np.stack([np.concatenate([out, back + 0.04]), np.concatenate([y_out, y_back])], axis=1)


def _loops(n: int, crossings: int, rng: np.random.Generator) -> Floats:
    """A prolate trochoid: one crossing a loop, or more where neighbouring loops overlap."""
    turns = max(1.0, crossings * (0.5 + 0.6 * rng.random()))
    angle = np.linspace(0.0, 2 * math.pi * turns, n) + math.pi * rng.random()
    pace = 0.15 + 0.5 * rng.random()
    return np.stack([pace * angle - np.sin(angle), -np.cos(angle)], axis=1)


def _propose(cell: Cell, bins: Bins, limits: Limits, rng: np.random.Generator) -> Floats:
    tortuosity, crossings = aim(cell, bins, rng)
    build = _strands if rng.random() < 0.5 else _loops
    path = build(cell.n_points, crossings, rng)
    path += (rng.random(path.shape) - 0.5) * 0.05
    if build is _loops and tortuosity < 4:
        path = tuned(path, tortuosity)
    sweep = (rng.random() - 0.5) * (1.0 if tortuosity < 2 else 5.0)
    return fitted(warped(bent(path, sweep), 0.08, rng), limits, rng)


FAMILY = Family(
    name="braid",
    title="Braids and knots",
    propose=_propose,
    suits=lambda cell, bins: bins.crossing_range(cell.crossing_bin)[0] > 0 and is_loose(cell, bins),
    proposals=24,
)
