"""Whether points are arranged as in a drawing, compiled: all pairs and triples of them, in many solutions."""

import numba
import numpy as np


@numba.njit(cache=True)
def arranged(points, joined):  # type: ignore[no-untyped-def]
    """Return which of the solutions keep the points apart and every triple of them arranged as in the drawing: turning
    the same way, or with the same one in the middle where they are on a line.

    ``points`` are float64 (points, 2, 1 + solutions), the drawing first; ``joined`` says which of them a line joins,
    bool (points, points). The result is bool (solutions,).
    """
    count, _, columns = points.shape
    kept = np.ones(columns - 1, np.bool_)
    for column in range(1, columns):
        extent = _extent(points, column)
        for i in range(count):
            for j in range(i + 1, count):
                x, y = points[i, 0, column] - points[j, 0, column], points[i, 1, column] - points[j, 1, column]
                kept[column - 1] &= x * x + y * y > (1e-3 * extent) ** 2
    size = _extent(points, 0)
    lonely = np.array([not joined[i].any() for i in range(count)])
    for i in range(count):
        for j in range(i + 1, count):
            for k in range(j + 1, count):
                turn = _turn(points, i, j, k, 0)
                flat = abs(turn) < 1e-6 * size**2
                # A reader sees how a triple is arranged where two lines join it, or a point has none.
                sides = int(joined[i, j]) + int(joined[i, k]) + int(joined[j, k])
                if not (flat or sides >= 2 or lonely[i] or lonely[j] or lonely[k]):
                    continue
                for column in range(1, columns):
                    if flat:
                        for a, b, c in ((i, j, k), (j, k, i), (k, i, j)):
                            before, after = _facing(points, a, b, c, 0), _facing(points, a, b, c, column)
                            kept[column - 1] &= _alike(before, after)
                    else:
                        # A mirrored solution is no solution: where the code says which way an arc runs, it draws
                        # another figure.
                        kept[column - 1] &= _alike(turn, _turn(points, i, j, k, column))
    return kept


@numba.njit(cache=True)
def _extent(points, column):  # type: ignore[no-untyped-def]
    """Return how far a point lies from the first one along an axis at most; no number where a place is none."""
    extent = 0.0
    for i in range(len(points)):
        for axis in range(2):
            apart = abs(points[i, axis, column] - points[0, axis, column])
            if apart > extent or np.isnan(apart):
                extent = apart
    return extent


@numba.njit(cache=True)
def _turn(points, a, b, c, at):  # type: ignore[no-untyped-def]
    ux, uy = points[b, 0, at] - points[a, 0, at], points[b, 1, at] - points[a, 1, at]
    vx, vy = points[c, 0, at] - points[a, 0, at], points[c, 1, at] - points[a, 1, at]
    return ux * vy - uy * vx


@numba.njit(cache=True)
def _facing(points, a, b, c, at):  # type: ignore[no-untyped-def]
    """Return a negative number where B lies between A and C, given that the three are on a line."""
    ux, uy = points[a, 0, at] - points[b, 0, at], points[a, 1, at] - points[b, 1, at]
    vx, vy = points[c, 0, at] - points[b, 0, at], points[c, 1, at] - points[b, 1, at]
    return ux * vx + uy * vy


@numba.njit(cache=True)
def _alike(a, b):  # type: ignore[no-untyped-def]
    """Whether two numbers have the same sign."""
    return (a > 0 and b > 0) or (a < 0 and b < 0) or (a == 0 and b == 0)
