"""How small a picture may be made: the ladder, the worse of two reductions, and the reader of shrunk MaRVL-QA."""

import cv2
import numpy as np
import pytest
from PIL import Image

from planimeter.filters.certify.marvl_qa import shrunk
from planimeter.filters.certify.readable import LADDER, REDUCTIONS, readable_at, shown_at, size_at
from planimeter.generators.marvl_qa.plan import family
from planimeter.generators.marvl_qa.sampling import RENDER_POINTS, sample
from planimeter.generators.marvl_qa.transformation import plot_b
from planimeter.items import OPTIONS, STYLES, Reading
from planimeter.rendering.heights import scale_of_heights
from planimeter.rendering.marvl_qa import compose, render_panel
from planimeter.rendering.png import encode

MIXTURE = family("gaussian_mixture")


def png_of(gray):
    return cv2.imencode(".png", gray)[1].tobytes()


def stripes(period, size=(240, 320)):
    """Return black and white lines, one of each in ``period`` px."""
    row = np.where(np.arange(size[1]) % period < period // 2, 0, 255).astype(np.uint8)
    return png_of(np.tile(row, (size[0], 1)))


def contrast(picture):
    """Say "lines" where the picture still goes from dark to light; lines that are averaged away are grey."""
    gray = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_GRAYSCALE)
    return Reading(certifier="contrast", answer="lines" if gray[:, 20:-20].std() > 40 else "grey")


@pytest.mark.parametrize("period", [2, 4, 6, 8, 12, 16, 24, 40])
def test_the_smallest_size_is_the_one_that_a_walk_down_the_ladder_finds(period):
    png = stripes(period)
    picture = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    walked = 320
    for share in LADDER[1:]:
        seen = [shown_at(Image.fromarray(picture), share, reduction) for reduction in REDUCTIONS]
        if any(contrast(one).answer != "lines" for one in seen):
            break
        walked = size_at((320, 240), share)[0]
    assert readable_at(png, "lines", contrast) == walked


def test_wider_lines_are_readable_in_smaller_pictures():
    sizes = [readable_at(stripes(period), "lines", contrast) for period in (2, 4, 8, 16, 40)]
    assert sizes == sorted(sizes, reverse=True)
    assert (sizes[0], sizes[-1]) == (320, 40)


def test_the_worse_of_both_reductions_counts():
    """A reader that loses the answer in one of them alone: it counts how often it was asked at each size."""
    asked = []

    def every_second(_picture):
        asked.append(len(asked))
        return Reading(certifier="turns", answer="yes" if len(asked) % 2 else "no")

    assert readable_at(stripes(40), "yes", every_second) == 320
    assert len(asked) == 2 * len(REDUCTIONS) * 1.5


def test_what_is_no_picture_is_refused():
    with pytest.raises(ValueError, match="need the bytes of a picture, got 4 bytes"):
        readable_at(b"none", "1", contrast)


# --- MaRVL-QA -------------------------------------------------------------------------------------------------------

TWO = {"n": 2.0, "x1": -2.0, "y1": 1.0, "u1": 1.2, "v1": 1.0, "a1": 1.0}
TWO |= {"x2": 1.5, "y2": -1.5, "u2": 1.0, "v2": 1.4, "a2": 0.8}


def plotted(style, parameters=None):
    surface = MIXTURE.surface(parameters or TWO)
    grid = sample(MIXTURE, surface.parameters, surface.domain, RENDER_POINTS)
    return encode(render_panel(grid, surface.domain, scale_of_heights(grid), style))


@pytest.mark.parametrize("style", STYLES[:8], ids=str)
def test_two_wide_bumps_are_counted_in_a_small_picture(style):
    png = plotted(style)
    assert readable_at(png, "2", lambda picture: shrunk.certify_counting(picture, "maxima")) <= 120
    assert readable_at(png, "3", lambda picture: shrunk.certify_counting(picture, "maxima")) == 640


def test_narrow_bumps_need_a_larger_picture():
    """Nine bumps whose summits lie 0.3 apart in a window of 10: less than 2 px in the picture of 80 px."""
    narrow = {"n": 9.0}
    for i in range(1, 10):
        narrow |= {f"x{i}": i % 3 * 0.3, f"y{i}": i // 3 * 0.3, f"u{i}": 0.1, f"v{i}": 0.1, f"a{i}": 1.0}
    png = plotted(STYLES[0], narrow)
    assert readable_at(png, "9", lambda picture: shrunk.certify_counting(picture, "maxima")) >= 160


def test_lines_in_one_ink_are_lost_first():
    assert readable_at(plotted(STYLES[8]), "2", lambda picture: shrunk.certify_counting(picture, "maxima")) >= 480


@pytest.mark.parametrize(("left", "right"), [(0, 3), (5, 0), (6, 6)])
@pytest.mark.parametrize("kind", ["translate_x", "rotate_90_clockwise"])
def test_a_transformation_is_read_from_a_small_pair(left, right, kind):
    surface = MIXTURE.surface(TWO)
    a = sample(MIXTURE, surface.parameters, surface.domain, RENDER_POINTS)
    b = plot_b(MIXTURE, surface, kind, 1.5 if kind == "translate_x" else 0.0, RENDER_POINTS)
    scale = scale_of_heights(a, b)
    panels = (
        render_panel(a, surface.domain, scale, STYLES[left]),
        render_panel(b, surface.domain, scale, STYLES[right]),
    )
    png = encode(compose(*panels))
    answer = str(OPTIONS.index(kind) + 1)
    assert readable_at(png, answer, lambda picture: shrunk.certify_transformation(picture, OPTIONS)) <= 320


def test_what_is_no_panel_has_no_answer():
    for picture in (b"", stripes(8), stripes(8, (240, 640))):
        assert shrunk.certify_counting(picture, "maxima").answer is None
        assert shrunk.certify_transformation(picture, OPTIONS).answer is None
