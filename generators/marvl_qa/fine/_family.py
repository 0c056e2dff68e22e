"""The class of families that can choose random parameters of a surface for a given number of maxima or minima."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import Feature

#: Half the side of the window of all fine families.
HALF_WIDTH = 5.0
#: The fewest and the most features that a question counts.
COUNTS = (10, 60)


#: Draws the parameters of a pattern, given a random generator, the feature, its approximate number, and half the side
#: of the window.
Aim = Callable[[np.random.Generator, Feature, int, float], Parameters]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedFamily(Family):
    """A family with a function ``aim`` that returns random parameters for about a given number of maxima or minima.

    The pattern ends inside the window; it rises above and falls below flat ground at height 0.
    """

    aim: Aim


def drawn_at_random(aim: Aim) -> Callable[[np.random.Generator], Parameters]:
    """Return a function ``draw`` (see ``Family``) that aims at a random number of maxima in the range ``COUNTS``."""
    return lambda rng: aim(rng, "maxima", int(rng.integers(COUNTS[0], COUNTS[1] + 1)), HALF_WIDTH)
