"""A cache of the heights read from panels, so that a panel shown in many pictures or colour maps is read once.

Panels have the same heights if their pixels differ in colours only, and the colours agree in the properties listed in
``_colour_classes``. Such panels share one ``PanelReading``, and the results computed from it. The cache depends on
pixels and colours alone, so that results do not depend on the order of pictures.
"""

from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from planimeter.filters.certify.marvl_qa.reading import PAPER_LIGHT, PanelReading, decode, halves, read_panel
from planimeter.filters.certify.png import Indexed, Pixels, look_up, parts, pixels

#: Every so many pixels, in both directions, make the sketch that is the key of a panel.
SKETCH: Final = 16


@dataclass(frozen=True, slots=True)
class _Drawing:
    """A panel without its colours: ``indices`` has the number of each pixel's colour, from 0 without gaps.

    ``places`` has the flat index of one pixel of each number. ``known`` maps properties of the panel's colours
    (``_colour_classes``) to an index in ``PanelMemory.readings``.
    """

    indices: Pixels = field(repr=False)
    places: npt.NDArray[np.intp] = field(repr=False)
    known: dict[bytes, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Content:
    """The pixels of a panel: a drawing, and ``used``, the palette index of each colour number in the drawing."""

    drawing: _Drawing
    used: npt.NDArray[np.uint8]


class PanelMemory:
    """A cache that reads each distinct panel once, and returns the index of its reading in the list ``readings``."""

    def __init__(self) -> None:
        self.readings: list[PanelReading] = []
        self._by_sketch: dict[bytes, list[_Drawing]] = {}
        self._classes: dict[bytes, bytes] = {}
        # References to the pixels keep their identities unique.
        self._by_identity: dict[int, tuple[Pixels, _Content]] = {}
        self._panels_by_identity: dict[int, tuple[Indexed, int]] = {}
        #: By size and by the checksum of the pixels: the deflated bytes, which decide, and the content.
        self._by_checksum: dict[tuple[tuple[int, int], bytes], list[tuple[bytes, list[_Content]]]] = {}

    def in_picture(self, png: bytes, number: int) -> list[int] | None:
        """Return the index in ``readings`` of each panel of ``png``; None if it does not have ``number`` panels.

        Raises:
            UnreadableError: if ``png`` is not a picture, or a panel is unreadable.
        """
        contents, colours = self._panels(png)
        return [self._number(panel, colours) for panel in contents] if len(contents) == number else None

    def in_panel(self, panel: Indexed) -> int:
        """Return the index in ``readings`` of ``panel``, which must not be modified afterwards."""
        if id(panel) not in self._panels_by_identity:
            indices, colours = panel
            if id(indices) not in self._by_identity:
                self._by_identity[id(indices)] = indices, self._content_of(indices)
            self._panels_by_identity[id(panel)] = panel, self._number(self._by_identity[id(indices)][1], colours)
        return self._panels_by_identity[id(panel)][1]

    def _panels(self, png: bytes) -> tuple[list[_Content], Pixels]:
        split = parts(png)
        if split is not None:
            alike = self._by_checksum.setdefault((split.size, split.deflated[-4:]), [])
            contents = next((contents for deflated, contents in alike if deflated == split.deflated), None)
            whole = pixels(split) if contents is None else None
            if whole is not None:
                contents = [self._content_of(half) for half in halves(whole)]
                alike.append((split.deflated, contents))
            if contents is not None:
                return contents, split.colours
        panels = decode(png)
        return [self._content_of(indices) for indices, _ in panels], panels[0][1]

    def _content_of(self, indices: Pixels) -> _Content:
        """Return the content of a panel with the pixels ``indices``; a stored drawing is reused if it is equal."""
        # Some pixels, each compared with its neighbour, find a candidate; all pixels decide.
        few = indices[::SKETCH, ::SKETCH]
        alike = self._by_sketch.setdefault((few[:, 1:] != few[:, :-1]).tobytes(), [])
        for drawing in alike:
            if drawing.indices.shape == indices.shape:
                used = indices.take(drawing.places)
                if np.array_equal(look_up(used, drawing.indices), indices):
                    return _Content(drawing, used)
        used = np.flatnonzero(cv2.calcHist([indices], [0], None, [256], [0, 256])).astype(np.uint8)
        ranks = np.zeros(256, np.uint8)
        ranks[used] = np.arange(len(used), dtype=np.uint8)
        numbers = look_up(ranks, indices)
        content = numbers.tobytes()
        drawing = _Drawing(numbers, np.array([content.find(number) for number in range(len(used))]))
        alike.append(drawing)
        return _Content(drawing, used)

    def _number(self, content: _Content, palette: Pixels) -> int:
        """Return the index in ``readings`` of ``content`` in the colours ``palette``; read it first if it is new."""
        colours = palette[content.used]
        as_bytes, known = colours.tobytes(), content.drawing.known
        if as_bytes not in self._classes:
            self._classes[as_bytes] = _colour_classes(colours)
        classes = self._classes[as_bytes]
        if classes not in known:
            self.readings.append(read_panel((content.drawing.indices, colours)))
            known[classes] = len(self.readings) - 1
        return known[classes]


def _colour_classes(palette: Pixels) -> bytes:
    """Return, as bytes, all properties of the colours ``palette`` on which a reading depends.

    These are: the value of each grey (of frames and lines), which other colours are equal, and which colours are light.
    The height of a colour follows from its position in the key, not from its value.
    """
    codes = palette.astype(np.int64) @ np.array([1 << 16, 1 << 8, 1])
    _, first, number = np.unique(codes, return_index=True, return_inverse=True)
    low, high = palette.min(axis=1), palette.max(axis=1)
    return np.stack([np.where(low == high, codes, -1 - first[number]), low >= PAPER_LIGHT]).tobytes()
