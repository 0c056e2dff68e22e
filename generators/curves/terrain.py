"""Random terrains and their level sets: where the curves of a map, and with them the tree, come from.

An island: hills, hollows and plane waves, sinking below every level before the border so that each level set closes.
Levels are not equidistant: each lies as near to the one below as the steepest slope between them allows. That leaves
the shape of every contour as it is and spends the room where a map would spend it, on the flanks.
"""

from dataclasses import dataclass

import contourpy
import numpy as np
import numpy.typing as npt

from planimeter.generators.curves.clearance import measure
from planimeter.generators.curves.outlines import Curve, area, lengths, resample

Heights = npt.NDArray[np.float64]

#: Points of the terrain's grid on a side; contours are interpolated between them and smoothed by resampling.
GRID = 128


@dataclass(frozen=True, kw_only=True, slots=True)
class Relief:
    """``hills``: how many hills and hollows; ``hollow_share``: how many of them are hollows; ``roughness``: the weight
    of the waves (unit height is one hill)."""

    hills: int
    hollow_share: float
    roughness: float


def draw_terrain(relief: Relief, rng: np.random.Generator) -> Heights:
    """Return heights (GRID, GRID), below 0 at the border."""
    t = (np.arange(GRID) + 0.5) / GRID * 2 - 1
    place = rng.uniform(-0.72, 0.72, (relief.hills, 2))
    width = rng.uniform(0.16, 0.42, (relief.hills, 2))
    size = rng.uniform(0.6, 1.4, relief.hills) * np.where(rng.random(relief.hills) < relief.hollow_share, -0.9, 1.0)
    across = np.exp(-(((t - place[:, :1]) / width[:, :1]) ** 2))
    down = np.exp(-(((t - place[:, 1:]) / width[:, 1:]) ** 2))
    heights = np.einsum("k,ky,kx->yx", size, down, across)
    terms = 12
    angle = rng.random(terms) * 2 * np.pi
    number = np.pi * rng.uniform(1.0, 4.5, terms)
    phase = rng.random(terms) * 2 * np.pi
    along = number[:, None, None] * (np.cos(angle)[:, None, None] * t + np.sin(angle)[:, None, None] * t[:, None])
    waves = np.cos(along + phase[:, None, None]) / number[:, None, None]
    heights += relief.roughness * waves.sum(axis=0)
    # The coast: a circle with bays, so that neither the border nor a circle can be seen in it.
    bays = np.cos(np.arange(2, 6)[:, None, None] * np.arctan2(t[:, None], t) + phase[:4, None, None])
    reach = 0.86 + 0.05 * np.einsum("k,kyx->yx", rng.uniform(-1.0, 1.0, 4), bays)
    radius = np.sqrt(t**2 + t[:, None] ** 2) / reach
    low, high = heights.min(), heights.max()
    land = (heights - low) / (high - low)
    return land - 1.2 * np.maximum(0.0, radius - 0.35) ** 3 - 2.0 * np.maximum(0.0, radius - 0.95)


def level_curves(heights: Heights, size: float, room: float, least_area: float, least_levels: int) -> list[Curve]:
    """Return the level curves of ``heights`` in a square of ``size`` px, all at least ``room`` px apart.

    Loops of less than ``least_area`` px^2, and the smaller of two curves that come too near (at saddles), are left out.
    Returns no curve where fewer than ``least_levels`` levels fit.
    """
    scale = size / GRID
    levels = _levels(heights, room / scale)
    if len(levels) < least_levels:
        return []
    generator = contourpy.contour_generator(z=heights, line_type=contourpy.LineType.Separate)
    curves = []
    for level in levels:
        for line in generator.lines(level):
            ring = np.asarray(line, np.float64)
            points = (ring[:-1] + 0.5) * scale
            closed = len(ring) > 8 and bool((ring[0] == ring[-1]).all())
            if closed and abs(area(points)) >= least_area:
                curves.append(_rounded(points))
    return _apart(curves, room)


def _levels(heights: Heights, room: float) -> list[float]:
    dy, dx = np.gradient(heights)
    slope = np.sqrt(dx * dx + dy * dy)
    order = np.argsort(heights, axis=None, kind="stable")
    sorted_heights, sorted_slope = heights.ravel()[order], slope.ravel()[order]
    levels = [0.04]
    top = float(sorted_heights[-1])
    while levels[-1] < top:
        # The next level's distance depends on the slopes in between: two rounds settle it.
        step = 0.08
        for _ in range(3):
            first, last = np.searchsorted(sorted_heights, (levels[-1] - 0.01, levels[-1] + step))
            step = float(np.quantile(sorted_slope[first : max(last, first + 1)], 0.97)) * room * 1.1 + 1e-4
        levels.append(levels[-1] + step)
    return levels[:-1]


def _rounded(points: Curve) -> Curve:
    even = resample(points, 7.0)
    for _ in range(2):
        even = 0.5 * even + 0.25 * (np.roll(even, 1, axis=0) + np.roll(even, -1, axis=0))
    return even


def _apart(curves: list[Curve], room: float) -> list[Curve]:
    while curves:
        clear = measure(curves, room)
        tight = clear.tight(room)
        if not len(tight):
            break
        perimeters = [float(lengths(c).sum()) for c in curves]
        dropped = np.zeros(len(curves), bool)
        dropped[clear.within < room] = True
        for i in tight.tolist():
            # Of a pair one goes, and only if the other stays.
            other = int(clear.nearest[i])
            if other >= 0 and not dropped[i] and not dropped[other]:
                dropped[i if perimeters[i] < perimeters[other] else other] = True
        curves = [c for c, gone in zip(curves, dropped.tolist(), strict=True) if not gone]
    return curves
