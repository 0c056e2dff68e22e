"""Recomputes the error of every wrong option of a pair of plots from the columns of its row.

This is an independent check of the numbers of Algorithm 1 of the paper (MaRVL-QA, A.4). Heights come from the printed
expression. The algorithm can be read in two ways for a plot A that is shifted: the first reading compares it with plot
B only where they overlap; the second compares all of plot B, with the function of plot A evaluated beyond its window.

By default only 80 of the 400 lines in the direction of the shift are compared, and the caller must tolerate the
inaccuracy: if the height changes suddenly from one line to the next, the error may be off by 0.002.
"""

import numba
import numpy as np

from planimeter.filters.marvl_qa.expressions import Array, Heights, surface
from planimeter.items.values import Row

#: Samples along a shift and across it, and the largest shift, in samples: a quarter of the window (A.7).
ALONG, ACROSS, LARGEST = 400, 80, 100


def least_errors(row: Row, lines: int = ACROSS) -> tuple[float, float]:
    """Return the least NRMSE of a wrong option: over the overlap of both plots, and over the whole of plot B.

    ``row`` has ``expression``, the window, ``transformation`` and ``offset``. Both errors are shares of the range of
    plot A, computed from ``lines`` lines along a shift.

    Raises:
        ValueError: if ``expression`` does not describe a surface.
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
    y = _centres(row["y_min"], row["y_max"], lines)[:, None]
    heights_b = plot_b(x, y)
    unmoved = {"no_change": (x, y), "rotate_90_clockwise": (-y, x), "rotate_180": (-x, -y)}
    both = [float(np.mean((heights_b - plot_a(*at)) ** 2)) for option, at in unmoved.items() if option != kind]
    first, second = list(both), list(both)
    for axis in "xy":
        if kind != f"translate_{axis}":
            overlap, whole = _least_shifted(plot_a, plot_b, row, axis, lines)
            first.append(overlap)
            second.append(whole)
    spread = float(np.ptp(plot_a(x, _centres(row["y_min"], row["y_max"], ALONG)[:, None])))
    return float(np.sqrt(min(first))) / spread, float(np.sqrt(min(second))) / spread


def _least_shifted(plot_a: Heights, plot_b: Heights, row: Row, axis: str, number: int) -> tuple[float, float]:
    """Return the least mean square error over all shifts along ``axis``: where the plots overlap, and on all of plot B.

    ``number`` is the number of lines in the direction of ``axis`` that are compared.
    """
    across = "y" if axis == "x" else "x"
    low, high = row[f"{axis}_min"], row[f"{axis}_max"]
    beyond = (high - low) * LARGEST / ALONG
    along = _centres(low - beyond, high + beyond, ALONG + 2 * LARGEST)[None, :]
    lines = _centres(row[f"{across}_min"], row[f"{across}_max"], number)[:, None]
    inside = along[:, LARGEST:-LARGEST]
    a, b = (
        (plot_a(along, lines), plot_b(inside, lines)) if axis == "x" else (plot_a(lines, along), plot_b(lines, inside))
    )
    overlap, whole = _shifted(np.ascontiguousarray(a), np.ascontiguousarray(b))
    return float(overlap.min()), float(whole.min())


@numba.njit(cache=True)
def _shifted(a, b):  # type: ignore[no-untyped-def]
    """Return two arrays with the mean square error of each shift, the leftmost first: on the overlap, on all of ``b``.

    ``a`` and ``b`` are the heights (lines, samples) in the plots; ``a`` extends beyond both ends of the window.
    """
    lines, along = b.shape
    most = (a.shape[1] - along) // 2
    overlap, whole = np.empty(2 * most + 1), np.empty(2 * most + 1)
    for shift in range(-most, most + 1):
        columns = np.zeros(along)
        for line in range(lines):
            for c in range(along):
                columns[c] += (b[line, c] - a[line, c + most - shift]) ** 2
        shared = columns[max(shift, 0) : along + min(shift, 0)]
        overlap[shift + most] = shared.sum() / (shared.size * lines)
        whole[shift + most] = columns.sum() / (along * lines)
    return overlap, whole


def _centres(low: float, high: float, number: int) -> Array:
    return np.asarray(low + (np.arange(number) + 0.5) * ((high - low) / number), np.float64)
