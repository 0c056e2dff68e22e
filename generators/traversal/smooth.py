"""Smooth paths: a spline through the same vertices, with its curvature as a controlled and recorded factor.

The paper names curvature as future work. A cubic Hermite piece joins each pair of neighbours; a vertex's tangent is
parallel to the line through its neighbours, as long as the shorter of the two segments times ``smoothness``. A curve
bulges out of its polyline, so it is accepted only if it still crosses itself in the same pairs of pieces and keeps the
clearances; a path for which it does not is left out, never bent less than asked.
"""

import math
from dataclasses import replace

import numpy as np
from numba import njit

from planimeter.generators.traversal.cells import Bins
from planimeter.generators.traversal.kernels import Floats
from planimeter.generators.traversal.limits import Limits
from planimeter.items import Crossing, TraversalItem

#: Samples of a piece.
PIECES = 24


def spline(points: Floats, smoothness: float) -> Floats:
    """Return the curve through ``points`` (n, 2), px, as ((n - 1) * PIECES + 1, 2) samples; 0 gives the polyline.

    Raises:
        ValueError: for a smoothness outside [0, 1.5], beyond which pieces loop.
    """
    if not 0 <= smoothness <= 1.5:
        raise ValueError(f"need 0 <= smoothness <= 1.5, got {smoothness}")
    tangents = _tangents(points, smoothness)
    u = (np.arange(PIECES) / PIECES)[:, None]
    rows = []
    for k in range(len(points) - 1):
        a, b = points[k], points[k + 1]
        rows.append(
            (2 * u**3 - 3 * u**2 + 1) * a
            + (u**3 - 2 * u**2 + u) * tangents[k]
            + (3 * u**2 - 2 * u**3) * b
            + (u**3 - u**2) * tangents[k + 1]
        )
    return np.concatenate([*rows, points[-1:]])


def greatest_curvature(curve: Floats) -> float:
    """Return the greatest curvature of a sampled curve (m, 2), 1/px, rounded: turn over length at its samples."""
    steps = np.diff(curve, axis=0)
    lengths = np.sqrt((steps**2).sum(axis=1))
    cross = np.abs(steps[:-1, 0] * steps[1:, 1] - steps[:-1, 1] * steps[1:, 0])
    sines = cross / (lengths[:-1] * lengths[1:])
    return round(float((sines / (0.5 * (lengths[:-1] + lengths[1:]))).max()), 6)


def smoothed(item: TraversalItem, smoothness: float, limits: Limits, bins: Bins) -> TraversalItem | None:
    """Return ``item`` drawn as a spline, or None where the curve breaks a rule or leaves the item's tortuosity bin.

    Crossings are moved to where the curve has them; tortuosity is that of the curve.
    """
    points = np.array(item.points)
    curve = spline(points, smoothness)
    if curve.min() < limits.margin - limits.glyph_pad or curve.max() > limits.view - limits.margin + limits.glyph_pad:
        return None
    found = _crossings(curve)
    wanted = [(crossing.first_segment, crossing.second_segment) for crossing in item.crossings]
    if [(int(row[2]), int(row[3])) for row in found] != wanted or not _is_clear(curve, points, found, limits):
        return None
    crossings = tuple(
        Crossing(x=round(float(x), 6), y=round(float(y), 6), first_segment=int(i), second_segment=int(j))
        for x, y, i, j, _ in found
    )
    tortuosity = _tortuosity(curve)
    if bins.tortuosity_bin(tortuosity) != item.tortuosity_bin:
        return None
    curvature = greatest_curvature(curve)
    return replace(item, crossings=crossings, tortuosity=tortuosity, smoothness=smoothness, curvature=curvature)


def _tortuosity(curve: Floats) -> float:
    length = math.fsum(math.sqrt(float(dx * dx + dy * dy)) for dx, dy in np.diff(curve, axis=0))
    ex, ey = curve[-1] - curve[0]
    return round(length / math.sqrt(float(ex * ex + ey * ey)), 9)


