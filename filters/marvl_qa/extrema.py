"""Curation of counting questions: the count must be what a person sees (MaRVL-QA, A.3).

The authors found extrema on a dense grid, refined them and then looked at every plot. ``curate`` does the same with
rules in place of eyes, the cheap ones first: topological persistence on the grid that is drawn rejects most
candidates in a few milliseconds, and the authors' own two stages run on survivors only, as a second opinion.
Everything works on peaks of the sign-flipped surface where minima are asked.
"""

from collections.abc import Callable
from math import cos, floor, log10, pi, sin

import cv2
import numba
import numpy as np
from skimage.feature import peak_local_max

from planimeter.filters.marvl_qa.limits import CurationLimits
from planimeter.filters.marvl_qa.prominence import Indices, Peaks, peaks
from planimeter.filters.marvl_qa.simplex import lowest
from planimeter.filters.verdict import Verdict
from planimeter.generators.marvl_qa.family import Family
from planimeter.generators.marvl_qa.sampling import ANALYSIS_POINTS, RENDER_POINTS, Grid, axes, sample
from planimeter.items import Domain, Extremum, Feature, Surface

CHECK = "curation"

#: Nudge before rounding (axis units): round parameters put true extrema on the .00005 boundary, where the noise of
#: another CPU would decide; no such number lies 1e-7 beside it.
ROUNDING_NUDGE = 1e-7
#: Distance of the heights from which the place of a smooth top is computed, as a fraction of the window.
POLISH = 3e-4
#: With more cells than these that are as high as all around them, most are on a plateau.
MOST_CELLS = 2_000
#: Points per axis of a first look, every fifth sample of the drawn grid. Persistences on it are off by 0.064 of the
#: range at most where the window cuts a surface, and by 0.013 elsewhere, as measured over all smooth families.
GLANCE_POINTS, GLANCE_MARGIN = 80, 0.08
#: Directions in which the surroundings of an extremum are probed.
RING = tuple((cos(2 * pi * k / 16), sin(2 * pi * k / 16)) for k in range(16))


def curate(
    family: Family,
    surface: Surface,
    feature: Feature,
    limits: CurationLimits,
    wanted: tuple[int, int] | None = None,
    drawn: Callable[[], Grid] | None = None,
) -> tuple[Verdict, tuple[Extremum, ...]]:
    """Judge whether ``surface`` has an unambiguous count of ``feature``, and return the extrema if so.

    ``wanted`` is an inclusive range of counts; a candidate outside is rejected before the expensive checks. ``drawn``
    returns the heights on the drawn grid, for a caller that needs them too. Extrema are sorted by x, then y, and
    rounded. The verdict's ``check`` is always "curation"; ``measured`` and ``limit`` belong to its reason.
    """
    sign = 1.0 if feature == "maxima" else -1.0
    if wanted is not None and family.smooth:
        count = _count_at_a_glance(family, surface, sign, limits)
        if count is not None and not wanted[0] <= count <= wanted[1]:
            return _outside(count, wanted), ()
    heights = sign * (drawn() if drawn else sample(family, surface.parameters, surface.domain, RENDER_POINTS))
    all_peaks = peaks(heights)
    spread = float(np.ptp(heights))
    clear = all_peaks.at_least(limits.prominence * spread)
    rejection = _judge_picture(all_peaks, clear, spread, limits, wanted)
    if rejection is not None:
        return rejection, ()
    points = _points(clear.rows, clear.columns, surface.domain, RENDER_POINTS)
    drops = _ring_drops(family, surface, sign, points, limits.ring) / spread
    if drops.min() < limits.ring_drop:
        return _reject("part of a plateau or ridge", float(drops.min()), limits.ring_drop), ()
    least = float(clear.heights.min()) - limits.ripple * spread
    refined = _refine(family, surface, sign, heights, (least, limits.ring_drop * spread), limits)
    if not _same_points(points, refined, surface.domain, limits):
        return _reject("coarse and topological counts differ", len(refined), len(points)), ()
    definite = _definiteness(family, surface, sign, refined)
    if definite.min() < limits.definiteness:
        return _reject("degenerate extremum", float(definite.min()), limits.definiteness), ()
    return _keep(len(refined)), _extrema(family, surface, refined, limits.decimals)


