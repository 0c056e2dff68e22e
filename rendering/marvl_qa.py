"""MaRVL-QA pictures: a sampled surface in one of nine styles, alone or in a pair (sections 3.3 and A.4 of its paper).

Layers that depend on the surface alone are computed once for all styles (``drawing``). Each panel is painted once for
all pictures of pairs that contain it (``compose``). Grids are sampled at the centres of their cells, row 0 on top
(y_max) and column 0 at x_min: rotating the array rotates the picture.

A contour plot in one colour cannot distinguish a peak from a pit. Here the grey and the width of each line show its
height, from thin light grey (low) to thick black (high), and the key beside the plot shows the same lines.

matplotlib is the reference: tests/rendering/test_rendering.py compares heatmaps and lines with imshow and contour.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from planimeter.items import Domain, PlotStyle, PlotType
from planimeter.rendering.contours import stroke, trace
from planimeter.rendering.frame import KEY, PLOT, PLOT_SIZE, frame_layer
from planimeter.rendering.heights import HeightScale, nearest_level, resample
from planimeter.rendering.palette import (
    COVERAGES,
    GREYS,
    HEATMAP_STEPS,
    INK_STEPS,
    OVERLAY_STEPS,
    contour_palette,
    heatmap_palette,
    line_greys,
    overlay_palette,
)
from planimeter.rendering.png import IndexedImage

#: Widths in px of a contour plot's lines, lowest and highest level, and of the lines on a heatmap.
CONTOUR_WIDTHS: Final = (1.4, 1.7)
OVERLAY_WIDTH: Final = 1.15
#: A line that runs between two rows of pixels covers each of them by half its width: 0.7 px of the thinnest. Inking
#: such pixels in full keeps every line's own grey visible along all of it.
FULL_COVERAGE: Final = 0.7

PLOT_TYPES: Final[tuple[PlotType, ...]] = ("heatmap", "contour", "heatmap-contour")

_OWN: Final = len(GREYS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawing:
    """The layers that all styles of one surface share; a layer is None if the requested plot types do not need it.

    ``pixels``: float32 (480, 480), heights at pixel centres as fractions of the range of the height scale. ``overlay``:
    uint8 (480, 480), contour lines on a heatmap: 0 for no line, else the number, from 1, of a line colour in
    ``palette.overlay_palette``. ``ink``: uint8 (480, 480), a contour plot as indices into ``palette.contour_palette``.
    """

    scale: HeightScale
    pixels: npt.NDArray[np.float32] = field(repr=False)
    overlay: npt.NDArray[np.uint8] | None = field(repr=False)
    ink: npt.NDArray[np.uint8] | None = field(repr=False)


def drawing(
    grid: npt.NDArray[np.float64], scale: HeightScale, plot_types: Collection[PlotType] = PLOT_TYPES
) -> Drawing:
    """Return the layers (``Drawing``) of ``grid``, square heights with row 0 at y_max, for panels of ``plot_types``."""
    fractions = scale.fractions(grid)
    pixels = resample(fractions, PLOT_SIZE)
    overlay = ink = None
    if {"contour", "heatmap-contour"} & set(plot_types):
        lines = trace(fractions, scale.levels, PLOT_SIZE)
        nearest = nearest_level(pixels, scale.levels)
        if "heatmap-contour" in plot_types:
            coverage = stroke(lines, (OVERLAY_WIDTH,) * len(lines), PLOT_SIZE)
            overlay = _coloured(_overlay_colours(len(lines)), nearest, coverage)
        if "contour" in plot_types:
            coverage = stroke(lines, _widths(len(lines)), PLOT_SIZE)
            ink = _coloured(_ink_colours(len(lines)), nearest, coverage)
    return Drawing(scale=scale, pixels=pixels, overlay=overlay, ink=ink)


def render_panel(
    grid: npt.NDArray[np.float64], domain: Domain, scale: HeightScale, style: PlotStyle, title: str = ""
) -> IndexedImage:
    """Return the panel (600 x 640 px) of ``grid`` in ``style``.

    ``grid`` has heights at the centres of n x n cells, row 0 at y_max.
    """
    return paint(drawing(grid, scale, (style.plot_type,)), domain, style, title)


def paint(drawn: Drawing, domain: Domain, style: PlotStyle, title: str = "") -> IndexedImage:
    """Return the panel of a surface in ``style``, from its layers ``drawn``, with ``title`` above the plot area.

    Raises ``ValueError`` if ``drawn`` lacks the layers of the style's plot type.
    """
    return paint_all(drawn, domain, (style,), title)[0]


def paint_all(drawn: Drawing, domain: Domain, styles: Sequence[PlotStyle], title: str = "") -> tuple[IndexedImage, ...]:
    """Return the panel of a surface in each of ``styles``; panels of one plot type share one array of indices."""
    of_type: dict[PlotType, npt.NDArray[np.uint8]] = {}
    panels = []
    for style in styles:
        if style.plot_type not in of_type:
            of_type[style.plot_type] = _indices(drawn, domain, style.plot_type, title)
            of_type[style.plot_type].flags.writeable = False
        panels.append(IndexedImage(of_type[style.plot_type], _palette(drawn, style)))
    return tuple(panels)


def compose(left: IndexedImage, right: IndexedImage) -> IndexedImage:
    """Return both panels side by side with one palette: common greys, then the colours of ``left`` and ``right``."""
    return Composer().compose(left, right)


class Composer:
    """A cache for composing many pairs of panels that differ only in their colours, such as all styles of two plots.

    Pictures that differ only in colours share one array of palette indices, which is read-only.
    """

    def __init__(self) -> None:
        # References to the indices keep their identities unique.
        self._known: dict[tuple[int, int, int], tuple[IndexedImage, IndexedImage, npt.NDArray[np.uint8]]] = {}

    def compose(self, left: IndexedImage, right: IndexedImage) -> IndexedImage:
        """Return the same picture as the function ``compose``; the panels' indices must not be modified afterwards."""
        same = np.array_equal(left.palette, right.palette)
        further = 0 if same else len(left.palette) - _OWN
        colours = left.palette if same else np.concatenate([left.palette, right.palette[_OWN:]])
        key = id(left.indices), id(right.indices), further
        if key not in self._known:
            table = np.arange(256)
            table[_OWN:] += further
            indices = np.hstack([left.indices, cv2.LUT(right.indices, table.astype(np.uint8))])
            indices.flags.writeable = False
            self._known[key] = left, right, indices
        return IndexedImage(self._known[key][2], colours)


