"""The pixel certificates of MaRVL-QA, and the pixels that certifiers read, whichever encoder wrote the file."""

from dataclasses import replace
from io import BytesIO

import cv2
import numpy as np
import pytest
from PIL import Image

from planimeter.filters.certify import png
from planimeter.filters.certify.marvl_qa import contours, memory
from planimeter.filters.certify.marvl_qa.certificate import CountingCertifier, PairCertifier, choose
from planimeter.filters.certify.marvl_qa.reading import decode, read_panel
from planimeter.items import OPTIONS, STYLES, TRANSFORMATIONS, Domain, PlotStyle
from planimeter.rendering.frame import PLOT
from planimeter.rendering.heights import scale_of_heights
from planimeter.rendering.marvl_qa import compose, drawing, paint, render_panel
from planimeter.rendering.png import IndexedImage, encode

certify = lambda png, feature: CountingCertifier().certify(png, feature)  # noqa: E731
certify_pair = lambda png, options: PairCertifier().certify(png, options)  # noqa: E731
DOMAIN = Domain(x_min=-1.0, x_max=1.0, y_min=-1.0, y_max=1.0)
PEAKS = ((-0.6, 0.6, 1.0), (0.5, 0.65, 0.7), (-0.1, 0.0, 0.85), (0.65, -0.2, 1.0), (-0.55, -0.6, 0.6))
PITS = ((0.1, 0.5, 0.8), (0.2, -0.6, 1.0), (-0.7, 0.0, 0.7))
SOME = (STYLES[0], STYLES[3], STYLES[8])


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


TURNED = {
    "rotate_90_clockwise": np.ascontiguousarray(np.rot90(hills(), -1)),
    "rotate_180": np.ascontiguousarray(np.rot90(hills(), 2)),
    "translate_x": hills(shift=(0.3, 0.0)),
    "translate_y": hills(shift=(0.0, -0.24)),
    "no_change": hills(),
}
BOWL = np.add.outer(np.linspace(1, -1, 400) ** 2, np.linspace(-1, 1, 400) ** 2)
FEWER, MANY, NO_PITS = str(len(PEAKS) - 1), str(len(PEAKS)), str(len(PITS))


@pytest.mark.parametrize("style", STYLES, ids=str)
def test_every_style_shows_its_peaks_pits_and_heights(style):
    grid = hills()
    scale = scale_of_heights(grid)
    drawn = drawing(grid, scale)
    png = encode(paint(drawn, DOMAIN, style))
    assert [certify(png, feature).answer for feature in ("maxima", "minima")] == [MANY, NO_PITS]
    reading = read_panel(decode(png)[0])
    if reading.levels:
        assert np.abs(np.array(reading.levels) - scale.levels).max() < 0.003
        assert np.mean(reading.heights == np.digitize(drawn.pixels, scale.levels)) > 0.96
    else:
        assert np.abs(reading.heights - drawn.pixels).mean() < 0.01


@pytest.mark.parametrize("style", SOME, ids=str)
def test_a_plateau_counts_once_and_a_border_peak_never(style):
    grids = (hills(PEAKS[1:]), hills((*PEAKS, (1.0, 0.25, 1.0))), np.minimum(hills(pits=()), 0.5))
    assert [certify(alone(grid, style), "maxima").answer for grid in grids] == [FEWER, MANY, MANY]


@pytest.mark.parametrize("style", (STYLES[0], STYLES[8]), ids=str)
def test_a_peak_painted_over_is_gone(style):
    grid = hills()
    panel = render_panel(grid, DOMAIN, scale_of_heights(grid), style)
    indices = panel.indices.copy()
    plot = indices[PLOT]
    plot[20:175, 20:175] = plot[2, 2]
    assert certify(encode(IndexedImage(indices, panel.palette)), "maxima").answer == FEWER
    mirrored = pair(grid, np.ascontiguousarray(grid[:, ::-1]), style, style)
    assert certify_pair(mirrored, OPTIONS).answer is None


@pytest.mark.parametrize("transformation", (*TRANSFORMATIONS, "no_change"))
def test_every_transformation_is_recognised_across_styles(transformation, subtests):
    options = OPTIONS[2:] + OPTIONS[:2]
    right = str(options.index(transformation) + 1)
    for left, other in ((1, 2), (8, 8), (0, 8)):
        styles = STYLES[left], STYLES[other]
        with subtests.test(f"{styles[0]}|{styles[1]}"):
            png = pair(hills(), TURNED[transformation], *styles)
            assert certify_pair(png, options).answer == right
            if transformation == "rotate_90_clockwise":
                exchanged = pair(TURNED[transformation], hills(), *styles[::-1])
                assert certify_pair(exchanged, options).answer != right


