"""What a family of constructions is: the record that every module of ``families/`` exports as ``FAMILY``.

A family proposes paths of a recognisable build; it does not judge them. The search (``search``) draws a few proposals,
keeps the one that breaks the rules of the cell least, and lets a short annealing shift its vertices until every rule
holds. So a family needs no case distinctions for rules, and its name says where a shape comes from.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from planimeter.generators.traversal.annealing import Schedule
from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.kernels import Floats
from planimeter.generators.traversal.limits import Limits

Propose = Callable[[Cell, Bins, Limits, np.random.Generator], Floats | None]

#: The finish that keeps a construction: no rearrangement, little heat, shifts of a quarter of the room at most.
FINISH = Schedule(steps=3000, hot=0.02, cold=0.001, whole=0.0, reach=0.25)


#: (tortuosity that a bin starts below, most crossings that a plain construction brings into it), as measured.
_LOOSE = ((1.3, 1), (2.0, 5), (3.0, 12))


def is_loose(cell: Cell, bins: Bins) -> bool:
    """Return whether ``cell`` has length enough for its crossings that a plain construction can reach it.

    Nine crossings below tortuosity 2, say, take a search; stars and weaves drawn for such a cell never end in it.
    """
    low, fewest = bins.tortuosity_range(cell.tortuosity_bin)[0], bins.crossing_range(cell.crossing_bin)[0]
    return all(low >= edge or fewest <= most for edge, most in _LOOSE)


def is_searchable(cell: Cell, bins: Bins) -> bool:
    """Return whether annealing at the full number of points is worth its time.

    Crowded cells below tortuosity 2 give it less than one path in fifty tries from 15 points on; grown from 9 to 11
    points they fill several times as fast.
    """
    return is_loose(cell, bins) or cell.n_points <= 13 or bins.tortuosity_range(cell.tortuosity_bin)[0] >= 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Family:
    """``propose`` returns (n, 2) px inside the margins, or None where a draw came to nothing.

    ``suits`` says, from (points, tortuosity bin, crossing bin) and the bins, whether the build can reach a cell at all.
    ``proposals`` is how many are drawn before the best one is finished with ``finish``; ``work`` is what one of them
    costs, in annealing steps.
    """

    name: str
    title: str
    propose: Propose
    suits: Callable[[Cell, Bins], bool]
    proposals: int = 12
    work: int = 60
    finish: Schedule = FINISH

    def __post_init__(self) -> None:
        if self.proposals < 1:
            raise ValueError(f"{self.name}: need proposals >= 1, got {self.proposals}")
