"""Bowtie chain: a row of loops, each closed by one crossing, with plain vertices between them."""

import math

import numpy as np

from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.family import Family
from planimeter.generators.traversal.kernels import Floats
from planimeter.generators.traversal.limits import Limits
from planimeter.generators.traversal.shaping import aim, bent, fitted, grown, tuned

#: A loop of width 1: up across, back along the top, down across; the first and third stroke cross.
_LOOP = np.array([[1.0, 1.0], [0.25, 1.05], [1.05, 0.0]])


def _propose(cell: Cell, bins: Bins, limits: Limits, rng: np.random.Generator) -> Floats | None:
    tortuosity, crossings = aim(cell, bins, rng)
    if 3 * crossings + 1 > cell.n_points:
        return None
    rows = [np.array([0.0, 0.0])]
    for _ in range(crossings):
        flip = 1.0 if rng.random() < 0.6 else -1.0
        size = 0.8 + 0.5 * rng.random()
        start = rows[-1] + np.array([0.5 * rng.random(), 0.0])
        rows += [start + size * row * np.array([1.0, flip]) for row in _LOOP]
    path = grown(np.array(rows), cell.n_points, 0.25, rng)
    path += (rng.random(path.shape) - 0.5) * 0.15
    sweep = (rng.random() - 0.5) * (2.0 if tortuosity < 2 else 1.9 * math.pi)
    return fitted(bent(tuned(path, 0.8 * tortuosity), sweep), limits, rng)


def _suits(cell: Cell, bins: Bins) -> bool:
    fewest = bins.crossing_range(cell.crossing_bin)[0]
    return fewest > 0 and 3 * fewest + 1 <= cell.n_points


FAMILY = Family(name="bowtie_chain", title="Bowtie chain", propose=_propose, suits=_suits)
