"""Reads MaRVL-QA from thumbnails: how far a model comes that sees n x n grey values of a plot and nothing else.

The plot area is cut out where every picture of the suite has it, and made small by averaging; in a contour plot, which
is mostly paper, dark ink stands for height. No training: a summit counts from ``STANDS_OUT`` on, a round figure, and a
shift is one of a whole number of thumbnail pixels, up to a quarter of the axis.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from planimeter.filters.certify.marvl_qa.summits import persistences
from planimeter.items import Feature, Option

Thumbnail = npt.NDArray[np.float32]

#: The plot area of a panel: rows and columns in px. A second panel begins ``PANEL_WIDTH`` px further to the right.
PLOT: Final = (slice(50, 530), slice(86, 566))
PANEL_WIDTH: Final = 640

#: A summit counts if it rises so far above the pass to a higher one, as a share of the thumbnail's range.
STANDS_OUT: Final = 0.1
_THRESHOLDS: Final = np.linspace(0.0, 1.0, 33)


def thumbnails(png: bytes, size: int, panels: int) -> list[Thumbnail]:
    """Return each panel of a picture as float32 (``size``, ``size``), higher where the surface is; none of a picture
    that is of another shape.
    """
    return [
        np.asarray(cv2.resize(plot, (size, size), interpolation=cv2.INTER_AREA), np.float32)
        for plot in _plots(png, panels)
    ]


@lru_cache(maxsize=1)
def _plots(png: bytes, panels: int) -> list[npt.NDArray[np.uint8]]:
    """Return the plot area of each panel, lighter where the surface is higher. Thumbnails of several sizes are made of
    one picture after the other.
    """
    picture = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_GRAYSCALE)
    if picture is None or picture.shape[1] != panels * PANEL_WIDTH:
        return []
    plots = [picture[:, panel * PANEL_WIDTH :][PLOT] for panel in range(panels)]
    heights = [255 - plot if np.mean(plot == 255) > 0.5 else plot for plot in plots]
    return [np.ascontiguousarray(plot, np.uint8) for plot in heights]


def peaks(thumbnail: Thumbnail, feature: Feature) -> int:
    """Return how many ``feature`` stand out within ``thumbnail``."""
    heights = -thumbnail if feature == "minima" else thumbnail
    heights = (heights - heights.min()) / max(float(np.ptp(heights)), 1.0)
    return int(np.count_nonzero(persistences(heights, _THRESHOLDS) >= STANDS_OUT))


def registered(first: Thumbnail, second: Thumbnail, options: Sequence[Option]) -> Option:
    """Return the one of ``options`` under which ``first`` differs least from ``second``."""
    residuals: Mapping[Option, Callable[[], float]] = {
        "no_change": lambda: _difference(first, second),
        "rotate_90_clockwise": lambda: _difference(np.rot90(first, -1), second),
        "rotate_180": lambda: _difference(np.rot90(first, 2), second),
        "translate_x": lambda: _least_shifted(first, second),
        "translate_y": lambda: _least_shifted(first.T, second.T),
    }
    return min(options, key=lambda option: residuals[option]())


def _least_shifted(first: Thumbnail, second: Thumbnail) -> float:
    """Return the least difference after a shift along the rows, over what both show."""
    size = first.shape[1]
    return min(
        _difference(a[:, shift:], b[:, : size - shift])
        for shift in range(1, max(size // 4, 1) + 1)
        for a, b in ((first, second), (second, first))
    )


def _difference(first: Thumbnail, second: Thumbnail) -> float:
    return float(np.sqrt(np.mean(np.square(_standard(first) - _standard(second)))))


def _standard(part: Thumbnail) -> Thumbnail:
    """Return ``part`` with mean 0 and deviation 1: colours of different maps have no common scale."""
    return np.asarray((part - part.mean()) / (float(part.std()) or 1.0), np.float32)
