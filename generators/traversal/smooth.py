"""Smooth paths: a spline of a chosen smoothness through the vertices of a path, and its mean curvature.

The TraversalBench paper suggests curvature as future work. A cubic Hermite piece joins each vertex to the next. At an
inner vertex the tangent is parallel to the line through the two neighbours, and ``smoothness`` times as long as the
shorter segment there; at an end of the path it is ``smoothness`` times the segment there. A curve deviates from its
polyline: the rules are applied to the drawn curve (``filters.traversal.rules``), and a path that breaks them is
rejected, never smoothed less.

Samples are multiples of 1/1024 px, so that an orientation test in float64 is exact for pictures up to 2,048 px wide.
They are computed by + - * / and square roots only, which are the same on every machine.
"""

import numpy as np

from planimeter.generators.traversal.kernels import Floats
from planimeter.generators.traversal.limits import PIECES, SMOOTHEST, STEPS


def spline(points: Floats, smoothness: float) -> Floats:
    """Return samples ((n - 1) * PIECES + 1, 2) of the smooth curve through ``points`` (n, 2), px.

    With a ``smoothness`` of 0 they are on the polyline.

    Raises:
        ValueError: if ``smoothness`` is outside [0, 1.5]; above, pieces can loop.
    """
    if not 0 <= smoothness <= SMOOTHEST:
        raise ValueError(f"need 0 <= smoothness <= {SMOOTHEST}, got {smoothness}")
    tangents = _tangents(points, smoothness)[:, None]
    u = (np.arange(PIECES) / PIECES)[:, None]
    square, cube = u * u, u * u * u
    a, b = points[:-1, None], points[1:, None]
    pieces = (
        a + (3 * square - 2 * cube) * (b - a) + (u - 2 * square + cube) * tangents[:-1] + (cube - square) * tangents[1:]
    )
    return np.round(np.concatenate([pieces.reshape(-1, 2), points[-1:]]) * STEPS) / STEPS


def mean_curvature(line: Floats, points: Floats, radius: float) -> float:
    """Return the mean curvature (1/px, rounded) of a sampled ``line`` (m, 2; px) where no marker covers it.

    It is the sum of the absolute turning angles (radians) at the uncovered samples over the length of the line there.
    The markers ``points`` (n, 2) cover samples within ``radius`` px. A polyline has 0.
    """
    steps = np.diff(line, axis=0)
    before, after = steps[:-1], steps[1:]
    cross = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    turns = np.abs(np.arctan2(cross, before[:, 0] * after[:, 0] + before[:, 1] * after[:, 1]))
    lengths = np.sqrt(steps[:, 0] * steps[:, 0] + steps[:, 1] * steps[:, 1])
    gaps = line[1:-1, None] - points
    uncovered = (gaps[:, :, 0] * gaps[:, :, 0] + gaps[:, :, 1] * gaps[:, :, 1]).min(axis=1) > radius * radius
    length = float((0.5 * (lengths[:-1] + lengths[1:]))[uncovered].sum())
    return round(float(turns[uncovered].sum()) / length, 6) if length else 0.0


def _tangents(points: Floats, smoothness: float) -> Floats:
    steps = np.diff(points, axis=0)
    lengths = np.sqrt((steps**2).sum(axis=1))
    tangents = np.zeros_like(points)
    tangents[0], tangents[-1] = smoothness * steps[0], smoothness * steps[-1]
    chords = points[2:] - points[:-2]
    sizes = np.maximum(np.sqrt((chords**2).sum(axis=1)), 1e-9)
    tangents[1:-1] = smoothness * chords * (np.minimum(lengths[:-1], lengths[1:]) / sizes)[:, None]
    return tangents
