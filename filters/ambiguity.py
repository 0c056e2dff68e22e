"""Algorithm 1 of MaRVL-QA, both ways, and what it leaves out: the answer must beat every wrong option.

A rotation is rejected if it looks like no change, like the other rotation, or like any translation; a translation
if the surface has nothing to follow or if no distance tried is unlike no change, both rotations and every
translation along the other axis. "Looks like" is an NRMSE below 0.07 on the 2000 x 2000 grid. ``judge_plain`` is
that definition, computed directly.

``judge`` decides nearly all candidates on the drawn 400 x 400 grid, whose samples are every fifth of the fine one:
where every wrong option is clear of the threshold by a margin, or one lies below it by that margin, the fine grid
does not say otherwise. Over all 32 families an NRMSE differs between the grids by 1e-5 at most, by 1e-4 with cliffs;
the margins are ample, and larger for surfaces with cliffs, since a cliff moves by whole cells. The range, which is
all that changes at a singularity, is refined around the extreme cells. Near the threshold the fine grid decides, but
only the shifts that are near it are computed there.

The published figures come from the drawn grid however the verdict was reached. One more test is ours: both plots
share one colour scale, so a translation that brings great heights into view makes all else pale; the drawn errors
must pass on the range of both plots together.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from filters.features import cliff_share, prominence_inside, ridge_share
from filters.nrmse import option_errors, shift_cells, shift_error, shift_errors_plain, upright
from filters.verdict import Verdict
from generators.items import OPTIONS, Option, Surface
from generators.marvl_qa.family import Family
from generators.marvl_qa.sampling import ANALYSIS_POINTS, RENDER_POINTS, Grid, axes
from generators.marvl_qa.transformation import Candidate, plot_a, plot_b, rotated

CHECK = "ambiguity"
FEATURELESS = "nothing to follow"
PALE = "pale on the shared colour scale"

#: Extreme cells around which the range is refined.
REFINED_CELLS = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class AmbiguityLimits:
    """When a transformation is unambiguous. Errors and heights are fractions of the range, lengths of the window."""

    threshold: float = 0.07  # A.4, Table 6: significance threshold
    largest_shift: float = 0.25  # A.7: translations considered go up to a quarter of the axis
    prominence: float = 0.10  # A.4: of a feature to follow
    border: float = 0.02  # such a feature lies inside by this much
    ridge_lines: float = 0.5  # share of lines with a ridge, see filters/features.py
    cliff_lines: float = 0.25  # share of lines with a cliff
    margin: float = 0.001  # from the threshold, for a decision on the drawn grid
    cliff_margin: float = 0.03  # the same for surfaces with cliffs

    def __post_init__(self) -> None:
        if not 0 < self.margin <= self.cliff_margin < self.threshold:
            raise ValueError(f"need 0 < margin <= cliff_margin < threshold, got {self}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """The verdict on a candidate and, where it was kept, the figures of the item (otherwise 0).

    ``offset`` is the first distance that passed. ``nrmse_identity`` and ``nrmse_confusable`` (the smallest over the
    four wrong options) are on the drawn grid, divided by the range of plot A, rounded to 4 decimals.
    """

    verdict: Verdict
    offset: float = 0.0
    nrmse_identity: float = 0.0
    nrmse_confusable: float = 0.0


#: The errors of an option on the drawn grid: of every shift of a translation, else the one.
_Errors = Callable[[Option], Grid]
#: (offset, errors on the drawn grid) -> the wrong option that plot B looks like and its NRMSE, or None.
_Confusion = Callable[[float, _Errors], tuple[Option, float] | None]


def judge(family: Family, candidate: Candidate, limits: AmbiguityLimits) -> Judgement:
    """Judge ``candidate``; the verdict is that of ``judge_plain``. The verdict's ``check`` is always "ambiguity"."""
    a = plot_a(family, candidate.surface, RENDER_POINTS)
    return _judge(family, candidate, a, limits, _FastConfusion(family, candidate, a, limits))


def judge_plain(family: Family, candidate: Candidate, limits: AmbiguityLimits) -> Judgement:
    """Judge ``candidate`` by the definition: every comparison on the 2000 x 2000 grid, one shift after the other."""
    fine = plot_a(family, candidate.surface, ANALYSIS_POINTS)

    def confusion(offset: float, _drawn: _Errors) -> tuple[Option, float] | None:
        b = plot_b(family, candidate.surface, candidate.transformation, offset, ANALYSIS_POINTS)
        for option in wrong_options(candidate):
            if option.startswith("translate"):
                errors = shift_errors_plain(*upright(fine, b, option), limits.largest_shift)
            else:
                errors = option_errors(fine, b, option, limits.largest_shift)
            error = float(errors.min() / np.ptp(fine))
            if error < limits.threshold:
                return option, error
        return None

    return _judge(family, candidate, plot_a(family, candidate.surface, RENDER_POINTS), limits, confusion)


def wrong_options(candidate: Candidate) -> tuple[Option, ...]:
    """Return the four options that are not the answer, cheapest comparison first."""
    return tuple(sorted((o for o in OPTIONS if o != candidate.transformation), key=_COST.index))


_COST: tuple[Option, ...] = ("no_change", "rotate_180", "rotate_90_clockwise", "translate_x", "translate_y")


