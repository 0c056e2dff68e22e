"""Which bytes count as a sound picture."""

import io

import numpy as np
import pytest
from PIL import Image
from sample_folder import png

from planimeter.export.pages.pictures import picture_fault
from planimeter.rendering.png import IndexedImage, encode


def test_every_flipped_byte_of_a_picture_is_found() -> None:
    content = png(5, 40, 40)
    for place in range(0, len(content), 7):
        damaged = bytes(b ^ (i == place) * 0x10 for i, b in enumerate(content))
        assert picture_fault(damaged), f"byte {place}"
    assert picture_fault(content) == ""


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_pictures_of_other_writers_are_sound_too(mode: str) -> None:
    """Pillow filters its rows and packs its bits; the check must not be about our own writer."""
    stream = io.BytesIO()
    Image.effect_mandelbrot((50, 40), (-2, -1, 1, 1), 50).convert(mode).save(stream, "PNG")
    assert picture_fault(stream.getvalue()) == ""
    assert picture_fault(stream.getvalue()[:-30]) != ""


def test_a_pixel_outside_the_palette_is_found() -> None:
    four = np.zeros((4, 3), np.uint8)
    for index in (3, 4, 9):
        fault = picture_fault(encode(IndexedImage(np.full((40, 40), index, np.uint8), four)))
        assert (f"has index {index} in a palette of 4 colours" in fault) == bool(fault) == (index > 3)
