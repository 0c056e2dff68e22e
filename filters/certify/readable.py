"""How small a picture may be made before its answer is lost: what a model can have seen that was shown it small.

A picture is made smaller in two ways, by averaging areas and by the bicubic filter that the image processors of most
models use, then enlarged to its own size again, so that a reader made for that size can read it. Enlarging adds nothing
that the small picture did not hold. What counts is the worse of both ways.

The result is a bound from one side: at that size the answer is certainly in the picture. At a smaller one only this
reader may fail.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable
from typing import Final

import cv2
import numpy as np
from PIL import Image

from planimeter.filters.certify.png import Pixels, decoded

#: Shares of the native size, in which every picture has its certificate, to which it is made smaller.
LADDER: Final = (1.0, 0.75, 0.5, 0.375, 0.25, 0.1875, 0.125)

#: The ways to make a picture smaller. Both weigh every pixel that a small pixel covers, so that nothing is skipped.
REDUCTIONS: Final = ("area", "bicubic")

#: Reads a picture, uint8 (height, width, 3), BGR, that was made smaller by a share of its size in one of the ways: what
#: its answer may be, each as one of several ways to read it says; None where it cannot be read.
Look = Callable[[Pixels, float, str], Iterable[str | None]]


def readable_at(png: bytes, answer: str, look: Look) -> int:
    """Return the longer side (px) of the smallest picture from which ``look`` still gets ``answer``.

    ``png`` is a picture that is certified in its native size. The step is found by bisection: what cannot be read at
    one size is taken to be unreadable at every smaller one.

    Raises:
        ValueError: if ``png`` is no picture.
    """
    picture = decoded(png)
    if picture is None:
        raise ValueError(f"need the bytes of a picture, got {len(png)} bytes that are none")

    def is_lost(share: float) -> bool:
        return not all(answer in look(picture, share, reduction) for reduction in REDUCTIONS)

    return max(size_at(picture, LADDER[bisect_left(LADDER[1:], True, key=is_lost)]))


def size_at(picture: Pixels, share: float) -> tuple[int, int]:
    """Return the width and height (px) of ``picture`` made smaller by ``share``."""
    height, width = picture.shape[:2]
    return max(round(width * share), 1), max(round(height * share), 1)


def in_grey(read: Callable[[Pixels], Iterable[str | None]]) -> Look:
    """Return the look of a reader of greys (height, width)."""
    return lambda picture, *how: read(shown_at(np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8), *how))


def shown_at(picture: Pixels, share: float, reduction: str) -> Pixels:
    """Return ``picture``, grey or coloured, made smaller by ``share`` and enlarged again."""
    size = size_at(picture, share)
    if reduction == "area":
        small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    else:
        # OpenCV's own bicubic filter looks at 4 x 4 pixels and skips the others.
        small = np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.BICUBIC))
    height, width = picture.shape[:2]
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC), np.uint8)
