"""Checks that bytes are a valid PNG: chunks, checksums, every pixel, every palette index.

Pictures of our own PNG encoder are parsed by the certifiers' reader (``filters.certify.png``). All other pictures, and
all faulty ones, are decoded by Pillow, which takes ten times as long.
"""

import io
import struct
from functools import lru_cache

import numpy as np
from PIL import Image, UnidentifiedImageError

from planimeter.filters.certify.png import Parts, parts, pixels

#: The least and the greatest side of a published picture in pixels.
MIN_SIDE, MAX_SIDE = 32, 4096

#: The last chunk of a PNG.
_END = b"\0\0\0\0IEND\xaeB`\x82"


def picture_fault(content: bytes) -> str:
    """Return the fault of the PNG ``content``; empty if it is valid."""
    apart = parts(content)
    if apart is None or not content.endswith(_END):
        return _pillow_fault(content)
    if fault := _size_fault(*reversed(apart.size)):
        return fault
    return "" if _is_plain(apart.size, apart.deflated, len(apart.colours)) else _pillow_fault(content)


def _size_fault(width: int, height: int) -> str:
    if MIN_SIDE <= width <= MAX_SIDE and MIN_SIDE <= height <= MAX_SIDE:
        return ""
    return f"has {width} x {height} px; its sides must be {MIN_SIDE} to {MAX_SIDE} px"


@lru_cache(maxsize=96)
def _is_plain(size: tuple[int, int], deflated: bytes, colours: int) -> bool:
    """True if ``deflated`` decompresses to unfiltered pixel rows of ``size`` with palette indices below ``colours``.

    Cached: nearby rows of a file often show one plot in several palettes, with equal compressed pixels.
    """
    return pixels(Parts(size, deflated, np.empty((colours, 3), np.uint8))) is not None


def _pillow_fault(content: bytes) -> str:
    try:
        with Image.open(io.BytesIO(content), formats=("PNG",)) as picture:
            if fault := _size_fault(*picture.size):
                return fault
            # Reads all chunks and compares their checksums; pixels are read from a second opening.
            picture.verify()
        if not content.endswith(_END):
            return "is not a valid PNG: does not end with IEND"
        with Image.open(io.BytesIO(content), formats=("PNG",)) as picture:
            picture.load()
            if picture.palette is not None:
                index, colours = int(np.asarray(picture).max()), len(picture.palette.getdata()[1]) // 3
                if index >= colours:
                    return f"is not a valid PNG: a pixel has index {index} in a palette of {colours} colours"
    except UnidentifiedImageError:
        return "is not a PNG"
    except (OSError, SyntaxError, ValueError, struct.error) as error:
        return f"is not a valid PNG: {error}"
    return ""
