"""Reads MaRVL-QA from shrunk pictures, whose colours are near those of the key (the colour bar), but not equal to them.

The certifiers of unshrunk pictures accept a pixel's colour as a height only if it is in the key. In a picture that was
small once, edges are blurred and hardly any colour is exact. Here a pixel has the height of the nearest colour of the
blurred key; a pixel without a near colour belongs to a line, and is filled from its surroundings.

The positions of the panels are known, as all pictures of the suite share one layout.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt
from scipy.spatial import KDTree

from planimeter.filters.certify.marvl_qa.certificate import choose, count
from planimeter.filters.certify.marvl_qa.reading import (
    MOST_INK,
    PanelReading,
    UnreadableError,
    nearest_known,
    read_contours,
)
from planimeter.filters.certify.marvl_qa.registration import Heights
from planimeter.filters.certify.png import Pixels
from planimeter.filters.certify.readable import shown_at
from planimeter.items import Feature, Option

#: Height and width of a panel, px.
PANEL: Final = (600, 640)
#: The plot area of a panel, and the middle of its key: rows and columns, px.
PLOT: Final = (slice(50, 530), slice(86, 566))
KEY: Final = (slice(50, 530), slice(592, 598))
#: Every so many pixels of the plot area are read.
STRIDE: Final = 3
#: The same for the small features of ``marvl-qa-hard``.
FINE_STRIDE: Final = 2
#: A pixel belongs to a line if its colour is at least this far (of 255, over three channels) from all of the key's.
FAR: Final = 24.0
#: Lines are thinner than half of this many sampled pixels; a median over a square of that side removes them.
LINE: Final = 5
#: A key whose pixels are mostly this light is one of contour lines.
PAPER_LIGHT: Final = 200
#: Cached panels: the 81 pairs of styles of a question show 18, each in some of twelve ways.
_REMEMBERED: Final = 96


def read_count(
    picture: Pixels, share: float, reduction: str, feature: Feature, stride: int = STRIDE
) -> Iterator[str | None]:
    """Yield once the number of extrema (``feature``) in ``picture`` after shrinking, or None if it is unreadable.

    ``picture`` has its original size, that of one panel (else nothing is yielded); it is shrunk to ``share`` of that by
    ``reduction``, "area" or "bicubic". Heights are read at every ``stride``-th pixel.
    """
    for panel in _panels(picture, 1):
        try:
            yield str(count(_read(shown_at(panel, share, reduction), stride), feature, 480 // stride)[0])
        except UnreadableError:
            yield None


def read_panels(picture: Pixels, share: float, reduction: str, number: int) -> list[PanelReading]:
    """Return the heights in each panel of ``picture``, shrunk to ``share`` of its size, at every second pixel.

    The list is empty if the picture does not have ``number`` panels. Raises ``UnreadableError`` if a panel is
    unreadable.
    """
    return [_read(shown_at(panel, share, reduction), FINE_STRIDE) for panel in _panels(picture, number)]


class Pairs:
    """A reader of shrunk pairs of plots; it caches panels, because many pairs share them.

    This is valid because a panel looks the same after shrinking a pair and after shrinking it alone.
    """

    def __init__(self) -> None:
        self._heights: OrderedDict[tuple[bytes, float, str], Heights | None] = OrderedDict()
        #: The last picture, with its panels and their digests: it is read in several sizes.
        self._picture: Pixels | None = None
        self._panels: list[tuple[bytes, Pixels]] = []

    def read(self, picture: Pixels, share: float, reduction: str, options: Sequence[Option]) -> Iterator[str | None]:
        """Yield once the 1-based number of the option that turns left into right panel, or None if none is clear.

        ``picture`` has its original size; it is shrunk to ``share`` of that by ``reduction``. Nothing is
        yielded if a panel is unreadable.
        """
        if picture is not self._picture:
            panels = _panels(picture, 2)
            self._panels = [(blake2b(panel.data, digest_size=16).digest(), panel) for panel in panels]
            self._picture = picture
        surfaces = [self._reading_of(name, panel, share, reduction) for name, panel in self._panels]
        if len(surfaces) == 2 and surfaces[0] and surfaces[1]:
            yield choose(surfaces[0].residuals(surfaces[1]), options).answer

    def _reading_of(self, name: bytes, panel: Pixels, share: float, reduction: str) -> Heights | None:
        key = (name, share, reduction)
        if key not in self._heights:
            try:
                self._heights[key] = Heights(_read(shown_at(panel, share, reduction)))
            except UnreadableError:
                self._heights[key] = None
            if len(self._heights) > _REMEMBERED:
                self._heights.popitem(last=False)
        self._heights.move_to_end(key)
        return self._heights[key]


def _panels(picture: Pixels, number: int) -> list[Pixels]:
    """Return the panels of ``picture``, or an empty list if it does not have ``number`` panels."""
    if picture.shape[:2] != (PANEL[0], PANEL[1] * number):
        return []
    return [np.ascontiguousarray(panel) for panel in np.split(picture, number, axis=1)]


def _read(panel: Pixels, stride: int = STRIDE) -> PanelReading:
    plot, bar = panel[PLOT], panel[KEY].mean(axis=1)
    if np.mean(bar.min(axis=1) >= PAPER_LIGHT) > 0.5:
        return read_contours(np.ascontiguousarray(plot[:, :, 1]), np.round(bar[:, 1]).astype(np.uint8))
    return _read_colours(plot[stride // 2 :: stride, stride // 2 :: stride], bar, stride)


def _read_colours(plot: Pixels, bar: npt.NDArray[np.float64], stride: int) -> PanelReading:
    far, place = KDTree(bar[::-1]).query(plot.reshape(-1, 3).astype(np.float64))
    heights = ((place + 0.5) / len(bar)).astype(np.float32).reshape(plot.shape[:2])
    known = (far <= FAR).astype(np.uint8).reshape(plot.shape[:2])
    if np.mean(known) < 1.0 - MOST_INK:
        raise UnreadableError("colours off the key")
    filled = heights if known.all() else nearest_known(heights, known)
    if stride == FINE_STRIDE:
        # A median over lines would take small features away; without lines there is nothing to remove.
        return PanelReading(heights=filled if known.all() else np.asarray(cv2.medianBlur(filled, 3), np.float32))
    return PanelReading(heights=np.asarray(cv2.medianBlur(filled, LINE), np.float32))
