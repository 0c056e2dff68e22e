"""Decodes the bytes of a picture to pixels, as colour indices or as greys, for all certifiers.

The PNGs of our datasets (one byte a pixel, a palette, rows without a filter) are decoded here, which is many times
faster than decoding to colours and comparing these. OpenCV decodes any other picture, and rejects damaged ones.
"""

import struct
import zlib
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar, cast

import cv2
import deflate
import numpy as np
import numpy.typing as npt

_Value = TypeVar("_Value", np.uint8, np.int32, np.float32)

Pixels = npt.NDArray[np.uint8]
#: Numbers of colours (height, width), and the colours, BGR uint8 (n, 3). The numbers are uint8 unless there are more.
Indexed = tuple[npt.NDArray[Any], Pixels]

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
#: Pixels of the largest picture that is read.
MOST_PIXELS: Final = 2**26

#: Eight bits a pixel, a palette, the only defined compression and filter methods, not interlaced.
_KIND: Final = (8, 3, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a PNG: ``size`` (height, width), ``deflated`` pixel data, and the palette ``colours``, BGR."""

    size: tuple[int, int]
    deflated: bytes = field(repr=False)
    colours: Pixels = field(repr=False)


def indexed(png: bytes) -> Indexed | None:
    """Return the colour indices (height, width) and the colours (n, 3), BGR; None if ``png`` is not a picture."""
    split = parts(png)
    indices = None if split is None else pixels(split)
    return _decoded(png) if split is None or indices is None else (indices, split.colours)


def greys(png: bytes, below: int | None = None) -> Pixels | None:
    """Return the greys of a picture, uint8 (height, width); None if it is not a picture.

    With ``below``, return 1 where a grey is less than that, else 0.
    """
    split = parts(png)
    if split is not None and (split.colours == split.colours[:, :1]).all():
        indices = pixels(split)
        if indices is not None:
            table = split.colours[:, 0]
            if below is None:
                return look_up(table, indices)
            dark = (table < below).astype(np.uint8)
            light = len(dark) - int(dark.sum())
            # If light colours come first, a number shows by itself whether its colour is dark.
            return look_up(dark, indices) if dark[:light].any() else (indices >= light).view(np.uint8)
    read = decoded(png, cv2.IMREAD_GRAYSCALE)
    if read is None:
        return None
    return np.asarray(read if below is None else read < below, np.uint8)


def decoded(png: bytes, flags: int = cv2.IMREAD_COLOR) -> Pixels | None:
    """Return a picture's pixels as OpenCV decodes them, BGR by default; None if it is not a picture or too large.

    The size is checked before decoding: a small file may claim more pixels than there is memory.
    """
    width, height = (int.from_bytes(png[at : at + 4], "big") for at in (16, 20))
    if not png.startswith(_SIGNATURE) or not 0 < width * height <= MOST_PIXELS:
        return None
    read = cv2.imdecode(np.frombuffer(png, np.uint8), flags)
    return None if read is None else np.asarray(read, np.uint8)


def parts(png: bytes) -> Parts | None:
    """Return the parts of a PNG with one palette and one chunk of pixels; None for any other picture."""
    chunks: list[tuple[bytes, bytes]] = []
    at, whole = len(_SIGNATURE), memoryview(png)
    while at + 12 <= len(png):
        end = at + 8 + int.from_bytes(png[at : at + 4], "big")
        if int.from_bytes(png[end : end + 4], "big") != zlib.crc32(whole[at + 4 : end]):
            return None
        chunks.append((png[at + 4 : at + 8], png[at + 8 : end]))
        at = end + 4
    if not png.startswith(_SIGNATURE) or [kind for kind, _ in chunks] != [b"IHDR", b"PLTE", b"IDAT", b"IEND"]:
        return None
    (_, header), (_, palette), (_, deflated), _ = chunks
    if len(header) != 13 or not 0 < len(palette) <= 768 or len(palette) % 3:
        return None
    width, height, *kind = struct.unpack(">IIBBBBB", header)
    if tuple(kind) != _KIND or not 0 < width * height <= MOST_PIXELS:
        return None
    colours = np.frombuffer(palette, np.uint8).reshape(-1, 3)[:, ::-1]
    return Parts((height, width), deflated, np.ascontiguousarray(colours))


def pixels(split: Parts) -> Pixels | None:
    """Return the colour indices (height, width) of a PNG; None if its rows are filtered or its data damaged."""
    height, width = split.size
    try:
        raw = deflate.zlib_decompress(split.deflated, height * (width + 1))
    except (deflate.DeflateError, MemoryError):
        return None
    if len(raw) != height * (width + 1):
        return None
    rows = np.frombuffer(raw, np.uint8).reshape(height, width + 1)
    indices = rows[:, 1:]
    return None if rows[:, 0].any() or indices.max() >= len(split.colours) else indices


def look_up(table: npt.NDArray[_Value], indices: npt.NDArray[Any]) -> npt.NDArray[_Value]:
    """Return the entry of ``table`` for each of ``indices`` (rows, columns), which must all be in range."""
    if indices.dtype != np.uint8:
        return table.take(indices)
    whole = np.zeros(256, table.dtype)
    whole[: len(table)] = table
    return cast(npt.NDArray[_Value], cv2.LUT(indices, whole))


def _decoded(png: bytes) -> Indexed | None:
    """Return the colour indices and the colours of any picture that OpenCV can read; None for other bytes."""
    read = decoded(png)
    if read is None:
        return None
    codes = np.asarray(read, np.uint32) @ np.array([1, 1 << 8, 1 << 16], np.uint32)
    distinct, number = np.unique(codes, return_inverse=True)
    indices = number.reshape(codes.shape).astype(np.uint8 if len(distinct) <= 256 else np.intp)
    return indices, distinct.astype("<u4").view(np.uint8).reshape(-1, 4)[:, :3]
