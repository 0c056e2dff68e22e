"""Pictures with a palette, and their PNG bytes, which are the same on every machine.

A picture is an array of palette indices and at most 256 colours: it takes a third of the bytes of true colour, and line
art loses nothing. Pixel rows are compressed by libdeflate (package ``deflate``): its output depends only on its version
and level, whereas that of zlib-ng and ISA-L may depend on the processor. The files have no ancillary chunks, so they
name no time and no tool.
"""

import struct
import zlib
from dataclasses import dataclass

import cv2
import deflate
import numpy as np
import numpy.typing as npt

#: libdeflate's level: 6 is the knee of size against time for panels.
COMPRESSION_LEVEL = 6


@dataclass(frozen=True, slots=True)
class IndexedImage:
    """A picture: ``indices`` uint8 (height, width), y down, and ``palette`` uint8 (n, 3), sRGB, of 1 to 256 colours."""

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
        """Return the indices, and the palette (n, 3) in the order blue, green, red, which OpenCV and certifiers use."""
        return self.indices, np.ascontiguousarray(self.palette[:, ::-1])


def encode(image: IndexedImage) -> bytes:
    """Return ``image`` as a PNG with an 8-bit palette, filter type 0 on every row."""
    return _assemble(image, _pixel_chunk(image.indices))


class Encoder:
    """A PNG encoder with a cache, for many pictures that differ only in their colours, such as all styles of a plot.

    Read-only indices, which cannot change, are compressed once: most of the 81 pictures of a pair of plots then cost
    only the writing of their palette.
    """

    def __init__(self) -> None:
        # References to the indices keep their identities unique.
        self._chunks: dict[int, tuple[npt.NDArray[np.uint8], bytes]] = {}

    def encode(self, image: IndexedImage) -> bytes:
        """Return the PNG of ``image``, equal to that of the function ``encode``."""
        if image.indices.flags.writeable:
            return encode(image)
        if id(image.indices) not in self._chunks:
            self._chunks[id(image.indices)] = image.indices, _pixel_chunk(image.indices)
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


def _pixel_chunk(indices: npt.NDArray[np.uint8]) -> bytes:
    rows = cv2.copyMakeBorder(indices, 0, 0, 1, 0, cv2.BORDER_CONSTANT, value=0)
    return _chunk(b"IDAT", bytes(deflate.zlib_compress(rows, COMPRESSION_LEVEL)))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))
