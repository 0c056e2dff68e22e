"""Curation of counting questions: the count must be the one that a person sees (MaRVL-QA, A.3).

The authors found extrema on a dense grid, refined them and then inspected every plot. ``curate`` has rules instead of
inspection, the cheap ones first: topological persistence on the drawn grid rejects most candidates in a few
milliseconds, and Newton's method locates the extrema of the rest. Surfaces are smooth: they have no feature narrower
than a cell of that grid. For minima all functions work on the peaks of the negated surface.
"""

from collections.abc import Callable
from math import cos, floor, log10, pi, sin

import numpy as np

from planimeter.filters.marvl_qa.limits import CurationLimits
from planimeter.filters.marvl_qa.prominence import Peaks, peaks
from planimeter.filters.verdict import Verdict
from planimeter.generators.marvl_qa.family import Family
from planimeter.generators.marvl_qa.sampling import RENDER_POINTS, Grid, axes, sample
from planimeter.items import Domain, Extremum, Feature, Surface

CHECK = "curation"

#: Nudge before rounding (axis units): round parameters put true extrema on the .00005 boundary, where the noise of
#: another CPU would decide; no such number is within 1e-7 of it.
ROUNDING_NUDGE = 1e-7
#: Number of Newton's steps from a cell of the drawn grid, the longest step, and the distance of the samples for slopes,
#: as fractions of the window.
STEPS, LONGEST, APART = 4, 3e-3, 3e-4
#: Places of these samples: in the middle, up to two to each side along both axes, and at the corners of a square.
STENCIL = np.array(
    [(0, 0), (1, 0), (-1, 0), (2, 0), (-2, 0), (0, 1), (0, -1), (0, 2), (0, -2), (1, 1), (-1, -1), (1, -1), (-1, 1)],
    float,
)
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
    *,
    glance: bool = True,
) -> tuple[Verdict, tuple[Extremum, ...]]:
    """Judge whether ``surface`` has an unambiguous number of extrema (``feature``), and return them if it has.

    ``wanted`` is an inclusive range of counts; a candidate outside is rejected before the expensive checks.
    ``drawn`` returns the heights on the drawn grid, if the caller computes them anyway. ``glance`` allows a
    rejection by a coarse grid first, which is fast but misses features of a few cells. Extrema are sorted by x,
    then y, and rounded. The verdict's ``check`` is always "curation"; ``measured`` and ``limit`` are those of the
    rule that failed, if any.
    """
    sign = 1.0 if feature == "maxima" else -1.0
    if wanted is not None and glance:
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
    x, y = axes(surface.domain, RENDER_POINTS)
    points = np.stack([x[0, clear.columns], y[clear.rows, 0]], axis=1)
    drops = _ring_drops(family, surface, sign, points, limits.ring) / spread
    if drops.min() < limits.ring_drop:
        return _reject("part of a plateau or ridge", float(drops.min()), limits.ring_drop), ()
    refined = _refined(family, surface, sign, points)
    definite = _definiteness(family, surface, sign, refined)
    if definite.min() < limits.definiteness:
        return _reject("degenerate extremum", float(definite.min()), limits.definiteness), ()
    verdict = Verdict.of(CHECK, True, len(refined), 1)
    return verdict, _extrema(family, surface, refined, limits.decimals)


def _count_at_a_glance(family: Family, surface: Surface, sign: float, limits: CurationLimits) -> int | None:
    """Return the number of prominent peaks on a coarse grid, or None if some are too near the limit of prominence."""
    heights = sign * sample(family, surface.parameters, surface.domain, GLANCE_POINTS)
    persistence = peaks(heights).persistence / np.ptp(heights)
    if (np.abs(persistence - limits.prominence) < GLANCE_MARGIN).any():
        return None
    return int(np.count_nonzero(persistence >= limits.prominence))


def _judge_picture(
    all_peaks: Peaks, clear: Peaks, spread: float, limits: CurationLimits, wanted: tuple[int, int] | None
) -> Verdict | None:
    """Return a rejection if the peaks of the drawn grid justify one, without refining them, else None.

    ``clear`` are those of ``all_peaks`` that are prominent enough, ``spread`` is the range of heights.
    """
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
    distance = _smallest_distance(np.stack([clear.rows, clear.columns], axis=1) / RENDER_POINTS)
    if distance < limits.separation:
        return _reject("extrema too near each other", distance, limits.separation)
    return None


