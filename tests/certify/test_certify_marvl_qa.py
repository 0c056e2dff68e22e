"""The pixel certificates of MaRVL-QA: what they read, and that they read the picture and nothing else."""

import ast
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planimeter.filters.certify import png, union_find
from planimeter.filters.certify.marvl_qa import certificate, contours, memory, reading, registration, summits
from planimeter.filters.certify.marvl_qa.certificate import (
    CountingCertifier,
    PairCertifier,
    certify_counting,
    certify_transformation,
    choose,
)
from planimeter.filters.certify.marvl_qa.picture import decode
from planimeter.filters.certify.marvl_qa.reading import read_panel
from planimeter.filters.certify.marvl_qa.registration import compare
from planimeter.items import FEATURES, OPTIONS, STYLES, TRANSFORMATIONS, Domain, PlotStyle
from planimeter.rendering.frame import PLOT
from planimeter.rendering.heights import scale_of_heights
from planimeter.rendering.marvl_qa import compose, drawing, paint, render_panel
from planimeter.rendering.png import IndexedImage, encode

DOMAIN = Domain(x_min=-1.0, x_max=1.0, y_min=-1.0, y_max=1.0)
PEAKS = ((-0.6, 0.6, 1.0), (0.5, 0.65, 0.7), (-0.1, 0.0, 0.85), (0.65, -0.2, 1.0), (-0.55, -0.6, 0.6))
PITS = ((0.1, 0.5, 0.8), (0.2, -0.6, 1.0), (-0.7, 0.0, 0.7))
SOME = (STYLES[0], STYLES[3], STYLES[6], STYLES[8])


def hills(peaks=PEAKS, pits=PITS, shift=(0.0, 0.0)) -> np.ndarray:
    x, y = np.meshgrid(np.linspace(-1, 1, 400) - shift[0], np.linspace(1, -1, 400) - shift[1])
    z = np.zeros_like(x)
    for (a, b, height), sign in [(peak, 1) for peak in peaks] + [(pit, -1) for pit in pits]:
        z += sign * height * np.exp(-((x - a) ** 2 + (y - b) ** 2) / (2 * 0.13**2))
    return z


def alone(grid: np.ndarray, style: PlotStyle) -> bytes:
    return encode(render_panel(grid, DOMAIN, scale_of_heights(grid), style))


def pair(first: np.ndarray, second: np.ndarray, left: PlotStyle, right: PlotStyle) -> bytes:
    scale = scale_of_heights(first, second)
    a, b = drawing(first, scale), drawing(second, scale)
    return encode(compose(paint(a, DOMAIN, left, "Plot A"), paint(b, DOMAIN, right, "Plot B")))


def transformed(transformation: str) -> np.ndarray:
    match transformation:
        case "rotate_90_clockwise":
            return np.ascontiguousarray(np.rot90(hills(), -1))
        case "rotate_180":
            return np.ascontiguousarray(np.rot90(hills(), 2))
        case "translate_x":
            return hills(shift=(0.3, 0.0))
        case "translate_y":
            return hills(shift=(0.0, -0.24))
    return hills()


@pytest.mark.parametrize("style", STYLES, ids=str)
def test_every_style_shows_its_peaks_and_pits(style):
    png = alone(hills(), style)
    assert certify_counting(png, "maxima").answer == str(len(PEAKS))
    assert certify_counting(png, "minima").answer == str(len(PITS))


@pytest.mark.parametrize("style", STYLES, ids=str)
def test_a_surface_turned_upside_down_is_not_certified(style):
    png = alone(-hills(), style)
    assert certify_counting(png, "maxima").answer == str(len(PITS))


@pytest.mark.parametrize("style", SOME, ids=str)
def test_a_picture_with_one_peak_erased_is_read_with_one_less(style):
    assert certify_counting(alone(hills(PEAKS[1:]), style), "maxima").answer == str(len(PEAKS) - 1)


