"""Recomputes the NRMSE of every motion of a pair of plots, from the columns of its row.

This is an independent check of the numbers of ``motions.py`` and ``surface_motions.py``: the heights of both plots come
from the printed expression, and are compared point by point, without a Fourier transform. To save time, the caller may
compare only some rows or columns of the grid, with a tolerance for the difference that this makes.
"""

import numpy as np

from planimeter.filters.marvl_qa.expressions import Array, surface
from planimeter.items.motions import MOTIONS, Turn
from planimeter.items.values import Row

#: Samples along both axes, and the lines of those that are compared.
POINTS, LINES = 400, 80
#: The part of the golden ratio behind the point: its multiples fill an axis evenly and never in step.
_GOLDEN = (5**0.5 - 1) / 2
_HALF = (np.arange(1, LINES // 2 + 1) * _GOLDEN % 1 * (POINTS // 2)).astype(np.int64)
#: A fifth of the lines, which lie alike in both halves of an axis at uneven distances, as no wave of a field does.
COMPARED = np.unique(np.concatenate([_HALF, POINTS - 1 - _HALF]))


def plots(row: Row) -> tuple[Array, Array]:
    """Return the heights of plots A and B (400, 400), row 0 at y_min.

    Raises:
        ValueError: if ``expression`` does not describe a surface.
    """
    heights, asked, offset = surface(row["expression"]), MOTIONS[row["motion"]], row["offset"]
    centres = row["x_min"] + (np.arange(POINTS) + 0.5) * ((row["x_max"] - row["x_min"]) / POINTS)
    x, y = centres[None, :], centres[:, None]
    moved = (x - offset, y) if asked.axis == "x" else (x, y - offset) if asked.axis == "y" else (x, y)
    return heights(x, y), heights(*_back(asked.turn, *np.broadcast_arrays(*moved)))


def motion_errors(
    a: Array, b: Array, smallest: float, largest: float, lines: Array | slice = slice(None)
) -> dict[str, float]:
    """Return {motion: RMS difference of ``b`` from ``a`` after this motion of ``a``}, over the area that both show.

    Both are (n, n), row 0 at y_min, NaN where hidden. Translations are by ``smallest`` to ``largest``, shares of n;
    their errors are lower bounds for the whole panel. Only ``lines`` of the grid along a translation are compared.
    """
    size = len(a)
    most = int(largest * size + 1e-9)
    shifts = [d for d in range(-most, most + 1) if abs(d) > smallest * size - 1]
    found: dict[str, float] = {}
    for name, motion in MOTIONS.items():
        first, second = _turned(a, motion.turn), b
        if motion.axis == "y":
            first, second = first.T, second.T
        first, second = np.ascontiguousarray(first[lines]), np.ascontiguousarray(second[lines])
        squares = [_square(first, second, d) for d in (shifts if motion.axis else [0])]
        found[name] = float(np.sqrt(min(squares)))
    return found


def _square(a: Array, b: Array, cells: int) -> float:
    """Return a lower bound, over the whole panel, of the mean square difference of ``b`` from ``a`` moved by ``cells``.

    It is the mean square where both are shown, times the share of the panel that overlaps after the move.
    """
    size = a.shape[1]
    first, second = (a[:, : size - cells], b[:, cells:]) if cells >= 0 else (a[:, -cells:], b[:, :cells])
    difference = second - first
    shown = ~np.isnan(difference)
    total = float(np.square(np.where(shown, difference, 0.0)).sum())
    return total / np.count_nonzero(shown) * (1 - abs(cells) / size)


def _back(turn: Turn, x: Array, y: Array) -> tuple[Array, Array]:
    """Return the position that ``turn`` maps to (x, y)."""
    return {
        "no_change": (x, y),
        "rotate_90_clockwise": (-y, x),
        "rotate_180": (-x, -y),
        "reflect_x": (-x, y),
        "reflect_y": (x, -y),
        "reflect_diagonal": (y, x),
    }[turn]


def _turned(heights: Array, turn: Turn) -> Array:
    """Return a view of ``heights`` (rows: y, columns: x, both upwards) after the rotation or reflection ``turn``."""
    return {
        "no_change": heights,
        "rotate_90_clockwise": heights.T[::-1],
        "rotate_180": heights[::-1, ::-1],
        "reflect_x": heights[:, ::-1],
        "reflect_y": heights[::-1],
        "reflect_diagonal": heights.T,
    }[turn]