def _indices(drawn: Drawing, domain: Domain, plot_type: PlotType, title: str) -> npt.NDArray[np.uint8]:
    indices = frame_layer(domain, title).copy()
    if plot_type == "heatmap":
        _fill_heatmap(indices, drawn, HEATMAP_STEPS)
        return indices
    if plot_type == "heatmap-contour" and drawn.overlay is not None:
        _fill_heatmap(indices, drawn, OVERLAY_STEPS)
        np.copyto(indices[PLOT], drawn.overlay + np.uint8(_OWN + OVERLAY_STEPS - 1), where=drawn.overlay > 0)
        return indices
    if plot_type == "contour" and drawn.ink is not None:
        indices[PLOT] = drawn.ink
        indices[KEY] = _line_key(drawn.scale.levels)
        return indices
    raise ValueError(f"the drawing has no lines for {plot_type}: name this plot type in drawing(..., plot_types)")


def _palette(drawn: Drawing, style: PlotStyle) -> npt.NDArray[np.uint8]:
    if style.plot_type == "heatmap":
        return heatmap_palette(style.colormap)
    return contour_palette() if style.plot_type == "contour" else overlay_palette(style.colormap, drawn.scale.levels)


def _fill_heatmap(indices: npt.NDArray[np.uint8], drawn: Drawing, steps: int) -> None:
    indices[PLOT] = (drawn.pixels * np.float32(steps - 1) + np.float32(_OWN + 0.5)).astype(np.uint8)
    ramp = np.linspace(1.0, 0.0, PLOT_SIZE) * (steps - 1) + _OWN + 0.5
    indices[KEY] = ramp.astype(np.uint8)[:, None]


def _coloured(
    colours: npt.NDArray[np.uint8], nearest: npt.NDArray[np.uint8], coverage: npt.NDArray[np.uint8]
) -> npt.NDArray[np.uint8]:
    """Return the entry of ``colours`` (levels, 256) for each pixel: by its nearest contour level and its coverage."""
    return colours.take(nearest.astype(np.int32) * 256 + coverage)


@cache
def _overlay_colours(levels: int) -> npt.NDArray[np.uint8]:
    """Return the number of a line's colour on a heatmap, 0 for none, by its level and coverage: uint8 (levels, 256)."""
    steps = (np.arange(256) * COVERAGES + 127) // 255
    return np.where(steps > 0, np.arange(levels)[:, None] * COVERAGES + steps, 0).astype(np.uint8)


@cache
def _ink_colours(levels: int) -> npt.NDArray[np.uint8]:
    """Return the palette index of a line in a contour plot by level and coverage, uint8 (levels, 256)."""
    return _ink(np.arange(256, dtype=np.uint8)[None, :], _shades(levels)[:, None])


@lru_cache(maxsize=64)
def _line_key(levels: tuple[float, ...]) -> npt.NDArray[np.uint8]:
    """Return the column of pixels for the key of a contour plot, as palette indices: uint8 (480, 1).

    Each contour line appears at its height in its grey and width.
    """
    key = np.full((PLOT_SIZE, 1), _OWN + INK_STEPS - 1, np.uint8)
    for level, width, shade in zip(levels, _widths(len(levels)), _shades(len(levels)), strict=True):
        coverage = _band(PLOT_SIZE * (1.0 - level), width) * 255.0
        key = np.minimum(key, _ink(coverage[:, None], shade))
    return key


def _widths(count: int) -> tuple[float, ...]:
    return tuple(np.linspace(*CONTOUR_WIDTHS, count).tolist())


def _shades(count: int) -> npt.NDArray[np.float32]:
    """Return the darkness of each of ``count`` contour lines, from the lowest up: 0 (white) to 1 (black)."""
    return (1.0 - line_greys(count) / 255.0).astype(np.float32)


def _ink(
    coverage: npt.NDArray[np.uint8] | npt.NDArray[np.float64], shade: npt.NDArray[np.float32] | np.float32
) -> npt.NDArray[np.uint8]:
    """Return the palette index of a pixel of which ``coverage`` (0 to 255) is covered by a line of darkness ``shade``.

    From a coverage of ``FULL_COVERAGE`` times 255 on, a pixel has the full darkness.
    """
    top = INK_STEPS - 1
    inked = np.minimum(coverage * np.float32(top / 255.0 / FULL_COVERAGE), np.float32(top))
    return (_OWN + top + 0.5 - shade * inked).astype(np.uint8)


def _band(centre: float, width: float) -> npt.NDArray[np.float64]:
    """Return the share of each pixel row that a horizontal line of ``width`` px covers at ``centre`` (px, y down)."""
    edges = np.clip(np.arange(PLOT_SIZE + 1), centre - width / 2, centre + width / 2)
    return np.diff(edges)
