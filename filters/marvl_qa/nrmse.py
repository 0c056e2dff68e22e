"""Errors between two plots A and B under each of the five options: the comparisons of Algorithm 1 (MaRVL-QA, A.4).

The error of an option is the root mean square of B - option(A) over the area that both plots show: a rotated picture
covers the whole window, a moved one only the overlap. A translation may be by any multiple of 1/400 of the window up to
the largest shift, and its error is the smallest over all of them. Divided by the range of A it is the NRMSE (normalised
RMS error).

The errors of all shifts along an axis are computed at once: the mean square of a difference is two sums of squares over
the overlap (cumulative sums) minus twice a correlation (one FFT along the rows, summed in the frequency domain, so that
a single short inverse transform remains).

In a second reading of the algorithm, the function continues beyond the window, so that the whole panel is compared,
including the part that the move brings into view and plot A does not show (``Continuation``). This changes only the
errors of translations: windows are squares about the origin, which the other options map onto themselves
(tests/generators/test_families.py).

The whole panel is the overlap and a strip at one side, so that only the strip remains to be compared. The error over
the panel is at least that over the overlap times the root of the overlap's share of the panel. This bound excludes
nearly all shifts without any sample beyond the window.
"""

import numba
import numpy as np
import numpy.typing as npt
import scipy.fft

from planimeter.generators.marvl_qa.family import Family
from planimeter.generators.marvl_qa.sampling import RENDER_POINTS, Grid, sample
from planimeter.generators.marvl_qa.transformation import rotated
from planimeter.items import Option, Surface

Spectrum = npt.NDArray[np.complex128]


class Plot:
    """A drawn grid to compare with others, which caches the values that depend on it alone.

    ``largest_shift`` is the largest distance of a translation, as a fraction of the window.
    """

    def __init__(self, grid: Grid, largest_shift: float) -> None:
        self.grid, self.low, self.high = grid, float(grid.min()), float(grid.max())
        self._largest_shift = largest_shift
        self._moved: dict[Option, _Moved] = {}

    def errors(self, b: Grid, option: Option) -> Grid:
        """Return the RMS errors of ``option`` as the transformation of this grid into ``b``, which has the same shape.

        A translation has one error for each shift, of which the smallest counts; other options have one error.
        """
        if option not in ("translate_x", "translate_y"):
            return np.array([rms(self.grid if option == "no_change" else rotated(self.grid, option), b)])
        if option not in self._moved:
            self._moved[option] = _Moved(upright(self.grid, option), self._largest_shift)
        return self._moved[option].errors(upright(b, option))


def rms(a: Grid, b: Grid) -> float:
    """Return the root mean square of ``a - b``, added in a fixed order that suits the memory layout of both."""
    if all(abs(grid.strides[0]) < abs(grid.strides[1]) for grid in (a, b)):
        a, b = a.T, b.T  # as they lie in memory
    return float(np.sqrt(_squares(a, b) / a.size))


def _squares(a: Grid, b: Grid) -> float:
    """Return the sum of the squares of ``a - b``: first within each column, then over columns, so in a fixed order."""
    columns = _column_squares(np.ascontiguousarray(a - b))
    return float(np.cumsum(columns)[-1])


def _column_squares(grid: Grid) -> Grid:
    """Return the sum of squares of each column of the C-contiguous ``grid``, added in order from the first row."""
    return np.asarray(np.einsum("rc,rc->c", grid, grid))


def upright(grid: Grid, translation: Option) -> Grid:
    """Return ``grid``, as a view, turned so that a positive ``translation`` is a move to the right."""
    return grid if translation == "translate_x" else grid[::-1].T


