"""Algorithm 1 of MaRVL-QA (A.4), for ``transformation_hard``: wrong motions of plot A must give plots unlike B.

The error of a motion M is the root mean square of B - M(A) over the area that both plots A and B show; for a
translation, the smallest over all allowed distances. Multiplied by the square root of that area's share of the panel,
it is a lower bound of the error over the whole panel, however the surface continues beyond the window. So one number
serves for both readings of the algorithm (``filters/marvl_qa/ambiguity.py``). Divided by the range of both plots, which
share one colour scale, it is the NRMSE; it is at most the paper's, which is divided by the range of plot A alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from planimeter.filters.marvl_qa.nrmse import Plot, shift_cells
from planimeter.filters.verdict import Verdict
from planimeter.generators.marvl_qa.motion import turned
from planimeter.generators.marvl_qa.sampling import RENDER_POINTS, Grid
from planimeter.items.motions import MOTIONS

CHECK = "ambiguity"
#: Figures of rows are rounded to so many decimals.
DECIMALS = 4


@dataclass(frozen=True, kw_only=True)
class MotionLimits:
    """Limits that define a pair of plots with exactly one right motion."""

    smallest_shift: float = 0.01
    """Shortest translation, as a share of the axis."""
    largest_shift: float = 0.06
    """Longest translation, as a share of the axis."""
    threshold: float = 0.07
    """NRMSE from which two surfaces differ."""

    def __post_init__(self) -> None:
        if not 0 < self.smallest_shift < self.largest_shift <= 0.25:
            raise ValueError(
                f"need 0 < smallest_shift < largest_shift <= 0.25, got {self.smallest_shift} and {self.largest_shift}"
            )
        if not 0 < self.threshold < 1:
            raise ValueError(f"need 0 < threshold < 1, got {self.threshold}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """The verdict on a pair of plots, and the NRMSE (normalised RMS error) of every motion by name."""

    verdict: Verdict
    nrmse: Mapping[str, float] = field(default_factory=dict)


def judge(a: Grid, b: Grid, answer: str, limits: MotionLimits) -> Judged:
    """Judge whether every motion of ``a`` except ``answer`` gives a plot that clearly differs from ``b``."""
    return judged(errors(a, b, limits), answer, limits)


def judged(nrmse: Mapping[str, float], answer: str, limits: MotionLimits) -> Judged:
    """Return ``nrmse`` and a verdict: the NRMSE of every motion except ``answer`` must reach the threshold."""
    wrong = min((name for name in nrmse if name != answer), key=nrmse.__getitem__)
    verdict = Verdict.of(CHECK, nrmse[wrong] >= limits.threshold, nrmse[wrong], limits.threshold, f"looks like {wrong}")
    return Judged(verdict=verdict, nrmse=nrmse)


def errors(a: Grid, b: Grid, limits: MotionLimits) -> dict[str, float]:
    """Return the NRMSE of every motion of ``a`` compared with ``b``, by motion, rounded to ``DECIMALS``.

    The motions are in the order of ``MOTIONS``.
    """
    spread = float(max(a.max(), b.max()) - min(a.min(), b.min()))
    shifts = np.abs(shift_cells(limits.largest_shift)) / RENDER_POINTS
    # A real distance lies between two cells: the first one below the shortest counts, too.
    allowed = shifts > limits.smallest_shift - 1 / RENDER_POINTS
    found: dict[str, float] = {}
    by_turn = sorted(MOTIONS.values(), key=lambda motion: motion.turn)
    for turn, motions in groupby(by_turn, key=lambda motion: motion.turn):
        plot = Plot(np.ascontiguousarray(turned(a, turn)), limits.largest_shift)
        for motion in motions:
            if motion.axis:
                every = plot.errors(b, "translate_x" if motion.axis == "x" else "translate_y") * np.sqrt(1 - shifts)
                found[motion.name] = float(every[allowed].min()) / spread
            else:
                found[motion.name] = float(plot.errors(b, "no_change")[0]) / spread
    return {name: round(found[name], DECIMALS) for name in MOTIONS}
