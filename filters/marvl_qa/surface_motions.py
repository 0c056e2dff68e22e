"""Algorithm 1 of MaRVL-QA (A.4) for pairs of 3D surface plots: wrong motions of plot A must give plots unlike B.

The error of a motion is that of ``motions.py``. It is computed only over the part of the (x, y) plane that is visible
in both plots, after the motion has moved the part that is visible in A. Hidden parts are left out of the mean, so that
they count neither for nor against a motion. Heights are those of the squares of which the surfaces are drawn.
"""

from itertools import groupby

import numpy as np
import numpy.typing as npt
import scipy.fft

from planimeter.filters.marvl_qa.motions import DECIMALS, Judged, MotionLimits, judged
from planimeter.filters.marvl_qa.shown import seen_heights
from planimeter.generators.marvl_qa.cameras import Camera
from planimeter.generators.marvl_qa.motion import turned
from planimeter.generators.marvl_qa.sampling import Grid
from planimeter.items.motions import MOTIONS

Spectra = npt.NDArray[np.complex128]


def judge(a: Grid, b: Grid, cameras: tuple[Camera, Camera], answer: str, limits: MotionLimits) -> Judged:
    """Judge whether every motion of ``a`` except ``answer`` gives a plot that clearly differs from ``b``.

    ``a`` and ``b`` are heights of n x n cells (n even), as shares of the range of both.
    """
    return judged(errors(seen_heights(a, cameras[0]), seen_heights(b, cameras[1]), limits), answer, limits)


def errors(a: Grid, b: Grid, limits: MotionLimits) -> dict[str, float]:
    """Return the rounded NRMSE of every motion of ``a`` compared with ``b``, by motion.

    Both are (n, n), heights as shares of their common range, NaN where hidden. For all shifts along an axis at
    once, the number of cells visible in both plots and the sum of their squared differences are correlations of
    masks, heights and squares, by an FFT along the rows.
    """
    size = len(a)
    most = int(limits.largest_shift * size + 1e-9)
    cells = np.arange(-most, most + 1)
    length = scipy.fft.next_fast_len(size + most, real=True)
    # A real distance lies between two cells: the first one below the shortest counts, too.
    moved = np.abs(cells) > limits.smallest_shift * size - 1
    target = {axis: _spectra(b, axis, length) for axis in "xy"}
    found: dict[str, float] = {}
    for turn, motions in groupby(sorted(MOTIONS.values(), key=lambda motion: motion.turn), key=lambda m: m.turn):
        panel = turned(a, turn)
        every = {axis: _correlated(_spectra(panel, axis, length), target[axis], length)[:, cells] for axis in "xy"}
        for motion in motions:
            number, total = every[motion.axis or "x"][:, moved if motion.axis else cells == 0]
            beyond = 1 - np.abs(cells[moved]) / size if motion.axis else np.ones(1)
            found[motion.name] = float(np.sqrt(np.maximum(total / number, 0.0) * beyond).min())
    return {name: round(found[name], DECIMALS) for name in MOTIONS}


def _spectra(grid: Grid, axis: str, length: int) -> Spectra:
    """Return the spectra along ``axis`` (x: to the right, y: upwards) of three grids derived from ``grid``.

    They are its mask of visible cells, its heights less 1/2, and the squares of these.
    """
    upright = grid if axis == "x" else grid[::-1].T
    mask = np.isfinite(upright)
    heights = np.where(mask, upright - 0.5, 0.0)
    return np.asarray(scipy.fft.rfft(np.stack([mask, heights, heights**2]), length, workers=1))


def _correlated(a: Spectra, b: Spectra, length: int) -> Grid:
    """Return for each shift the number of cells with a height in both grids, and the sum of squared differences there.

    ``a`` and ``b`` are the spectra of the grids. The number is at least 1/2, so that a quotient exists.
    """
    (ones, heights, squares), conjugate = b, a.conj()
    number = (conjugate[0] * ones).sum(axis=0)
    total = (conjugate[0] * squares + conjugate[2] * ones - 2 * conjugate[1] * heights).sum(axis=0)
    correlated = scipy.fft.irfft(np.stack([number, total]), length, workers=1)
    return np.stack([np.maximum(correlated[0], 0.5), correlated[1]])
