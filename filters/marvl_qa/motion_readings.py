"""Recomputes the NRMSE of every motion of a pair of plots, from the columns of its row.

A second way to the figures of ``filters/marvl_qa/motions.py``: heights come from the printed expression, the plots are
compared point by point without a transform, and only each fifth line along a translation is sampled, which the caller's
tolerance has to allow for.
"""

import numpy as np

from planimeter.filters.marvl_qa.expressions import Array, Heights, surface
from planimeter.items.motions import MOTIONS, Turn
from planimeter.items.values import Row

#: Samples along a translation and across it.
ALONG, ACROSS = 400, 80


def motion_errors(row: Row, smallest: float, largest: float) -> dict[str, float]:
    """Return the NRMSE of every motion, for translations of ``smallest`` to ``largest``, shares of the axis.

    Raises:
        ValueError: if ``expression`` does not describe a surface.
    """
    plot_a = surface(row["expression"])
    asked, offset = MOTIONS[row["motion"]], row["offset"]
    low, high = row["x_min"], row["x_max"]

    def plot_b(x: Array, y: Array) -> Array:
        moved = (x - offset, y) if asked.axis == "x" else (x, y - offset) if asked.axis == "y" else (x, y)
        return plot_a(*_back(asked.turn, *moved))

    most = int(largest * ALONG + 1e-9)
    shifts = [d for d in range(-most, most + 1) if abs(d) > smallest * ALONG - 1]
    along, across = _centres(low, high, ALONG), _centres(low, high, ACROSS)
    lines = {"x": (along[None, :], across[:, None]), "y": (across[None, :], along[:, None])}
    whole = along[None, :], along[:, None]
    both = plot_a(*whole), plot_b(*whole)
    spread = float(max(plot.max() for plot in both) - min(plot.min() for plot in both))
    found: dict[str, float] = {}
    for name, motion in MOTIONS.items():
        x, y = lines[motion.axis or "x"]
        after = _of(plot_a, motion.turn, x, y)
        a, b = (after, plot_b(x, y)) if motion.axis != "y" else (after.T, plot_b(x, y).T)
        squares = [_square(a, b, d) for d in (shifts if motion.axis else [0])]
        found[name] = float(np.sqrt(min(squares))) / spread
    return found


def _square(a: Array, b: Array, cells: int) -> float:
    """Return the mean square over the panel of ``b`` less ``a``, moved by ``cells``; 0 where one of them is missing."""
    first, second = (a[:, : a.shape[1] - cells], b[:, cells:]) if cells >= 0 else (a[:, -cells:], b[:, :cells])
    return float(np.square(second - first).sum()) / a.size


def _of(plot: Heights, turn: Turn, x: Array, y: Array) -> Array:
    """Return ``plot`` after ``turn`` at x and y."""
    return plot(*_back(turn, x, y))


def _back(turn: Turn, x: Array, y: Array) -> tuple[Array, Array]:
    """Return the place that ``turn`` takes to (x, y)."""
    return {
        "no_change": (x, y),
        "rotate_90_clockwise": (-y, x),
        "rotate_180": (-x, -y),
        "reflect_x": (-x, y),
        "reflect_y": (x, -y),
        "reflect_diagonal": (y, x),
    }[turn]


def _centres(low: float, high: float, number: int) -> Array:
    return np.asarray(low + (np.arange(number) + 0.5) * ((high - low) / number), np.float64)
