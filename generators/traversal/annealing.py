"""Simulated annealing: change a path at random until it meets all rules (distances, angles, tortuosity, crossings).

A state is a path whose coordinates are multiples of 1/16 px (the lattice); its energy, the sum of its violations of
rules (``kernels``), is 0 exactly if the path meets every rule. A move shifts one vertex, swaps two, or reverses, shifts
or scales a section of the path. A shift of one vertex changes two segments, so that a step costs O(n) rather than
O(n^2). The Metropolis rule is written as ``increase <= temperature * e`` with e drawn from an exponential distribution;
e comes from a rounded table, because ``exp`` and ``log`` differ in the last bit between machines, and one bit would
change all later steps.
"""

import math
from dataclasses import dataclass

import numpy as np

from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.kernels import Floats, Target, run_annealing
from planimeter.generators.traversal.limits import Limits

_TABLE = 4096
#: Quantiles of the exponential distribution, rounded.
EXPONENTIAL = np.array([round(-math.log((i + 0.5) / _TABLE), 6) for i in range(_TABLE)])


#: Amount added to every limit of a length, px; amount by which the tortuosity bin is narrowed, as a ratio.
SLACK = 0.02
TORTUOSITY_INSET = 0.002


@dataclass(frozen=True, kw_only=True, slots=True)
class Schedule:
    """The parameters of an annealing: ``steps`` random moves, while the temperature falls from ``hot`` to ``cold``.

    Energies and temperatures have no unit. ``whole``: the share of moves that rearrange sections of the path; with 0
    all moves shift one vertex, which preserves the shape that a family constructed; ``reach``: the largest shift of a
    vertex along an axis, as a share of the side of the square inside the margins.
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
        """Return the factor by which the temperature falls in each step.

        It is rounded, because the last bits of ``pow`` differ between machines.
        """
        return round((self.cold / self.hot) ** (1 / self.steps), 12)


def targets(cell: Cell, bins: Bins, limits: Limits) -> Target:
    """Return the limits and ranges that a path of ``cell`` has to meet, slightly stricter than ``limits`` and ``bins``.

    Therefore a path that meets them also meets ``limits`` and ``bins`` in spite of rounding errors.
    """
    low, high = bins.tortuosity_range(cell.tortuosity_bin)
    fewest, most = bins.crossing_range(cell.crossing_bin)
    return Target(
        spacing=limits.spacing + SLACK,
        clearance=limits.clearance + SLACK,
        crossing_clearance=limits.crossing_clearance + SLACK,
        crossing_sine=round(math.sin(math.radians(limits.crossing_angle + 0.05)), 9),
        crossing_gap=limits.crossing_gap + SLACK,
        turn_cosine=round(math.cos(math.radians(limits.turn - 0.05)), 9),
        tortuosity_low=low * (1 + TORTUOSITY_INSET) if low > 1 else 1.0,
        tortuosity_high=high * (1 - TORTUOSITY_INSET),
        crossings_low=float(fewest),
        crossings_high=float(most),
        box_low=limits.margin,
        box_high=limits.view - limits.margin,
        extent=limits.extent + SLACK,
    )


def anneal(path: Floats, target: Target, schedule: Schedule, rng: np.random.Generator) -> tuple[Floats | None, int]:
    """Search for a path that meets all rules (energy 0), by simulated annealing from ``path`` (n, 2; px).

    Returns the path, or None if the steps of ``schedule`` do not reach one, and the number of steps used.
    """
    state = np.ascontiguousarray(path, np.float64).copy()
    reached, steps = run_annealing(
        state, target, schedule.steps, schedule.hot, schedule.cooling, schedule.whole, schedule.reach, EXPONENTIAL, rng
    )
    return (state if reached else None), int(steps)