def _judge(family: Family, candidate: Candidate, a: Grid, limits: AmbiguityLimits, confusion: _Confusion) -> Judgement:
    """Run Algorithm 1 with ``confusion`` as its comparisons."""
    rotates = not candidate.offsets
    featureless = None if rotates else _judge_features(upright(a, a, candidate.transformation)[0], limits)
    spread = float(np.ptp(a))
    if spread == 0 or featureless is not None:
        return Judgement(verdict=featureless or _reject(FEATURELESS, 0.0, limits.prominence))
    rejections: list[Verdict] = []
    for offset in candidate.offsets or (0.0,):
        b = (
            rotated(a, candidate.transformation)
            if rotates
            else plot_b(family, candidate.surface, candidate.transformation, offset, RENDER_POINTS)
        )
        drawn: _Errors = cache(partial(option_errors, a, b, largest_shift=limits.largest_shift))
        found = confusion(offset, drawn)
        if found is not None:
            rejections.append(_reject(f"looks like {found[0]}", found[1], limits.threshold))
            continue
        errors = {option: float(drawn(option).min()) for option in wrong_options(candidate)}
        smallest = min(errors.values())
        shared = smallest / float(max(a.max(), b.max()) - min(a.min(), b.min()))
        if shared < limits.threshold:
            rejections.append(_reject(PALE, shared, limits.threshold))
            continue
        return Judgement(
            verdict=Verdict(check=CHECK, kept=True, measured=smallest / spread, limit=limits.threshold),
            offset=offset,
            nrmse_identity=round(errors["no_change"] / spread, 4),
            nrmse_confusable=round(smallest / spread, 4),
        )
    (reason, _), *_ = Counter(r.reason for r in rejections).most_common()
    return Judgement(verdict=next(r for r in rejections if r.reason == reason))


class _FastConfusion:
    """The comparisons of Algorithm 1 on the drawn grid, on the fine one near the threshold."""

    def __init__(self, family: Family, candidate: Candidate, a: Grid, limits: AmbiguityLimits) -> None:
        self.family, self.candidate, self.limits = family, candidate, limits
        self.spread = refined_range(family, candidate.surface, a)
        steep = max(cliff_share(a, limits.prominence), cliff_share(a.T, limits.prominence)) > 0
        self.margin = limits.cliff_margin if steep else limits.margin
        self.fine: Grid | None = None

    def __call__(self, offset: float, drawn: _Errors) -> tuple[Option, float] | None:
        """Return the wrong option that ``b`` looks like and its NRMSE, or None."""
        near: list[tuple[Option, Grid]] = []
        for option in wrong_options(self.candidate):
            errors = drawn(option) / self.spread
            smallest = float(errors.min())
            if smallest < self.limits.threshold - self.margin:
                return option, smallest
            if smallest < self.limits.threshold + self.margin:
                near.append((option, errors))
        return self._decide_fine(offset, near) if near else None

    def _decide_fine(self, offset: float, near: list[tuple[Option, Grid]]) -> tuple[Option, float] | None:
        """Compare on the fine grid the options, and of these the shifts, that the drawn grid leaves open."""
        candidate, limits = self.candidate, self.limits
        if self.fine is None:
            self.fine = plot_a(self.family, candidate.surface, ANALYSIS_POINTS)
        a, spread = self.fine, float(np.ptp(self.fine))
        b = (
            plot_b(self.family, candidate.surface, candidate.transformation, offset, ANALYSIS_POINTS)
            if candidate.offsets
            else rotated(a, candidate.transformation)
        )
        for option, errors in near:
            for error in self._open_errors(a, b, option, errors):
                if error / spread < limits.threshold:
                    return option, error / spread
        return None

    def _open_errors(self, a: Grid, b: Grid, option: Option, drawn: Grid) -> Iterator[float]:
        """Yield the fine errors of ``option``; of a translation those of the shifts left open, the likeliest first."""
        if not option.startswith("translate"):
            yield float(option_errors(a, b, option, self.limits.largest_shift)[0])
            return
        a, b = upright(a, b, option)
        cells = shift_cells(ANALYSIS_POINTS, self.limits.largest_shift)
        near = np.flatnonzero(drawn < self.limits.threshold + self.margin)
        for k in near[np.argsort(drawn[near], kind="stable")]:
            yield shift_error(a, b, int(cells[k]))


def refined_range(family: Family, surface: Surface, a: Grid) -> float:
    """Return the range that the fine grid would have, from ``a`` and the fine samples around its extreme cells."""
    flat = a.ravel()
    # By height and then by place: which of equal cells argpartition takes depends on the processor.
    bounds = np.partition(flat, (REFINED_CELLS - 1, flat.size - REFINED_CELLS))
    lowest = np.flatnonzero(flat <= bounds[REFINED_CELLS - 1])[:REFINED_CELLS]
    highest = np.flatnonzero(flat >= bounds[flat.size - REFINED_CELLS])[:REFINED_CELLS]
    extreme = np.concatenate([lowest, highest])
    x, y = axes(surface.domain, ANALYSIS_POINTS)
    ratio = ANALYSIS_POINTS // a.shape[0]
    within = np.arange(ratio)
    rows = (extreme // a.shape[1])[:, None, None] * ratio + within[None, :, None]
    columns = (extreme % a.shape[1])[:, None, None] * ratio + within[None, None, :]
    at_x, at_y = np.broadcast_arrays(x[0, columns], y[rows, 0])
    around = family.height(at_x, at_y, surface.parameters)
    return float(max(flat.max(), around.max()) - min(flat.min(), around.min()))


def _judge_features(along_x: Grid, limits: AmbiguityLimits) -> Verdict | None:
    """Reject a surface, turned so that the move is along x, that has no feature to follow."""
    inside = prominence_inside(along_x, limits.border)
    if inside >= limits.prominence:
        return None
    if ridge_share(along_x, limits.prominence) >= limits.ridge_lines:
        return None
    if cliff_share(along_x, limits.prominence) >= limits.cliff_lines:
        return None
    return _reject(FEATURELESS, inside, limits.prominence)


def _reject(reason: str, measured: float, limit: float) -> Verdict:
    return Verdict(check=CHECK, kept=False, measured=measured, limit=limit, reason=reason)