def _count_at_a_glance(family: Family, surface: Surface, sign: float, limits: CurationLimits) -> int | None:
    """Return the number of peaks of the drawn grid, or None where a coarse grid does not decide it."""
    heights = sign * sample(family, surface.parameters, surface.domain, GLANCE_POINTS)
    persistence = peaks(heights).persistence / np.ptp(heights)
    if (np.abs(persistence - limits.prominence) < GLANCE_MARGIN).any():
        return None
    return int(np.count_nonzero(persistence >= limits.prominence))


def _judge_picture(
    all_peaks: Peaks, clear: Peaks, spread: float, limits: CurationLimits, wanted: tuple[int, int] | None
) -> Verdict | None:
    """Return the rejection that the drawn grid alone justifies, or None."""
    count = len(clear)
    if spread == 0:
        return _reject("nothing to see", 0.0, 0.0)
    if wanted is not None and not wanted[0] <= count <= wanted[1]:
        return _outside(count, wanted)
    if clear.near_border((RENDER_POINTS, RENDER_POINTS), limits.border).any():
        return _reject("extremum at the border", 0.0, limits.border)
    sceptical = all_peaks.at_least(limits.ripple * spread)
    if len(sceptical) != count:
        return _reject("count depends on prominence", float(sceptical.persistence[count]) / spread, limits.prominence)
    apart = _smallest_distance(np.stack([clear.rows, clear.columns], axis=1) / RENDER_POINTS)
    if apart < limits.separation:
        return _reject("extrema too near each other", apart, limits.separation)
    return None


def _refine(
    family: Family, surface: Surface, sign: float, drawn: Grid, least: tuple[float, float], limits: CurationLimits
) -> Grid:
    """Return the extrema by the authors' method (A.3, Table 4), (n, 2) in axis units, merged.

    ``drawn`` are the heights on the drawn grid, with the sign of the feature. ``least`` is the height and the drop all
    around that a seed needs. Both stand for the authors' reviewers: the floor of a tunnel is flat to the last bit, and
    every tie on it is a "peak" of the grid (28 to 280 on Crossed Tunnels, a million where a wave's window has faded to
    zero).
    """
    cells = _seeds(family, surface, sign, drawn, limits.min_distance, least[0])
    if len(cells) == 0:
        return np.empty((0, 2))
    seeds = _points(cells[:, 0], cells[:, 1], surface.domain, ANALYSIS_POINTS)
    seeds = seeds[_ring_drops(family, surface, sign, seeds, limits.ring) >= least[1]]
    size = _window(surface.domain)
    simplex = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]) * size / ANALYSIS_POINTS

    def depths(points: Grid) -> Grid:
        return -sign * _heights(family, surface, points)

    merged: list[Grid] = []
    for bottom in lowest(depths, seeds[:, None] + simplex, limits.tolerance):
        point = _polished(family, surface, bottom)
        if all(np.abs((point - other) / size).max() > limits.min_distance / ANALYSIS_POINTS for other in merged):
            merged.append(point)
    return np.array(merged).reshape(-1, 2)


