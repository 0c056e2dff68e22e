"""Trace the curves of a label map (``growth``); smooth, bend and rotate them; and scale them to pixels of the canvas.

A curve connects the midpoints of the edges between cells, so that a staircase becomes a straight slope, and is then
smoothed along its length. Smoothing and bending can bring two curves nearer to each other than the grid does;
``clearance`` measures the result, and the styles smooth and bend less if the gap is too small.
"""

from collections.abc import Sequence

import numba
import numpy as np
import numpy.typing as npt
import shapely
from scipy.ndimage import gaussian_filter1d

from planimeter.generators.curves.packing import Labels
from planimeter.generators.curves.trees import Parents, subtree_sizes

Curve = npt.NDArray[np.float64]


#: The curve around a single cell, a decagon: the polygon of the four midpoints would have half of the cell's area.
_DOT = 0.5 * np.stack([np.cos(np.arange(10) * np.pi / 5), np.sin(np.arange(10) * np.pi / 5)], axis=1)


def trace(labels: Labels, parents: Parents) -> list[Curve]:
    """Return the curve (n, 2) of each node, clockwise on screen: the midpoints (x, y in cells) of the cell edges around
    its subtree.

    ``parents`` is numbered in preorder, so that the labels of a subtree are a range of numbers.
    """
    sizes = subtree_sizes(parents)
    flat = labels.ravel()
    curves = []
    first_of = np.full(len(sizes), labels.size, np.int64)
    seen, where = np.unique(flat, return_index=True)
    first_of[seen] = where
    for node in range(1, len(sizes)):
        last = node + sizes[node] - 1
        start = int(first_of[node : last + 1].min())
        curve = _follow(labels, node, last, start // labels.shape[1], start % labels.shape[1])
        curves.append(curve if len(curve) > 4 else curve.mean(axis=0) + _DOT)
    return curves


@numba.njit(cache=True)
def _follow(labels, first, last, y0, x0):  # type: ignore[no-untyped-def]
    """Return the midpoints (x, y in cells) of the edges of one outline, in the order of a walk along it.

    The walk starts at the top edge of the cell at (``y0``, ``x0``), with the cells of labels ``first`` to ``last`` on
    the right hand.
    """
    points = np.empty((labels.size * 2, 2))
    count = 0
    y, x, dy, dx = y0, x0, 0, 1
    while True:
        points[count, 0] = x + 0.5 * dx
        points[count, 1] = y + 0.5 * dy
        count += 1
        y += dy
        x += dx
        # The cells ahead of the corner (y, x): on the left hand and on the right hand.
        left_y, left_x = y + (dy - dx - 1) // 2, x + (dx + dy - 1) // 2
        right_y, right_x = y + (dy + dx - 1) // 2, x + (dx - dy - 1) // 2
        if first <= labels[left_y, left_x] <= last:
            dy, dx = -dx, dy
        elif not first <= labels[right_y, right_x] <= last:
            dy, dx = dx, -dy
        if y == y0 and x == x0 and dy == 0 and dx == 1:
            return points[:count].copy()


def smooth(curve: Curve, sigma: float) -> Curve:
    """Return the closed curve smoothed by a Gaussian with a standard deviation of ``sigma`` vertices, almost without
    shrinkage.

    A Gaussian alone shrinks a small blob until it vanishes. Therefore the removed part is smoothed and added back
    (Tukey's twicing): a wave of length l keeps 1 - (1 - g)^2 of its amplitude instead of g = exp(-2 (pi sigma / l)^2).
    ``sigma`` is limited to a twelfth of the number of vertices.
    """
    sigma = min(sigma, len(curve) / 12.0)
    if sigma <= 0:
        return curve
    once = gaussian_filter1d(curve, sigma, axis=0, mode="wrap", truncate=3.0)
    smoothed: Curve = 2 * once - gaussian_filter1d(once, sigma, axis=0, mode="wrap", truncate=3.0)
    return smoothed


def area(curve: Curve) -> float:
    """Return the signed area of the closed polygon, > 0 for clockwise on screen (y down)."""
    after = np.concatenate([curve[1:], curve[:1]])
    return float(0.5 * (curve[:, 0] * after[:, 1] - after[:, 0] * curve[:, 1]).sum())


def openings(curves: Sequence[Curve], enough: float) -> npt.NDArray[np.float64]:
    """Return the diameter (px, to 0.1) of the largest circle in each closed polygon, or ``enough`` if that is less."""
    diameters = np.full(len(curves), enough)
    small = [i for i, c in enumerate(curves) if abs(area(c)) < 3 * enough**2]
    if small:
        radii = shapely.length(shapely.maximum_inscribed_circle([shapely.Polygon(curves[i]) for i in small], 0.05))
        diameters[small] = np.minimum(2 * radii, enough)
    return diameters


def lengths(curve: Curve) -> npt.NDArray[np.float64]:
    """Return the length of each edge of the closed polygon, starting at its first vertex."""
    steps = np.roll(curve, -1, axis=0) - curve
    return np.sqrt(steps[:, 0] * steps[:, 0] + steps[:, 1] * steps[:, 1])


def resample(curve: Curve, spacing: float, least: int = 24) -> Curve:
    """Return the closed curve with new vertices at equal distances along it: about ``spacing``, or less if that gives
    fewer than ``least`` vertices.
    """
    ends = np.concatenate([[0.0], np.cumsum(lengths(curve))])
    count = max(least, round(ends[-1] / spacing))
    at = np.arange(count) * (ends[-1] / count)
    closed = np.concatenate([curve, curve[:1]])
    return np.stack([np.interp(at, ends, closed[:, axis]) for axis in (0, 1)], axis=1)


class Bend:
    """A smooth random bend of the plane, one-to-one, after which curves no longer follow rows and columns of a grid.

    Plane waves displace each coordinate. Their slopes add up to at most ``strength`` (from 0 to below 1), so that no
    distance shrinks below ``1 - strength`` of itself. ``size``: the side of the drawing.
    """

    def __init__(self, size: float, strength: float, rng: np.random.Generator, waves: int = 3) -> None:
        if not 0 <= strength < 1:
            raise ValueError(f"need 0 <= strength < 1, so that the bend is one-to-one, got {strength}")
        angle = rng.random((2, waves)) * 2 * np.pi
        self._number = 2 * np.pi / (size * (0.45 + 0.9 * rng.random((2, waves))))
        self._kx, self._ky = self._number * np.cos(angle), self._number * np.sin(angle)
        self._phase = rng.random((2, waves)) * 2 * np.pi
        share = rng.dirichlet(np.ones(waves), 2)
        self._amplitude = strength / np.sqrt(2) * share / self._number

    def __call__(self, curves: Sequence[Curve]) -> list[Curve]:
        """Return the curves ((n, 2), in the unit of ``size``) with each vertex moved by the bend."""
        points = np.concatenate(curves)
        x, y = points[:, 0, None], points[:, 1, None]
        bent = divided(points.copy(), curves)
        for axis in (0, 1):
            wave = np.sin(x * self._kx[axis] + y * self._ky[axis] + self._phase[axis])
            # Sums for each curve alone, to keep the order of addition.
            for moved, of in zip(bent, divided(wave, curves), strict=True):
                moved[:, axis] += of @ self._amplitude[axis]
        return bent


def turned(curves: Sequence[Curve], angle: float, mirrored: bool) -> list[Curve]:
    """Return the curves rotated by ``angle`` (radians) about the origin; if ``mirrored``, x is negated first."""
    c, s = np.cos(angle), np.sin(angle)
    matrix = np.array([[c, s], [-s, c]])
    if mirrored:
        matrix = np.array([[-1.0, 0.0], [0.0, 1.0]]) @ matrix
    return [curve @ matrix for curve in curves]


def fit(curves: Sequence[Curve], size: float, margin: float) -> list[Curve]:
    """Return the curves scaled and centred in a square canvas of ``size`` px, so that the longer side of their bounding
    box reaches the margins of ``margin`` px.
    """
    points = np.concatenate(curves)
    x, y = points.T.copy()
    low, high = np.array([x.min(), y.min()]), np.array([x.max(), y.max()])
    scale = (size - 2 * margin) / float((high - low).max())
    shift = size / 2 - scale * (low + high) / 2
    return divided(points * scale + shift, curves)


def divided(points: Curve, curves: Sequence[Curve]) -> list[Curve]:
    """Split ``points`` into arrays of the lengths of ``curves``; the inverse of concatenation."""
    return np.split(points, np.cumsum([len(curve) for curve in curves[:-1]]))
