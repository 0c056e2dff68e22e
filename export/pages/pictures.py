"""Whether bytes are a sound PNG, every pixel of it, without turning it into colours.

A general decoder spends most of its time on colours that are not needed here; the paper's full set has 81,000
pictures. The chunks, their checksums, the deflated rows, their filters and palette indices are all there is to check.
Interlaced pictures, which we never write, are left to Pillow.
"""

import io
import struct
from collections.abc import Iterator
from functools import lru_cache

import deflate
import numpy as np
from PIL import Image

SIGNATURE = b"\x89PNG\r\n\x1a\n"

#: Sides of a published picture in pixels.
MIN_SIDE, MAX_SIDE = 32, 4096

#: Samples of a pixel by PNG colour type.
_SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


def picture_fault(content: bytes) -> str:
    """Return what is wrong with the PNG ``content``, or an empty string."""
    try:
        chunks = list(_chunks(content))
        if [chunks[0][0], chunks[-1][0]] != [b"IHDR", b"IEND"]:
            return "does not begin with IHDR and end with IEND"
        width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[0][1])
        if not (MIN_SIDE <= width <= MAX_SIDE and MIN_SIDE <= height <= MAX_SIDE):
            return f"has {width} x {height} px; its sides must be {MIN_SIDE} to {MAX_SIDE} px"
        if interlaced or colour not in _SAMPLES:
            return _pillow_says(content)
        stride = 1 + (width * _SAMPLES[colour] * depth + 7) // 8
        deflated = b"".join(data for kind, data in chunks if kind == b"IDAT")
        largest_filter, largest_sample = _largest(deflated, height, stride)
    except (ValueError, IndexError, struct.error, deflate.DeflateError) as error:
        return f"is not a sound PNG: {error}"
    if largest_filter > 4:
        return "is not a sound PNG: a row has an unknown filter"
    if colour == 3 and depth == 8 and not largest_filter:
        colours = sum(len(data) // 3 for kind, data in chunks if kind == b"PLTE")
        if largest_sample >= colours:
            return f"is not a sound PNG: a pixel has index {largest_sample} in a palette of {colours} colours"
    return ""


@lru_cache(maxsize=96)
def _largest(deflated: bytes, height: int, stride: int) -> tuple[int, int]:
    """Return the largest filter of a row and the largest byte behind a filter.

    Styles of one plot that differ by their palette only have the same deflated rows, and stand near each other.
    """
    rows = np.frombuffer(deflate.zlib_decompress(deflated, height * stride), np.uint8).reshape(height, stride)
    return int(rows[:, 0].max()), int(rows[:, 1:].max())


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield (type, data) of each chunk; raise ``ValueError`` where a checksum or a length is wrong."""
    if not content.startswith(SIGNATURE):
        raise ValueError("the signature is missing")
    start = len(SIGNATURE)
    while start < len(content):
        length, kind = struct.unpack_from(">I4s", content, start)
        end = start + 8 + length
        (checksum,) = struct.unpack_from(">I", content, end)
        if deflate.crc32(content[start + 4 : end]) != checksum:
            raise ValueError(f"the checksum of {kind!r} is wrong")
        yield kind, content[start + 8 : end]
        start = end + 4


def _pillow_says(content: bytes) -> str:
    try:
        with Image.open(io.BytesIO(content), formats=("PNG",)) as picture:
            picture.load()
    except (OSError, SyntaxError, ValueError, EOFError, struct.error) as error:
        return f"is not a sound PNG: {error}"
    return ""
