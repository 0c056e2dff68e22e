"""Indexed pictures and their PNG bytes, which never change.

A picture is palette indices plus at most 256 colours: a third of the bytes of true colour, at no loss for line art.
Pixel rows are deflated by libdeflate (package ``deflate``), whose output depends on its version and level only and
not, as zlib-ng's and ISA-L's may, on the instruction set of the machine. No ancillary chunk is written: nothing names
a time or a tool.
"""

import struct
import zlib
from dataclasses import dataclass

import deflate
import numpy as np
import numpy.typing as npt

#: libdeflate's level: 6 is the knee of size against time for panels (see benchmarks/).
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


def encode(image: IndexedImage, level: int = COMPRESSION_LEVEL) -> bytes:
    """Return ``image`` as a PNG with an 8-bit palette, filter type 0 on every row."""
    height, width = image.indices.shape
    rows = np.zeros((height, width + 1), np.uint8)
    rows[:, 1:] = image.indices
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            _chunk(b"PLTE", np.ascontiguousarray(image.palette).tobytes()),
            _chunk(b"IDAT", bytes(deflate.zlib_compress(rows.tobytes(), level))),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))
