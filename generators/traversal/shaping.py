"""Operations on paths that the families share: scale to the picture, set the tortuosity, bend, warp, add vertices."""

import math

import numpy as np

from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.kernels import Floats
from planimeter.generators.traversal.limits import Limits


def aim(cell: Cell, bins: Bins, rng: np.random.Generator) -> tuple[float, int]:
    """Return a random tortuosity and number of crossings in the ranges of ``cell``, as the aim of a proposal."""
    low, high = bins.tortuosity_range(cell.tortuosity_bin)
    fewest, most = bins.crossing_range(cell.crossing_bin)
    return low + (0.1 + 0.8 * rng.random()) * (high - low), int(rng.integers(fewest, most + 1))


def _stretch(u: Floats, v: Floats, tortuosity: float) -> float:
    """Return the factor, from 1/30 to 30, by which ``v`` is multiplied to give the path (u, v) about ``tortuosity``.

    ``u`` and ``v``: coordinates along and across the line through the ends of the path.
    """
    wanted, du, dv = tortuosity * abs(u[-1] - u[0]), np.diff(u), np.diff(v)
    low, high = 1 / 30, 30.0
    for _ in range(18):
        middle = math.sqrt(low * high)
        # Added up in order, by the accumulation.
        length = np.cumsum(np.sqrt(du * du + (middle * dv) ** 2))[-1]
        low, high = (middle, high) if length < wanted else (low, middle)
    return math.sqrt(low * high)


def tuned(path: Floats, tortuosity: float) -> Floats:
    """Return ``path`` stretched or compressed across the line through its ends until its tortuosity is about
    ``tortuosity``, and rotated so that its ends are on the x axis.

    Stretching changes the length but not the distance of the ends, so that bisection finds the factor. It is from 1/30
    to 30; if no such factor gives ``tortuosity``, the nearer of these bounds is used.
    """
    chord = path[-1] - path[0]
    size = math.sqrt(float(chord @ chord))
    if size == 0.0:
        return path
    along, across = chord / size, np.array([-chord[1], chord[0]]) / size
    u, v = (path - path[0]) @ along, (path - path[0]) @ across
    return np.stack([u, v * _stretch(u, v, tortuosity)], axis=1)


def fitted(path: Floats, limits: Limits, rng: np.random.Generator) -> Floats:
    """Return ``path`` at a random size, position and rotation inside the margins of the picture, px.

    The longer side of its bounding box is 0.86 to 1 times that of the square inside the margins. At random, it is also
    mirrored, and its start and end are exchanged.
    """
    shape = path[::-1] if rng.random() < 0.5 else path
    if rng.random() < 0.5:
        shape = shape * np.array([1.0, -1.0])
    angle = 0.5 * math.pi * int(rng.integers(4)) + 2 * math.pi * rng.random()
    shape = shape @ np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    low = shape.min(axis=0)
    extent = shape.max(axis=0) - low
    share = 0.86 + 0.14 * rng.random()
    factor = share * limits.room / max(float(extent.max()), 1e-9)
    free = limits.room - extent * factor
    return limits.margin + free * rng.random(2) + (shape - low) * factor


def bent(path: Floats, sweep: float) -> Floats:
    """Return ``path`` with its x axis bent into a circular arc of ``sweep`` radians, or unchanged if that is near 0."""
    if abs(sweep) < 0.05:
        return path
    x_low, x_high = float(path[:, 0].min()), float(path[:, 0].max())
    radius = (x_high - x_low) / sweep
    angle = (path[:, 0] - x_low) / radius
    distance = radius - path[:, 1]
    return np.stack([distance * np.sin(angle), radius - distance * np.cos(angle)], axis=1)


def warped(path: Floats, strength: float, rng: np.random.Generator) -> Floats:
    """Return ``path``, moved to the origin, with its vertices displaced by a smooth random map of the plane.

    The map adds two sine waves along each axis. Their amplitudes are at most ``strength`` and half of it, as shares of
    the path's size.
    """
    low = path.min(axis=0)
    size = max(float((path.max(axis=0) - low).max()), 1e-9)
    unit = (path - low) / size
    phases, weights = rng.random((2, 2)) * 2 * math.pi, (rng.random((2, 2)) - 0.5) * 2 * strength
    moved = unit.copy()
    for axis in range(2):
        other = unit[:, 1 - axis]
        moved[:, axis] += weights[axis, 0] * np.sin(math.pi * other + phases[axis, 0])
        moved[:, axis] += weights[axis, 1] * np.sin(2 * math.pi * other + phases[axis, 1]) * 0.5
    return moved * size


def grown(path: Floats, n_points: int, jitter: float, rng: np.random.Generator) -> Floats:
    """Return ``path`` with vertices added at random until it has ``n_points``.

    Each new vertex splits a long segment near its middle and is displaced sideways by up to ``jitter`` of the segment's
    length. The segment is the longest after each length has been multiplied by a random number.
    """
    rows = [np.asarray(row, np.float64) for row in path]
    while len(rows) < n_points:
        steps = np.diff(np.array(rows), axis=0)
        lengths = np.sqrt((steps**2).sum(axis=1)) * (0.75 + 0.25 * rng.random(len(steps)))
        longest = int(np.argmax(lengths))
        step = steps[longest]
        aside = np.array([-step[1], step[0]]) * jitter * (2 * rng.random() - 1)
        rows.insert(longest + 1, rows[longest] + step * (0.4 + 0.2 * rng.random()) + aside)
    return np.array(rows)