@pytest.mark.parametrize("style", (STYLES[0], STYLES[8]), ids=str)
def test_a_peak_painted_over_in_the_picture_is_gone(style):
    grid = hills()
    panel = render_panel(grid, DOMAIN, scale_of_heights(grid), style)
    indices = panel.indices.copy()
    plot = indices[PLOT]
    plot[20:175, 20:175] = plot[2, 2]
    erased = certify_counting(encode(IndexedImage(indices, panel.palette)), "maxima")
    assert erased.answer == str(len(PEAKS) - 1)


@pytest.mark.parametrize("style", SOME, ids=str)
def test_a_maximum_on_the_border_is_not_counted(style):
    png = alone(hills((*PEAKS, (1.0, 0.25, 1.0))), style)
    assert certify_counting(png, "maxima").answer == str(len(PEAKS))


@pytest.mark.parametrize("style", SOME, ids=str)
def test_a_plateau_counts_once(style):
    grid = np.minimum(hills(pits=()), 0.5)
    assert certify_counting(alone(grid, style), "maxima").answer == str(len(PEAKS))


@pytest.mark.parametrize("style", STYLES, ids=str)
def test_heights_are_those_of_the_surface(style):
    grid = hills()
    scale = scale_of_heights(grid)
    drawn = drawing(grid, scale)
    reading = read_panel(decode(encode(paint(drawn, DOMAIN, style)))[0])
    if reading.levels:
        assert np.abs(np.array(reading.levels) - scale.levels).max() < 0.003
        assert np.mean(reading.heights == np.digitize(drawn.pixels, scale.levels)) > 0.96
    else:
        assert np.abs(reading.heights - drawn.pixels).mean() < 0.01


@pytest.mark.parametrize("transformation", (*TRANSFORMATIONS, "no_change"))
@pytest.mark.parametrize(
    "styles", [(0, 0), (1, 2), (8, 8), (0, 8), (8, 7), (5, 4)], ids=lambda pick: f"{STYLES[pick[0]]}|{STYLES[pick[1]]}"
)
def test_every_transformation_is_recognised_across_styles(transformation, styles):
    png = pair(hills(), transformed(transformation), *(STYLES[i] for i in styles))
    options = OPTIONS[2:] + OPTIONS[:2]
    assert certify_transformation(png, options).answer == str(options.index(transformation) + 1)


@pytest.mark.parametrize("styles", [(0, 0), (4, 8), (8, 8)])
def test_plots_in_the_wrong_order_are_not_certified(styles):
    left, right = (STYLES[i] for i in styles)
    right_order = pair(hills(), transformed("rotate_90_clockwise"), left, right)
    wrong_order = pair(transformed("rotate_90_clockwise"), hills(), right, left)
    assert certify_transformation(right_order, OPTIONS).answer == "1"
    assert certify_transformation(wrong_order, OPTIONS).answer != "1"


@pytest.mark.parametrize("style", (STYLES[0], STYLES[8]), ids=str)
def test_a_mirrored_plot_is_no_transformation(style):
    png = pair(hills(), np.ascontiguousarray(hills()[:, ::-1]), style, style)
    assert certify_transformation(png, OPTIONS).answer is None


def test_a_symmetric_surface_does_not_decide():
    x, y = np.meshgrid(np.linspace(-1, 1, 400), np.linspace(1, -1, 400))
    bowl = x**2 + y**2
    assert certify_transformation(pair(bowl, bowl, STYLES[0], STYLES[0]), OPTIONS).reason == "options look alike"
    assert choose(dict.fromkeys(OPTIONS, 0.2), OPTIONS).reason == "no option clearly best"


def test_a_shift_beyond_a_quarter_of_the_axis_is_not_recognised():
    png = pair(hills(), hills(shift=(0.7, 0.0)), STYLES[0], STYLES[0])
    assert certify_transformation(png, OPTIONS).answer is None


