"""How unlike two plots are under each of the five options: the comparisons of Algorithm 1 (MaRVL-QA, A.4).

The error of an option is the root mean square of B - option(A) over what both plots show: a turned picture covers
the whole window, a moved one only the overlap. A translation may be by any multiple of 1/400 of the window up to
the largest shift, and its error is the smallest over all of them. Divided by the range of A it is the NRMSE.

``shift_errors`` gets the errors of all shifts along an axis at once: the mean square of a difference is two sums of
squares over the overlap (cumulative sums) minus twice a correlation (one FFT along the rows, summed in the
frequency domain, so that a single short inverse transform remains). ``shift_errors_plain`` is what one would write
first; both compute the same numbers.
"""

import numba
import numpy as np
import scipy.fft

from planimeter.generators.marvl_qa.sampling import Grid
from planimeter.generators.marvl_qa.transformation import rotated
from planimeter.items import Option

#: Shifts are multiples of this fraction of the window: one cell of the drawn grid, five of the analysis grid.
SHIFTS_PER_WINDOW = 400


def option_errors(a: Grid, b: Grid, option: Option, largest_shift: float) -> Grid:
    """Return the root mean square errors of ``option`` as the way from ``a`` to ``b``, two square grids (n, n).

    One error, or for a translation those of all shifts; the smallest is the option's. ``largest_shift`` is a fraction
    of the window; n must be a multiple of ``SHIFTS_PER_WINDOW`` for translations.
    """
    if option in ("translate_x", "translate_y"):
        # The transforms run along rows in memory.
        first, second = (np.ascontiguousarray(grid) for grid in upright(a, b, option))
        return shift_errors(first, second, largest_shift)
    return np.array([rms(a, b) if option == "no_change" else rms(rotated(a, option), b)])


def rms(a: Grid, b: Grid) -> float:
    """Return the root mean square of ``a - b``."""
    difference = a - b
    # Not a BLAS product: its threads cost more than they bring, and the order of its sums is its own affair.
    return float(np.sqrt(np.einsum("ij,ij->", difference, difference) / difference.size))


def upright(a: Grid, b: Grid, translation: Option) -> tuple[Grid, Grid]:
    """Return both grids, as views, turned so that ``translation`` by a positive distance is a move to the right."""
    if translation == "translate_x":
        return a, b
    return a[::-1].T, b[::-1].T


def shift_cells(points: int, largest_shift: float) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the shifts that are compared, in cells of a grid of ``points``, from left to right.

    Raises:
        ValueError: if the grid does not hold every shift.
    """
    if points % SHIFTS_PER_WINDOW:
        raise ValueError(f"need a multiple of {SHIFTS_PER_WINDOW} points to hold every shift, got {points}")
    most = int(largest_shift * SHIFTS_PER_WINDOW + 1e-9)
    return np.arange(-most, most + 1, dtype=np.int64) * (points // SHIFTS_PER_WINDOW)


def shift_errors(a: Grid, b: Grid, largest_shift: float) -> Grid:
    """Return the root mean square error of each shift of ``shift_cells``, of ``a`` along x against ``b``."""
    points = a.shape[1]
    cells = shift_cells(points, largest_shift)
    middle = (a.max() + a.min()) / 2  # sums of squares about the middle lose no digits to a common height
    a, b = a - middle, b - middle
    length = scipy.fft.next_fast_len(points + int(cells[-1]), real=True)
    spectra = scipy.fft.rfft(b, length, workers=1), scipy.fft.rfft(a, length, workers=1)
    correlation = scipy.fft.irfft(_cross(*spectra), length, workers=1)[cells]
    squares_a = np.concatenate([[0.0], np.cumsum(np.einsum("ij,ij->j", a, a))])
    squares_b = np.concatenate([[0.0], np.cumsum(np.einsum("ij,ij->j", b, b))])
    start, stop = np.maximum(cells, 0), np.minimum(points + cells, points)
    in_b = squares_b[stop] - squares_b[start]
    in_a = squares_a[stop - cells] - squares_a[start - cells]
    return np.sqrt(np.maximum(in_a + in_b - 2 * correlation, 0.0) / ((stop - start) * a.shape[0]))


@numba.njit(cache=True)
def _cross(first, second):  # type: ignore[no-untyped-def]
    """Return the sum over the rows of ``first`` times the conjugate of ``second``, by column."""
    spectrum = np.zeros(first.shape[1], first.dtype)
    for r in range(len(first)):
        for c in range(len(spectrum)):
            spectrum[c] += first[r, c] * np.conj(second[r, c])
    return spectrum


def shift_error(a: Grid, b: Grid, cells: int) -> float:
    """Return the root mean square error of ``a`` moved right by ``cells`` against ``b``, on the overlap."""
    if cells >= 0:
        return rms(a[:, : a.shape[1] - cells], b[:, cells:])
    return rms(a[:, -cells:], b[:, :cells])


def shift_errors_plain(a: Grid, b: Grid, largest_shift: float) -> Grid:
    """Return what ``shift_errors`` does, one shift after the other."""
    return np.array([shift_error(a, b, int(cells)) for cells in shift_cells(a.shape[1], largest_shift)])
