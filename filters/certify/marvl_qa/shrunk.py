"""Reading MaRVL-QA off pictures that were made smaller: colours that are near those of the key, instead of equal.

The certifiers of the native size take a pixel's colour for a height only if it stands in the key. In a picture that
was small once, edges are blurred and hardly a colour is exact. Here a pixel has the height of the nearest colour of the
key's blurred bar; where none is near, the line there is filled up from its surroundings. A contour plot is read as in
the native size, by its lines, as long as these can be told apart.

Where the panels lie is known, as all pictures of the suite share one layout.
"""

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt
from scipy.spatial import KDTree

from planimeter.filters.certify.marvl_qa.certificate import choose, count
from planimeter.filters.certify.marvl_qa.picture import UnreadableError
from planimeter.filters.certify.marvl_qa.reading import MOST_INK, PanelReading, nearest_known, read_contours
from planimeter.filters.certify.marvl_qa.registration import Heights
from planimeter.filters.certify.png import Pixels
from planimeter.items import Feature, Option, Reading

COUNTING: Final = "shrunk/level-sets"
REGISTRATION: Final = "shrunk/registration"

#: Height and width of a panel, px.
PANEL: Final = (600, 640)
#: The plot area of a panel, and the middle of its key: rows and columns, px.
PLOT: Final = (slice(50, 530), slice(86, 566))
KEY: Final = (slice(50, 530), slice(592, 598))
#: Every so many pixels of the plot area are read.
STRIDE: Final = 3
#: A pixel whose colour is so far (of 255, over three channels) from all of the key's is a line.
FAR: Final = 24.0
#: Lines are thinner than half of so many pixels that are read; a median over a square of that side leaves none.
LINE: Final = 5
#: A key whose pixels are mostly this light is one of contour lines.
PAPER_LIGHT: Final = 200


def certify_counting(picture: bytes, feature: Feature) -> Reading:
    """Return the number of ``feature`` that the picture, enlarged to its native size, shows."""
    try:
        (panel,) = _panels(picture, 1)
    except UnreadableError as unreadable:
        return Reading(certifier=COUNTING, answer=None, reason=str(unreadable))
    number, margin = count(panel, feature)
    return Reading(certifier=COUNTING, answer=str(number), margin=margin)


def certify_transformation(picture: bytes, options: Sequence[Option]) -> Reading:
    """Return the 1-based number of the option that leads from the left panel to the right one."""
    try:
        left, right = _panels(picture, 2)
        return choose(Heights(left).residuals(Heights(right)), options)
    except UnreadableError as unreadable:
        return Reading(certifier=REGISTRATION, answer=None, reason=str(unreadable))


def _panels(picture: bytes, number: int) -> list[PanelReading]:
    decoded = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR) if picture else None
    if decoded is None:
        raise UnreadableError("no picture")
    pixels = np.asarray(decoded, np.uint8)
    if pixels.shape[:2] != (PANEL[0], PANEL[1] * number):
        raise UnreadableError(f"not {number} panels")
    return [_read(panel) for panel in np.split(pixels, number, axis=1)]


def _read(panel: Pixels) -> PanelReading:
    plot, bar = panel[PLOT], panel[KEY].mean(axis=1)
    if np.mean(bar.min(axis=1) >= PAPER_LIGHT) > 0.5:
        return read_contours(np.ascontiguousarray(plot[:, :, 1]), np.round(bar[:, 1]).astype(np.uint8))
    return _read_colours(plot[STRIDE // 2 :: STRIDE, STRIDE // 2 :: STRIDE], bar)


def _read_colours(plot: Pixels, bar: npt.NDArray[np.float64]) -> PanelReading:
    far, place = KDTree(bar[::-1]).query(plot.reshape(-1, 3).astype(np.float64))
    heights = ((place + 0.5) / len(bar)).astype(np.float32).reshape(plot.shape[:2])
    known = (far <= FAR).astype(np.uint8).reshape(plot.shape[:2])
    if np.mean(known) < 1.0 - MOST_INK:
        raise UnreadableError("colours off the key")
    filled = heights if known.all() else nearest_known(heights, known)
    return PanelReading(heights=np.asarray(cv2.medianBlur(filled, LINE), np.float32))
