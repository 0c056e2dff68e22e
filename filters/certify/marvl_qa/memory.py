"""Reading each panel once, however many pictures and colour maps show it.

Of colours that are not grey, reading asks which are equal and which are light, and nothing else. So panels that differ
in such colours only, and not in that, are read as the same; and so is all that follows from what was read. What is
remembered is a function of pixels and colours alone, so that nothing depends on what came before.
"""

from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from planimeter.filters.certify.marvl_qa.picture import decode, halves
from planimeter.filters.certify.marvl_qa.reading import PAPER_LIGHT, PanelReading, read_panel
from planimeter.filters.certify.png import Indexed, Pixels, look_up, parts, pixels

#: Every so many pixels, in both directions, make the sketch by which a panel is looked up.
SKETCH: Final = 16


@dataclass(frozen=True, slots=True)
class _Drawing:
    """A panel but for its colours, which ``indices`` number without gaps. ``known``: readings by colours' classes."""

    indices: Pixels = field(repr=False)
    known: dict[bytes, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Seen:
    """Pixels that are known: the drawing that they show, and which of a palette's colours they use.

    The pixels are held so that their identity stays theirs.
    """

    pixels: Pixels = field(repr=False)
    drawing: _Drawing
    used: npt.NDArray[np.intp]


class PanelMemory:
    """Numbers what panels show: ``readings`` by number, equal numbers for panels that are read as the same."""

    def __init__(self) -> None:
        self.readings: list[PanelReading] = []
        self._by_sketch: dict[bytes, list[_Drawing]] = {}
        self._seen_by_sketch: dict[bytes, list[_Seen]] = {}
        self._classes: dict[bytes, bytes] = {}
        self._by_identity: dict[int, _Seen] = {}
        self._panels_by_identity: dict[int, tuple[Indexed, int]] = {}
        self._by_bytes: dict[tuple[tuple[int, int], bytes], list[_Seen]] = {}

    def in_picture(self, png: bytes, number: int) -> list[int] | None:
        """Return the numbers of the ``number`` panels of a picture, None if it has not so many.

        Raises:
            UnreadableError: if it is no picture, or one of its panels cannot be read.
        """
        seen, colours = self._panels(png)
        return [self._number(panel, colours) for panel in seen] if len(seen) == number else None

    def in_panel(self, panel: Indexed) -> int:
        """Return the number of ``panel``, which must stay as it is."""
        if id(panel) not in self._panels_by_identity:
            indices, colours = panel
            if id(indices) not in self._by_identity:
                self._by_identity[id(indices)] = self._see(indices)
            self._panels_by_identity[id(panel)] = panel, self._number(self._by_identity[id(indices)], colours)
        return self._panels_by_identity[id(panel)][1]

    def _panels(self, png: bytes) -> tuple[list[_Seen], Pixels]:
        apart = parts(png)
        if apart is not None:
            key = (apart.size, apart.deflated)
            whole = None if key in self._by_bytes else pixels(apart)
            if whole is not None:
                self._by_bytes[key] = [self._see(half) for half in halves(whole)]
            if key in self._by_bytes:
                return self._by_bytes[key], apart.colours
        panels = decode(png)
        return [self._see(indices) for indices, _ in panels], panels[0][1]

    def _see(self, indices: Pixels) -> _Seen:
        # A few of its pixels find a panel; all of them decide.
        alike = self._seen_by_sketch.setdefault(indices[::SKETCH, ::SKETCH].tobytes(), [])
        seen = next((known for known in alike if np.array_equal(known.pixels, indices)), None)
        if seen is None:
            seen = self._look(indices)
            alike.append(seen)
        return seen

    def _look(self, indices: Pixels) -> _Seen:
        used = np.flatnonzero(cv2.calcHist([indices], [0], None, [256], [0, 256]))
        ranks = np.zeros(256, np.uint8)
        ranks[used] = np.arange(len(used), dtype=np.uint8)
        ranked = look_up(ranks, indices)
        alike = self._by_sketch.setdefault(ranked[::SKETCH, ::SKETCH].tobytes(), [])
        drawing = next((known for known in alike if np.array_equal(known.indices, ranked)), None)
        if drawing is None:
            drawing = _Drawing(ranked)
            alike.append(drawing)
        return _Seen(indices, drawing, used)

    def _number(self, seen: _Seen, palette: Pixels) -> int:
        colours = palette[seen.used]
        as_bytes, known = colours.tobytes(), seen.drawing.known
        if as_bytes not in self._classes:
            self._classes[as_bytes] = _colour_classes(colours)
        classes = self._classes[as_bytes]
        if classes not in known:
            self.readings.append(read_panel((seen.drawing.indices, colours)))
            known[classes] = len(self.readings) - 1
        return known[classes]


def _colour_classes(palette: Pixels) -> bytes:
    """Return all that reading asks of each colour: which grey it is, else which equal it, and whether it is light.

    Greys are frames and lines, and are read by how dark they are; colours have their heights by their place in the key.
    """
    codes = palette.astype(np.int64) @ np.array([1 << 16, 1 << 8, 1])
    _, first, number = np.unique(codes, return_index=True, return_inverse=True)
    low, high = palette.min(axis=1), palette.max(axis=1)
    return np.stack([np.where(low == high, codes, -1 - first[number]), low >= PAPER_LIGHT]).tobytes()
