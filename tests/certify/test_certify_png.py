"""What certifiers read pictures with: pixels are those of OpenCV, whoever wrote the file."""

import struct
import zlib
from dataclasses import replace
from io import BytesIO

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from planimeter.filters.certify import png
from planimeter.rendering.png import IndexedImage, encode


def picture(seed: int = 0, colours: int = 90, side: int = 60) -> IndexedImage:
    rng = np.random.default_rng(seed)
    palette = np.unique(rng.integers(0, 256, (colours, 3), np.uint8), axis=0)
    return IndexedImage(rng.integers(0, len(palette), (side, side + 7)).astype(np.uint8), palette)


def grey(image: IndexedImage) -> IndexedImage:
    return IndexedImage(image.indices, image.palette[:, :1].repeat(3, axis=1))


def as_opencv(data: bytes, how: int) -> np.ndarray:
    return cv2.imdecode(np.frombuffer(data, np.uint8), how)


def by_pillow(image: IndexedImage, **how: object) -> bytes:
    written = BytesIO()
    Image.fromarray(image.rgb()).quantize(200).save(written, "PNG", **how)
    return written.getvalue()


def in_true_colour(image: IndexedImage) -> bytes:
    return cv2.imencode(".png", np.ascontiguousarray(image.rgb()[:, :, ::-1]))[1].tobytes()


@pytest.mark.parametrize("many", [False, True])
def test_pixels_are_those_of_opencv(many):
    """Taken apart here or decoded by OpenCV: with filtered rows, in true colour, or in more colours than a byte has."""
    image = picture(colours=256 if many else 90)
    noise = np.random.default_rng(1).integers(0, 256, (40, 50, 3), np.uint8)
    crowd = cv2.imencode(".png", noise)[1].tobytes()
    ours = encode(image), encode(grey(image))
    for data in (*ours, in_true_colour(image), by_pillow(image, optimize=True), crowd):
        indices, colours = png.indexed(data)
        assert np.array_equal(colours[indices], as_opencv(data, cv2.IMREAD_COLOR))
        assert np.array_equal(png.look_up(colours[:, 1], indices), colours[indices][:, :, 1])
        assert np.array_equal(png.greys(data), as_opencv(data, cv2.IMREAD_GRAYSCALE))
    assert all(png.parts(data) is not None for data in ours)
    assert png.parts(crowd) is None


def test_what_is_no_picture_is_none_and_one_with_anything_amiss_is_left_to_opencv():
    for data in (b"", b"no picture", encode(picture())[:100]):
        assert png.indexed(data) is None
        assert png.greys(data) is None
    whole = encode(picture())
    assert png.parts(whole.replace(b"IDAT", b"IDAt")) is None
    at = whole.index(b"PLTE") + 4
    assert png.parts(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]) is None
    assert all(png.parts(whole[:n]) is None for n in range(0, len(whole), 97))
    flat = struct.pack(">IIBBBBB", 0, 60, 8, 3, 0, 0, 0)
    sized = b"IHDR" + flat + struct.pack(">I", zlib.crc32(b"IHDR" + flat))
    assert png.parts(whole[:12] + sized + whole[33:]) is None
    image = picture()
    few = png.parts(encode(IndexedImage(image.indices, image.palette[:20])))
    assert few is not None
    assert png.pixels(few) is None
    assert png.pixels(replace(few, deflated=few.deflated[:-9])) is None
    height, width = few.size
    filtered = zlib.compress(np.full((height, width + 1), 1, np.uint8).tobytes())
    assert png.pixels(replace(few, deflated=filtered)) is None


@given(st.integers(0, 2**32 - 1), st.integers(1, 256))
def test_any_picture_of_ours_reads_as_it_was_drawn(seed, colours):
    image = picture(seed, colours, 20)
    indices, palette = png.indexed(encode(image))
    assert np.array_equal(indices, image.indices)
    assert np.array_equal(palette[:, ::-1], image.palette)
