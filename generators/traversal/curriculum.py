"""Training levels of paths, easiest first: more points, longer detours and more crossings with each level.

Levels are ordered by the score of a baseline that sees the markers but not the line, and always goes on to the nearest
remaining marker (``evals/baselines/traversal.py``). Its score, the share of markers at the right position in its
answer, falls from nine tenths (level 1) to a sixth (level 8). Paths of 5 and 7 points are easier than the paper's.

The seed of a training row is derived also from its level, so that it never has the random stream of a test row.
"""

from dataclasses import dataclass
from itertools import product

from planimeter.generators.traversal.cells import Cell


@dataclass(frozen=True, kw_only=True, slots=True)
class Level:
    """A training level; it has equally many paths for each combination of ``points``, ``tortuosity`` and ``crossings``.

    ``points``: numbers of points; ``tortuosity``, ``crossings``: ranges by their indices in ``cells.Bins``, from 0.
    """

    points: tuple[int, ...]
    tortuosity: tuple[int, ...]
    crossings: tuple[int, ...]


LEVELS: tuple[Level, ...] = (
    Level(points=(5, 7), tortuosity=(0,), crossings=(0,)),
    Level(points=(7, 9), tortuosity=(0,), crossings=(0, 1)),
    Level(points=(9, 11), tortuosity=(0, 1), crossings=(0, 1)),
    Level(points=(9, 11, 13), tortuosity=(1,), crossings=(1, 2, 3)),
    Level(points=(9, 11, 13), tortuosity=(1, 2), crossings=(3, 4)),
    Level(points=(11, 13, 15), tortuosity=(2, 3), crossings=(3, 4)),
    Level(points=(13, 15, 17), tortuosity=(3, 4), crossings=(4, 5)),
    Level(points=(15, 17), tortuosity=(4, 5), crossings=(5, 6)),
)


def level_cells(number: int) -> tuple[Cell, ...]:
    """Return the cells (points, tortuosity bin, crossing bin) of the training level ``number``, 1 to 8."""
    level = LEVELS[number - 1]
    return tuple(
        Cell(n_points=n_points, tortuosity_bin=tortuosity, crossing_bin=crossings)
        for n_points, tortuosity, crossings in product(level.points, level.tortuosity, level.crossings)
    )
