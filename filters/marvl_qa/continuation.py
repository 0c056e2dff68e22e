"""The other reading of a translation: the function goes on beyond the window, and the whole panel is compared.

Algorithm 1 compares what both plots show (``filters/marvl_qa/nrmse.py``). Alternative reading: the function continues
outside the window, so the whole panel is compared, also where the move brings into view what plot A does not show. Only
translations differ: windows are squares about the origin, which rotations and no change map onto themselves
(tests/generators/test_families.py).

The whole panel is the overlap and a strip at one side, so that only the strip is left to compare; and its error is at
least that of the overlap times the root of the overlap's share of the panel, which excludes nearly all shifts without
any sample beyond the window.
"""

import numba
import numpy as np
import numpy.typing as npt

from planimeter.filters.marvl_qa.nrmse import SHIFTS_PER_WINDOW, shift_cells, upright
from planimeter.generators.marvl_qa.family import Family
from planimeter.generators.marvl_qa.sampling import Grid, sample
from planimeter.items import Option, Surface

#: The errors on the overlap come from sums that cancel; this much more than their digits that are lost.
_SLACK = 1e-6


class Continuation:
    """A surface beyond its window, by ``largest_shift`` of it; ``inside`` are its heights in the window, (n, n)."""

    def __init__(self, family: Family, surface: Surface, inside: Grid, largest_shift: float) -> None:
        self._family, self._surface, self._inside = family, surface, inside
        self._cells = shift_cells(len(inside), largest_shift)
        self._beyond: dict[Option, tuple[Grid, Grid]] = {}

    def errors(self, b: Grid, translation: Option, overlap: Grid, selected: npt.NDArray[np.bool_]) -> Grid:
        """Return the root mean square errors of the moved function against ``b`` over the whole panel.

        One for each shift of ``shift_cells``, infinite where it is not ``selected``. ``b`` is (n, n); ``overlap`` holds
        the errors on the overlap, at least of the selected shifts.
        """
        errors = np.full(len(self._cells), np.inf)
        if selected.any():
            _, b = upright(b, b, translation)
            for k in np.flatnonzero(selected):
                errors[k] = _error(*self.beyond(translation), b, self._cells[k], overlap[k], np.inf)
        return errors

    def least(self, b: Grid, translation: Option, overlap: Grid, limit: float) -> float:
        """Return the least of the errors, or ``limit`` if none is below; the likeliest shifts are compared first."""
        bounds = _bounds(overlap, int(self._cells[-1]) / len(b))
        below = np.flatnonzero(bounds < limit * (1 + _SLACK))
        if not below.size:
            return limit
        order = below[np.argsort(bounds[below], kind="stable")]
        _, b = upright(b, b, translation)
        return float(_least(*self.beyond(translation), b, self._cells[order], overlap[order], bounds[order], limit))

    def steepest(self, translation: Option) -> float:
        """Return the largest step between neighbouring samples, in and beyond the window."""
        left, right = self.beyond(translation)
        wide = np.hstack([left, upright(self._inside, self._inside, translation)[0], right])
        return max(float(np.abs(np.diff(wide, axis=axis)).max()) for axis in (0, 1))

    def beyond(self, translation: Option) -> tuple[Grid, Grid]:
        """Return the heights before and behind the window, turned so that the move is along the rows."""
        if translation not in self._beyond:
            most, points = int(self._cells[-1]), len(self._inside)
            beyond = {"beyond_x" if translation == "translate_x" else "beyond_y": most}
            grid = sample(self._family, self._surface.parameters, self._surface.domain, points, **beyond)
            strips = upright(grid, grid, translation)[0]
            self._beyond[translation] = strips[:, :most], strips[:, most:]
        return self._beyond[translation]


@numba.njit(cache=True)
def _least(before, behind, b, cells, overlap, bounds, limit):  # type: ignore[no-untyped-def]
    """Return the least of ``_error`` of the shifts, whose ``bounds`` ascend, or ``limit`` if none is below."""
    for k in range(len(cells)):
        if bounds[k] >= limit * (1 + _SLACK):
            break
        limit = min(limit, _error(before, behind, b, cells[k], overlap[k], limit))
    return limit


@numba.njit(cache=True)
def _error(before, behind, b, cells, overlap, limit):  # type: ignore[no-untyped-def]
    """Return the error of a shift by ``cells`` over the whole panel, infinite where it is clearly above ``limit``.

    ``before`` and ``behind`` are the heights beyond the window, ``overlap`` the error on the overlap.
    """
    rows, points = b.shape
    width = abs(cells)
    # What the move brings into view: at the left if it is to the right.
    first, new, shown = before.shape[1] - width, before, 0
    if cells < 0:
        first, new, shown = 0, behind, points - width
    shared = (points - width) * overlap**2
    most = (limit**2 * (1 + _SLACK) * points - shared) * rows
    total = 0.0
    for r in range(rows):
        row = 0.0
        for c in range(width):
            row += (new[r, first + c] - b[r, shown + c]) ** 2
        total += row
        if total > most:
            return np.inf
    return np.sqrt((shared + total / rows) / points)


def may_be_below(overlap: Grid, limit: float, largest_shift: float) -> npt.NDArray[np.bool_]:
    """Return which shifts may have an error below ``limit`` over the whole panel, given those on the overlap."""
    return np.asarray(_bounds(overlap, largest_shift) < limit * (1 + _SLACK), np.bool_)


def _bounds(overlap: Grid, largest_shift: float) -> Grid:
    """Return what the error of each shift over the whole panel is at least."""
    share = 1 - np.abs(shift_cells(SHIFTS_PER_WINDOW, largest_shift)) / SHIFTS_PER_WINDOW
    return np.asarray(overlap * np.sqrt(share), np.float64)
