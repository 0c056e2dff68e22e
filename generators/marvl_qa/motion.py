"""Pairs of plots for the config ``transformation_hard``: a surface of fine bumps, and the same surface after a motion.

A motion is a rotation or reflection, optionally with a translation. The ground under the bumps is symmetric under
rotations by right angles and reflections about its centre. In each plot this centre is at one of four points near the
middle of the window, and the length of a translation is twice the distance of that point from an axis. Therefore
neither plot alone reveals the motion. Even together, the grounds of the two plots fit several motions, one for each
rotation or reflection; only the fine bumps show which is right.
"""

from dataclasses import dataclass
from math import ceil, floor

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import rounded, sign
from planimeter.generators.marvl_qa.family import Family
from planimeter.generators.marvl_qa.sampling import RENDER_POINTS, Grid, sample
from planimeter.items import Surface
from planimeter.items.motions import MOTIONS, Turn

#: Where a turn takes the point (x, y) about the middle of the window: the rows of a matrix.
MATRICES: dict[Turn, tuple[tuple[int, int], tuple[int, int]]] = {
    "no_change": ((1, 0), (0, 1)),
    "rotate_90_clockwise": ((0, 1), (-1, 0)),
    "rotate_180": ((-1, 0), (0, -1)),
    "reflect_x": ((-1, 0), (0, 1)),
    "reflect_y": ((1, 0), (0, -1)),
    "reflect_diagonal": ((0, 1), (1, 0)),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """A candidate question: plot A shows ``surface``, plot B the surface after ``motion``, a name in ``MOTIONS``.

    ``offset``: the translation in axis units, positive to the right or up, 0 without a translation; ``options``: the
    names of all motions, in the order in which the question lists them.
    """

    surface: Surface
    motion: str
    offset: float
    options: tuple[str, ...]


def propose(family: Family, motion: str, rng: np.random.Generator, smallest: float, largest: float) -> Pair:
    """Return a random candidate question about ``motion`` with a surface of ``family``.

    ``smallest``, ``largest``: the range of the translation, as shares of the side of the window.
    """
    size = 2 * family.window
    parameters = {**family.draw(rng)}
    # Thousandths of an axis unit, so that twice as much is exact, too.
    aside = int(rng.integers(ceil(smallest * size * 500), floor(largest * size * 500) + 1)) / 1000
    corner = (sign(rng) * aside, sign(rng) * aside)
    parameters |= {"ground_x": corner[0], "ground_y": corner[1]}
    named = MOTIONS[motion]
    turned = [row[0] * corner[0] + row[1] * corner[1] for row in MATRICES[named.turn]]
    offset = rounded(-2 * turned["xy".index(named.axis)], 3) if named.axis else 0.0
    options = tuple(list(MOTIONS)[i] for i in rng.permutation(len(MOTIONS)).tolist())
    return Pair(surface=family.surface(parameters), motion=motion, offset=offset, options=options)


def plots(family: Family, pair: Pair, points: int = RENDER_POINTS) -> tuple[Grid, Grid]:
    """Return the heights in plots A and B: float64 (points, points) each, row 0 at the top."""
    surface, motion = pair.surface, MOTIONS[pair.motion]
    a = sample(family, surface.parameters, surface.domain, points)
    if not motion.axis:
        return a, np.ascontiguousarray(turned(a, motion.turn))
    # B(p) = A(M^-1 (p - s)) = A(M^-1 p - M^-1 s), and the inverse of M is its transpose.
    row = MATRICES[motion.turn]["xy".index(motion.axis)]
    moved = sample(
        family, surface.parameters, surface.domain, points, shift_x=row[0] * pair.offset, shift_y=row[1] * pair.offset
    )
    return a, np.ascontiguousarray(turned(moved, motion.turn))


def turned(picture: Grid, turn: Turn) -> Grid:
    """Return a view of ``picture`` (row 0 at the top) after the rotation or reflection ``turn`` about its centre."""
    views = {
        "no_change": picture,
        "rotate_90_clockwise": np.rot90(picture, -1),
        "rotate_180": picture[::-1, ::-1],
        "reflect_x": picture[:, ::-1],
        "reflect_y": picture[::-1],
        "reflect_diagonal": picture[::-1, ::-1].T,
    }
    return views[turn]
