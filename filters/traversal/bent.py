"""The line of a bent path, from its vertices alone and independent of the renderer: scipy's cubic Hermite spline.

The definition is that of ``generators.traversal.smooth``; nothing else is shared, so that a fault there is a difference
here. Where both arrive at another last bit, a sample can lie 1/1024 px elsewhere.
"""

import numpy as np
import numpy.typing as npt
from scipy.interpolate import CubicHermiteSpline

from planimeter.generators.traversal.limits import PIECES, STEPS

Floats = npt.NDArray[np.float64]


def bent_line(points: Floats, smoothness: float) -> Floats:
    """Return the samples ((n - 1) * PIECES + 1, 2), px, of the curve through ``points`` (n, 2)."""
    reach = np.linalg.norm(np.diff(points, axis=0), axis=1)
    tangents = np.gradient(points, axis=0)  # half the chord of both neighbours, at an end the segment itself
    lengths = np.linalg.norm(tangents, axis=1)
    shorter = np.minimum(np.append(reach, np.inf), np.insert(reach, 0, np.inf))
    tangents *= (smoothness * shorter / np.maximum(lengths, 1e-9))[:, None]
    curve = CubicHermiteSpline(np.arange(len(points)), points, tangents)
    samples = curve(np.arange((len(points) - 1) * PIECES + 1) / PIECES)
    return np.asarray(np.rint(samples * STEPS) / STEPS, np.float64)


def curvature_of(line: Floats, points: Floats, radius: float) -> float:
    """Return how far ``line`` turns over its length, 1/px, farther than ``radius`` px from all ``points``."""
    steps = np.diff(line @ np.array([1, 1j]))
    turns, lengths = np.abs(np.angle(steps[1:] * steps[:-1].conj())), (np.abs(steps[1:]) + np.abs(steps[:-1])) / 2
    gaps = line[1:-1, None] - points
    open_ = ((gaps * gaps).sum(axis=2) > radius * radius).all(axis=1)
    return float(turns[open_].sum() / lengths[open_].sum()) if open_.any() else 0.0
