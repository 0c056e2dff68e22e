"""How small a picture may be made before its answer is lost: what a model can have seen that was shown it small.

A picture is made smaller in two ways, by averaging areas and by the bicubic filter that the image processors of most
models use, then enlarged to its own size again, so that a certifier made for that size can read it. Enlarging adds
nothing that the small picture did not hold. What counts is the worse of both ways.

The result is a bound from one side: at that size the answer is certainly in the picture. At a smaller one it may be
the certifier that gives up.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from typing import Final

import cv2
import numpy as np
from PIL import Image

from planimeter.items import Reading

#: Shares of the native size, in which every picture has its certificate, to which it is made smaller.
LADDER: Final = (1.0, 0.75, 0.5, 0.375, 0.25, 0.1875, 0.125)

#: The ways to make a picture smaller. Both weigh every pixel that a small pixel covers, so that nothing is skipped.
REDUCTIONS: Final[Mapping[str, Image.Resampling]] = {"area": Image.Resampling.BOX, "bicubic": Image.Resampling.BICUBIC}

Read = Callable[[bytes], Reading]


def readable_at(png: bytes, answer: str, read: Read) -> int:
    """Return the longer side (px) of the smallest picture from which ``read`` still gets ``answer``.

    ``png`` is a picture that is certified in its native size; ``read`` gets it enlarged to that size again. The step is
    found by bisection: what cannot be read at one size is taken to be unreadable at every smaller one.

    Raises:
        ValueError: if ``png`` is no picture.
    """
    picture = _decoded(png)

    def is_lost(share: float) -> bool:
        return any(read(shown_at(picture, share, reduction)).answer != answer for reduction in REDUCTIONS)

    lost = bisect_left(LADDER[1:], True, key=is_lost)
    return max(size_at(picture.size, LADDER[lost]))


def size_at(size: tuple[int, int], share: float) -> tuple[int, int]:
    """Return the width and height (px) of a picture of ``size`` made smaller by ``share``."""
    width, height = (max(round(side * share), 1) for side in size)
    return width, height


def shown_at(picture: Image.Image, share: float, reduction: str) -> bytes:
    """Return ``picture`` (RGB) made smaller by ``share`` and enlarged again, as the bytes of an uncompressed file."""
    small = picture.resize(size_at(picture.size, share), REDUCTIONS[reduction])
    seen = np.asarray(small.resize(picture.size, Image.Resampling.BICUBIC))
    done, encoded = cv2.imencode(".bmp", np.ascontiguousarray(seen[:, :, ::-1]))
    if not done:
        raise ValueError(f"a picture of {picture.size} px cannot be written as BMP")
    return encoded.tobytes()


def _decoded(png: bytes) -> Image.Image:
    read = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR) if png else None
    if read is None:
        raise ValueError(f"need the bytes of a picture, got {len(png)} bytes that are none")
    return Image.fromarray(np.ascontiguousarray(read[:, :, ::-1]))
