"""Indexed pictures and their PNG bytes, which never change.

A picture is palette indices plus at most 256 colours: a third of the bytes of true colour, at no loss for line art.
Pixel rows are deflated by libdeflate (package ``deflate``), whose output depends on its version and level only and not,
as zlib-ng's and ISA-L's may, on the instruction set of the machine. No ancillary chunk is written: the file names no
time and no tool.
"""

import struct
import zlib
from dataclasses import dataclass

import deflate
import numpy as np
import numpy.typing as npt

#: libdeflate's level: 6 is the knee of size against time for panels.
COMPRESSION_LEVEL = 6


@dataclass(frozen=True, slots=True)
class IndexedImage:
    """``indices``: uint8 (height, width), y down; ``palette``: uint8 (n, 3) sRGB with n <= 256 colours."""

    indices: npt.NDArray[np.uint8]
    palette: npt.NDArray[np.uint8]

    def __post_init__(self) -> None:
        if self.indices.ndim != 2 or self.indices.dtype != np.uint8:
            raise ValueError(f"need uint8 indices (height, width), got {self.indices.dtype} {self.indices.shape}")
        if self.palette.ndim != 2 or self.palette.shape[1] != 3 or not 0 < len(self.palette) <= 256:
            raise ValueError(f"need a palette (n, 3) of 1 to 256 colours, got {self.palette.shape}")

    def rgb(self) -> npt.NDArray[np.uint8]:
        """Return the picture as uint8 (height, width, 3)."""
        return self.palette[self.indices]

    def bgr(self) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
        """Return the indices, and the palette with blue first."""
        return self.indices, np.ascontiguousarray(self.palette[:, ::-1])


def encode(image: IndexedImage, level: int = COMPRESSION_LEVEL) -> bytes:
    """Return ``image`` as a PNG with an 8-bit palette, filter type 0 on every row."""
    return _assemble(image, _pixel_chunk(image.indices, level))


class Encoder:
    """Encodes many pictures that differ in their colours more often than in their pixels, as the styles of a plot do.

    Read-only indices, which cannot change, are deflated once: most of the 81 pictures of a pair of plots cost their
    palette only.
    """

    def __init__(self) -> None:
        # References to the indices keep their identities unique.
        self._chunks: dict[int, tuple[npt.NDArray[np.uint8], bytes]] = {}

    def encode(self, image: IndexedImage) -> bytes:
        """Return the result of ``encode(image)``."""
        if image.indices.flags.writeable:
            return encode(image)
        if id(image.indices) not in self._chunks:
            self._chunks[id(image.indices)] = image.indices, _pixel_chunk(image.indices, COMPRESSION_LEVEL)
        return _assemble(image, self._chunks[id(image.indices)][1])


def _assemble(image: IndexedImage, pixels: bytes) -> bytes:
    height, width = image.indices.shape
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            _chunk(b"PLTE", np.ascontiguousarray(image.palette).tobytes()),
            pixels,
            _chunk(b"IEND", b""),
        )
    )


def _pixel_chunk(indices: npt.NDArray[np.uint8], level: int) -> bytes:
    height, width = indices.shape
    rows = np.empty((height, width + 1), np.uint8)
    rows[:, 0] = 0
    rows[:, 1:] = indices
    return _chunk(b"IDAT", bytes(deflate.zlib_compress(rows, level)))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))
