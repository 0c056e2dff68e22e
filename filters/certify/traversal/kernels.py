"""The loops of the traversal certificate over pixels and over pairs of glyphs, compiled; + - * / and floor only."""

import math

import numpy as np
from numba import njit


@njit(cache=True)
def blobs(mask):  # type: ignore[no-untyped-def]
    """Return the rows and columns of the pixels of ``mask`` (uint8, not 0), and where each 8-connected blob begins.

    Empties ``mask``. Blobs come in the order of their first pixels; the last beginning is the end.
    """
    height, width = mask.shape
    number = np.count_nonzero(mask)
    rows, columns = np.empty(number, np.int64), np.empty(number, np.int64)
    starts = [0]
    done = 0
    for y in range(height):
        if not mask[y].any():
            continue
        for x in range(width):
            if mask[y, x] == 0:
                continue
            mask[y, x] = 0
            rows[done], columns[done] = y, x
            end = done + 1
            while done < end:
                for v in range(max(0, rows[done] - 1), min(height, rows[done] + 2)):
                    for u in range(max(0, columns[done] - 1), min(width, columns[done] + 2)):
                        if mask[v, u]:
                            mask[v, u] = 0
                            rows[end], columns[end] = v, u
                            end += 1
                done += 1
            starts.append(done)
    return rows, columns, np.array(starts)


@njit(cache=True)
def inked_shares(inked, x, y, lengths, widest):  # type: ignore[no-untyped-def]
    """Return for each pair of places the share of the straight line between them that is inked, (n, n), symmetric.

    ``inked``: 1 or 0, uint8 (height, width); ``lengths``: px, (n, n). The line is sampled every half pixel from
    ``widest`` px off one end to as far off the other; a sample counts as inked where any pixel of its 3 x 3
    neighbourhood is: a centre found half a pixel off must not break a join. Pairs whose line passes a
    third place within ``widest`` px have 0.
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
            found = 0
            for k in range(number):
                at = stop if k == number - 1 else k * step + start
                row, column = math.floor(y[i] + at * (y[j] - y[i])), math.floor(x[i] + at * (x[j] - x[i]))
                found += _touches(inked, row, column)
            shares[i, j] = shares[j, i] = found / number
    return shares


@njit(cache=True)
def _touches(inked, row, column):  # type: ignore[no-untyped-def]
    height, width = inked.shape
    for v in range(max(0, row - 1), min(height, row + 2)):
        for u in range(max(0, column - 1), min(width, column + 2)):
            if inked[v, u]:
                return 1
    return 0


@njit(cache=True)
def _passes_a_third(x, y, i, j, reach):  # type: ignore[no-untyped-def]
    """Say whether the line from place ``i`` to ``j`` passes another within ``reach`` px: two joins in a row, not one.

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
