"""The energy of a path, which measures how far it violates the rules of its cell, and the searches that minimise it;
compiled by numba.

Coordinates are float64 multiples of 1/16 px, so that every orientation test here is exact (see ``limits``) and a
crossing is counted if and only if it exists. Lengths are compared with limits increased by a slack (``targets``), so
that the decision of ``filters.traversal.rules`` about an accepted path does not depend on a rounding error. Only
+ - * / and square roots are used; they are correctly rounded everywhere, so that the search is the same on every
machine. (``exp`` and ``log`` are not, therefore the table of exponential draws in ``annealing``.)

All functions that call one another are in this file: the cache of numba checks only the file of a function, and would
use stale code of functions in other files.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

Floats = npt.NDArray[np.float64]


class Target(NamedTuple):
    """The limits (px, sines and cosines), and the ranges of tortuosity and crossings, that a path has to meet.

    ``annealing.targets`` computes them from a cell.
    """

    spacing: float
    clearance: float
    crossing_clearance: float
    crossing_sine: float
    crossing_gap: float
    turn_cosine: float
    tortuosity_low: float
    tortuosity_high: float
    crossings_low: float
    crossings_high: float
    box_low: float
    box_high: float
    extent: float


#: Far above the rounding errors of energies: a partial sum that exceeds its limit by this is abandoned.
_ROUNDING = 1e-6


@njit(cache=True, inline="always")
def snap(value: float, low: float, high: float) -> float:
    """Return the multiple of 1/16 nearest to ``value`` in [low, high]; a value outside is first reflected at the bound.

    Clamping instead would collect vertices in straight rows along the margins.
    """
    mirrored = 2.0 * low - value if value < low else 2.0 * high - value if value > high else value
    snapped = math.floor(mirrored * 16.0 + 0.5) / 16.0
    if snapped < low:
        return math.ceil(low * 16.0) / 16.0
    if snapped > high:
        return math.floor(high * 16.0) / 16.0
    return snapped


@njit(cache=True, inline="always")
def _to_segment(px: float, py: float, ax: float, ay: float, bx: float, by: float) -> float:
    dx, dy = bx - ax, by - ay
    wx, wy = px - ax, py - ay
    along, square = wx * dx + wy * dy, dx * dx + dy * dy
    if along <= 0.0 or square == 0.0:
        return math.sqrt(wx * wx + wy * wy)
    if along >= square:
        wx, wy = px - bx, py - by
        return math.sqrt(wx * wx + wy * wy)
    return abs(wx * dy - wy * dx) / math.sqrt(square)


@njit(cache=True, inline="always")
def _lack(value: float, limit: float) -> float:
    return (limit - value) / limit if value < limit else 0.0


@njit(cache=True)
def joint_penalty(path: Floats, k: int, target: Target) -> float:
    """Return the penalty at vertex ``k``: for a sharp turn, and if one segment ends too near the other segment."""
    ax, ay, bx, by, cx, cy = path[k - 1, 0], path[k - 1, 1], path[k, 0], path[k, 1], path[k + 1, 0], path[k + 1, 1]
    ux, uy, vx, vy = bx - ax, by - ay, cx - bx, cy - by
    lengths = math.sqrt(ux * ux + uy * uy) * math.sqrt(vx * vx + vy * vy)
    if lengths == 0.0:
        return 3.0
    cosine = (ux * vx + uy * vy) / lengths
    limit = target.turn_cosine
    penalty = (limit - cosine) / (limit + 1.0) if cosine < limit else 0.0
    penalty += _lack(_to_segment(ax, ay, bx, by, cx, cy), target.clearance)
    return penalty + _lack(_to_segment(cx, cy, ax, ay, bx, by), target.clearance)


@njit(cache=True)
def pair_penalty(path: Floats, i: int, j: int, target: Target) -> tuple[float, bool, float, float]:
    """Return (penalty, crosses, x, y) of the segments ``i`` and ``j``, which share no vertex.

    The penalty is for an end of one segment too near the other, and for a crossing at a small angle or near a vertex.
    ``crosses``: True if the segments cross, at (x, y) px; otherwise x and y are 0.
    """
    ax, ay, bx, by = path[i, 0], path[i, 1], path[i + 1, 0], path[i + 1, 1]
    cx, cy, dx, dy = path[j, 0], path[j, 1], path[j + 1, 0], path[j + 1, 1]
    clearance = target.clearance
    if (
        min(ax, bx) - max(cx, dx) > clearance
        or min(cx, dx) - max(ax, bx) > clearance
        or min(ay, by) - max(cy, dy) > clearance
        or min(cy, dy) - max(ay, by) > clearance
    ):
        return 0.0, False, 0.0, 0.0
    ux, uy, vx, vy = bx - ax, by - ay, dx - cx, dy - cy
    side_c, side_d = ux * (cy - ay) - uy * (cx - ax), ux * (dy - ay) - uy * (dx - ax)
    side_a, side_b = vx * (ay - cy) - vy * (ax - cx), vx * (by - cy) - vy * (bx - cx)
    penalty = _lack(_to_segment(ax, ay, cx, cy, dx, dy), clearance)
    penalty += _lack(_to_segment(bx, by, cx, cy, dx, dy), clearance)
    penalty += _lack(_to_segment(cx, cy, ax, ay, bx, by), clearance)
    penalty += _lack(_to_segment(dx, dy, ax, ay, bx, by), clearance)
    opposite_cd = (side_c < 0.0 < side_d) or (side_d < 0.0 < side_c)
    opposite_ab = (side_a < 0.0 < side_b) or (side_b < 0.0 < side_a)
    if not (opposite_cd and opposite_ab):
        return penalty, False, 0.0, 0.0
    s, t = side_a / (side_a - side_b), side_c / (side_c - side_d)
    length_u, length_v = math.sqrt(ux * ux + uy * uy), math.sqrt(vx * vx + vy * vy)
    near = target.crossing_clearance
    penalty += _lack(min(s, 1.0 - s) * length_u, near) + _lack(min(t, 1.0 - t) * length_v, near)
    penalty += _lack(abs(ux * vy - uy * vx) / (length_u * length_v), target.crossing_sine)
    return penalty, True, ax + s * ux, ay + s * uy


@njit(cache=True)
def spacing_penalty(path: Floats, k: int, other: int, target: Target) -> float:
    """Return the penalty for two vertices too near each other: the missing distance, as a share of the least one."""
    dx, dy = path[k, 0] - path[other, 0], path[k, 1] - path[other, 1]
    square, limit = dx * dx + dy * dy, target.spacing
    return 0.0 if square >= limit * limit else (limit - math.sqrt(square)) / limit


@njit(cache=True)
def shape_penalty(path: Floats, target: Target) -> float:
    """Return the penalty of the path for a wrong tortuosity, a small bounding box, and vertices beyond the margins."""
    n = path.shape[0]
    length = 0.0
    x_low, x_high, y_low, y_high = path[0, 0], path[0, 0], path[0, 1], path[0, 1]
    for k in range(1, n):
        dx, dy = path[k, 0] - path[k - 1, 0], path[k, 1] - path[k - 1, 1]
        length += math.sqrt(dx * dx + dy * dy)
        x_low, x_high = min(x_low, path[k, 0]), max(x_high, path[k, 0])
        y_low, y_high = min(y_low, path[k, 1]), max(y_high, path[k, 1])
    ex, ey = path[n - 1, 0] - path[0, 0], path[n - 1, 1] - path[0, 1]
    apart = math.sqrt(ex * ex + ey * ey)
    tortuosity = length / apart if apart > 0.0 else 1000.0
    low, high = target.tortuosity_low, target.tortuosity_high
    penalty = 0.0
    if tortuosity < low:
        penalty = 4.0 * (low - tortuosity) / low
    elif tortuosity > high:
        penalty = 4.0 * min((tortuosity - high) / high, 2.0)
    penalty += 4.0 * _lack(max(x_high - x_low, y_high - y_low), target.extent)
    below, above = target.box_low, target.box_high
    return (
        penalty
        + (max(below - x_low, 0.0) + max(below - y_low, 0.0))
        + (max(x_high - above, 0.0) + max(y_high - above, 0.0))
    )


@njit(cache=True)
def count_penalty(crossings: int, target: Target) -> float:
    """Return the penalty for the number of crossings: 0.4 for each one too few or too many."""
    if crossings < target.crossings_low:
        return 0.4 * (target.crossings_low - crossings)
    return 0.4 * max(crossings - target.crossings_high, 0.0)


@njit(cache=True)
def gap_penalty(xs: Floats, ys: Floats, count: int, target: Target) -> float:
    """Return the penalty for pairs of the first ``count`` crossings (px) that are too near each other."""
    limit = target.crossing_gap
    penalty = 0.0
    for i in range(count):
        for j in range(i):
            dx, dy = xs[i] - xs[j], ys[i] - ys[j]
            square = dx * dx + dy * dy
            if square < limit * limit:
                penalty += (limit - math.sqrt(square)) / limit
    return penalty


@njit(cache=True)
def _segment_terms(
    path: Floats, i: int, skip: int, target: Target, crossings: Floats, count: int, most: float
) -> tuple[float, int]:
    """Return the sum of the pair penalties of segment ``i`` with all others except ``skip``, and the new ``count``.

    ``count``: the number of rows of ``crossings`` in use; the segment's crossings are written after these. The sum is
    incomplete if it exceeds ``most``.
    """
    penalty = 0.0
    for j in range(path.shape[0] - 1):
        if penalty > most:
            break
        if j == skip or -2 < i - j < 2:
            continue
        pair, crosses, x, y = pair_penalty(path, min(i, j), max(i, j), target)
        penalty += pair
        if crosses:
            crossings[count, 0], crossings[count, 1] = x, y
            crossings[count, 2], crossings[count, 3] = min(i, j), max(i, j)
            count += 1
    return penalty, count


@njit(cache=True)
def around(path: Floats, k: int, target: Target, crossings: Floats, count: int, most: float) -> tuple[float, int]:
    """Return the sum of the spacing, joint and pair penalties that depend on vertex ``k``, and the new ``count``.

    ``count``: the number of rows of ``crossings`` in use; the crossings of the vertex's segments are written after
    these. The sum is incomplete if it exceeds ``most``.
    """
    n = path.shape[0]
    penalty = 0.0
    for other in range(n):
        if other != k:
            penalty += spacing_penalty(path, k, other, target)
    for joint in range(max(k - 1, 1), min(k + 2, n - 1)):
        penalty += joint_penalty(path, joint, target)
    if k > 0 and penalty <= most:
        part, count = _segment_terms(path, k - 1, -1, target, crossings, count, most - penalty)
        penalty += part
    if k < n - 1 and penalty <= most:
        part, count = _segment_terms(path, k, k - 1, target, crossings, count, most - penalty)
        penalty += part
    return penalty, count


@njit(cache=True)
def _everything(path: Floats, target: Target, crossings: Floats, most: float) -> tuple[float, int]:
    """Return the sum of the spacing, joint and pair penalties of a path, and the number of its crossings.

    The crossings are written to ``crossings``. The sum is incomplete if it exceeds ``most``.
    """
    n = path.shape[0]
    penalty, count = 0.0, 0
    for i in range(n):
        for j in range(i):
            penalty += spacing_penalty(path, i, j, target)
    for k in range(1, n - 1):
        penalty += joint_penalty(path, k, target)
    for i in range(n - 1):
        if penalty > most:
            break
        for j in range(i + 2, n - 1):
            pair, crosses, x, y = pair_penalty(path, i, j, target)
            penalty += pair
            if crosses:
                crossings[count, 0], crossings[count, 1], crossings[count, 2], crossings[count, 3] = x, y, i, j
                count += 1
    return penalty, count


@njit(cache=True)
def _rest(shape: float, target: Target, crossings: Floats, count: int) -> float:
    return shape + count_penalty(count, target) + gap_penalty(crossings[:, 0], crossings[:, 1], count, target)


@njit(cache=True)
def energy(path: Floats, target: Target) -> float:
    """Return the energy of ``path`` (n, 2; px), the sum of all penalties: 0 exactly if it meets all of ``target``."""
    crossings = np.empty((path.shape[0] ** 2, 4))
    local, count = _everything(path, target, crossings, math.inf)
    return local + _rest(shape_penalty(path, target), target, crossings, count)


@njit(cache=True)
def _rearrange(path: Floats, trial: Floats, low: float, high: float, reach: float, rng: np.random.Generator) -> None:
    """Write into ``trial`` the path after a random change: two vertices swapped, a section reversed, moved or scaled.

    ``low``, ``high``: the bounds of coordinates, px. A section moves up to ``reach * (high - low) / 2`` on each axis.
    """
    n = path.shape[0]
    trial[:] = path
    kind = int(rng.random() * 4)
    i, j = int(rng.random() * n), int(rng.random() * n)
    if i > j:
        i, j = j, i
    if kind == 0:
        for axis in range(2):
            trial[i, axis], trial[j, axis] = path[j, axis], path[i, axis]
    elif kind == 1:
        for k in range(i, j + 1):
            trial[k] = path[i + j - k]
    else:
        factor = 1.0 if kind == 2 else 0.8 + 0.4 * rng.random()
        for axis in range(2):
            shift = (high - low) * reach * (rng.random() - 0.5) if kind == 2 else 0.0
            for k in range(i, j + 1):
                moved = path[i, axis] + factor * (path[k, axis] - path[i, axis]) + shift
                trial[k, axis] = snap(moved, low, high)


@njit(cache=True)
def run_annealing(
    path: Floats,
    target: Target,
    steps: int,
    hot: float,
    cooling: float,
    whole: float,
    reach: float,
    exponential: Floats,
    rng: np.random.Generator,
) -> tuple[bool, int]:
    """Anneal ``path`` (n, 2; px) in place; return (True if it then meets all of ``target``, the number of steps).

    ``cooling``: the factor on the temperature in each step; ``exponential``: quantiles of the exponential distribution,
    from which the Metropolis rule draws; the other arguments: see ``annealing.Schedule``.
    """
    n = path.shape[0]
    low, high = target.box_low, target.box_high
    for k in range(n):
        path[k, 0], path[k, 1] = snap(path[k, 0], low, high), snap(path[k, 1], low, high)
    trial = path.copy()
    crossings, spare = np.empty((n * n, 4)), np.empty((n * n, 4))
    before = np.empty((4 * n, 4))
    # Cached energy share of each vertex; reset when a move is accepted.
    shares = np.full(n, math.nan)
    local, count = _everything(path, target, crossings, math.inf)
    rest = _rest(shape_penalty(path, target), target, crossings, count)
    temperature = hot
    for step in range(steps):
        if local + rest < 1e-9 and _everything(path, target, spare, math.inf)[0] + rest == 0.0:
            return True, step
        temperature *= cooling
        bar = temperature * exponential[int(rng.random() * exponential.shape[0])]
        if rng.random() < whole:
            _rearrange(path, trial, low, high, reach, rng)
            shape = shape_penalty(trial, target)
            new_local, new_count = _everything(trial, target, spare, local + rest + bar - shape + _ROUNDING)
        else:
            k = int(rng.random() * n)
            size = reach * (high - low)
            draw = rng.random()
            size *= 1.0 if draw < 0.15 else 0.3 if draw < 0.4 else 0.1 if draw < 0.75 else 0.03
            trial[k, 0] = snap(path[k, 0] + size * (2.0 * rng.random() - 1.0), low, high)
            trial[k, 1] = snap(path[k, 1] + size * (2.0 * rng.random() - 1.0), low, high)
            if math.isnan(shares[k]):
                shares[k], _ = around(path, k, target, before, 0, math.inf)
            was = shares[k]
            new_count = 0
            for c in range(count):
                first, second = crossings[c, 2], crossings[c, 3]
                if first != k and first != k - 1 and second != k and second != k - 1:
                    spare[new_count] = crossings[c]
                    new_count += 1
            shape = shape_penalty(trial, target)
            now, new_count = around(trial, k, target, spare, new_count, was + rest + bar - shape + _ROUNDING)
            new_local = local - was + now
        if new_local - local - rest <= bar:
            new_rest = _rest(shape, target, spare, new_count)
            if new_local + new_rest - local - rest <= bar:
                path[:] = trial
                crossings, spare = spare, crossings
                local, rest, count = new_local, new_rest, new_count
                shares[:] = math.nan
                continue
        trial[:] = path
    return False, steps


@njit(cache=True)
def walk(n: int, target: Target, stride: float, tries: int, rng: np.random.Generator) -> tuple[Floats, bool]:
    """Return a random walk (n, 2; px), and True if it is complete.

    Each vertex is the first of ``tries`` random ones, at most ``stride`` px from the last along each axis, that breaks
    no rule with the vertices before. The walk stops if none is found.
    """
    low, high = target.box_low, target.box_high
    path = np.empty((n, 2))
    scratch = np.empty((4 * n, 4))
    path[0, 0], path[0, 1] = (
        snap(low + rng.random() * (high - low), low, high),
        snap(low + rng.random() * (high - low), low, high),
    )
    crossings = 0
    for k in range(1, n):
        placed = False
        for _ in range(tries):
            for axis in range(2):
                path[k, axis] = snap(path[k - 1, axis] + stride * (2.0 * rng.random() - 1.0), low, high)
            penalty, count = around(path[: k + 1], k, target, scratch, 0, 0.0)
            if penalty == 0.0 and crossings + count <= target.crossings_high:
                crossings += count
                placed = True
                break
        if not placed:
            return path, False
    return path, True
