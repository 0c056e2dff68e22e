"""MaRVL-QA panels: the fast path against plain matplotlib, the layout, the bytes; and which bytes are a picture."""

import hashlib
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import cv2
import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from sample_folder import png as sample_png

from planimeter.export.pages.pictures import picture_fault
from planimeter.items import STYLES, Domain
from planimeter.rendering.contours import trace
from planimeter.rendering.frame import PANEL_HEIGHT, PANEL_WIDTH, PLOT, PLOT_SIZE, ticks
from planimeter.rendering.heights import nearest_level, resample, scale_of_heights
from planimeter.rendering.marvl_qa import FULL_COVERAGE, compose, drawing, paint, render_panel
from planimeter.rendering.palette import line_greys
from planimeter.rendering.png import IndexedImage, encode
from planimeter.rendering.strokes import stroke

mpl.use("Agg")

DOMAIN = Domain(x_min=-3.0, x_max=3.0, y_min=-2.0, y_max=4.0)
NODES = 400


def surface() -> np.ndarray:
    at = (np.arange(NODES) + 0.5) / NODES * 2 - 1
    x, y = np.meshgrid(at, at[::-1])
    return np.exp(-((x - 0.3) ** 2 + (y - 0.4) ** 2) / 0.08) - 0.8 * np.exp(-((x + 0.4) ** 2 + y**2) / 0.05) + 0.2 * x


GRID = surface()
SCALE = scale_of_heights(GRID)
drawn = cache(lambda: drawing(GRID, SCALE))


def reference(draw) -> np.ndarray:
    """Return the 480 x 480 px that plain matplotlib draws into an axes that fills its figure."""
    figure = Figure(figsize=(PLOT_SIZE / 72, PLOT_SIZE / 72), dpi=72)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    draw(axes)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[:, :, :3].astype(int)


@pytest.mark.parametrize("style", STYLES[:4], ids=str)
def test_a_heatmap_has_the_colours_of_plain_matplotlib(style):
    ours = paint(drawn(), DOMAIN, style).rgb()[PLOT].astype(int)

    def draw(axes):
        axes.imshow(GRID, cmap=style.colormap, interpolation="bilinear", extent=(0, 1, 0, 1), aspect="auto")

    difference = np.abs(ours - reference(draw)).max(axis=2)
    assert difference.max() <= 9  # half of one of the 97 steps, and matplotlib's own step of 1/256
    assert difference.mean() < 2.5


def test_contour_lines_cover_what_matplotlib_covers():
    widths = np.linspace(1.4, 1.7, len(SCALE.levels))
    ours = 255 - paint(drawn(), DOMAIN, STYLES[8]).rgb()[PLOT][:, :, 1].astype(float)
    at = (np.arange(NODES) + 0.5) / NODES

    def draw(axes):
        levels = SCALE.low + np.array(SCALE.levels) * (SCALE.high - SCALE.low)
        axes.contour(at, at, GRID[::-1], levels=levels, colors="black", linestyles="solid", linewidths=widths)

    shades = 255 - line_greys(len(SCALE.levels))
    shade = shades[nearest_level(resample(SCALE.fractions(GRID), PLOT_SIZE), SCALE.levels)]
    theirs = np.minimum((255 - reference(draw)[:, :, 1]) / 255 / FULL_COVERAGE, 1) * shade
    assert (np.abs(ours - theirs) > 8).mean() < 0.001
    assert abs(ours.sum() / theirs.sum() - 1) < 0.01


def test_a_pair_shows_exactly_its_panels():
    left, right = ([paint(drawn(), DOMAIN, style, title) for style in STYLES] for title in ("Plot A", "Plot B"))
    for panel in left:
        assert panel.indices.shape == (PANEL_HEIGHT, PANEL_WIDTH)
        assert panel.indices.max() < len(panel.palette) <= 16 + 120
        decoded = cv2.imdecode(np.frombuffer(encode(panel), np.uint8), cv2.IMREAD_COLOR)
        assert np.array_equal(decoded[:, :, ::-1], panel.rgb()), "every decoder sees the same pixels"
    # Composition is per side: each style on either side, beside an equal and beside another one.
    for k, a in enumerate(left):
        for b in (right[k], right[(k + 4) % 9]):
            pair = compose(a, b)
            assert np.array_equal(pair.rgb(), np.hstack([a.rgb(), b.rgb()]))
            assert len(pair.palette) <= 256


