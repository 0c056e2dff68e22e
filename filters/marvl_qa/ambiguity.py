"""Algorithm 1 of MaRVL-QA, both ways, and what it leaves out: the answer must beat every wrong option.

A rotation is rejected if it looks like no change, like the other rotation, or like any translation; a translation
if the surface has nothing to follow or if no distance tried is unlike no change, both rotations and every
translation along the other axis. "Looks like" is an NRMSE below 0.07 on the 2000 x 2000 grid. ``judge_plain`` is
that definition, computed directly.

A translation can be read in two ways, and every wrong one must fail in both: on what both plots show, and with the
function continued beyond the window, over the whole panel (``filters/marvl_qa/continuation.py``).

``judge`` decides nearly all candidates on the drawn 400 x 400 grid, whose samples are every fifth of the fine one:
where every wrong option is clear of the threshold by a margin, or one lies below it by that margin, the fine grid
does not say otherwise. Over all 32 families an NRMSE differs between the grids by 1e-5 at most, by 1e-4 with cliffs;
the margins are ample, and larger for surfaces with cliffs, since a cliff moves by whole cells. Of the second reading
only the shifts are computed whose error on the overlap leaves it open. The range, which is
all that changes at a singularity, is refined around the extreme cells. Near the threshold the fine grid decides, but
only the shifts that are near it are computed there.

The published figures come from the drawn grid however the verdict was reached. Two more tests are ours. Both plots
share one colour scale, so a translation that brings great heights into view makes all else pale: the drawn errors
must pass on the range of both plots together. And every other transformation that the family allows must be as clear of
the same surface (``Candidate.others``): were only the one asked for judged, surfaces that vary along x would be shown
moved along x, and plot A would reveal the answer.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache, partial

import numba
import numpy as np
import numpy.typing as npt

from planimeter.filters.marvl_qa.continuation import Continuation, may_be_below
from planimeter.filters.marvl_qa.features import cliff_share, prominence_inside, ridge_share
from planimeter.filters.marvl_qa.limits import AmbiguityLimits
from planimeter.filters.marvl_qa.nrmse import Plot, option_errors, shift_cells, shift_error, shift_errors_plain, upright
from planimeter.filters.verdict import Verdict
from planimeter.generators.marvl_qa.family import Family
from planimeter.generators.marvl_qa.sampling import ANALYSIS_POINTS, RENDER_POINTS, Grid, axes
from planimeter.generators.marvl_qa.transformation import Candidate, plot_a, plot_b, rotated
from planimeter.items import OPTIONS, Option, Surface, Transformation

CHECK = "ambiguity"
FEATURELESS = "nothing to follow"
PALE = "pale on the shared colour scale"

#: Extreme cells around which the range is refined.
REFINED_CELLS = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """The verdict on a candidate and, where it was kept, the figures of the item (otherwise 0).

    ``offset`` is the first distance that passed. ``nrmse_identity`` and ``nrmse_confusable`` (the smallest over the
    four wrong options and both readings) are on the drawn grid, divided by the range of plot A, rounded to 4 decimals.
    ``plots`` are A and B on that grid; none where the candidate was rejected.
    ``refused`` is what failed where that was one of the candidate's ``others``.
    """

    verdict: Verdict
    offset: float = 0.0
    nrmse_identity: float = 0.0
    nrmse_confusable: float = 0.0
    plots: tuple[Grid, ...] = field(default=(), repr=False, compare=False)
    refused: Candidate | None = None


#: The errors of an option on the drawn grid: of every shift of a translation, else the one.
_Errors = Callable[[Option], Grid]
#: (offset, plot B, errors on the drawn grid) -> why plot B is confusable and the NRMSE that shows it, or None.
_Confusion = Callable[[float, Grid, _Errors], tuple[str, float] | None]


def judge(family: Family, candidate: Candidate, limits: AmbiguityLimits) -> Judgement:
    """Judge ``candidate``; the verdict is that of ``judge_plain``. The verdict's ``check`` is always "ambiguity".

    A candidate is rejected too if one of its ``others`` would be.
    """
    a = plot_a(family, candidate.surface, RENDER_POINTS)
    plot, drawn = Plot(a, limits.largest_shift), Continuation(family, candidate.surface, a, limits.largest_shift)
    confusion = _FastConfusion(family, candidate, a, drawn, limits)
    judgement = _judge(family, candidate, plot, drawn, limits, confusion)
    for other in sorted(candidate.others, key=lambda other: _LIKELIEST.index(other.transformation)):
        if not judgement.verdict.kept:
            break
        verdict = _judge(family, other, plot, drawn, limits, confusion.of(other), figures=False).verdict
        if not verdict.kept:
            judgement = Judgement(
                verdict=replace(verdict, reason=f"as {other.transformation}: {verdict.reason}"), refused=other
            )
    return judgement


def judge_plain(family: Family, candidate: Candidate, limits: AmbiguityLimits) -> Judgement:
    """Judge ``candidate`` by the definition: every comparison on the 2000 x 2000 grid, one shift after the other.

    Its ``others`` are left out.
    """
    fine = plot_a(family, candidate.surface, ANALYSIS_POINTS)
    beyond = Continuation(family, candidate.surface, fine, limits.largest_shift)
    every = np.ones(len(shift_cells(ANALYSIS_POINTS, limits.largest_shift)), np.bool_)

    def confusion(offset: float, _b: Grid, _drawn: _Errors) -> tuple[str, float] | None:
        b = plot_b(family, candidate.surface, candidate.transformation, offset, ANALYSIS_POINTS)
        errors: dict[Option, Grid] = {}
        for option in wrong_options(candidate):
            if option.startswith("translate"):
                errors[option] = shift_errors_plain(*upright(fine, b, option), limits.largest_shift)
            else:
                errors[option] = option_errors(fine, b, option, limits.largest_shift)
            error = float(errors[option].min() / np.ptp(fine))
            if error < limits.threshold:
                return _reason(option), error
        for option in wrong_translations(candidate):
            error = float(beyond.errors(b, option, errors[option], every).min() / np.ptp(fine))
            if error < limits.threshold:
                return _reason(option, continued=True), error
        return None

    a = plot_a(family, candidate.surface, RENDER_POINTS)
    drawn = Continuation(family, candidate.surface, a, limits.largest_shift)
    return _judge(family, candidate, Plot(a, limits.largest_shift), drawn, limits, confusion)


def fitting(family: Family, candidate: Candidate, limits: AmbiguityLimits) -> tuple[Option, ...]:
    """Return the wrong options that fit the plots of ``candidate`` in one reading or both, on the drawn grid."""
    a = plot_a(family, candidate.surface, RENDER_POINTS)
    offset = next(iter(candidate.offsets), 0.0)
    b = plot_b(family, candidate.surface, candidate.transformation, offset, RENDER_POINTS)
    plot, beyond = Plot(a, limits.largest_shift), Continuation(family, candidate.surface, a, limits.largest_shift)
    errors = {option: plot.errors(b, option) for option in wrong_options(candidate)}
    limit = limits.threshold * float(np.ptp(a))
    for option in wrong_translations(candidate):
        close = may_be_below(errors[option], limit, limits.largest_shift)
        errors[option] = np.minimum(errors[option], beyond.errors(b, option, errors[option], close))
    return tuple(option for option, error in errors.items() if error.min() < limit)


def wrong_options(candidate: Candidate) -> tuple[Option, ...]:
    """Return the four options that are not the answer, cheapest comparison first."""
    return tuple(sorted((o for o in OPTIONS if o != candidate.transformation), key=_COST.index))


def wrong_translations(candidate: Candidate) -> tuple[Option, ...]:
    """Return the translations among the wrong options: those that can be read in two ways."""
    return tuple(option for option in wrong_options(candidate) if option.startswith("translate"))


#: Most often rejected first, as measured, so that bad candidates are dropped early.
_LIKELIEST: tuple[Transformation, ...] = ("translate_x", "translate_y", "rotate_180", "rotate_90_clockwise")
_COST: tuple[Option, ...] = ("no_change", "rotate_180", "rotate_90_clockwise", "translate_x", "translate_y")


def _judge(
    family: Family,
    candidate: Candidate,
    plot: Plot,
    continuation: Continuation,
    limits: AmbiguityLimits,
    confusion: _Confusion,
    *,
    figures: bool = True,
) -> Judgement:
    """Run Algorithm 1 with ``confusion`` as its comparisons; ``plot`` (A) and ``continuation`` are on the drawn grid.

    Without ``figures`` those of a kept candidate are not exact.
    """
    a, rotates = plot.grid, not candidate.offsets
    featureless = None if rotates else _judge_features(upright(a, a, candidate.transformation)[0], limits)
    spread = plot.high - plot.low
    if spread == 0 or featureless is not None:
        return Judgement(verdict=featureless or _reject(FEATURELESS, 0.0, limits.prominence))
    rejections: list[Verdict] = []
    for offset in candidate.offsets or (0.0,):
        b = (
            np.ascontiguousarray(rotated(a, candidate.transformation))
            if rotates
            else plot_b(family, candidate.surface, candidate.transformation, offset, RENDER_POINTS)
        )
        drawn: _Errors = cache(partial(plot.errors, b))
        rejection = confusion(offset, b, drawn)
        if rejection is not None:
            rejections.append(_reject(*rejection, limits.threshold))
            continue
        smallest = min(float(drawn(option).min()) for option in wrong_options(candidate))
        both = float(max(plot.high, b.max()) - min(plot.low, b.min()))
        if not figures:
            # How clear of the threshold does not matter then, so that few shifts are compared beyond the window.
            smallest = min(smallest, (limits.threshold + limits.margin) * both)
        for option in wrong_translations(candidate):
            smallest = continuation.least(b, option, drawn(option), smallest)
        shared = smallest / both
        if shared < limits.threshold:
            rejections.append(_reject(PALE, shared, limits.threshold))
            continue
        return Judgement(
            verdict=Verdict(check=CHECK, kept=True, measured=smallest / spread, limit=limits.threshold),
            offset=offset,
            nrmse_identity=round(float(drawn("no_change")[0]) / spread, 4),
            nrmse_confusable=round(smallest / spread, 4),
            plots=(a, b),
        )
    (reason, _), *_ = Counter(r.reason for r in rejections).most_common()
    return Judgement(verdict=next(r for r in rejections if r.reason == reason))


class _FastConfusion:
    """The comparisons of Algorithm 1 on the drawn grid, on the fine one near the threshold."""

    def __init__(
        self, family: Family, candidate: Candidate, a: Grid, continuation: Continuation, limits: AmbiguityLimits
    ) -> None:
        self.family, self.candidate, self.limits = family, candidate, limits
        self.spread = refined_range(family, candidate.surface, a)
        steep = max(cliff_share(a, limits.prominence), cliff_share(a.T, limits.prominence)) > 0
        self.margin = limits.cliff_margin if steep else limits.margin
        self.drawn = continuation
        #: Plot B on the fine grid; both readings may want that of one offset.
        self.fine_b = lru_cache(maxsize=1)(self._fine_b)

    def of(self, candidate: Candidate) -> "_FastConfusion":
        """Return the comparisons for another question about the same surface."""
        other = copy(self)
        other.candidate, other.fine_b = candidate, lru_cache(maxsize=1)(other._fine_b)
        return other

    def __call__(self, offset: float, b: Grid, drawn: _Errors) -> tuple[str, float] | None:
        """Return why ``b`` is confusable, and the NRMSE that shows it, or None."""
        return self._on_the_overlap(offset, drawn) or self._continued(offset, b, drawn)

    def _on_the_overlap(self, offset: float, drawn: _Errors) -> tuple[str, float] | None:
        near: list[tuple[Option, Grid]] = []
        for option in wrong_options(self.candidate):
            errors = drawn(option) / self.spread
            smallest = float(errors.min())
            if smallest < self.limits.threshold - self.margin:
                return _reason(option), smallest
            if smallest < self.limits.threshold + self.margin:
                near.append((option, errors))
        for option, errors in near:
            for error in self._open_errors(self.fine_b(offset), option, errors):
                if error < self.limits.threshold:
                    return _reason(option), error
        return None

    def _continued(self, offset: float, b: Grid, drawn: _Errors) -> tuple[str, float] | None:
        """Compare over the whole panel the shifts that the overlap leaves open."""
        threshold, largest = self.limits.threshold, self.limits.largest_shift
        near: list[tuple[Option, npt.NDArray[np.bool_]]] = []
        for option in wrong_translations(self.candidate):
            # With the wider of the two margins, as there may be a cliff beyond the window.
            if not may_be_below(drawn(option), (threshold + self.limits.cliff_margin) * self.spread, largest).any():
                continue
            steep = self.drawn.steepest(option) >= self.limits.prominence * self.spread
            margin = self.limits.cliff_margin if steep else self.margin
            close = may_be_below(drawn(option), (threshold + margin) * self.spread, largest)
            errors = self.drawn.errors(b, option, drawn(option), close) / self.spread
            smallest = float(errors.min())
            if smallest < threshold - margin:
                return _reason(option, continued=True), smallest
            if smallest < threshold + margin:
                near.append((option, errors < threshold + margin))
        for option, close in near:
            fine_b = self.fine_b(offset)
            overlap = self._overlap_errors(fine_b, option, close)
            smallest = float(self._fine_continuation.errors(fine_b, option, overlap, close).min()) / self._fine_spread
            if smallest < threshold:
                return _reason(option, continued=True), smallest
        return None

    @cached_property
    def _fine(self) -> Grid:
        return plot_a(self.family, self.candidate.surface, ANALYSIS_POINTS)

    @cached_property
    def _fine_spread(self) -> float:
        return float(np.ptp(self._fine))

    @cached_property
    def _fine_continuation(self) -> Continuation:
        return Continuation(self.family, self.candidate.surface, self._fine, self.limits.largest_shift)

    def _fine_b(self, offset: float) -> Grid:
        candidate = self.candidate
        if not candidate.offsets:
            return rotated(self._fine, candidate.transformation)
        return plot_b(self.family, candidate.surface, candidate.transformation, offset, ANALYSIS_POINTS)

    def _open_errors(self, b: Grid, option: Option, drawn: Grid) -> Iterator[float]:
        """Yield the fine errors of ``option``; of a translation those of the shifts left open, the likeliest first."""
        if not option.startswith("translate"):
            yield float(option_errors(self._fine, b, option, self.limits.largest_shift)[0]) / self._fine_spread
            return
        a, b = upright(self._fine, b, option)
        cells = shift_cells(ANALYSIS_POINTS, self.limits.largest_shift)
        near = np.flatnonzero(drawn < self.limits.threshold + self.margin)
        for k in near[np.argsort(drawn[near], kind="stable")]:
            yield shift_error(a, b, int(cells[k])) / self._fine_spread

    def _overlap_errors(self, b: Grid, option: Option, selected: npt.NDArray[np.bool_]) -> Grid:
        """Return the fine errors of a translation on the overlap for the ``selected`` shifts, others infinite."""
        a, b = upright(self._fine, b, option)
        cells = shift_cells(ANALYSIS_POINTS, self.limits.largest_shift)
        return np.array([shift_error(a, b, int(c)) if s else np.inf for c, s in zip(cells, selected, strict=True)])


def _reason(option: Option, *, continued: bool = False) -> str:
    return f"looks like {option}" + (", continued beyond the window" if continued else "")


def refined_range(family: Family, surface: Surface, a: Grid) -> float:
    """Return the range that the fine grid would have, from ``a`` and the fine samples around its extreme cells."""
    extreme = _extreme_cells(a.ravel(), REFINED_CELLS)
    x, y = axes(surface.domain, ANALYSIS_POINTS)
    ratio = ANALYSIS_POINTS // a.shape[0]
    within = np.arange(ratio)
    rows = (extreme // a.shape[1])[:, None, None] * ratio + within[None, :, None]
    columns = (extreme % a.shape[1])[:, None, None] * ratio + within[None, None, :]
    at_x, at_y = np.broadcast_arrays(x[0, columns], y[rows, 0])
    around = family.height(at_x, at_y, surface.parameters)
    return float(max(a.max(), around.max()) - min(a.min(), around.min()))


@numba.njit(cache=True)
def _extreme_cells(flat, number):  # type: ignore[no-untyped-def]
    """Return the first ``number`` cells as low as that many, and the first as high as that many, by their places."""
    cells = np.zeros((2, number), np.int64)
    for side, sign in ((0, 1.0), (1, -1.0)):
        lowest, count = np.full(number, np.inf), 0
        for value in flat:
            k = number
            while k and sign * value < lowest[k - 1]:
                k -= 1
            if k < number:
                lowest[k + 1 :] = lowest[k:-1].copy()
                lowest[k] = sign * value
        for place in range(len(flat)):
            if count < number and sign * flat[place] <= lowest[-1]:
                cells[side, count] = place
                count += 1
    return cells.ravel()


def _judge_features(along_x: Grid, limits: AmbiguityLimits) -> Verdict | None:
    """Reject a surface, turned so that the move is along x, that has no feature to follow."""
    inside = prominence_inside(along_x, limits.border, limits.prominence)
    if inside >= limits.prominence:
        return None
    if ridge_share(along_x, limits.prominence) >= limits.ridge_lines:
        return None
    if cliff_share(along_x, limits.prominence) >= limits.cliff_lines:
        return None
    return _reject(FEATURELESS, inside, limits.prominence)


def _reject(reason: str, measured: float, limit: float) -> Verdict:
    return Verdict(check=CHECK, kept=False, measured=measured, limit=limit, reason=reason)
