"""Following a drawn line from blob to blob, straight on through crossings; for lines that are not straight.

From the rim of a blob a walker steps along the ink. It predicts its next place from its direction and its rate of
turning, then moves to the middle of the ink across its way. Where the ink is wider than a line it is inside a crossing
and goes on as predicted.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Ink = npt.NDArray[np.bool_]
Blob = tuple[float, float, float]

#: The reach of the widest glyph, px, that the figures below belong to; in a wider view they grow with it.
_USUAL_REACH = 10.5
_STEP = 2.0
#: Wider than a line (3.4 px) and its blur: a crossing.
_WIDE = 5.0
_SIDE = np.arange(-5.0, 5.01, 0.5)


def follow(ink: Ink, blobs: Sequence[Blob]) -> npt.NDArray[np.float64]:
    """Return (n, n): 1 where a walk from either blob ends at the other, 0.9 where only one of the two does.

    ``ink`` is (height, width); ``blobs`` are (x, y, reach), px.
    """
    n = len(blobs)
    reached = np.zeros((n, n))
    # One rim for all: a small glyph must not be left inside another's outline.
    widest = max(reach for _, _, reach in blobs)
    scale = max(1.0, widest / _USUAL_REACH)
    rim = widest + 3.0 * scale
    for start in range(n):
        for angle in _exits(ink, blobs[start], rim):
            end = _walk(ink, blobs, start, angle, rim, scale)
            if end is not None:
                reached[start, end] = 1.0
    both = reached + reached.T
    return np.where(both == 2, 1.0, np.where(both == 1, 0.9, 0.0))


def _exits(ink: Ink, blob: Blob, rim: float) -> list[float]:
    """Return the angles at which ink leaves a blob, seen on the circle at its rim."""
    angles = np.arange(360) * 2 * math.pi / 360
    on = _read(ink, blob[0] + rim * np.cos(angles), blob[1] + rim * np.sin(angles))
    if on.all() or not on.any():
        return []
    first = int(np.flatnonzero(~on)[0])
    on, angles = np.roll(on, -first), np.roll(angles, -first)
    edges = np.flatnonzero(np.diff(on.astype(np.int8)))
    return [float(angles[(a + b + 1) // 2]) for a, b in zip(edges[::2], [*edges[1::2], 359], strict=False)]


def _walk(ink: Ink, blobs: Sequence[Blob], start: int, angle: float, rim: float, scale: float) -> int | None:
    """Return the blob that the line leaving ``start`` at ``angle`` leads to, or None where it is lost."""
    x, y = blobs[start][0] + rim * math.cos(angle), blobs[start][1] + rim * math.sin(angle)
    heading, turning, step = angle, 0.0, _STEP * scale
    others = [(k, blob) for k, blob in enumerate(blobs) if k != start]
    for _ in range(2 * sum(ink.shape)):
        for k, blob in others:
            if math.hypot(x - blob[0], y - blob[1]) <= rim:
                return k
        predicted = heading + turning
        qx, qy = x + step * math.cos(predicted), y + step * math.sin(predicted)
        aside = _offset(ink, qx, qy, predicted, scale)
        if aside is None:
            return None
        if math.isnan(aside):
            heading = predicted
        else:
            qx, qy = qx - 0.4 * aside * math.sin(predicted), qy + 0.4 * aside * math.cos(predicted)
            now = predicted + 0.12 * aside / scale
            turning = 0.8 * turning + 0.2 * (now - heading)
            heading = now
        x, y = qx, qy
    return None


def _offset(ink: Ink, x: float, y: float, heading: float, scale: float) -> float | None:
    """Return how far the middle of the ink lies aside of (x, y), px; NaN inside a crossing, None off the line."""
    side = _SIDE * scale
    on = _read(ink, x - side * math.sin(heading), y + side * math.cos(heading))
    inked = np.flatnonzero(on)
    if not len(inked):
        return None
    middle = len(_SIDE) // 2
    nearest = int(inked[np.argmin(np.abs(inked - middle))])
    if abs(nearest - middle) > 6:
        return None
    low = high = nearest
    while low > 0 and on[low - 1]:
        low -= 1
    while high + 1 < len(on) and on[high + 1]:
        high += 1
    if (high - low) * 0.5 > _WIDE - 0.5:
        return math.nan
    return float(side[low] + side[high]) / 2


def _read(ink: Ink, xs: npt.NDArray[np.float64], ys: npt.NDArray[np.float64]) -> Ink:
    rows = np.clip(np.floor(ys).astype(np.intp), 0, ink.shape[0] - 1)
    columns = np.clip(np.floor(xs).astype(np.intp), 0, ink.shape[1] - 1)
    return ink[rows, columns]