def test_panels_read_once_serve_every_pair():
    first, second = hills(), transformed("translate_x")
    scale = scale_of_heights(first, second)
    a, b = (paint(drawing(z, scale), DOMAIN, STYLES[0], title) for z, title in ((first, "Plot A"), (second, "Plot B")))
    apart = compare(*(read_panel(decode(encode(panel))[0]) for panel in (a, b)))
    together = compare(*map(read_panel, decode(encode(compose(a, b)))))
    assert apart == together


BLANK = IndexedImage(np.zeros((600, 640), np.uint8), np.full((1, 3), 255, np.uint8))


@pytest.mark.parametrize("png", [b"", b"no picture", encode(BLANK)], ids=["nothing", "text", "blank"])
def test_what_is_no_panel_is_not_read(png):
    reading = certify_counting(png, "maxima")
    assert reading.answer is None
    assert reading.reason in {"no picture", "no frame"}


def test_a_number_of_panels_that_does_not_fit_the_question_is_refused():
    assert certify_counting(pair(hills(), hills(), STYLES[0], STYLES[0]), "maxima").reason == "not one panel"
    assert certify_transformation(alone(hills(), STYLES[0]), OPTIONS).reason == "not two panels"


def test_colours_that_are_not_on_the_key_are_not_read():
    grid = hills()
    panel = render_panel(grid, DOMAIN, scale_of_heights(grid), STYLES[0])
    rgb = panel.rgb().copy()
    rgb[PLOT] = 255 - rgb[PLOT]
    png = cv2.imencode(".png", rgb[:, :, ::-1])[1].tobytes()
    assert certify_counting(png, "maxima").reason == "colours off the key"


@pytest.mark.parametrize("lowest", range(4))
def test_a_region_between_two_lines_is_told_by_these_two_whatever_lies_around_it(lowest):
    greys = np.linspace(200.0, 20.0, 6)
    plot = np.full((200, 200), 255, np.uint8)
    for step, radius in enumerate((90, 60, 30)):
        cv2.circle(plot, (100, 100), radius, greys[lowest + step], 2, cv2.LINE_AA)
    intervals = contours.read_intervals(plot, greys)
    assert intervals is not None
    assert (intervals[100, [198, 175, 145, 100]] - lowest).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("module", [certificate, memory, reading, contours, registration, summits, png, union_find])
def test_certifiers_share_no_code_with_what_they_check(module):
    tree = ast.parse(Path(module.__file__).read_text())
    names = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    ours = {name for name in names if name.split(".")[0] == "planimeter"}
    certifiers = {
        f"planimeter.filters.certify.marvl_qa.{name}"
        for name in ("memory", "picture", "reading", "contours", "summits")
    }
    certifiers |= {f"planimeter.filters.certify.{name}" for name in ("png", "union_find", "marvl_qa.registration")}
    assert ours <= certifiers | {"planimeter.items"}


def test_the_certifier_of_a_pair_reads_each_picture_as_if_it_were_alone():
    """All 81 pairs of styles, and among them pictures in which a panel was exchanged or a pixel repainted."""
    first, second = hills(), transformed("rotate_180")
    scale = scale_of_heights(first, second)
    drawn = drawing(first, scale), drawing(second, scale), drawing(transformed("translate_x"), scale)
    left = [paint(drawn[0], DOMAIN, style, "Plot A") for style in STYLES]
    right = [paint(drawn[1], DOMAIN, style, "Plot B") for style in STYLES]
    images = [compose(a, b) for a in left for b in right]
    images += [compose(left[i], paint(drawn[2], DOMAIN, STYLES[j], "Plot B")) for i, j in ((0, 0), (8, 3), (4, 8))]
    smeared = images[0].indices.copy()
    smeared[200:330, 700:1000] = smeared[205, 705]
    images += [IndexedImage(smeared, images[0].palette), left[0]]
    pictures = [*map(encode, images), b"", b"no picture"]
    certifier = PairCertifier()
    readings = [certifier.certify(png, OPTIONS) for png in pictures]
    assert readings == [certify_transformation(png, OPTIONS) for png in pictures]
    wanted = str(OPTIONS.index("rotate_180") + 1)
    assert [reading.answer for reading in readings[:81]] == [wanted] * 81
    assert wanted not in [reading.answer for reading in readings[81:84]]


