"""Follows a drawn line that may bend from blob to blob (the markers of a path), straight on through crossings.

A walker begins at the rim of a blob. At each step it predicts its position from its direction and its rate of turning,
then corrects it sideways, towards the middle of the ink. Ink wider than a line is a crossing, through which the walker
continues as predicted.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy.ndimage import map_coordinates

Ink = npt.NDArray[np.float32]
Blob = tuple[float, float, float]

#: The reach of the widest glyph, px, to which the figures below refer; they grow with it in a wider view.
_USUAL_REACH = 10.5
_STEP = 2.0
#: Wider than a line (3.4 px) and its blur: a crossing.
_WIDE = 4.0
#: Half-width of the search across the line, in half pixels, and the largest offset of its middle.
_SIDE, _OFF = 10, 6
#: Lines are darker than this.
_INKED = 0.5
#: Shares of an offset to the middle of the line that correct place, direction and rate of turning.
_PLACE, _HEADING, _TURNING = 0.4, 0.24, 0.024
#: Directions in which ink may leave a blob.
_ANGLES = 360


def follow(ink: Ink, blobs: Sequence[Blob]) -> npt.NDArray[np.float64]:
    """Return (n, n): for two blobs 1 if walks lead from each to the other, 0.9 if in one direction only, else 0.

    ``ink`` is the darkness of pixels, (height, width), 0 to 1; ``blobs`` are (x, y, radius), px.
    """
    widest = max(reach for _, _, reach in blobs)
    # One rim for all: a small glyph must not be left inside another's outline.
    scale = max(1.0, widest / _USUAL_REACH)
    reached = _followed(ink, np.array(blobs), widest + 3.0 * scale, scale)
    both = reached + reached.T
    return np.where(both == 2, 1.0, np.where(both == 1, 0.9, 0.0))


@njit(cache=True)
def _darkness(ink: Ink, x: float, y: float) -> float:
    """Return the darkness at (x, y), px, interpolated bilinearly between pixel centres."""
    u, v = min(max(x - 0.5, 0.0), ink.shape[1] - 1.001), min(max(y - 0.5, 0.0), ink.shape[0] - 1.001)
    column, row = int(u), int(v)
    u, v = u - column, v - row
    above = ink[row, column] * (1 - u) + ink[row, column + 1] * u
    below = ink[row + 1, column] * (1 - u) + ink[row + 1, column + 1] * u
    return float(above * (1 - v) + below * v)


def _followed(ink: Ink, blobs: npt.NDArray[np.float64], rim: float, scale: float) -> npt.NDArray[np.float64]:
    """Return (n, n): entry (i, j) is 1 if a walk along a line from blob i ends at blob j, else 0.

    Walks begin at the distance ``rim`` from a blob's centre; their steps are proportional to ``scale``.
    """
    reached = np.zeros((len(blobs), len(blobs)))
    outer = rim + _STEP * scale
    for start, (x, y, _) in enumerate(blobs.tolist()):
        further = _exits(ink, x, y, outer)
        for angle in _exits(ink, x, y, rim):
            # A bent line leaves its blob aslant: a wider circle shows its direction.
            turns = [(abs((other - angle + math.pi) % (2 * math.pi) - math.pi), other) for other in further]
            turn, onward = min(turns, default=(math.inf, angle))
            onward = onward if turn < 0.5 else angle
            ax, ay = rim * math.cos(angle), rim * math.sin(angle)
            bx, by = outer * math.cos(onward), outer * math.sin(onward)
            end = _walk(ink, blobs, start, x + ax, y + ay, math.atan2(by - ay, bx - ax), rim, scale)
            if end >= 0:
                reached[start, end] = 1.0
    return reached


def _exits(ink: Ink, x: float, y: float, rim: float) -> list[float]:
    """Return the angles, radians, at which ink crosses the circle of radius ``rim`` about (x, y)."""
    angles = 2 * math.pi * np.arange(_ANGLES) / _ANGLES
    places = y + rim * np.sin(angles) - 0.5, x + rim * np.cos(angles) - 0.5
    on = map_coordinates(ink, places, order=1, mode="nearest") > _INKED
    first, last = np.flatnonzero(on & ~np.roll(on, 1)), np.flatnonzero(on & ~np.roll(on, -1))
    if len(first) and last[0] < first[0]:
        last = np.roll(last, -1)
    exits: list[float] = (2 * math.pi * (first + (last - first) % _ANGLES / 2) / _ANGLES).tolist()
    return exits


@njit(cache=True)
def _walk(
    ink: Ink, blobs: npt.NDArray[np.float64], start: int, x: float, y: float, heading: float, rim: float, scale: float
) -> int:
    """Return the index of the blob to which the line from blob ``start`` through (x, y) leads; -1 if it is lost."""
    turning, step = 0.0, _STEP * scale
    for _ in range(2 * (ink.shape[0] + ink.shape[1])):
        for k in range(len(blobs)):
            if k != start and math.hypot(x - blobs[k, 0], y - blobs[k, 1]) <= rim:
                return k
        predicted = heading + turning
        x, y = x + step * math.cos(predicted), y + step * math.sin(predicted)
        there, crossing, aside = _offset(ink, x, y, predicted, scale)
        if not there:
            return -1
        if crossing:
            heading = predicted
        else:
            x, y = x - _PLACE * aside * math.sin(predicted), y + _PLACE * aside * math.cos(predicted)
            heading = predicted + _HEADING * aside / step
            turning += _TURNING * aside / step
    return -1


@njit(cache=True)
def _offset(ink: Ink, x: float, y: float, heading: float, scale: float) -> tuple[bool, bool, float]:
    """Return (is there ink at (x, y)?, is the ink wider than a line?, distance in px from (x, y) to its middle).

    The distance is measured across ``heading``, positive on one fixed side.
    """
    dark = np.empty(2 * _SIDE + 1)
    nearest = 10 * _SIDE
    for k in range(2 * _SIDE + 1):
        aside = 0.5 * (k - _SIDE) * scale
        dark[k] = _darkness(ink, x - aside * math.sin(heading), y + aside * math.cos(heading))
        if dark[k] > _INKED and abs(k - _SIDE) < abs(nearest - _SIDE):
            nearest = k
    if abs(nearest - _SIDE) > _OFF:
        return False, False, 0.0
    low = high = nearest
    while low > 0 and dark[low - 1] > _INKED:
        low -= 1
    while high < 2 * _SIDE and dark[high + 1] > _INKED:
        high += 1
    # The sample at either end is dark in part.
    low, high = max(low - 1, 0), min(high + 1, 2 * _SIDE)
    whole, moment = 0.0, 0.0
    for k in range(low, high + 1):
        whole += dark[k]
        moment += dark[k] * (k - _SIDE)
    return True, 0.5 * whole > _WIDE, 0.5 * moment / whole * scale
