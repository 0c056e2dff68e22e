"""Tests whether a picture still shows its answer after it was shrunk, as image processors of models shrink pictures.

A picture is shrunk in two ways, by averaging areas and by the bicubic filter that the image processors of most models
use, and enlarged to the original size, which the reading functions (``Look``) expect. Enlarging adds nothing that the
small picture did not contain. Both shrunk pictures must give the answer.

The result is one-sided: if the answer is read, the small picture contains it. If not, perhaps only this reader fails.
"""

from collections.abc import Callable, Iterable
from typing import Final

import cv2
import numpy as np
from PIL import Image

from planimeter.filters.certify.png import Pixels, decoded

#: The ways to shrink a picture. Both weigh every pixel within a small pixel, so that none is skipped.
REDUCTIONS: Final = ("area", "bicubic")

#: Reads a picture, uint8 (height, width, 3), BGR, that was shrunk by a share of its size in one of the ways. Each way
#: to read it yields an answer, or None.
Look = Callable[[Pixels, float, str], Iterable[str | None]]


def is_readable_at(png: bytes, answer: str, look: Look, side: int) -> bool:
    """Return True if ``look`` reads ``answer`` from ``png`` after both ways to shrink its longer side to ``side`` px.

    A picture whose longer side is at most ``side`` counts as readable: the certificate at its own size covers it.

    Raises:
        ValueError: if ``png`` is not a PNG.
    """
    picture = decoded(png)
    if picture is None:
        raise ValueError(f"expected a PNG, got {len(png)} other bytes")
    share = side / max(picture.shape[:2])
    return share >= 1.0 or all(answer in look(picture, share, reduction) for reduction in REDUCTIONS)


def in_grey(read: Callable[[Pixels], Iterable[str | None]]) -> Look:
    """Return a ``Look`` (function) that makes a picture grey, shrinks and re-enlarges it, and passes it to ``read``."""
    return lambda picture, *how: read(shown_at(np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8), *how))


def shown_at(picture: Pixels, share: float, reduction: str) -> Pixels:
    """Return ``picture``, grey or coloured, shrunk to ``share`` of its size and enlarged again.

    ``reduction`` is the way to shrink it: "area" averages areas, "bicubic" uses the bicubic filter.
    """
    height, width = picture.shape[:2]
    size = max(round(width * share), 1), max(round(height * share), 1)
    if reduction == "area":
        small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    else:
        # OpenCV's own bicubic filter samples 4 x 4 pixels and skips the others.
        small = np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.BICUBIC))
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC), np.uint8)
