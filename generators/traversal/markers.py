"""Markers: five shapes in eight colours, all different in one picture, the start drawn from all forty.

The paper's pictures repeat no marker either, but its start is always the red square, so that a model may learn to look
for that one; here every combination is equally likely as the start.
"""

import numpy as np

from planimeter.items import MARKER_COLORS, MARKER_SHAPES

#: Every marker, ``"<color> <shape>"``.
MARKERS: tuple[str, ...] = tuple(f"{color} {shape}" for color in MARKER_COLORS for shape in MARKER_SHAPES)


def draw_markers(n_points: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Return ``n_points`` different markers in path order.

    Raises:
        ValueError: for more points than there are markers.
    """
    if not 0 < n_points <= len(MARKERS):
        raise ValueError(f"need 1 to {len(MARKERS)} points, one different marker each, got {n_points}")
    return tuple(MARKERS[int(i)] for i in rng.permutation(len(MARKERS))[:n_points])
