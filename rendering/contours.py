"""Contour lines: traced as contourpy does (what matplotlib uses), stroked by Agg straight into a coverage layer.

contourpy goes over the whole grid for each level. Here one look finds the cells that the lines of each level cross, and
only those are visited again; the points have contourpy's bits.

Lines of different levels never cross, and a line of level k lies where the height is that of level k. So one pass of
Agg over all levels gives the anti-aliased coverage, and the nearest level of a pixel's own height gives its ink.
"""

from itertools import pairwise
from typing import Any, Final

import numba
import numpy as np
import numpy.typing as npt
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.path import Path
from matplotlib.transforms import IdentityTransform

from planimeter.rendering.reference import default_rc_params

Lines = tuple[Path | None, ...]
#: Codes of a path.
_MOVE, _LINE, _CLOSE = int(Path.MOVETO), int(Path.LINETO), int(Path.CLOSEPOLY)

#: The corners of a cell, y up, counterclockwise: steps along rows and columns. Side k goes from corner k to the next
#: one; beyond it lies the cell so many steps further.
_CORNERS: Final = np.array([(0, 0), (0, 1), (1, 1), (1, 0)])
_BEYOND: Final = np.array([(-1, 0), (0, 1), (1, 0), (0, -1)])
#: By which corners are high, a bit each: the sides by which lines come into a cell, a bit each, and the one by which
#: they leave it. The high corner of such a side is on the left of the line.
_WAYS_IN: Final = np.array([sum((n >> k & 1 > n >> (k + 1) % 4 & 1) << k for k in range(4)) for n in range(16)])
_WAY_OUT: Final = np.array([sum(k * (n >> k & 1 < n >> (k + 1) % 4 & 1) for k in range(4)) for n in range(16)])
#: High corners of a saddle, where two lines meet and its middle decides which way they turn.
_SADDLES: Final = (0b0101, 0b1010)


@default_rc_params()
def trace(grid: npt.NDArray[np.float32], levels: tuple[float, ...], size: int) -> Lines:
    """Return the contour lines of ``grid`` in px, y up, one path a level (None where nothing reaches the level).

    ``grid`` is (n, n), row 0 on top, sampled at the centres of n x n cells of the square of ``size`` px. Half a cell at
    each edge has no sample beyond it: there the lines run on straight, so that they end at the frame and not before it.
    """
    nodes = np.concatenate(([0.0], (np.arange(len(grid)) + 0.5) * (size / len(grid)), [size]))
    points, codes, ends = _lines(grid, nodes, np.array(levels))
    return tuple(
        Path(points[start:end], codes[start:end]) if end > start else None for start, end in pairwise([0, *ends])
    )


