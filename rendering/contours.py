"""Contour lines: traced by contourpy (what matplotlib uses), stroked by Agg straight into a coverage layer.

Lines of different levels never cross, and a line of level k lies where the height is that of level k. So one pass of
Agg over all levels gives the anti-aliased coverage, and the nearest level of a pixel's own height gives its ink.
"""

from functools import cache
from typing import Any, Final, cast

import contourpy
import numpy as np
import numpy.typing as npt
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.path import Path
from matplotlib.transforms import IdentityTransform

from planimeter.rendering.reference import as_it_comes

Lines = tuple[Path | None, ...]
#: What contourpy returns for one level: points and path codes of each chunk. We ask for one chunk.
Chunks = tuple[list[npt.NDArray[np.float64] | None], list[npt.NDArray[np.uint8] | None]]

#: What ``contourpy.contour_generator`` passes on, which looks for masked and for infinite heights for a millisecond.
_ONE_CHUNK: Final[Any] = {
    "line_type": contourpy.LineType.ChunkCombinedCode,
    "fill_type": contourpy.SerialContourGenerator.default_fill_type,
    "corner_mask": True,
    "quad_as_tri": False,
    "z_interp": contourpy.ZInterp.Linear,
}


@as_it_comes()
def trace(grid: npt.NDArray[np.float32], levels: tuple[float, ...], size: int) -> Lines:
    """Return the contour lines of ``grid`` in px, y up, one path a level (None where nothing reaches the level).

    ``grid`` is (n, n), row 0 on top, sampled at the centres of n x n cells of the square of ``size`` px. Half a cell at
    each edge has no sample beyond it: there the lines run on straight, so that they end at the frame and not before it.
    """
    heights = np.pad(grid[::-1].astype(np.float64), 1, mode="edge")
    x, y = _nodes(len(grid), size)
    generator = contourpy.SerialContourGenerator(x, y, heights, None, **_ONE_CHUNK)  # type: ignore[arg-type]
    lines: list[Path | None] = []
    for level in levels:
        chunks = cast(Chunks, generator.lines(level))
        lines.append(None if chunks[0][0] is None else Path(chunks[0][0], chunks[1][0]))
    return tuple(lines)


@cache
def _nodes(cells: int, size: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return x and y of the samples of ``trace``, in px: two arrays (cells + 2, cells + 2)."""
    nodes = np.concatenate(([0.0], (np.arange(cells) + 0.5) * (size / cells), [size]))
    x, y = np.meshgrid(nodes, nodes)
    return x, y


@as_it_comes()
def stroke(lines: Lines, widths: tuple[float, ...], size: int) -> npt.NDArray[np.uint8]:
    """Return how much of each pixel the ``lines`` cover: uint8 (size, size), 0 to 255, y down; ``widths`` in px."""
    renderer = RendererAgg(size, size, 72)
    context = renderer.new_gc()
    context.set_foreground((0.0, 0.0, 0.0, 1.0), isRGBA=True)
    context.set_joinstyle("round")
    for path, width in zip(lines, widths, strict=True):
        if path is not None:
            context.set_linewidth(width)
            renderer.draw_path(context, path, IdentityTransform())
    return np.asarray(renderer.buffer_rgba())[:, :, 3]
