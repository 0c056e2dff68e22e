"""Simulated annealing on all rules at once: the general search, and the finish of every constructive family.

A state is a path on the lattice; its energy (``kernels``) is 0 exactly when every rule of the cell holds. Moves shift a
vertex, swap two, reverse or shift a stretch. Moving one vertex changes two segments, so a step costs O(n), not O(n^2).
The Metropolis rule is written as ``rise <= temperature * e`` with e drawn from an exponential distribution; e comes
from a rounded table, because ``exp`` and ``log`` differ in the last bit between machines and one bit would change the
path of the search.
"""

import math
from dataclasses import dataclass

import numpy as np

from planimeter.generators.traversal.kernels import Floats, Target, run_annealing

_TABLE = 4096
#: Quantiles of the exponential distribution, rounded.
EXPONENTIAL = np.array([round(-math.log((i + 0.5) / _TABLE), 6) for i in range(_TABLE)])


@dataclass(frozen=True, kw_only=True, slots=True)
class Schedule:
    """How long and how hot: ``steps`` moves while the temperature falls from ``hot`` to ``cold``.

    ``whole`` is the share of moves that rearrange stretches of the path; 0 keeps the construction that a family made
    and only shifts its vertices. ``reach`` is the largest shift of a vertex, as a share of the room.
    """

    steps: int
    hot: float
    cold: float
    whole: float
    reach: float

    def __post_init__(self) -> None:
        if not (self.steps > 0 and self.hot >= self.cold > 0 and 0 <= self.whole <= 1 and 0 < self.reach <= 1):
            raise ValueError(f"need steps > 0, hot >= cold > 0, 0 <= whole <= 1 and 0 < reach <= 1, got {self}")

    @property
    def cooling(self) -> float:
        """Factor of the temperature in a step, rounded, because ``pow`` is not the same everywhere."""
        return round((self.cold / self.hot) ** (1 / self.steps), 12)


def anneal(path: Floats, target: Target, schedule: Schedule, rng: np.random.Generator) -> tuple[Floats | None, int]:
    """Return (a path near ``path`` with energy 0, or None; the steps taken).

    ``path`` is (n, 2) in px; ``target`` as from ``targets``.
    """
    state = np.ascontiguousarray(path, np.float64).copy()
    reached, steps = run_annealing(
        state, target, schedule.steps, schedule.hot, schedule.cooling, schedule.whole, schedule.reach, EXPONENTIAL, rng
    )
    return (state if reached else None), int(steps)