def _tangents(points: Floats, smoothness: float) -> Floats:
    steps = np.diff(points, axis=0)
    lengths = np.sqrt((steps**2).sum(axis=1))
    tangents = np.zeros_like(points)
    tangents[0], tangents[-1] = smoothness * steps[0], smoothness * steps[-1]
    chords = points[2:] - points[:-2]
    sizes = np.maximum(np.sqrt((chords**2).sum(axis=1)), 1e-9)
    tangents[1:-1] = smoothness * chords * (np.minimum(lengths[:-1], lengths[1:]) / sizes)[:, None]
    return tangents


def _is_clear(curve: Floats, points: Floats, found: Floats, limits: Limits) -> bool:
    """Say whether the curve keeps the polyline's clearances: of crossings, their angles, vertices and pieces."""
    if len(found) and found[:, 4].min() < math.sin(math.radians(limits.crossing_angle)):
        return False
    places = found[:, :2]
    if len(found) and _least(places, points) < limits.crossing_clearance:
        return False
    gaps = np.sqrt(((places[:, None] - places[None]) ** 2).sum(axis=2))[np.triu_indices(len(found), 1)]
    if len(gaps) and gaps.min() < limits.crossing_gap:
        return False
    for k in range(len(points) - 1):
        piece = curve[k * PIECES : (k + 1) * PIECES + 1]
        if _least(piece, np.delete(points, [k, k + 1], axis=0)) < limits.clearance:
            return False
    return _near_misses(curve, found, limits.clearance) == 0


def _least(a: Floats, b: Floats) -> float:
    return float(np.sqrt(((a[:, None] - b[None]) ** 2).sum(axis=2)).min())


@njit(cache=True)
def _crossings(curve: Floats) -> Floats:
    """Return (k, 5): x, y, first piece, second piece, sine of the angle, of each self-crossing, by pieces."""
    m = curve.shape[0] - 1
    rows = np.empty((m, 5))
    count = 0
    for first in range((m + PIECES - 1) // PIECES):
        for second in range(first, (m + PIECES - 1) // PIECES):
            for i in range(first * PIECES, min(first * PIECES + PIECES, m)):
                ux, uy = curve[i + 1, 0] - curve[i, 0], curve[i + 1, 1] - curve[i, 1]
                for j in range(max(i + 2, second * PIECES), min(second * PIECES + PIECES, m)):
                    vx, vy = curve[j + 1, 0] - curve[j, 0], curve[j + 1, 1] - curve[j, 1]
                    wx, wy = curve[j, 0] - curve[i, 0], curve[j, 1] - curve[i, 1]
                    area = ux * vy - uy * vx
                    if area == 0.0:
                        continue
                    s, t = (wx * vy - wy * vx) / area, (wx * uy - wy * ux) / area
                    if 0.0 <= s < 1.0 and 0.0 <= t < 1.0 and count < m:
                        sizes = math.sqrt((ux * ux + uy * uy) * (vx * vx + vy * vy))
                        rows[count, 0], rows[count, 1] = curve[i, 0] + s * ux, curve[i, 1] + s * uy
                        rows[count, 2], rows[count, 3], rows[count, 4] = first, second, abs(area) / sizes
                        count += 1
    return rows[:count]


@njit(cache=True)
def _near_misses(curve: Floats, found: Floats, clearance: float) -> int:
    """Count pairs of pieces that neither cross nor share a vertex and come nearer than ``clearance``."""
    pieces = (curve.shape[0] - 1) // PIECES
    wrong = 0
    for a in range(pieces):
        for b in range(a + 2, pieces):
            crossing = False
            for k in range(found.shape[0]):
                crossing = crossing or (found[k, 2] == a and found[k, 3] == b)
            least = 1e18
            for i in range(a * PIECES, a * PIECES + PIECES + 1):
                for j in range(b * PIECES, b * PIECES + PIECES + 1):
                    dx, dy = curve[i, 0] - curve[j, 0], curve[i, 1] - curve[j, 1]
                    least = min(least, dx * dx + dy * dy)
            if not crossing and least < clearance * clearance:
                wrong += 1
    return wrong
