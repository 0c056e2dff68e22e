"""Whether a surface has something that an eye can follow when it moves (MaRVL-QA, A.4, Prominent Feature Filtering).

The paper asks for a peak of at least 10% prominence and lets reviewers add back surfaces with "sharp discontinuities or
ridges". Our rule without reviewers: a peak or valley inside the window, or in at least half of the lines along the move
a crest or trough of that prominence (a ridge across the way), or in at least a quarter of them a cliff, a step of that
height between neighbouring samples of the drawn grid. A ridge along the move does not count: it does not seem to move.
"""

import numba
import numpy as np

from planimeter.filters.marvl_qa.prominence import peaks
from planimeter.generators.marvl_qa.sampling import Grid


def prominence_inside(heights: Grid, border: float, enough: float = 1.0) -> float:
    """Return the largest prominence of a peak or valley, as a fraction of the range.

    Those within ``border``, a fraction of the window, of its border are left out; 0 if there are no others. Valleys
    are skipped if a peak has at least ``enough``.
    """
    spread = float(np.ptp(heights))
    if spread == 0:
        return 0.0
    rows, columns = heights.shape
    # The highest peak, of equal ones the last, has the whole range, and so has the deepest valley.
    for end in (heights[::-1, ::-1].argmax(), heights[::-1, ::-1].argmin()):
        r, c = divmod(rows * columns - 1 - int(end), columns)
        if border <= (r + 0.5) / rows <= 1 - border and border <= (c + 0.5) / columns <= 1 - border:
            return 1.0
    largest = 0.0
    for sign in (1.0, -1.0):
        all_peaks = peaks(sign * heights)
        inside = all_peaks.persistence[~all_peaks.near_border((heights.shape[0], heights.shape[1]), border)]
        largest = max([largest, *(inside[:1] / spread).tolist()])
        if largest >= enough:
            break
    return largest


def ridge_share(heights: Grid, prominence: float) -> float:
    """Return in which share of the rows a crest or trough stands out by ``prominence``, a fraction of the range.

    It stands out if the row falls (or rises) by that much on both of its sides.
    """
    need = prominence * float(np.ptp(heights))
    crest, trough = (_largest_rise(z) >= need for z in (heights, -heights))
    return float(np.mean(crest | trough))


def cliff_share(heights: Grid, jump: float) -> float:
    """Return in which share of the rows two neighbouring samples differ by ``jump``, a fraction of the range."""
    return float(_rows_with_step(heights, jump * float(np.ptp(heights))) / len(heights))


@numba.njit(cache=True)
def _rows_with_step(heights, step):  # type: ignore[no-untyped-def]
    """Return in how many rows two neighbouring samples differ by ``step``."""
    count = 0
    for r in range(heights.shape[0]):
        steepest = 0.0
        for c in range(heights.shape[1] - 1):
            steepest = max(steepest, abs(heights[r, c + 1] - heights[r, c]))
        count += steepest >= step
    return count


def _largest_rise(heights: Grid) -> Grid:
    """Return for each row the largest height of a sample above the lowest ones on both of its sides."""
    left = np.minimum.accumulate(heights, axis=1)
    right = np.minimum.accumulate(heights[:, ::-1], axis=1)[:, ::-1]
    return (heights - np.maximum(left, right)).max(axis=1)
