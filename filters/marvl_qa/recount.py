"""Counts extrema by MaRVL-QA's own method (A.3, Table 4), as a check of the counts in ``extrema.py``.

The method finds peaks of a grid, refines them on the function and merges those that coincide. Unlike ``extrema.py``, it
uses neither persistence nor Newton's method: ``skimage.feature.peak_local_max`` finds coarse positions,
``scipy.optimize.minimize`` (Nelder-Mead, tolerance 1e-9) moves each to its extremum. The paper searches 2000 x 2000
points with ``min_distance=10``; this module searches the 400 x 400 drawn points with ``min_distance=2``, the same share
of the window.
"""

from itertools import combinations
from typing import Any

import numpy as np
from scipy.optimize import minimize
from skimage.feature import peak_local_max

from planimeter.filters.marvl_qa.prominence import Indices
from planimeter.filters.verdict import Verdict
from planimeter.generators.marvl_qa.family import Family
from planimeter.generators.marvl_qa.sampling import Grid, axes
from planimeter.items import Feature, Surface

CHECK = "recount"
OTHERWISE = "the paper's method counts otherwise"

#: Least distance of two coarse places, and of one from the frame: cells of the drawn grid.
MIN_DISTANCE = 2
#: Nelder and Mead's tolerance of places and heights (Table 4).
TOLERANCE = 1e-9
#: Refined places within this share of the window of each other are one extremum.
COINCIDENT = 1e-3
#: Least height of a peak above flat ground (``Family.floor``), as a share of the range of heights. Flat ground is a
#: plateau of ties, and has ghosts of 1e-16 of the range where an envelope dies away.
ABOVE_FLOOR = 1e-3


def recount(family: Family, surface: Surface, feature: Feature, heights: Grid, count: int) -> Verdict:
    """Judge whether the paper's method also finds ``count`` extrema; ``heights`` are those on the drawn grid."""
    recounted = len(locate(family, surface, feature, heights))
    return Verdict.of(CHECK, recounted == count, recounted, count, OTHERWISE)


def recount_on_grid(family: Family, feature: Feature, heights: Grid, count: int) -> Verdict:
    """Judge whether ``peak_local_max`` alone, without refinement, also finds ``count`` extrema in ``heights``."""
    recounted = len(_coarse(family, feature, heights)[0])
    return Verdict.of(CHECK, recounted == count, recounted, count, OTHERWISE)


def locate(family: Family, surface: Surface, feature: Feature, heights: Grid) -> Grid:
    """Return the extrema that the paper's method finds: x and y, float64 (n, 2), the most extreme first."""
    sign = 1.0 if feature == "maxima" else -1.0
    rows, columns = _coarse(family, feature, heights)
    x, y = axes(surface.domain, len(heights))
    window = surface.domain
    corner = np.array([window.x_min, window.y_min])
    size = np.array([window.x_max, window.y_max]) - corner

    def depth(place: Grid) -> float:
        at = corner + place * size
        return -sign * float(family.height(at[0], at[1], surface.parameters))

    coarse = (np.stack([x[0, columns], y[rows, 0]], axis=1) - corner) / size
    cell = np.array([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]) / len(heights)
    refined = [
        minimize(depth, place, method="Nelder-Mead", tol=TOLERANCE, options={"initial_simplex": place + cell}).x
        for place in coarse
    ]
    places = np.reshape(refined, (-1, 2))
    inside = places[((places > 0) & (places < 1)).all(axis=1)]
    return corner + _distinct(inside) * size


def _coarse(family: Family, feature: Feature, heights: Grid) -> tuple[Indices, Indices]:
    """Return the rows and the columns of the peaks (or pits) of the grid ``heights``."""
    sign = 1.0 if feature == "maxima" else -1.0
    peaks = sign * heights
    floor = None if family.floor is None else sign * family.floor + ABOVE_FLOOR * float(np.ptp(peaks))
    options: dict[str, Any] = {"min_distance": MIN_DISTANCE, "threshold_abs": floor, "exclude_border": True}
    rows, columns = peak_local_max(peaks, **options).T  # type: ignore[no-untyped-call]
    return rows, columns


def _distinct(places: Grid) -> Grid:
    """Return ``places`` (n, 2) without those that coincide with an earlier one."""
    repeated = {j for i, j in combinations(range(len(places)), 2) if np.hypot(*(places[i] - places[j])) < COINCIDENT}
    return np.delete(places, sorted(repeated), axis=0)
