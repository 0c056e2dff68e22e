"""Random terrains and their contour lines, which are the curves of a contour map and determine its nesting tree.

A terrain is an island of hills, hollows and plane waves that falls below every contour height before the border, so
that each contour line is closed. The contour heights are not equidistant. Each is about the lowest whose lines
are far enough from the lines of the height before it; so a terrain gets as many lines as possible.
"""

from dataclasses import dataclass
from functools import cache

import contourpy
import numpy as np
import numpy.typing as npt

from planimeter.generators.curves.clearance import measure
from planimeter.generators.curves.outlines import Curve, area, lengths, resample

Heights = npt.NDArray[np.float64]

#: Points of the terrain's grid on a side; contours are interpolated between them and smoothed by resampling.
GRID = 128

#: Assumed steepness of the slopes between two levels: one in this many is steeper.
_STEEP = 0.97


@dataclass(frozen=True, kw_only=True, slots=True)
class Relief:
    """The parameters of a random terrain.

    ``hills``: the number of hills and hollows; ``hollow_share``: the expected share of hollows among them, from 0 to 1;
    ``roughness``: the amplitude of the plane waves relative to the height of a hill.
    """

    hills: int
    hollow_share: float
    roughness: float


@cache
def _polar() -> tuple[Heights, Heights]:
    """Return the polar coordinates of each point of the terrain's grid: angle (radians), radius (1: half the side)."""
    t = _places()
    return np.arctan2(t[:, None], t), np.sqrt(t**2 + t[:, None] ** 2)


def _places() -> npt.NDArray[np.float64]:
    """Return the coordinates, from -1 to 1, of the rows of the terrain's grid; those of its columns are the same."""
    return (np.arange(GRID) + 0.5) / GRID * 2 - 1


def draw_terrain(relief: Relief, rng: np.random.Generator) -> Heights:
    """Return the heights (GRID, GRID) of a random terrain, without unit, below 0 at the border."""
    t = _places()
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
    # One wave at a time: the whole stack of them would exceed the processor's cache.
    waves = sum(_wave(*wave, t) for wave in zip(angle, number, phase, strict=True))
    heights += relief.roughness * waves
    # The coast: a circle with bays, so that neither the border nor a circle can be seen in it.
    angles, radii = _polar()
    bays = (np.cos(order * angles + shift) for order, shift in zip(range(2, 6), phase[:4], strict=True))
    reach = 0.86 + 0.05 * sum(size * bay for size, bay in zip(rng.uniform(-1.0, 1.0, 4), bays, strict=True))
    radius = radii / reach
    low, high = heights.min(), heights.max()
    land = (heights - low) / (high - low)
    return land - 1.2 * np.maximum(0.0, radius - 0.35) ** 3 - 2.0 * np.maximum(0.0, radius - 0.95)


def _wave(angle: float, number: float, phase: float, t: npt.NDArray[np.float64]) -> Heights:
    along = number * (np.cos(angle) * t + (np.sin(angle) * t)[:, None])
    wave: Heights = np.cos(along + phase) / number
    return wave


def level_curves(heights: Heights, size: float, room: float, least_area: float, least_levels: int) -> list[Curve]:
    """Return the contour lines of a terrain in a square of ``size`` px, all at least ``room`` px apart.

    Left out are lines around less than ``least_area`` px^2 and, of two lines that come too near to each other (at
    saddles), the shorter. Returns an empty list if there is room for lines at fewer than ``least_levels`` heights.
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
    return _thinned(curves, room)


def _levels(heights: Heights, room: float) -> list[float]:
    """Return the heights of contour lines, ascending, chosen so that on steep slopes the lines are about ``room`` grid
    cells apart.
    """
    dy, dx = np.gradient(heights)
    high, steep = heights.ravel(), np.sqrt(dx * dx + dy * dy).ravel()
    levels, top = [0.04], high.max()
    while levels[-1] < top:
        # Lower points are not used by the next levels.
        left = high >= levels[-1] - 0.01
        high, steep = high[left], steep[left]
        # The step depends on the slopes between the two levels, and these on the step: three iterations converge.
        step = 0.08
        for _ in range(3):
            near = steep[high < levels[-1] + step]
            step = float(np.quantile(near if len(near) else steep[high.argmin()], _STEEP)) * room * 1.1 + 1e-4
        levels.append(levels[-1] + step)
    return levels[:-1]


def _rounded(points: Curve) -> Curve:
    """Return the closed curve resampled at 7 px and smoothed.

    Twice, each vertex moves halfway to the midpoint of its two neighbours.
    """
    curve = resample(points, 7.0)
    for _ in range(2):
        curve = 0.5 * curve + 0.25 * (np.roll(curve, 1, axis=0) + np.roll(curve, -1, axis=0))
    return curve


def _thinned(curves: list[Curve], room: float) -> list[Curve]:
    """Return those of the curves that are at least ``room`` px apart.

    Of two nearer curves the shorter is left out; so is a curve two non-adjacent parts of which are nearer.
    """
    while curves:
        clear = measure(curves, room)
        tight = clear.tight(room)
        if not len(tight):
            break
        perimeters = [float(lengths(c).sum()) for c in curves]
        dropped = np.zeros(len(curves), bool)
        dropped[clear.within < room] = True
        for i in tight.tolist():
            # One of a pair is dropped, and only if the other stays.
            other = int(clear.nearest[i])
            if other >= 0 and not dropped[i] and not dropped[other]:
                dropped[i if perimeters[i] < perimeters[other] else other] = True
        curves = [c for c, gone in zip(curves, dropped.tolist(), strict=True) if not gone]
    return curves