def _seeds(family: Family, surface: Surface, sign: float, drawn: Grid, reach: int, above: float) -> Indices:
    """Return ``highest_cells`` of the analysis grid; ``drawn`` is every fifth of its samples, in both directions.

    Of a smooth family only the patches are sampled that may hold cells higher than ``above``. A cell lies less than
    half of the way from one sample of the drawn grid to the next, and how much higher it may be is bounded, several
    times over, by how much that sample and those around it differ. A patch holds one group of such cells and all within
    ``reach`` of them, which is all that a comparison needs.
    """
    x, y = axes(surface.domain, ANALYSIS_POINTS)
    if not family.smooth:
        return highest_cells(sign * sample(family, surface.parameters, surface.domain, ANALYSIS_POINTS), reach, above)
    ratio, square = ANALYSIS_POINTS // RENDER_POINTS, np.ones((3, 3), np.uint8)
    around = cv2.dilate(drawn, square)
    high = (drawn + (around - cv2.erode(drawn, square)) > above).astype(np.uint8)
    margin = -(-reach // ratio)
    _, groups, boxes, _ = cv2.connectedComponentsWithStats(cv2.dilate(high, square, iterations=margin), connectivity=8)
    cells: list[tuple[float, int, int]] = []
    for group, (left, top, width, height, _) in enumerate(boxes[1:].tolist(), start=1):
        # Whole vectors of the processor's, as in ``sample``.
        left, right = left * ratio // 8 * 8, -(-(left + width) * ratio // 8) * 8
        top, bottom = top * ratio, (top + height) * ratio
        patch = sign * family.height(x[:, left:right], y[top:bottom], surface.parameters)
        for r, c in highest_cells(patch, reach, above).tolist():
            if groups[(top + r) // ratio, (left + c) // ratio] == group:
                cells.append((-float(patch[r, c]), top + r, left + c))
    return np.array([cell for _, *cell in sorted(cells)], np.int64).reshape(-1, 2)


def _polished(family: Family, surface: Surface, point: Grid) -> Grid:
    """Return ``point`` (2,) after one step of Newton's, by differences of the fourth order.

    Around a smooth top heights differ by less than their last bits, in which processors differ, over 1e-8 of the
    window: comparing them, as Nelder and Mead do, says no more. Slopes say it to 1e-13. At a kink, where the step would
    be a long one, comparing is exact and the point stays.
    """
    size = _window(surface.domain)
    stencil = np.array([(0, 0), *((i * k, j * k) for i, j in ((1, 0), (0, 1)) for k in (1, -1, 2, -2))], float)
    corners = np.array([(1, 1), (-1, -1), (1, -1), (-1, 1)], float)
    z = _heights(family, surface, point + np.concatenate([stencil, corners]) * POLISH * size)
    slope_x, slope_y = ((8 * (z[k] - z[k + 1]) - (z[k + 2] - z[k + 3])) / 12 for k in (1, 5))
    xx, yy = z[1] + z[2] - 2 * z[0], z[5] + z[6] - 2 * z[0]
    xy = (z[9] + z[10] - z[11] - z[12]) / 4
    det = xx * yy - xy * xy
    if det <= 0:
        return point
    step = np.array([xy * slope_y - yy * slope_x, xy * slope_x - xx * slope_y]) / det
    return point + step * POLISH * size if np.abs(step).max() < 0.01 else point


def highest_cells(heights: Grid, reach: int, above: float) -> Indices:
    """Return what ``peak_local_max`` does: cells (n, 2) higher than ``above`` and than all others within ``reach``.

    Only few cells are as high as all eight around them; so those alone are compared with all within ``reach``. Where
    they are many, on a plateau, scikit-image does it.
    """
    rows, columns = _tops(heights, above, MOST_CELLS + 1)
    if len(rows) > MOST_CELLS:
        return np.asarray(peak_local_max(heights, min_distance=reach, threshold_abs=above), np.int64)
    order = np.argsort(-heights[rows, columns], kind="stable")
    cells: list[tuple[int, int]] = []
    for r, c in zip(rows[order].tolist(), columns[order].tolist(), strict=True):
        inside = reach <= r < heights.shape[0] - reach and reach <= c < heights.shape[1] - reach
        if not inside or heights[r - reach : r + reach + 1, c - reach : c + reach + 1].max() > heights[r, c]:
            continue
        # Equal heights side by side are one peak.
        if all(max(abs(r - i), abs(c - j)) >= reach for i, j in cells):
            cells.append((r, c))
    return np.array(cells, np.int64).reshape(-1, 2)


@numba.njit(cache=True)
def _tops(heights: Grid, above: float, most: int) -> tuple[Indices, Indices]:
    """Return the rows and columns of the first ``most`` cells higher than ``above``, and as high as all around them."""
    height, width = heights.shape
    rows, columns = np.empty(most, np.int64), np.empty(most, np.int64)
    count = 0
    for r in range(height):
        for c in range(width):
            value = heights[r, c]
            if value <= above:
                continue
            tops = True
            for i in range(max(0, r - 1), min(height, r + 2)):
                for j in range(max(0, c - 1), min(width, c + 2)):
                    tops = tops and heights[i, j] <= value
            if tops:
                rows[count], columns[count] = r, c
                count += 1
                if count == most:
                    return rows, columns
    return rows[:count], columns[:count]


def _same_points(seen: Grid, refined: Grid, domain: Domain, limits: CurationLimits) -> bool:
    """Return whether each topological peak has one refined extremum near it, and the other way round."""
    if len(seen) != len(refined):
        return False
    away = np.abs(seen[:, None] - refined[None, :]) / _window(domain)
    return bool((away.max(axis=2).min(axis=1) < limits.separation / 2).all())


def _ring_drops(family: Family, surface: Surface, sign: float, points: Grid, radius: float) -> Grid:
    """Return how far the highest point of a ring around each of ``points`` (n, 2) lies below it."""
    ring = np.array(RING) * radius * _window(surface.domain)
    around = points[:, None, :] + ring[None, :, :]
    top = sign * _heights(family, surface, points)
    return top - (sign * _heights(family, surface, around.reshape(-1, 2))).reshape(len(points), -1).max(axis=1)


def _definiteness(family: Family, surface: Surface, sign: float, points: Grid) -> Grid:
    """Return the ratio of the smaller to the larger downward curvature at ``points``; not positive at a saddle.

    Curvatures are central differences over one cell of the drawn grid, in units of the window.
    """
    h, k = np.diag(_window(surface.domain) / RENDER_POINTS)

    def at(offset: Grid) -> Grid:
        return -sign * _heights(family, surface, points + offset)

    middle = 2 * at(np.zeros(2))
    xx, yy = at(h) + at(-h) - middle, at(k) + at(-k) - middle
    xy = (at(h + k) + at(-h - k) - at(h - k) - at(k - h)) / 4
    mean, radius = (xx + yy) / 2, np.hypot((xx - yy) / 2, xy)
    return (mean - radius) / np.maximum(mean + radius, np.finfo(np.float64).tiny)


def _extrema(family: Family, surface: Surface, points: Grid, decimals: int) -> tuple[Extremum, ...]:
    heights = _heights(family, surface, points)
    rounded = (
        Extremum(x=_rounded(x, decimals), y=_rounded(y, decimals), z=_rounded_height(z, decimals))
        for (x, y), z in zip(points.tolist(), heights.tolist(), strict=True)
    )
    return tuple(sorted(rounded, key=lambda e: (e.x, e.y)))


def _rounded(value: float, decimals: int) -> float:
    return round(value + ROUNDING_NUDGE, decimals) + 0.0  # no negative zero


def _rounded_height(value: float, decimals: int) -> float:
    """Round to ``decimals``, and to as many significant figures where the height is small."""
    leading = -floor(log10(abs(value))) - 1 if value else 0
    return round(value, decimals + max(leading, 0)) + 0.0


def _heights(family: Family, surface: Surface, points: Grid) -> Grid:
    return np.broadcast_to(family.height(points[:, 0], points[:, 1], surface.parameters), (len(points),))


def _points(rows: Indices, columns: Indices, domain: Domain, points: int) -> Grid:
    x, y = axes(domain, points)
    return np.stack([x[0, columns], y[rows, 0]], axis=1)


def _window(domain: Domain) -> Grid:
    return np.array([domain.x_max - domain.x_min, domain.y_max - domain.y_min])


def _smallest_distance(points: Grid) -> float:
    if len(points) < 2:
        return float("inf")
    distances = np.hypot(*(points[:, None] - points[None, :]).transpose(2, 0, 1))
    return float(distances[np.triu_indices(len(points), 1)].min())


def _keep(count: int) -> Verdict:
    return Verdict(check=CHECK, kept=True, measured=count, limit=1)


def _outside(count: int, wanted: tuple[int, int]) -> Verdict:
    return _reject("count outside the wanted bin", count, wanted[1] if count > wanted[1] else wanted[0])


def _reject(reason: str, measured: float, limit: float) -> Verdict:
    return Verdict(check=CHECK, kept=False, measured=measured, limit=limit, reason=reason)
