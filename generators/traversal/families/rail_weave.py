"""Rail weave: strokes between two rails whose landing points are out of order.

Two strokes cross exactly where the order of their ends on one rail contradicts the order on the other, so the disorder
of the landing points sets the number of crossings.
"""

import numpy as np

from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.family import Family, is_loose
from planimeter.generators.traversal.kernels import Floats
from planimeter.generators.traversal.limits import Limits
from planimeter.generators.traversal.shaping import aim, bent, fitted, tuned


def _propose(cell: Cell, bins: Bins, limits: Limits, rng: np.random.Generator) -> Floats:
    n = cell.n_points
    tortuosity, crossings = aim(cell, bins, rng)
    disorder = (0.3 + 1.2 * rng.random()) * (crossings / n) * 3.0
    rank = np.arange(n) + disorder * (2 * rng.random(n) - 1)
    x = np.empty(n)
    for rail in range(2):
        order = np.argsort(rank[rail::2], kind="stable")
        x[rail::2][order] = np.arange(len(order)) + 0.5 * rail
    x = (x + (rng.random(n) - 0.5) * 0.3) / (n / 2)
    y = np.where(np.arange(n) % 2 == 0, 0.0, 0.6) + (rng.random(n) - 0.5) * 0.16
    path = np.stack([x, y], axis=1)
    if cell.tortuosity_bin <= 3:
        path = tuned(path, tortuosity)
    return fitted(bent(path, (rng.random() - 0.5) * 2.0), limits, rng)


FAMILY = Family(
    name="rail_weave",
    title="Rail weave",
    propose=_propose,
    suits=lambda cell, bins: bins.crossing_range(cell.crossing_bin)[0] > 0 and is_loose(cell, bins),
    proposals=24,
)