def test_undecided_pictures_are_not_certified():
    blank = IndexedImage(np.zeros((600, 640), np.uint8), np.full((1, 3), 255, np.uint8))
    rgb = render_panel(hills(), DOMAIN, scale_of_heights(hills()), STYLES[0]).rgb().copy()
    rgb[PLOT] = 255 - rgb[PLOT]
    inverted = cv2.imencode(".png", rgb[:, :, ::-1])[1].tobytes()
    unread = {b"": "no picture", b"none": "no picture", encode(blank): "no plot frame", inverted: "colours off the key"}
    for picture, reason in unread.items():
        certified = certify(picture, "maxima")
        assert (certified.answer, certified.reason) == (None, reason)
    assert certify_pair(pair(BOWL, BOWL, STYLES[0], STYLES[0]), OPTIONS).reason == "options look alike"
    assert choose(dict.fromkeys(OPTIONS, 0.2), OPTIONS).reason == "no option clearly best"
    assert certify_pair(pair(hills(), hills(shift=(0.7, 0.0)), STYLES[0], STYLES[0]), OPTIONS).answer is None
    assert certify(pair(hills(), hills(), STYLES[0], STYLES[0]), "maxima").reason == "not one panel"
    assert certify_pair(alone(hills(), STYLES[0]), OPTIONS).reason == "not two panels"


def test_each_picture_of_a_pair_is_read_as_if_alone(monkeypatch):
    grids = hills(), TURNED["rotate_180"], TURNED["translate_x"]
    scale = scale_of_heights(*grids[:2])
    drawn = [drawing(grid, scale) for grid in grids]
    left = [paint(drawn[0], DOMAIN, style, "Plot A") for style in STYLES]
    right = [paint(drawn[1], DOMAIN, style, "Plot B") for style in STYLES]
    images = [compose(a, b) for a in left for b in right]
    images += [compose(left[i], paint(drawn[2], DOMAIN, STYLES[j], "Plot B")) for i, j in ((0, 0), (8, 3), (4, 8))]
    smeared = images[0].indices.copy()
    smeared[200:330, 700:1000] = smeared[205, 705]
    images += [IndexedImage(smeared, images[0].palette), left[0]]
    pictures = [*map(encode, images), b"", b"no picture"]
    panels: list[int] = []
    monkeypatch.setattr(memory, "read_panel", lambda panel: panels.append(1) or read_panel(panel))
    certifier = PairCertifier()
    readings = [certifier.certify(png, OPTIONS) for png in pictures[:81]]
    assert len(panels) == 2 * len({style.plot_type for style in STYLES}), "a panel is read once whatever its colours"
    readings += [certifier.certify(png, OPTIONS) for png in pictures[81:]]
    # Each style on either side, and all that is no plain pair, against a certifier that remembers nothing.
    checked = [*(9 * i + (4 * i + 2) % 9 for i in range(9)), *range(81, len(pictures))]
    assert [readings[k] for k in checked] == [certify_pair(pictures[k], OPTIONS) for k in checked]
    wanted = str(OPTIONS.index("rotate_180") + 1)
    assert [reading.answer for reading in readings[:81]] == [wanted] * 81
    assert wanted not in [reading.answer for reading in readings[81:84]]


def test_only_two_neighbouring_levels_decide_a_region():
    votes = np.array([[0, 9, 9, 0], [9, 9, 9, 0], [0, 0, 9, 0], [9, 0, 9, 0]])
    assert contours._between_two(votes).tolist() == [2, -1, -1, -1]


def picture(colours: int = 90) -> IndexedImage:
    rng = np.random.default_rng(0)
    palette = np.unique(rng.integers(0, 256, (colours, 3), np.uint8), axis=0)
    return IndexedImage(rng.integers(0, len(palette), (60, 67)).astype(np.uint8), palette)


@pytest.mark.parametrize("colours", [90, 256])
def test_pixels_are_those_of_opencv(colours):
    image = picture(colours)
    noise = np.random.default_rng(1).integers(0, 256, (40, 50, 3), np.uint8)
    crowd, coloured = (cv2.imencode(".png", pixels)[1].tobytes() for pixels in (noise, image.rgb()[:, :, ::-1].copy()))
    greys = image.palette[:, :1].repeat(3, axis=1)
    palettes = image.palette, greys, np.sort(greys, axis=0)[::-1]
    ours = [encode(IndexedImage(image.indices, palette)) for palette in palettes]
    Image.fromarray(image.rgb()).quantize(200).save(pillows := BytesIO(), "PNG", optimize=True)
    for data in (*ours, coloured, pillows.getvalue(), crowd):
        indices, colours = png.indexed(data)
        modes = cv2.IMREAD_COLOR, cv2.IMREAD_GRAYSCALE
        coloured, grey = (cv2.imdecode(np.frombuffer(data, np.uint8), mode) for mode in modes)
        assert np.array_equal(colours[indices], coloured)
        assert np.array_equal(png.look_up(colours[:, 1], indices), colours[indices][:, :, 1])
        assert np.array_equal(png.greys(data), grey) and np.array_equal(png.greys(data, 99), grey < 99)
    assert all(png.parts(data) is not None for data in ours)
    assert png.parts(crowd) is None


def test_opencv_decodes_unusual_pictures():
    for data in (b"", b"no picture", encode(picture())[:100]):
        assert png.indexed(data) is None and png.greys(data) is None
    whole = encode(picture())
    at = whole.index(b"PLTE") + 4
    assert png.parts(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]) is None
    assert all(png.parts(whole[:n]) is None for n in range(0, len(whole), 97))
    few = png.parts(encode(IndexedImage(picture().indices, picture().palette[:20])))
    assert few is not None and png.pixels(few) is None
    assert png.pixels(replace(few, deflated=few.deflated[:-9])) is None
