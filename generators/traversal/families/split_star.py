"""Split star: the strokes of a star polygon, cut open at one vertex and drawn out into tails or into a second star."""

import math

import numpy as np

from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.family import Family, is_loose
from planimeter.generators.traversal.kernels import Floats
from planimeter.generators.traversal.limits import Limits
from planimeter.generators.traversal.shaping import aim, fitted, grown, tuned


def _star(strokes: int, step: float, rng: np.random.Generator) -> Floats:
    angles = 2 * math.pi * step * np.arange(strokes + 1) + 2 * math.pi * rng.random()
    radii = 0.8 + 0.3 * rng.random(strokes + 1)
    return np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=1)


def _propose(cell: Cell, bins: Bins, limits: Limits, rng: np.random.Generator) -> Floats:
    n = cell.n_points
    tortuosity, crossings = aim(cell, bins, rng)
    points = int(rng.integers(5, max(6, min(n, 12))))
    density = float(rng.integers(2, max(3, (points + 1) // 2)))
    step = density / points + (rng.random() - 0.5) * 0.03
    strokes = int(rng.integers(min(3, n - 2), min(points, n - 2) + 1))
    shape = _star(strokes, step, rng)
    if rng.random() < 0.4 and len(shape) * 2 <= n and crossings > 2:
        shift = np.array([2.2 + 0.8 * rng.random(), (rng.random() - 0.5)])
        shape = np.concatenate([shape, _star(n - len(shape) - 1, step, rng) + shift])
    spare = n - len(shape)
    tail = int(rng.integers(0, spare + 1))
    reach = 1.0 + rng.random()
    if tail:
        shape = np.concatenate([_tail(shape[0], tail, reach, rng)[::-1], shape])
    if spare - tail:
        shape = np.concatenate([shape, _tail(shape[-1], spare - tail, reach, rng)])
    if cell.tortuosity_bin <= 1:
        shape = tuned(shape, tortuosity)
    return fitted(grown(shape, n, 0.1, rng), limits, rng)


def _tail(start: Floats, count: int, reach: float, rng: np.random.Generator) -> Floats:
    """Return ``count`` points that wander outwards from ``start``, away from the origin."""
    outwards = start / max(math.sqrt(float(start @ start)), 1e-9)
    across = np.array([-outwards[1], outwards[0]])
    steps = (np.arange(count) + 1.0)[:, None] / count * reach
    return start + steps * outwards + np.cumsum(rng.random(count) - 0.5)[:, None] * 0.5 * across


FAMILY = Family(
    name="split_star",
    title="Split star",
    propose=_propose,
    suits=lambda cell, bins: bins.crossing_range(cell.crossing_bin)[0] > 0 and is_loose(cell, bins),
    proposals=24,
)
