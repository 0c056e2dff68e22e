"""Safe insertion: a path of few points that already lies in the cell, grown to the wanted number of points.

A new vertex near the middle of a long straight stroke changes neither crossings nor tortuosity much, so paths that are
rare at 17 points (four crossings within 1.3 times the displacement) are grown from 9 points, where they are common.
"""

import numpy as np

from planimeter.generators.traversal.annealing import Schedule, anneal
from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.family import Family, is_loose
from planimeter.generators.traversal.kernels import Floats
from planimeter.generators.traversal.limits import Limits
from planimeter.generators.traversal.shaping import grown
from planimeter.generators.traversal.targets import targets

_FEWEST = 7
#: In crowded cells paths are grown from this many points at most: above, they are as rare as what is wanted.
_MOST = 11
_BASE = Schedule(steps=20000, hot=0.2, cold=0.002, whole=0.1, reach=0.5)


def _fewest(cell: Cell, bins: Bins) -> int:
    """Return the least number of points whose segments have pairs enough for the crossings, with some to spare."""
    wanted = 1.6 * bins.crossing_range(cell.crossing_bin)[0]
    n = _FEWEST
    while (n - 2) * (n - 3) / 2 < wanted:
        n += 1
    return n


def _most(cell: Cell, bins: Bins) -> int:
    """Return the greatest number of points to grow from."""
    return cell.n_points - 2 if is_loose(cell, bins) else min(cell.n_points - 2, _MOST)


def _propose(cell: Cell, bins: Bins, limits: Limits, rng: np.random.Generator) -> Floats | None:
    n = int(rng.integers(_fewest(cell, bins), _most(cell, bins) + 1))
    base = Cell(n_points=n, tortuosity_bin=cell.tortuosity_bin, crossing_bin=cell.crossing_bin)
    start = limits.margin + limits.room * rng.random((n, 2))
    path, _ = anneal(start, targets(base, bins, limits), _BASE, rng)
    return None if path is None else grown(path, cell.n_points, 0.12, rng)


FAMILY = Family(
    name="safe_insertion",
    title="Safe insertion",
    propose=_propose,
    suits=lambda cell, bins: _fewest(cell, bins) <= _most(cell, bins),
    proposals=1,
    work=_BASE.steps,
)
