"""Spaghetti walk: a random walk over the view, each step gated by the rules against everything walked so far."""

import numpy as np
from numba import njit

from generators.traversal.annealing import around
from generators.traversal.cells import Bins, Cell
from generators.traversal.family import Family, is_loose
from generators.traversal.kernels import BOX_HIGH, BOX_LOW, CROSSINGS_HIGH, Floats, snap, targets
from generators.traversal.limits import Limits


@njit(cache=True)
def _walk(n: int, target: Floats, stride: float, tries: int, rng: np.random.Generator) -> tuple[Floats, bool]:
    """Return (path, was it finished): each vertex is the first of ``tries`` draws that breaks no local rule."""
    low, high = target[BOX_LOW], target[BOX_HIGH]
    path = np.empty((n, 2))
    found = np.empty((4 * n, 4))
    path[0, 0], path[0, 1] = (
        snap(low + rng.random() * (high - low), low, high),
        snap(low + rng.random() * (high - low), low, high),
    )
    crossings = 0
    for k in range(1, n):
        placed = False
        for _ in range(tries):
            for axis in range(2):
                path[k, axis] = snap(path[k - 1, axis] + stride * (2.0 * rng.random() - 1.0), low, high)
            wrong, count = around(path[: k + 1], k, target, found, 0)
            if wrong == 0.0 and crossings + count <= target[CROSSINGS_HIGH]:
                crossings += count
                placed = True
                break
        if not placed:
            return path, False
    return path, True


def _propose(cell: Cell, bins: Bins, limits: Limits, rng: np.random.Generator) -> Floats | None:
    stride = limits.room * (0.25 + 0.5 * rng.random())
    path, finished = _walk(cell.n_points, targets(cell, bins, limits), stride, 60, rng)
    return path if finished else None


FAMILY = Family(
    name="spaghetti_walk",
    title="Spaghetti walk",
    propose=_propose,
    suits=lambda cell, bins: cell.tortuosity_bin > 0 and is_loose(cell, bins),
    proposals=40,
)
