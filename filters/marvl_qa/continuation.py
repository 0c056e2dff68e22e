"""The other reading of a translation: the function goes on beyond the window, and the whole panel is compared.

Algorithm 1 compares what both plots show (``filters/marvl_qa/nrmse.py``). Who takes the plots for windows on a
function may ask instead whether f, moved, gives plot B everywhere in the window, also where the move brings into view
what plot A does not show. Only translations differ: windows are squares about the origin, which rotations and no
change map onto themselves (tests/test_families.py).

The whole panel is the overlap and a strip at one side, so that only the strip is left to compare; and its error is at
least that of the overlap times the root of the overlap's share of the panel, which tells for nearly all shifts,
without a look beyond the window, that they are not near.
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
    """A surface on a grid of ``points`` per axis in its window, and ``largest_shift`` (of the window) beyond it."""

    def __init__(self, family: Family, surface: Surface, points: int, largest_shift: float) -> None:
        self._family, self._surface, self._points = family, surface, points
        self._cells = shift_cells(points, largest_shift)
        self._wide: dict[Option, Grid] = {}

    def errors(self, b: Grid, translation: Option, overlap: Grid, asked: npt.NDArray[np.bool_]) -> Grid:
        """Return the root mean square errors of the moved function against ``b`` over the whole panel.

        One for each shift of ``shift_cells``, infinite for those that are not ``asked``. ``b`` is (points, points);
        ``overlap`` holds the errors on the overlap, of the shifts that are asked at least.
        """
        errors = np.full(len(self._cells), np.inf)
        for k in np.flatnonzero(asked):
            errors[k] = self._error(b, translation, overlap, k)
        return errors

    def least(self, b: Grid, translation: Option, overlap: Grid, limit: float) -> float:
        """Return the least of the errors, or ``limit`` if none is below; the likeliest shifts are compared first."""
        bounds = _bounds(overlap, int(self._cells[-1]) / self._points)
        for k in np.argsort(bounds, kind="stable"):
            if bounds[k] >= limit * (1 + _SLACK):
                break
            limit = min(limit, self._error(b, translation, overlap, k, limit))
        return limit

    def _error(self, b: Grid, translation: Option, overlap: Grid, k: np.int64, limit: float = np.inf) -> float:
        """Return the error of shift number ``k`` over the whole panel, infinite where it is clearly above ``limit``."""
        _, b = upright(b, b, translation)
        wide, most, cells = self.wide(translation), int(self._cells[-1]), int(self._cells[k])
        width = abs(cells)
        # What the move brings into view: at the left if it is to the right.
        new, shown = (wide[:, most - width : most], b[:, :width])
        if cells < 0:
            new, shown = wide[:, most + self._points :][:, :width], b[:, self._points - width :]
        shared = (self._points - width) * overlap[k] ** 2
        strip = _squares(new, shown, (limit**2 * (1 + _SLACK) * self._points - shared) * len(b)) / len(b)
        return float(np.sqrt((shared + strip) / self._points))

    def steepest(self, translation: Option) -> float:
        """Return the largest step between neighbouring samples, in and beyond the window."""
        wide = self.wide(translation)
        return max(float(np.abs(np.diff(wide, axis=axis)).max()) for axis in (0, 1))

    def wide(self, translation: Option) -> Grid:
        """Return the heights in the window and beyond both of its ends, turned so that the move is along the rows."""
        if translation not in self._wide:
            beyond = {"beyond_x" if translation == "translate_x" else "beyond_y": int(self._cells[-1])}
            grid = sample(self._family, self._surface.parameters, self._surface.domain, self._points, **beyond)
            self._wide[translation] = upright(grid, grid, translation)[0]
        return self._wide[translation]


@numba.njit(cache=True)
def _squares(a: Grid, b: Grid, most: float) -> float:
    """Return the sum of the squares of ``a - b``, infinite if that of the first rows is above ``most``."""
    total = 0.0
    for r in range(len(a)):
        row = 0.0
        for c in range(a.shape[1]):
            row += (a[r, c] - b[r, c]) ** 2
        total += row
        if total > most:
            return np.inf
    return total


def may_be_below(overlap: Grid, limit: float, largest_shift: float) -> npt.NDArray[np.bool_]:
    """Return which shifts may have an error below ``limit`` over the whole panel, given those on the overlap."""
    return np.asarray(_bounds(overlap, largest_shift) < limit * (1 + _SLACK), np.bool_)


def _bounds(overlap: Grid, largest_shift: float) -> Grid:
    """Return what the error of each shift over the whole panel is at least."""
    share = 1 - np.abs(shift_cells(SHIFTS_PER_WINDOW, largest_shift)) / SHIFTS_PER_WINDOW
    return np.asarray(overlap * np.sqrt(share), np.float64)