def test_levels_avoid_plateaus():
    for height in (0.0, 0.25, 0.5, 0.75, 0.55):
        grid = (GRID - GRID.min()) / (GRID.max() - GRID.min())
        grid[200:] = height
        assert min(abs(level - height) for level in scale_of_heights(grid).levels) > 0.005


def test_the_last_bit_of_a_float_changes_no_picture():
    grid = GRID.copy()
    grid[:100] = np.round(grid[:100] * 2) / 2
    noisy = grid * (1 + np.random.default_rng(1).uniform(-4e-16, 4e-16, grid.shape))
    for style in STYLES:
        first, second = (encode(render_panel(z, DOMAIN, scale_of_heights(z), style)) for z in (grid, noisy))
        assert first == second


GOLDEN = {
    "heatmap/viridis": "6ca2bada03d44fef4ab149318c5c66aad04c96a703f2e6ebef78e7fc9ca2ec61",
    "heatmap-contour/inferno": "9c4a2c428bcff2dc65222fe0b5587d84ff6ee256163311ad685427d2e227cae0",
    "contour": "f399f3a39b1ce0ccc0c31720f543b40506853d52027ab2b52a5270fa8804b560",
}


def digests() -> dict[str, str]:
    panels = {str(style): encode(paint(drawn(), DOMAIN, style, "Plot A")) for style in STYLES}
    return {name: hashlib.sha256(panel).hexdigest() for name, panel in panels.items()}


def test_the_bytes_of_a_picture_never_change(tmp_path: Path) -> None:
    """Holds for the versions of requirements.lock: matplotlib draws text and lines, libdeflate packs them."""
    assert digests().items() >= GOLDEN.items()
    (tmp_path / "matplotlibrc").write_text(
        "font.family: serif\nfont.weight: bold\ntext.hinting: none\npath.simplify_threshold: 1.0\n"
        "path.simplify: False\nagg.path.chunksize: 120\nlines.antialiased: False\naxes.unicode_minus: False\n"
    )
    environment = {**os.environ, "MATPLOTLIBRC": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", "import test_rendering; print(test_rendering.digests())"]
    printed = subprocess.run(command, env=environment, cwd=Path(__file__).parent, check=True, stdout=subprocess.PIPE)
    assert printed.stdout.decode().strip() == str(digests())


def test_both_ends_of_an_axis_have_a_tick():
    assert [label for _, label in ticks(-0.3, 0.3)] == ["−0.3", "−0.2", "−0.1", "0.0", "0.1", "0.2", "0.3"]


def test_lines_run_straight_to_the_frame():
    grid = np.tile(np.array([0.0, 1.0, 2.0, 3.0], np.float32), (4, 1))
    (path, nothing) = trace(grid, (1.5, 9.0), 8)
    assert nothing is None
    assert sorted(map(tuple, path.vertices.tolist())) == [(4.0, y) for y in (0.0, 1.0, 3.0, 5.0, 7.0, 8.0)]


# --- which bytes count as a sound picture


def test_every_flipped_byte_of_a_picture_is_found():
    content = sample_png(5, 40, 40)
    for place in range(0, len(content), 7):
        damaged = bytes(b ^ (i == place) * 0x10 for i, b in enumerate(content))
        assert picture_fault(damaged), f"byte {place}"
    assert picture_fault(content) == ""
    three = IndexedImage(np.full((40, 40), 3, np.uint8), np.zeros((4, 3), np.uint8))
    assert picture_fault(encode(three)) == ""


@pytest.mark.parametrize("indices", [np.zeros((4, 4), np.int32), np.zeros((4, 4, 3), np.uint8)])
def test_indices_of_another_type_or_shape_alone_are_refused(indices):
    with pytest.raises(ValueError, match="need uint8 indices"):
        IndexedImage(indices, np.zeros((2, 3), np.uint8))


def test_a_stroke_that_leaves_on_the_right_stays_out():
    line = np.array([[2.0, 2.5], [14.0, 2.5]])
    narrow, wide = np.zeros((6, 10), np.uint8), np.zeros((6, 20), np.uint8)
    for ink in (narrow, wide):
        stroke(ink, line, 2.0, 15, closed=False)
    np.testing.assert_array_equal(narrow, wide[:, :10])
