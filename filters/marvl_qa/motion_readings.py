"""Recomputes the NRMSE of every motion of a pair of plots, from the columns of its row.

A second way to the figures of ``filters/marvl_qa/motions.py``: the heights of both plots come from the printed
expression, and are compared point by point, without a transform. Of the lines along a translation a fifth is compared,
which the caller's tolerance has to allow for; they lie at uneven distances, as no wave of a field does.
"""

import numpy as np

from planimeter.filters.marvl_qa.expressions import Array, surface
from planimeter.items.motions import MOTIONS, Turn
from planimeter.items.values import Row

#: Samples along both axes, and the lines that are compared.
POINTS, LINES = 400, 80
#: The part of the golden ratio behind the point: its multiples fill an axis evenly and never in step.
_GOLDEN = (5**0.5 - 1) / 2
_HALF = (np.arange(1, LINES // 2 + 1) * _GOLDEN % 1 * (POINTS // 2)).astype(np.int64)
#: The lines, which lie alike in both halves of an axis: a turn takes them to one another.
_COMPARED = np.unique(np.concatenate([_HALF, POINTS - 1 - _HALF]))
_SWAPPING = frozenset({"rotate_90_clockwise", "reflect_diagonal"})


def motion_errors(row: Row, smallest: float, largest: float) -> dict[str, float]:
    """Return the NRMSE of every motion, for translations of ``smallest`` to ``largest``, shares of the axis.

    Raises:
        ValueError: if ``expression`` does not describe a surface.
    """
    centres = _centres(row)
    some = centres[_COMPARED]
    a_rows, b_rows = _sampled(row, centres[None, :], some[:, None])
    a_columns, b_columns = _sampled(row, some[None, :], centres[:, None])
    every = (a_rows, b_rows, a_columns, b_columns)
    spread = float(max(part.max() for part in every) - min(part.min() for part in every))
    most = int(largest * POINTS + 1e-9)
    shifts = [d for d in range(-most, most + 1) if abs(d) > smallest * POINTS - 1]
    found: dict[str, float] = {}
    for name, motion in MOTIONS.items():
        along_y = motion.axis == "y"
        turned = _turned(a_rows if (motion.turn in _SWAPPING) == along_y else a_columns, motion.turn)
        first, second = (turned.T, b_columns.T) if along_y else (turned, b_rows)
        squares = [_square(first, second, d) for d in (shifts if motion.axis else [0])]
        found[name] = float(np.sqrt(min(squares))) / spread
    return found


def plots(row: Row) -> tuple[Array, Array]:
    """Return the heights of plots A and B (400, 400), row 0 at the top. Raises ``ValueError`` as ``motion_errors``."""
    centres = _centres(row)
    a, b = _sampled(row, centres[None, :], centres[::-1, None])
    return a, b


def shown_errors(a: Array, b: Array, smallest: float, largest: float) -> dict[str, float]:
    """Return the NRMSE of every motion of ``a`` to ``b`` (n, n), row 0 at the top, on what both show; elsewhere NaN.

    Heights are shares of the range of both plots.
    """
    size = len(a)
    most = int(largest * size + 1e-9)
    shifts = [d for d in range(-most, most + 1) if abs(d) > smallest * size - 1]
    found: dict[str, float] = {}
    for name, motion in MOTIONS.items():
        first, second = _turned(a[::-1], motion.turn), b[::-1]
        if motion.axis == "y":
            first, second = first.T, second.T
        first, second = np.ascontiguousarray(first), np.ascontiguousarray(second)
        squares = [_shown_square(first, second, d) for d in (shifts if motion.axis else [0])]
        found[name] = float(np.sqrt(min(squares)))
    return found


def _centres(row: Row) -> Array:
    return np.asarray(row["x_min"] + (np.arange(POINTS) + 0.5) * ((row["x_max"] - row["x_min"]) / POINTS))


def _sampled(row: Row, x: Array, y: Array) -> tuple[Array, Array]:
    """Return the heights of plots A and B at ``x`` and ``y``."""
    heights, asked, offset = surface(row["expression"]), MOTIONS[row["motion"]], row["offset"]
    moved = (x - offset, y) if asked.axis == "x" else (x, y - offset) if asked.axis == "y" else (x, y)
    return heights(x, y), heights(*_back(asked.turn, *np.broadcast_arrays(*moved)))


def _shown_square(a: Array, b: Array, cells: int) -> float:
    """Return the mean square of ``b`` less ``a``, moved by ``cells``, where both are shown, times the share of the
    window that the move leaves.
    """
    size = len(a)
    first, second = (a[:, : size - cells], b[:, cells:]) if cells >= 0 else (a[:, -cells:], b[:, :cells])
    return float(np.nanmean(np.square(second - first))) * (1 - abs(cells) / size)


def _square(a: Array, b: Array, cells: int) -> float:
    """Return the mean square over the panel of ``b`` less ``a``, moved by ``cells``; 0 where one of them is missing."""
    first, second = (a[:, : POINTS - cells], b[:, cells:]) if cells >= 0 else (a[:, -cells:], b[:, :cells])
    return float(np.square(second - first).sum()) / a.size


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


def _turned(heights: Array, turn: Turn) -> Array:
    """Return ``heights`` (rows: y, columns: x, both upwards) after ``turn``, as a view."""
    return {
        "no_change": heights,
        "rotate_90_clockwise": heights.T[::-1],
        "rotate_180": heights[::-1, ::-1],
        "reflect_x": heights[:, ::-1],
        "reflect_y": heights[::-1],
        "reflect_diagonal": heights.T,
    }[turn]
