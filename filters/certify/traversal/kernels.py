"""The loops of the traversal certificate over pixels and over pairs of glyphs, compiled; + - * / and floor only."""

import math

import numpy as np
from numba import njit


@njit(cache=True)
def blobs(indices, wanted, step):  # type: ignore[no-untyped-def]
    """Return the rows and columns of pixels, where each 8-connected blob of them begins, and its box.

    ``indices``: (height, width), ``wanted``: for each of their values whether such pixels are meant. Only every
    ``step``-th row and column is searched, which misses no blob of more than (step - 1) ** 2 pixels. The last
    beginning is the end; boxes are (blobs, 4): top, left, bottom, right, the last two exclusive.
    """
    height, width = indices.shape
    seen = np.zeros((height, width), np.bool_)
    # Memory that is never touched costs nothing.
    rows, columns = np.empty(height * width, np.int32), np.empty(height * width, np.int32)
    starts, boxes = [0], [(0, 0, 0, 0)]
    done = end = 0
    for y in range(height):
        for x in range(0, width, 1 if y % step == 0 else step):
            if seen[y, x] or not wanted[indices[y, x]]:
                continue
            seen[y, x] = True
            rows[done], columns[done] = y, x
            end = done + 1
            top, left, bottom, right = y, x, y + 1, x + 1
            while done < end:
                row, column = rows[done], columns[done]
                top, left, bottom, right = (
                    min(top, row),
                    min(left, column),
                    max(bottom, row + 1),
                    max(right, column + 1),
                )
                for v in range(max(0, row - 1), min(height, row + 2)):
                    for u in range(max(0, column - 1), min(width, column + 2)):
                        if not seen[v, u] and wanted[indices[v, u]]:
                            seen[v, u] = True
                            rows[end], columns[end] = v, u
                            end += 1
                done += 1
            starts.append(done)
            boxes.append((top, left, bottom, right))
    return rows[:end].copy(), columns[:end].copy(), np.array(starts), np.array(boxes)[1:]


@njit(cache=True)
def inked_shares(indices, ink, x, y, lengths, widest):  # type: ignore[no-untyped-def]
    """Return for each pair of places the share of the straight line between them that is inked, (n, n), symmetric.

    ``indices``: (height, width), ``ink``: for each of their values whether it is; ``lengths``: px, (n, n). The line is
    sampled every half pixel from ``widest`` px off one end to as far off the other; a sample counts as inked where any
    pixel of its 3 x 3 neighbourhood is: a centre found half a pixel off must not break a join. Pairs whose line passes
    a third place within ``widest`` px have 0.
    """
    n = len(x)
    shares = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            if _passes_a_third(x, y, i, j, widest):
                continue
            length = lengths[i, j]
            number, start, stop = 1, 0.5, 0.5
            if length > 2 * widest + 2:
                start, stop = widest / length, 1 - widest / length
                number = int(2 * (length - 2 * widest)) + 2
            step = (stop - start) / max(1, number - 1)
            inked = 0
            for k in range(number):
                at = stop if k == number - 1 else k * step + start
                row, column = math.floor(y[i] + at * (y[j] - y[i])), math.floor(x[i] + at * (x[j] - x[i]))
                inked += _touches(indices, ink, row, column)
            shares[i, j] = shares[j, i] = inked / number
    return shares


@njit(cache=True)
def _touches(indices, ink, row, column):  # type: ignore[no-untyped-def]
    height, width = indices.shape
    for v in range(max(0, row - 1), min(height, row + 2)):
        for u in range(max(0, column - 1), min(width, column + 2)):
            if ink[indices[v, u]]:
                return 1
    return 0


@njit(cache=True)
def _passes_a_third(x, y, i, j, reach):  # type: ignore[no-untyped-def]
    """Return whether the line from place ``i`` to ``j`` passes another within ``reach`` px: two joins, not one.

    Without this, three glyphs in a line would be joined pairwise.
    """
    sx, sy = x[j] - x[i], y[j] - y[i]
    square = max(sx * sx + sy * sy, 1e-9)
    for k in range(len(x)):
        if k not in (i, j):
            ax, ay = x[k] - x[i], y[k] - y[i]
            along = min(1.0, max(0.0, (ax * sx + ay * sy) / square))
            ax, ay = ax - along * sx, ay - along * sy
            if ax * ax + ay * ay < reach * reach:
                return True
    return False