def shift_cells(largest_shift: float) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the shifts to be compared, in cells of the drawn grid, ascending from the leftmost."""
    most = int(largest_shift * RENDER_POINTS + 1e-9)
    return np.arange(-most, most + 1, dtype=np.int64)


class _Moved:
    """A grid (rows, columns) with its spectrum and sums, to compare it with other grids after shifts along x."""

    def __init__(self, a: Grid, largest_shift: float) -> None:
        self._rows, self._points = a.shape
        self._cells = shift_cells(largest_shift)
        self._middle = (a.max() + a.min()) / 2  # sums of squares about the middle lose no digits to a common height
        self._length = scipy.fft.next_fast_len(self._points + int(self._cells[-1]), real=True)
        self._spectrum, self._squares = self._transformed(a)

    def errors(self, b: Grid) -> Grid:
        """Return the RMS error of each shift of this grid against ``b``, on the area where both overlap."""
        spectrum, squares_b = self._transformed(b)
        cells, points = self._cells, self._points
        summed = np.einsum("rc,rc->c", spectrum, self._spectrum.conj())
        correlation = scipy.fft.irfft(summed, self._length, workers=1)[cells]
        start, stop = np.maximum(cells, 0), np.minimum(points + cells, points)
        in_b = squares_b[stop] - squares_b[start]
        in_a = self._squares[stop - cells] - self._squares[start - cells]
        return np.sqrt(np.maximum(in_a + in_b - 2 * correlation, 0.0) / ((stop - start) * self._rows))

    def _transformed(self, grid: Grid) -> tuple[Spectrum, Grid]:
        """Return the spectrum of each row of ``grid``, and its cumulative sums of squares by column: (columns + 1,)."""
        padded, squares = _padded(grid, self._middle, self._length)
        return scipy.fft.rfft(padded, overwrite_x=True, workers=1), squares


def _padded(grid: Grid, middle: float, length: int) -> tuple[Grid, Grid]:
    """Return ``grid`` less ``middle``, padded with zeros to ``length`` columns, and its cumulative sums of squares."""
    rows, columns = grid.shape
    padded = np.zeros((rows, length))
    np.subtract(grid, middle, out=padded[:, :columns])
    return padded, np.concatenate([[0.0], np.cumsum(_column_squares(padded[:, :columns]))])


#: The errors on the overlap come from sums that cancel; this exceeds the error of the lost digits.
_SLACK = 1e-6


class Continuation:
    """The heights of a surface beyond its plotted window.

    They reach up to ``largest_shift``, a fraction of the window's side, beyond each side.
    """

    def __init__(self, family: Family, surface: Surface, largest_shift: float) -> None:
        self._family, self._surface, self._cells = family, surface, shift_cells(largest_shift)
        #: Factor from the error of each shift on the overlap to a lower bound of its error over the whole panel.
        self._factors = np.sqrt(1 - np.abs(self._cells) / RENDER_POINTS)
        self._beyond: dict[Option, tuple[Grid, Grid]] = {}

    def least(self, b: Grid, translation: Option, overlap: Grid, limit: float) -> float:
        """Return the least RMS error of the shifted surface against ``b`` over the whole panel, at most ``limit``.

        ``limit`` itself is returned if no shift has a smaller error. ``overlap`` has, for each shift, the error over
        the area that both plots show.
        """
        bounds = overlap * self._factors
        below = np.flatnonzero(bounds < limit * (1 + _SLACK))
        if not below.size:
            return limit
        order = below[np.argsort(bounds[below], kind="stable")]
        shifts = self._cells[order], overlap[order], bounds[order]
        return float(_least(*self._strips(translation), upright(b, translation), *shifts, limit))

    def _strips(self, translation: Option) -> tuple[Grid, Grid]:
        """Return the heights of the two strips beside the plotted window, before and behind it along ``translation``.

        They are turned so that a positive translation is a move to the right: the first strip is at the left of the
        window, the second at its right. Both are as wide as the largest shift.
        """
        if translation not in self._beyond:
            most = int(self._cells[-1])
            beyond = {"beyond_x" if translation == "translate_x" else "beyond_y": most}
            grid = sample(self._family, self._surface.parameters, self._surface.domain, RENDER_POINTS, **beyond)
            strips = upright(grid, translation)
            self._beyond[translation] = strips[:, :most], strips[:, most:]
        return self._beyond[translation]


@numba.njit(cache=True)
def _least(before, behind, b, cells, overlap, bounds, limit):  # type: ignore[no-untyped-def]
    """Return the least error over the whole panel (see ``_error``) among shifts by ``cells``, at most ``limit``.

    ``bounds`` are lower bounds of the errors, ascending, so that the search can end early.
    """
    for k in range(len(cells)):
        if bounds[k] >= limit * (1 + _SLACK):
            break
        limit = min(limit, _error(before, behind, b, cells[k], overlap[k], limit))
    return limit


@numba.njit(cache=True)
def _error(before, behind, b, cells, overlap, limit):  # type: ignore[no-untyped-def]
    """Return the RMS error of a shift by ``cells`` over the whole panel; infinity if it is clearly above ``limit``.

    The shifted surface is compared with the heights ``b``. ``before`` and ``behind`` are its heights left and right of
    the plotted window; ``overlap`` is its error over the area that both plots show.
    """
    rows, points = b.shape
    width = abs(cells)
    # The strip that the move brings into view: at the left for a move to the right.
    first, new, start = before.shape[1] - width, before, 0
    if cells < 0:
        first, new, start = 0, behind, points - width
    shared = (points - width) * overlap**2
    most = (limit**2 * (1 + _SLACK) * points - shared) * rows
    total = 0.0
    for r in range(rows):
        row = 0.0
        for c in range(width):
            row += (new[r, first + c] - b[r, start + c]) ** 2
        total += row
        if total > most:
            return np.inf
    return np.sqrt((shared + total / rows) / points)
