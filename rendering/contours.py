"""Contour lines: traced by contourpy (as in matplotlib) and drawn by matplotlib's Agg as anti-aliased coverage.

Coverage is the share of a pixel that a line covers. Lines of different levels never cross, and the pixels of a line
have heights near the line's level. So one pass of Agg over all levels gives the anti-aliased coverage, and the level
nearest to a pixel's own height tells which line covers it.
"""

from typing import Any

import contourpy
import numpy as np
import numpy.typing as npt
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.path import Path
from matplotlib.transforms import IdentityTransform

from planimeter.rendering.reference import default_rc_params

Lines = tuple[Path | None, ...]


@default_rc_params()
def trace(grid: npt.NDArray[np.float32], levels: tuple[float, ...], size: int) -> Lines:
    """Return the contour line of ``grid`` at each of ``levels``: a path in px, y up, or None if there is none.

    ``grid`` is (n, n), row 0 on top, sampled at the centres of n x n cells of a square of ``size`` px. Outside of the
    outermost samples, the lines continue perpendicularly to the border of the square.
    """
    nodes = np.concatenate(([0.0], (np.arange(len(grid)) + 0.5) * (size / len(grid)), [size]))
    heights = np.pad(grid[::-1], 1, mode="edge").astype(np.float64)
    generator = contourpy.contour_generator(nodes, nodes, heights, line_type=contourpy.LineType.ChunkCombinedCode)
    # All lines of a level are one chunk: the grid has no others.
    traced: list[Any] = [generator.lines(level) for level in levels]
    return tuple(None if points[0] is None else Path(points[0], codes[0]) for points, codes in traced)


@default_rc_params()
def stroke(lines: Lines, widths: tuple[float, ...], size: int) -> npt.NDArray[np.uint8]:
    """Draw ``lines`` of these ``widths`` (px); return each pixel's coverage: uint8 (size, size), 0 to 255, y down."""
    renderer = RendererAgg(size, size, 72)
    context = renderer.new_gc()
    context.set_foreground((0.0, 0.0, 0.0, 1.0), isRGBA=True)
    context.set_joinstyle("round")
    for path, width in zip(lines, widths, strict=True):
        if path is not None:
            context.set_linewidth(width)
            renderer.draw_path(context, path, IdentityTransform())
    return np.asarray(renderer.buffer_rgba())[:, :, 3]
