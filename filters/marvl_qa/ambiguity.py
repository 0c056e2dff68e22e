"""The ambiguity filter: Algorithm 1 of MaRVL-QA on the drawn grid, and two tests that we add.

A candidate is a pair of plots A and B, with the transformation of A into B as the answer. It is rejected if a wrong
option turns plot A into a plot like B, with a normalised RMS error (NRMSE) below 0.07. For a rotation the wrong options
are no change, the other rotation and every translation; for a translation they are no change, both rotations and every
translation along the other axis. A translation is also rejected if the surface has no feature to follow. Algorithm 1
has two readings for translations, and the wrong options must fail in both: comparing the area that both plots show, and
comparing the whole panel with the function continued beyond the window (``filters/marvl_qa/nrmse.py``).

The paper compares on 2000 x 2000 points (Table 6), we on the drawn 400 x 400. Both accepted the same of the 3,173
candidates of ``marvl-qa-mini``. The NRMSEs differ by at most 1e-5, at cliffs by 1e-4, and near a singularity by as
much as the range.

We add two tests. First, both plots share one colour scale, so a translation that brings great heights into view leaves
little contrast for the rest: the NRMSE must also pass when divided by the range of both plots together. Second, every
other transformation that the family allows must pass on the same surface (``Candidate.others``). Otherwise surfaces
that vary along x only would always be moved along x, and plot A alone would reveal the answer.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from planimeter.filters.marvl_qa.limits import AmbiguityLimits
from planimeter.filters.marvl_qa.nrmse import Continuation, Plot, upright
from planimeter.filters.marvl_qa.prominence import cliff_share, prominence_inside, ridge_share
from planimeter.filters.verdict import Verdict
from planimeter.generators.marvl_qa.family import Family
from planimeter.generators.marvl_qa.sampling import RENDER_POINTS, Grid
from planimeter.generators.marvl_qa.transformation import Candidate, plot_a, plot_b, rotated
from planimeter.items import OPTIONS, Option, Transformation

CHECK = "ambiguity"
FEATURELESS = "nothing to follow"
PALE = "pale on the shared colour scale"

#: Most often rejected first, as measured, so that bad candidates are dropped early.
_LIKELIEST: tuple[Transformation, ...] = ("translate_x", "translate_y", "rotate_180", "rotate_90_clockwise")
#: The cheapest comparison first.
_COST: tuple[Option, ...] = ("no_change", "rotate_180", "rotate_90_clockwise", "translate_x", "translate_y")
#: For verdicts only, errors above this multiple of the threshold are not distinguished.
_CLEAR = 1.01


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """The verdict on a candidate and, if it was kept, the numbers for the columns of its row (otherwise 0).

    ``nrmse_identity`` is the error of "no change", ``nrmse_confusable`` the smallest one of a wrong option in both
    readings of Algorithm 1; they are shares of the range of plot A, rounded to 4 decimals. ``plots`` are A and B;
    empty for a rejected candidate. ``refused`` is the one of ``Candidate.others`` that caused the rejection, if
    any. ``offset`` is the distance of a translation that passed, or the first one tried.
    """

    verdict: Verdict
    offset: float = 0.0
    nrmse_identity: float = 0.0
    nrmse_confusable: float = 0.0
    plots: tuple[Grid, ...] = field(default=(), repr=False, compare=False)
    refused: Candidate | None = None


def judge(family: Family, candidate: Candidate, limits: AmbiguityLimits) -> Judgement:
    """Return the judgement on ``candidate``, which is also rejected if one of ``candidate.others`` is.

    The verdict's ``check`` is always "ambiguity". The distances of a translation are tried in order until one
    passes. If all fail, the reason is that of the first.
    """
    surface = _Surface(family, candidate, limits)
    judgement = surface.judge_distances(candidate)
    for other in sorted(candidate.others, key=lambda other: _LIKELIEST.index(other.transformation)):
        if not judgement.verdict.kept:
            break
        verdict = surface.judge_distances(other, figures=False).verdict
        if not verdict.kept:
            judgement = Judgement(
                verdict=replace(verdict, reason=f"as {other.transformation}: {verdict.reason}"), refused=other
            )
    return judgement


def fitting(family: Family, candidate: Candidate, limits: AmbiguityLimits) -> tuple[Option, ...]:
    """Return the wrong options that turn plot A into a plot like B: on their overlap, or on the whole of plot B."""
    surface = _Surface(family, candidate, limits)
    b, limit = surface.plot_b(candidate), limits.threshold * surface.spread
    errors = {option: surface.plot.errors(b, option) for option in wrong_options(candidate)}
    return tuple(
        option
        for option, error in errors.items()
        if error.min() < limit
        or (option.startswith("translate") and surface.beyond.least(b, option, error, limit) < limit)
    )


def wrong_options(candidate: Candidate) -> tuple[Option, ...]:
    """Return the four options that are not the answer, the cheapest to compare first."""
    return tuple(sorted((o for o in OPTIONS if o != candidate.transformation), key=_COST.index))


class _Surface:
    """The heights of a surface in plot A and beyond the window, computed once for all transformations of it."""

    def __init__(self, family: Family, candidate: Candidate, limits: AmbiguityLimits) -> None:
        self.family, self.limits = family, limits
        a = plot_a(family, candidate.surface, RENDER_POINTS)
        self.plot = Plot(a, limits.largest_shift)
        self.spread = self.plot.high - self.plot.low
        self.beyond = Continuation(family, candidate.surface, limits.largest_shift)

    def plot_b(self, candidate: Candidate) -> Grid:
        kind = candidate.transformation
        if kind.startswith("rotate"):
            return np.ascontiguousarray(rotated(self.plot.grid, kind))
        return plot_b(self.family, candidate.surface, kind, candidate.offset, RENDER_POINTS)

    def judge_distances(self, candidate: Candidate, *, figures: bool = True) -> Judgement:
        """Return the judgement on the first distance that passes, else on the first; ``figures``: see ``judge``."""
        judgements = []
        for tried in candidate.by_distance():
            judgement = replace(self.judge(tried, figures=figures), offset=tried.offset)
            if judgement.verdict.kept:
                return judgement
            judgements.append(judgement)
            if judgement.verdict.reason == FEATURELESS:
                break
        return judgements[0]

    def judge(self, candidate: Candidate, *, figures: bool = True) -> Judgement:
        """Return the judgement of Algorithm 1 on ``candidate``, at its current distance and without its ``others``.

        With ``figures`` False, the errors of a kept candidate are approximate, which saves time.
        """
        threshold, a = self.limits.threshold, self.plot.grid
        moved = candidate.transformation.startswith("translate")
        featureless = _judge_features(upright(a, candidate.transformation), self.limits) if moved else None
        if self.spread == 0 or featureless is not None:
            return Judgement(verdict=featureless or _reject(FEATURELESS, 0.0, self.limits.prominence))
        b = self.plot_b(candidate)
        errors = {}
        for option in wrong_options(candidate):
            errors[option] = self.plot.errors(b, option)
            nrmse = float(errors[option].min()) / self.spread
            if nrmse < threshold:
                return Judgement(verdict=_reject(f"looks like {option}", nrmse, threshold))
        smallest = min(float(error.min()) for error in errors.values())
        both = float(max(self.plot.high, b.max()) - min(self.plot.low, b.min()))
        if not figures:
            # The margin to the threshold does not matter then, so that few shifts are compared beyond the window.
            smallest = min(smallest, _CLEAR * threshold * both)
        for option in errors:
            if option.startswith("translate"):
                smallest = self.beyond.least(b, option, errors[option], smallest)
                if smallest / self.spread < threshold:
                    reason = f"looks like {option}, continued beyond the window"
                    return Judgement(verdict=_reject(reason, smallest / self.spread, threshold))
        if smallest / both < threshold:
            return Judgement(verdict=_reject(PALE, smallest / both, threshold))
        return Judgement(
            verdict=Verdict.of(CHECK, True, smallest / self.spread, threshold),
            nrmse_identity=round(float(errors["no_change"][0]) / self.spread, 4),
            nrmse_confusable=round(smallest / self.spread, 4),
            plots=(a, b),
        )


def _judge_features(along_x: Grid, limits: AmbiguityLimits) -> Verdict | None:
    """Return a rejection if the surface has no feature whose translation an eye can follow, else None.

    ``along_x`` is plot A, turned so that the translation is along x.
    """
    inside = prominence_inside(along_x, limits.border, limits.prominence)
    if (
        inside >= limits.prominence
        or ridge_share(along_x, limits.prominence) >= limits.ridge_lines
        or cliff_share(along_x, limits.prominence) >= limits.cliff_lines
    ):
        return None
    return _reject(FEATURELESS, inside, limits.prominence)


def _reject(reason: str, measured: float, limit: float) -> Verdict:
    return Verdict.of(CHECK, False, measured, limit, reason)