def test_the_certifier_of_a_pair_reads_a_panel_once_whatever_its_colour_map(monkeypatch):
    read: list[int] = []
    monkeypatch.setattr(memory, "read_panel", lambda panel: read.append(1) or read_panel(panel))
    certifier = PairCertifier()
    for style in SOME:
        for other in SOME:
            certifier.certify(pair(hills(), transformed("translate_y"), style, other), OPTIONS)
    assert len(read) == 2 * len({style.plot_type for style in SOME})


@pytest.mark.parametrize("second", ["rotate_180", "bowl"])
def test_what_the_81_pictures_would_be_read_as_is_known_from_their_18_panels(second):
    """Also where some of them cannot be read, and where colours are not those of a colour map."""
    x, y = np.meshgrid(np.linspace(-1, 1, 400), np.linspace(1, -1, 400))
    grids = (x + y, -x - y) if second == "bowl" else (hills(), transformed(second))
    scale = scale_of_heights(*grids)
    panels = [[paint(drawing(grid, scale), DOMAIN, s, t) for s in STYLES] for grid, t in zip(grids, "AB", strict=True)]
    last = panels[0][3]
    blurred = last.palette.copy()
    blurred[20::2] = blurred[19:-1:2]  # each second colour is the one before
    greyed = last.palette.copy()
    greyed[30:34] = 40
    for palette in (blurred, greyed, last.palette[::-1].copy()):
        panels[0].append(IndexedImage(last.indices, palette))
    certifier = PairCertifier()
    indexed = [[panel.bgr() for panel in side] for side in panels]
    readings = [certifier.certify_panels(a, b, OPTIONS) for a in indexed[0] for b in indexed[1]]
    assert readings == [certify_transformation(encode(compose(a, b)), OPTIONS) for a in panels[0] for b in panels[1]]
    assert len({(reading.answer, reading.reason) for reading in readings}) > 1


def test_the_certifier_of_a_plot_reads_each_picture_as_if_it_were_alone():
    """All styles for both questions, other plots between them, and colours that make a plot another or unreadable."""
    grids = hills(), hills(PEAKS[1:], PITS[1:])
    panels = [render_panel(grid, DOMAIN, scale_of_heights(grid), style) for style in STYLES for grid in grids]
    blurred, upside_down = panels[0].palette.copy(), panels[0].palette.copy()
    blurred[20::2] = blurred[19:-1:2]  # each second colour is the one before
    upside_down[16:] = upside_down[:15:-1]
    panels += [IndexedImage(panels[0].indices, palette) for palette in (blurred, upside_down)]
    pngs = [*map(encode, panels), pair(*grids, STYLES[0], STYLES[0]), b"", b"no picture"]
    certifier = CountingCertifier()
    for feature in FEATURES:
        readings = [certifier.certify(png, feature) for png in pngs]
        assert readings == [certify_counting(png, feature) for png in pngs]
        assert len({(reading.answer, reading.reason) for reading in readings}) >= 4


@given(st.lists(st.floats(0.01, 0.99), min_size=1, max_size=10, unique=True))
def test_intervals_are_those_of_numpy_to_the_last_bit(levels):
    levels = tuple(sorted(levels))
    at = np.float32(levels)
    heights = np.stack([at, np.nextafter(at, np.float32(0)), np.nextafter(at, np.float32(1))])
    assert np.array_equal(registration._intervals(heights, levels), np.digitize(heights, levels))
