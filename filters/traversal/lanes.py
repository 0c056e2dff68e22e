"""Whether a path runs in lanes, as lines of text do (TraversalBench, section 4.3): judged apart from the generator."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from planimeter.items import Regime

#: Of each regime: the direction in which a lane is read, and that in which lanes follow one another; px, y down.
_DIRECTIONS: dict[Regime, tuple[tuple[int, int], tuple[int, int]]] = {
    "ltr_tb": ((1, 0), (0, 1)),
    "rtl_tb": ((-1, 0), (0, 1)),
    "ttb_rl": ((0, 1), (-1, 0)),
    "ttb_lr": ((0, 1), (1, 0)),
}


def in_lanes(path: npt.NDArray[np.float64], regime: Regime, lanes: int) -> bool:
    """Return whether ``path``, (n, 2) px, advances within each lane and leaves each lane wholly behind.

    Lanes hold as even numbers of vertices as can be, the longer ones first.
    """
    reading, following = (path @ np.array(direction) for direction in _DIRECTIONS[regime])
    blocks = np.array_split(np.arange(len(path)), lanes)
    advances = all(np.all(np.diff(reading[block]) > 0) for block in blocks)
    return advances and all(following[a].max() < following[b].min() for a, b in pairwise(blocks))
