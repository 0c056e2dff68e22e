"""Nelder and Mead's search from many starts at once, in the plane.

Each search takes the steps of scipy's ``minimize(method="Nelder-Mead")`` from the same first simplex. The searches know
nothing of one another, but their heights are computed together, and at once those of all points that a step may come to
ask for: one height alone costs as much as many.
"""

from collections.abc import Callable
from typing import Final

import numba
import numpy as np
import numpy.typing as npt

from planimeter.generators.marvl_qa.sampling import Grid

#: Heights that a search may need; those that were computed and not needed do not count.
MOST: Final = 400

_Numbers = npt.NDArray[np.int64]


def lowest(heights: Callable[[Grid], Grid], simplices: Grid, tolerance: float) -> Grid:
    """Return where the search from each of ``simplices`` (n, 3, 2) ends, (n, 2).

    ``heights`` of points (k, 2) are (k,). A search ends where the corners of its simplex differ by ``tolerance`` at
    most, in both coordinates and in height, or when it has needed ``MOST`` heights.
    """
    corners = np.array(simplices)
    values = np.array(heights(corners.reshape(-1, 2))).reshape(-1, 3)
    needed = np.full(len(corners), 3)
    while True:
        searches, points = _ask(corners, values, needed < MOST, tolerance)
        if len(searches) == 0:
            return corners[:, 0]
        answers = np.asarray(heights(points.reshape(-1, 2))).reshape(-1, 6)
        _step(corners, values, needed, searches, points, answers, MOST)


@numba.njit(cache=True)
def _ask(corners: Grid, values: Grid, may: npt.NDArray[np.bool_], tolerance: float) -> tuple[_Numbers, Grid]:
    """Sort each simplex in place, the lowest corner first; return those of the searches that ``may`` go on and have not
    arrived, and the points of their step.

    These are (searches, 6, 2): the worst corner reflected, further out, nearer on that side and on its own, and the
    other corners drawn towards the best.
    """
    searches, points = np.empty(len(corners), np.int64), np.empty((len(corners), 6, 2))
    open_ = 0
    for n in range(len(corners)):
        for i, j in ((0, 1), (1, 2), (0, 1)):
            if values[n, j] < values[n, i]:
                for k in range(2):
                    corners[n, i, k], corners[n, j, k] = corners[n, j, k], corners[n, i, k]
                values[n, i], values[n, j] = values[n, j], values[n, i]
        best, other, worst = corners[n]
        width = max(np.abs(other - best).max(), np.abs(worst - best).max())
        if not may[n] or (width <= tolerance and values[n, 2] - values[n, 0] <= tolerance):
            continue
        centre = (best + other) / 2
        for place, out in enumerate((2.0, 3.0, 1.5, 0.5)):
            points[open_, place] = out * centre + (1 - out) * worst
        points[open_, 4] = best + 0.5 * (other - best)
        points[open_, 5] = best + 0.5 * (worst - best)
        searches[open_] = n
        open_ += 1
    return searches[:open_], points[:open_]


@numba.njit(cache=True)
def _step(
    corners: Grid, values: Grid, needed: _Numbers, searches: _Numbers, points: Grid, answers: Grid, most: int
) -> None:
    """Replace corners in place by those of ``points`` that the ``answers`` (searches, 6) speak for.

    Of a step that needs more heights than there are left to ``most``, what the last of them decides.
    """
    for k, n in enumerate(searches):
        reflected, further, outside, inside = answers[k, :4]
        chosen = 4
        if reflected < values[n, 0]:
            chosen = 1 if further < reflected else 0
        elif reflected < values[n, 1]:
            chosen = 0
        elif reflected < values[n, 2]:
            chosen = 2 if outside <= reflected else 4
        elif inside < values[n, 2]:
            chosen = 3
        left = most - needed[n]
        needs = 4 if chosen == 4 else 1 if values[n, 0] <= reflected < values[n, 1] else 2
        needed[n] += needs
        if chosen == 4:
            for corner in range(1, 1 + min(max(left - 2, 0), 2)):
                corners[n, corner], values[n, corner] = points[k, 3 + corner], answers[k, 3 + corner]
        elif needs <= left:
            corners[n, 2], values[n, 2] = points[k, chosen], answers[k, chosen]