@numba.njit(cache=True)
def _lines(grid, nodes, levels):  # type: ignore[no-untyped-def]
    """Return the lines of all levels, one after the other: points (n, 2), path codes, and where each level ends.

    ``nodes`` are the places of rows and columns. Lines that begin at the border come before closed ones.
    """
    # The grid with y up and its border twice, and how many levels lie below each node.
    heights, last = np.empty((len(nodes), len(nodes))), len(nodes) - 2
    above = np.zeros(heights.shape, np.uint8)
    for r in range(len(nodes)):
        heights[r, 1:-1] = grid[len(grid) - min(max(r, 1), len(grid))]
        heights[r, 0], heights[r, -1] = heights[r, 1], heights[r, -2]
        for level in levels:
            for c in range(len(nodes)):
                above[r, c] += heights[r, c] > level
    cells, starts = _crossed(above, len(levels))
    # Ways into cells that were not taken yet.
    ways_in = np.zeros(heights.shape, np.uint8)
    points, codes = np.empty((4 * len(cells), 2)), np.empty(4 * len(cells), np.uint8)
    ends, n = np.zeros(len(levels), np.int64), 0
    for number in range(len(levels)):
        crossed = cells[starts[number] : starts[number + 1]]
        for r, c in crossed:
            ways_in[r, c] = _WAYS_IN[_high(above, number, r, c)]
        for closed in (False, True):
            for r, c in crossed:
                if closed or r in (0, last) or c in (0, last):
                    for side in range(4):
                        at_border = (r, c)[side % 2] == (0, last)[(side + 1) // 2 % 2]
                        if ways_in[r, c] >> side & 1 and (closed or at_border):
                            n = _follow(heights, nodes, levels, above, ways_in, number, (r, c, side), points, codes, n)
        ends[number] = n
    return points[:n], codes[:n], ends


@numba.njit(cache=True)
def _follow(heights, nodes, levels, above, ways_in, number, place, points, codes, n):  # type: ignore[no-untyped-def]
    """Write the line that comes in at ``place`` to ``points`` and ``codes`` from ``n`` on; return where it ends."""
    (r, c, side), first, level, last = place, n, levels[number], len(nodes) - 2
    while True:
        (i, j), (k, m) = _CORNERS[side], _CORNERS[(side + 1) % 4]
        here, there = heights[r + i, c + j], heights[r + k, c + m]
        share = (there - level) / (there - here)
        points[n, 0] = nodes[c + j] * share + nodes[c + m] * (1.0 - share)
        points[n, 1] = nodes[r + i] * share + nodes[r + k] * (1.0 - share)
        codes[n] = _LINE
        n += 1
        if not (0 <= r <= last and 0 <= c <= last and ways_in[r, c] >> side & 1):
            break
        ways_in[r, c] ^= 1 << side
        high = _high(above, number, r, c)
        if high in _SADDLES:
            middle = 0.25 * (heights[r, c] + heights[r, c + 1] + heights[r + 1, c] + heights[r + 1, c + 1])
            side = (side + (1 if middle > level else 3)) % 4
        else:
            side = _WAY_OUT[high]
        r, c, side = r + _BEYOND[side, 0], c + _BEYOND[side, 1], (side + 2) % 4
    codes[first] = _MOVE
    if points[n - 1, 0] == points[first, 0] and points[n - 1, 1] == points[first, 1]:
        codes[n - 1] = _CLOSE
    return n


@numba.njit(cache=True)
def _crossed(above, levels):  # type: ignore[no-untyped-def]
    """Return the cells (n, 2) that lines cross, by level and then by place, and where each level begins.

    ``above`` says how many of the levels lie below each node.
    """
    places: list[Any] = [(0, 0, 0, 0) for _ in range(0)]
    starts = np.zeros(levels + 2, np.int64)
    for r in range(above.shape[0] - 1):
        for c in range(above.shape[1] - 1):
            one, two, three, four = above[r, c], above[r, c + 1], above[r + 1, c], above[r + 1, c + 1]
            if one != two or one != three or one != four:
                low, high = np.int64(min(one, two, three, four)), np.int64(max(one, two, three, four))
                places.append((r, c, low, high))
                for level in range(low, high):
                    starts[level + 2] += 1
    starts = np.cumsum(starts)
    cells = np.empty((starts[-1], 2), np.int64)
    for r, c, low, high in places:
        for level in range(low, high):
            cells[starts[level + 1], 0], cells[starts[level + 1], 1] = r, c
            starts[level + 1] += 1
    return cells, starts


@numba.njit(cache=True)
def _high(above, number, r, c):  # type: ignore[no-untyped-def]
    """Return which corners of a cell lie above the level, a bit each."""
    one, two, three, four = above[r, c], above[r, c + 1], above[r + 1, c + 1], above[r + 1, c]
    return (one > number) + 2 * (two > number) + 4 * (three > number) + 8 * (four > number)


@default_rc_params()
def stroke(lines: Lines, widths: tuple[float, ...], size: int) -> npt.NDArray[np.uint8]:
    """Return how much of each pixel the ``lines`` cover: uint8 (size, size), 0 to 255, y down; ``widths`` in px."""
    renderer = RendererAgg(size, size, 72)
    context = renderer.new_gc()
    context.set_foreground((0.0, 0.0, 0.0, 1.0), isRGBA=True)
    context.set_joinstyle("round")
    for path, width in zip(lines, widths, strict=True):
        if path is not None:
            context.set_linewidth(width)
            renderer.draw_path(context, path, IdentityTransform())
    return np.asarray(renderer.buffer_rgba())[:, :, 3]
