"""Pictures of crossing curves: black lines on white paper, in 16 greys."""

import numpy as np

from planimeter.items import PlanarMapItem
from planimeter.rendering.png import IndexedImage
from planimeter.rendering.strokes import BLACK, LEVELS, shades, stroke


def render(item: PlanarMapItem) -> IndexedImage:
    """Return the picture of ``item``, ``canvas_px`` square."""
    ink = np.zeros((item.canvas_px, item.canvas_px), np.uint8)
    for curve in item.curves:
        stroke(ink, curve, item.stroke_px, LEVELS, closed=True)
    return IndexedImage(ink, shades(BLACK))
