"""Anti-aliased lines of an exact width, drawn into an array of ink.

The ink of a pixel, from 0 (paper) to 1 (line), is ``width / 2 + 1/2 - d``, clipped, with d the distance of its centre
from the line. This is within 0.01 of the covered area, and twenty times faster than drawing at four times the size.
OpenCV's own lines are unsuitable: nominal thicknesses of 3 and of 4 both give 5.3 px with anti-aliasing.
"""

from collections.abc import Sequence

import numba
import numpy as np
import numpy.typing as npt

#: Shades between paper and full ink: more are not visible at the edge of a line.
LEVELS = 15

BLACK = np.zeros((1, 3), np.uint8)


def stroke(
    ink: npt.NDArray[np.uint8], line: npt.NDArray[np.float64], width: float, levels: int, *, closed: bool
) -> None:
    """Draw ``line`` (n, 2) into ``ink`` in place; a pixel that had more ink than the line gives is not changed.

    Coordinates are x, y in px, y down, with pixel centres at halves. ``width`` is px; ``ink`` goes from 0 (paper) to
    ``levels``. A ``closed`` line also has a segment from its end to its start.
    """
    _stroke(ink, np.ascontiguousarray(line), width, levels, closed)


@numba.njit(cache=True)
def _stroke(ink, line, width, levels, closed):  # type: ignore[no-untyped-def]
    height, breadth = ink.shape
    half = width / 2 + 0.5
    count = len(line) if closed else len(line) - 1
    for i in range(count):
        ax, ay = line[i, 0] - 0.5, line[i, 1] - 0.5
        bx, by = line[(i + 1) % len(line), 0] - 0.5, line[(i + 1) % len(line), 1] - 0.5
        sx, sy = bx - ax, by - ay
        square = sx * sx + sy * sy
        inverse = 0.0 if square == 0.0 else 1.0 / square
        x0, x1 = max(0, int(np.ceil(min(ax, bx) - half))), min(breadth - 1, int(max(ax, bx) + half))
        y0, y1 = max(0, int(np.ceil(min(ay, by) - half))), min(height - 1, int(max(ay, by) + half))
        # Without a branch, and indexed by unsigned numbers: processors do several pixels at once.
        for y in range(y0, y1 + 1):
            row = ink[np.uint64(y)]
            for x in range(x0, x1 + 1):
                t = min(1.0, max(0.0, ((x - ax) * sx + (y - ay) * sy) * inverse))
                dx, dy = x - ax - t * sx, y - ay - t * sy
                value = np.uint8(max(0.0, min(1.0, half - np.sqrt(dx * dx + dy * dy))) * levels + 0.5)
                row[np.uint64(x)] = max(row[np.uint64(x)], value)


def dashes(
    line: npt.NDArray[np.float64], dash: float, gap: float, *, closed: bool
) -> Sequence[npt.NDArray[np.float64]]:
    """Return the dashes of ``line``, each (k, 2), of about ``dash`` px with gaps of ``gap`` px, evenly spaced.

    An open line begins and ends with a dash.
    """
    points = np.vstack([line, line[:1]]) if closed else line
    step = np.diff(points, axis=0)
    ends = np.concatenate([[0.0], np.cumsum(np.sqrt((step**2).sum(axis=1)))])
    length = ends[-1] if closed else ends[-1] + gap
    count = max(3 if closed else 1, round(length / (dash + gap)))
    period = length / count
    pieces = []
    for k in range(count):
        start, stop = k * period, (k + 1) * period - gap
        inner = ends[(ends > start) & (ends < stop)]
        at = np.concatenate([[start], inner, [stop]])
        pieces.append(np.stack([np.interp(at, ends, points[:, 0]), np.interp(at, ends, points[:, 1])], axis=1))
    return pieces


def shades(inks: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return the palette (n, 3), sRGB: white, then ``LEVELS`` shades of each of ``inks`` (k, 3), the lightest first."""
    share = np.arange(1, LEVELS + 1)[None, :, None] / LEVELS
    shaded = np.rint(255 + (inks[:, None, :].astype(float) - 255) * share).astype(np.uint8)
    return np.vstack([np.full((1, 3), 255, np.uint8), shaded.reshape(-1, 3)])
