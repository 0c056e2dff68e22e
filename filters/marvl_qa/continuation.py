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

from planimeter.filters.marvl_qa.nrmse import shift_cells, upright
from planimeter.generators.marvl_qa.family import Family
from planimeter.generators.marvl_qa.sampling import RENDER_POINTS, Grid, sample
from planimeter.items import Option, Surface

#: The errors on the overlap come from sums that cancel; this much more than their digits that are lost.
_SLACK = 1e-6


class Continuation:
    """A surface on the drawn grid beyond its window, by ``largest_shift`` of it."""

    def __init__(self, family: Family, surface: Surface, largest_shift: float) -> None:
        self._family, self._surface, self._cells = family, surface, shift_cells(largest_shift)
        #: Times the error of each shift on the overlap, what its error over the whole panel is at least.
        self._factors = np.sqrt(1 - np.abs(self._cells) / RENDER_POINTS)
        self._beyond: dict[Option, tuple[Grid, Grid]] = {}

    def least(self, b: Grid, translation: Option, overlap: Grid, limit: float) -> float:
        """Return the least root mean square error of the moved function against ``b`` over the whole panel.

        ``overlap`` holds the errors of the shifts on the overlap. If none is below ``limit``, that is returned.
        """
        bounds = overlap * self._factors
        below = np.flatnonzero(bounds < limit * (1 + _SLACK))
        if not below.size:
            return limit
        order = below[np.argsort(bounds[below], kind="stable")]
        shifts = self._cells[order], overlap[order], bounds[order]
        return float(_least(*self._strips(translation), upright(b, translation), *shifts, limit))

    def _strips(self, translation: Option) -> tuple[Grid, Grid]:
        """Return the heights before and behind the window, turned so that the move is along the rows."""
        if translation not in self._beyond:
            most = int(self._cells[-1])
            beyond = {"beyond_x" if translation == "translate_x" else "beyond_y": most}
            grid = sample(self._family, self._surface.parameters, self._surface.domain, RENDER_POINTS, **beyond)
            strips = upright(grid, translation)
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
