"""How unlike two plots are under each of the five options: the comparisons of Algorithm 1 (MaRVL-QA, A.4).

The error of an option is the root mean square of B - option(A) over what both plots show: a turned picture covers
the whole window, a moved one only the overlap. A translation may be by any multiple of 1/400 of the window up to
the largest shift, and its error is the smallest over all of them. Divided by the range of A it is the NRMSE.

The errors of all shifts along an axis come at once: the mean square of a difference is two sums of squares over the
overlap (cumulative sums) minus twice a correlation (one FFT along the rows, summed in the frequency domain, so that a
single short inverse transform remains).
"""

import numba
import numpy as np
import numpy.typing as npt
import scipy.fft

from planimeter.generators.marvl_qa.sampling import RENDER_POINTS, Grid
from planimeter.generators.marvl_qa.transformation import rotated
from planimeter.items import Option

Spectrum = npt.NDArray[np.complex128]


class Plot:
    """A drawn grid that others are compared with; what depends on it alone is computed once.

    ``largest_shift`` is a fraction of the window.
    """

    def __init__(self, grid: Grid, largest_shift: float) -> None:
        self.grid, self.low, self.high = grid, float(grid.min()), float(grid.max())
        self._largest_shift = largest_shift
        self._moved: dict[Option, _Moved] = {}

    def errors(self, b: Grid, option: Option) -> Grid:
        """Return the root mean square errors of ``option`` as the way from this grid to ``b``, one of the same shape.

        One error, or for a translation those of all shifts; the smallest is the option's.
        """
        if option not in ("translate_x", "translate_y"):
            return np.array([rms(self.grid if option == "no_change" else rotated(self.grid, option), b)])
        if option not in self._moved:
            self._moved[option] = _Moved(upright(self.grid, option), self._largest_shift)
        return self._moved[option].errors(upright(b, option))


def rms(a: Grid, b: Grid) -> float:
    """Return the root mean square of ``a - b``."""
    if all(abs(grid.strides[0]) < abs(grid.strides[1]) for grid in (a, b)):
        a, b = a.T, b.T  # as they lie in memory
    return float(np.sqrt(_squares(a, b) / a.size))


@numba.njit(cache=True)
def _squares(a: Grid, b: Grid) -> float:
    """Return the sum of the squares of ``a - b``: by columns, so that it is compiled into vectors in a set order."""
    totals = np.zeros(a.shape[1])
    for r in range(a.shape[0]):
        for c in range(a.shape[1]):
            totals[c] += (a[r, c] - b[r, c]) ** 2
    return totals.sum()


def upright(grid: Grid, translation: Option) -> Grid:
    """Return ``grid``, as a view, turned so that ``translation`` by a positive distance is a move to the right."""
    return grid if translation == "translate_x" else grid[::-1].T


def shift_cells(largest_shift: float) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the shifts that are compared, in cells of the drawn grid, from left to right."""
    most = int(largest_shift * RENDER_POINTS + 1e-9)
    return np.arange(-most, most + 1, dtype=np.int64)


class _Moved:
    """A grid that is moved along x, (rows, columns)."""

    def __init__(self, a: Grid, largest_shift: float) -> None:
        self._rows, self._points = a.shape
        self._cells = shift_cells(largest_shift)
        self._middle = (a.max() + a.min()) / 2  # sums of squares about the middle lose no digits to a common height
        self._length = scipy.fft.next_fast_len(self._points + int(self._cells[-1]), real=True)
        self._spectrum, self._squares = self._transformed(a)

    def errors(self, b: Grid) -> Grid:
        """Return the root mean square error of each shift against ``b``."""
        spectrum, squares_b = self._transformed(b)
        cells, points = self._cells, self._points
        correlation = scipy.fft.irfft(_cross(spectrum, self._spectrum), self._length, workers=1)[cells]
        start, stop = np.maximum(cells, 0), np.minimum(points + cells, points)
        in_b = squares_b[stop] - squares_b[start]
        in_a = self._squares[stop - cells] - self._squares[start - cells]
        return np.sqrt(np.maximum(in_a + in_b - 2 * correlation, 0.0) / ((stop - start) * self._rows))

    def _transformed(self, grid: Grid) -> tuple[Spectrum, Grid]:
        """Return the spectrum of each row, and the sums of the squares left of each column and of all."""
        padded, squares = _padded(grid, self._middle, self._length)
        return scipy.fft.rfft(padded, overwrite_x=True, workers=1), squares


@numba.njit(cache=True)
def _padded(grid, middle, length):  # type: ignore[no-untyped-def]
    """Return ``grid`` about ``middle``, with zeros up to ``length`` columns, and its cumulative sums of squares."""
    rows, columns = grid.shape
    padded, squares = np.zeros((rows, length)), np.zeros(columns + 1)
    for r in range(rows):
        for c in range(columns):
            padded[r, c] = grid[r, c] - middle
            squares[c + 1] += padded[r, c] ** 2
    return padded, np.cumsum(squares)


@numba.njit(cache=True)
def _cross(first, second):  # type: ignore[no-untyped-def]
    """Return the sum over the rows of ``first`` times the conjugate of ``second``, by column."""
    spectrum = np.zeros(first.shape[1], first.dtype)
    for r in range(len(first)):
        for c in range(len(spectrum)):
            spectrum[c] += first[r, c] * np.conj(second[r, c])
    return spectrum
