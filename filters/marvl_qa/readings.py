"""How unlike the right answer of a pair of plots is every wrong one: computed anew, from the columns of its row.

A second way to the figures of Algorithm 1 (MaRVL-QA, A.4), in both readings of a shift: on what both plots show, and
with the function continued beyond the window. Heights come from the printed expression. Of each column of plot B and
each column of the function, in the window and beyond it, the mean square difference is written into a table
(n, n + 2 beyond); a shift is a diagonal of the table, all of it in the second reading, and the part inside the window
in the first. Only each fifth line along the shift is sampled, which the caller's tolerance has to bear.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from planimeter.filters.marvl_qa.expressions import Array, Heights, surface

Row = Mapping[str, Any]

#: Samples along a shift and across it, and the largest shift, in samples: a quarter of the window (A.7).
ALONG, ACROSS, LARGEST = 400, 80, 100


def least_errors(row: Row) -> tuple[float, float]:
    """Return the NRMSE to the nearest wrong option: on what both plots show, and with the function continued.

    ``row`` holds ``expression``, the window, ``transformation`` and ``offset``. Both are shares of the range of plot A.

    Raises:
        ValueError: if ``expression`` is none of a surface.
    """
    kind, offset = row["transformation"], row["offset"]
    plot_a = surface(row["expression"])

    def plot_b(x: Array, y: Array) -> Array:
        back = {
            "translate_x": (x - offset, y),
            "translate_y": (x, y - offset),
            "rotate_90_clockwise": (-y, x),
            "rotate_180": (-x, -y),
        }
        return plot_a(*back[kind])

    x = _centres(row["x_min"], row["x_max"], ALONG)[None, :]
    y = _centres(row["y_min"], row["y_max"], ACROSS)[:, None]
    shown = plot_b(x, y)
    unmoved = {"no_change": (x, y), "rotate_90_clockwise": (-y, x), "rotate_180": (-x, -y)}
    both = [float(np.mean((shown - plot_a(*at)) ** 2)) for option, at in unmoved.items() if option != kind]
    first, second = list(both), list(both)
    for axis in "xy":
        if kind != f"translate_{axis}":
            overlap, whole = _least_shifted(plot_a, plot_b, row, axis)
            first.append(overlap)
            second.append(whole)
    spread = float(np.ptp(plot_a(x, _centres(row["y_min"], row["y_max"], ALONG)[:, None])))
    return float(np.sqrt(min(first))) / spread, float(np.sqrt(min(second))) / spread


def _least_shifted(plot_a: Heights, plot_b: Heights, row: Row, axis: str) -> tuple[float, float]:
    """Return the least mean square error of a shift along ``axis``: on what both plots show, and on the whole panel."""
    across = "y" if axis == "x" else "x"
    low, high = row[f"{axis}_min"], row[f"{axis}_max"]
    beyond = (high - low) * LARGEST / ALONG
    along = _centres(low - beyond, high + beyond, ALONG + 2 * LARGEST)[None, :]
    lines = _centres(row[f"{across}_min"], row[f"{across}_max"], ACROSS)[:, None]
    inside = along[:, LARGEST:-LARGEST]
    a, b = (
        (plot_a(along, lines), plot_b(inside, lines)) if axis == "x" else (plot_a(lines, along), plot_b(lines, inside))
    )
    # Not a BLAS product: its threads cost three times what they bring.
    product = np.einsum("ik,jk->ij", np.ascontiguousarray(b.T), np.ascontiguousarray(a.T))
    table = (b**2).mean(axis=0)[:, None] + (a**2).mean(axis=0)[None, :] - 2 * product / ACROSS
    # Row s: the diagonal of the shift by s - LARGEST samples, from the first column of plot B to its last.
    step_b, step_a = table.strides
    shifts = np.arange(-LARGEST, LARGEST + 1)
    diagonals = as_strided(table[:, 2 * LARGEST :], (len(shifts), ALONG), (-step_a, step_b + step_a), writeable=False)
    sums = np.hstack([np.zeros((len(shifts), 1)), np.cumsum(diagonals, axis=1)])
    start, stop = np.maximum(shifts, 0), ALONG + np.minimum(shifts, 0)
    rows = np.arange(len(shifts))
    overlap = (sums[rows, stop] - sums[rows, start]) / (stop - start)
    return max(float(overlap.min()), 0.0), max(float(sums[:, -1].min()) / ALONG, 0.0)


def _centres(low: float, high: float, number: int) -> Array:
    return np.asarray(low + (np.arange(number) + 0.5) * ((high - low) / number), np.float64)