def _refined(family: Family, surface: Surface, sign: float, points: Grid) -> Grid:
    """Return the positions of the tops near ``points`` (n, 2), by Newton's method with fourth-order differences.

    Slopes locate a top to 1e-13 of the window's size. Comparing heights, as the authors do with the Nelder-Mead
    method, locates it only to 1e-8: nearer to a smooth top, heights differ by less than rounding errors, which depend
    on the processor. A point without a top near it stays where it is.
    """
    size = _window(surface.domain)
    for _ in range(STEPS):
        around = points[:, None] + STENCIL * APART * size
        z = sign * _heights(family, surface, around.reshape(-1, 2)).reshape(len(points), -1).T
        slope_x, slope_y = ((8 * (z[k] - z[k + 1]) - (z[k + 2] - z[k + 3])) / 12 for k in (1, 5))
        xx, yy = z[1] + z[2] - 2 * z[0], z[5] + z[6] - 2 * z[0]
        xy = (z[9] + z[10] - z[11] - z[12]) / 4
        bend = xx * yy - xy * xy
        top = (bend > 0) & (xx < 0)
        step = np.stack([xy * slope_y - yy * slope_x, xy * slope_x - xx * slope_y], axis=1)
        step = APART * step / np.where(top, bend, np.inf)[:, None]
        points = points + np.clip(step, -LONGEST, LONGEST) * size
    return points


def _ring_drops(family: Family, surface: Surface, sign: float, points: Grid, radius: float) -> Grid:
    """Return the drop from each of ``points`` (n, 2) to the highest of the points around it at ``radius``: (n,).

    ``radius`` is a share of the window.
    """
    ring = np.array(RING) * radius * _window(surface.domain)
    around = points[:, None, :] + ring[None, :, :]
    top = sign * _heights(family, surface, points)
    return top - (sign * _heights(family, surface, around.reshape(-1, 2))).reshape(len(points), -1).max(axis=1)


def _definiteness(family: Family, surface: Surface, sign: float, points: Grid) -> Grid:
    """Return for each of ``points`` the ratio of its least to its greatest downward curvature.

    The ratio is 1 for a round top, near 0 on a ridge, and not positive at a saddle. Curvatures are central differences
    over one cell of the drawn grid, with the sides of the window as units of length.
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
    places = (points + ROUNDING_NUDGE).tolist()
    rounded = (
        Extremum(x=round(x, decimals) + 0.0, y=round(y, decimals) + 0.0, z=_rounded_height(z, decimals))
        for (x, y), z in zip(places, heights.tolist(), strict=True)
    )  # + 0.0: no negative zero
    return tuple(sorted(rounded, key=lambda e: (e.x, e.y)))


def _rounded_height(value: float, decimals: int) -> float:
    """Return ``value`` rounded to ``decimals`` places or, if it is small, to as many significant digits."""
    leading = -floor(log10(abs(value))) - 1 if value else 0
    return round(value, decimals + max(leading, 0)) + 0.0


def _heights(family: Family, surface: Surface, points: Grid) -> Grid:
    return np.broadcast_to(family.height(points[:, 0], points[:, 1], surface.parameters), (len(points),))


def _window(domain: Domain) -> Grid:
    return np.array([domain.x_max - domain.x_min, domain.y_max - domain.y_min])


def _smallest_distance(points: Grid) -> float:
    if len(points) < 2:
        return float("inf")
    distances = np.hypot(*(points[:, None] - points[None, :]).transpose(2, 0, 1))
    return float(distances[np.triu_indices(len(points), 1)].min())


def _outside(count: int, wanted: tuple[int, int]) -> Verdict:
    return _reject("count outside the wanted bin", count, wanted[1] if count > wanted[1] else wanted[0])


def _reject(reason: str, measured: float, limit: float) -> Verdict:
    return Verdict.of(CHECK, False, measured, limit, reason)
