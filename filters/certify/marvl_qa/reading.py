"""Reads the heights at the pixels of MaRVL-QA panels from the bytes of a picture.

The picture is the only input. A panel has a framed plot and, beside it, a key (its legend). If the key is a colour bar,
each colour of the bar has a height; pixels of other colours are contour lines, and get the height of the nearest pixel
with a colour of the bar. The key of a contour plot has lines, whose greys identify the levels; regions between lines
are connected components, and the lines around a region show the two levels around its height.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from planimeter.filters.certify.marvl_qa.contours import read_intervals, spread
from planimeter.filters.certify.png import Indexed, Pixels, indexed, look_up

#: A picture this many times as wide as high has two panels.
TWO_PANELS: Final = 1.5


class UnreadableError(ValueError):
    """The error for a picture without a readable frame, key or height; rejections are counted by its message."""


def decode(png: bytes) -> tuple[Indexed, ...]:
    """Return the panels of a picture, left to right.

    Raises ``UnreadableError`` if ``png`` is not a picture, or has more than 256 colours.
    """
    read = indexed(png)
    if read is None:
        raise UnreadableError("no picture")
    indices, colours = read
    if len(colours) > 256:
        raise UnreadableError("more colours than a plot has")
    return tuple((half, colours) for half in halves(indices))


def halves(indices: Pixels) -> tuple[Pixels, ...]:
    """Return the pixels of each panel of a picture: one, or two if the picture is wide."""
    height, width = indices.shape
    return (indices,) if width < TWO_PANELS * height else (indices[:, : width // 2], indices[:, width // 2 :])


#: Frames are grey lines at most this light; they span at least this share of a panel.
FRAME_LIGHT: Final = 96
FRAME_SHARE: Final = 0.5
#: A key whose pixels are mostly this light is one of contour lines.
PAPER_LIGHT: Final = 240
#: A panel with a larger share of colours that are not on its bar is unreadable.
MOST_INK: Final = 0.7


@dataclass(frozen=True, kw_only=True, slots=True)
class PanelReading:
    """The heights that a panel shows.

    ``heights`` are float32 (n, n) in [0, 1] on the scale of the key, row 0 on top; ``levels`` is then empty. A
    contour plot shows only between which two ``levels`` (fractions of the key, ascending) a height is; then
    ``heights`` contains the number of that interval, 0 to ``len(levels)``.
    """

    heights: npt.NDArray[np.float32] = field(repr=False)
    levels: tuple[float, ...] = ()


def read_panel(panel: Indexed) -> PanelReading:
    """Return the heights that ``panel`` shows. Raises ``UnreadableError`` if the picture does not determine them."""
    indices, colours = panel
    plot, key = _areas(indices, colours)
    bar = key[:, key.shape[1] // 2]
    if np.mean(colours[bar].min(axis=1) >= PAPER_LIGHT) > 0.5:
        return read_contours(look_up(colours[:, 1], plot), colours[bar, 1])
    return _read_colours(plot, bar, colours)


def _areas(indices: Pixels, colours: Pixels) -> tuple[Pixels, Pixels]:
    """Return the pixels inside the frame of the plot and inside that of the key."""
    is_dark = (colours[:, 0] == colours[:, 1]) & (colours[:, 1] == colours[:, 2]) & (colours[:, 1] <= FRAME_LIGHT)
    dark = look_up(is_dark.astype(np.uint8), indices)
    number = cv2.reduce(dark, 1, cv2.REDUCE_SUM, dtype=cv2.CV_32S).ravel()
    rows = np.flatnonzero(number >= FRAME_SHARE * indices.shape[1])
    if len(rows) < 2:
        raise UnreadableError("no plot frame")
    top, bottom = int(rows[0]), int(rows[-1])
    edges = np.flatnonzero(np.diff(np.concatenate([[0], dark[top].astype(np.int8), [0]])))
    spans = [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    longest = max(range(len(spans)), key=lambda i: spans[i][1] - spans[i][0])
    spans = spans[longest : longest + 2]  # the plot's frame, then the key's; before it, a number may cross the row
    if len(spans) != 2 or any(not dark[top : bottom + 1, [a, b]].all() for a, b in spans):
        raise UnreadableError("no plot frame")
    plot, key = (indices[top + 1 : bottom, a + 1 : b] for a, b in spans)
    if plot.shape[0] != plot.shape[1] or key.shape[1] < 3:
        raise UnreadableError("no plot frame")
    return plot, key


def _read_colours(plot: Pixels, bar: Pixels, palette: Pixels) -> PanelReading:
    every = palette.astype(np.int32) @ np.array([1, 1 << 8, 1 << 16], np.int32)
    codes = every[bar[::-1]]
    starts = np.concatenate([[0], np.flatnonzero(np.diff(codes)) + 1, [len(codes)]])
    colours = codes[starts[:-1]]
    if len(np.unique(colours)) < len(colours):
        raise UnreadableError("no order of colours in the key")
    heights = ((starts[:-1] + starts[1:]) / 2.0 / len(codes)).astype(np.float32)
    order = np.argsort(colours)
    place = order[np.searchsorted(colours, every, sorter=order).clip(max=len(order) - 1)]
    on_bar = colours[place] == every
    known = look_up(on_bar.astype(np.uint8), plot)
    inked = 1.0 - np.count_nonzero(known) / known.size
    if inked > MOST_INK:
        raise UnreadableError("colours off the key")
    values = look_up(np.where(on_bar, heights[place], np.float32(0.0)), plot)
    return PanelReading(heights=nearest_known(values, known) if inked else values)


def nearest_known(values: npt.NDArray[np.float32], known: Pixels) -> npt.NDArray[np.float32]:
    """Return ``values`` with each unknown one (``known`` is 0, not 1) replaced by the nearest known one."""
    _, labels = cv2.distanceTransformWithLabels(1 - known, cv2.DIST_L2, 3, labelType=cv2.DIST_LABEL_PIXEL)
    return spread(values, known, labels)


def read_contours(plot: npt.NDArray[np.uint8], bar: npt.NDArray[np.uint8]) -> PanelReading:
    """Return the height intervals that a contour plot shows.

    ``plot`` is the grey of its pixels (n, n), ``bar`` the greys of its key from the top.

    Raises:
        UnreadableError: if the lines do not determine them.
    """
    levels, greys = _key_lines(bar)
    intervals = read_intervals(np.ascontiguousarray(plot), greys)
    if intervals is None:
        raise UnreadableError("height of a region is undecided")
    return PanelReading(heights=intervals.astype(np.float32), levels=tuple(float(level) for level in levels))


def _key_lines(bar: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the heights (0 to 1) and the greys of the lines in the key, from the lowest line."""
    ink = 255.0 - bar[::-1].astype(np.float64)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], (ink > 0).astype(np.int8), [0]])))
    spans = list(zip(edges[::2], edges[1::2], strict=True))
    if len(spans) < 2:
        raise UnreadableError("no lines in the key")
    rows = np.arange(len(bar)) + 0.5
    centres = [float((rows[a:b] * ink[a:b]).sum() / ink[a:b].sum()) / len(bar) for a, b in spans]
    greys = [float(255.0 - ink[a:b].max()) for a, b in spans]
    if any(a <= b for a, b in pairwise(greys)):
        raise UnreadableError("no order of greys in the key")
    return np.array(centres), np.array(greys)
