"""Panels and pairs of MaRVL-QA against plain matplotlib, and the certificates of a pair's pictures.

Plain matplotlib draws the same layout with ``savefig`` to PNG; for the 81 pictures of a pair it draws each of the 18
panels once, and OpenCV encodes them side by side.
"""

import io
from collections.abc import Iterator

import cv2
import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from benchmarks.measured import Measured, milliseconds
from planimeter.filters.certify.marvl_qa.certificate import PairCertifier
from planimeter.items import OPTIONS, STYLES, Domain, PlotStyle
from planimeter.rendering.frame import KEY_LEFT, KEY_WIDTH, PANEL_HEIGHT, PANEL_WIDTH, PLOT_LEFT, PLOT_SIZE, PLOT_TOP
from planimeter.rendering.heights import HeightScale, scale_of_heights
from planimeter.rendering.marvl_qa import Composer, compose, drawing, paint, paint_all, render_panel
from planimeter.rendering.png import Encoder, IndexedImage, encode

mpl.use("Agg")

DOMAIN = Domain(x_min=-6.0, x_max=6.0, y_min=-6.0, y_max=6.0)
TITLES = ("Plot A", "Plot B")
Grid = npt.NDArray[np.float64]


def surface(peaks: int = 12) -> Grid:
    rng = np.random.default_rng(7)
    x, y = np.meshgrid(np.linspace(-6, 6, 400), np.linspace(6, -6, 400))
    places = rng.uniform(-5, 5, (peaks, 2))
    return sum((np.exp(-((x - a) ** 2 + (y - b) ** 2) / 1.2) for a, b in places), np.zeros_like(x))


def two_plots() -> tuple[list[Grid], HeightScale]:
    grids = [surface(), np.ascontiguousarray(np.rot90(surface(), -1))]
    return grids, scale_of_heights(*grids)


def plain_figure(grids: list[Grid], scale: HeightScale, styles: list[PlotStyle]) -> Figure:
    width = PANEL_WIDTH * len(grids)
    figure = Figure(figsize=(width / 72, PANEL_HEIGHT / 72), dpi=72)
    FigureCanvasAgg(figure)
    bottom = 1 - (PLOT_TOP + PLOT_SIZE) / PANEL_HEIGHT
    extent = (DOMAIN.x_min, DOMAIN.x_max, DOMAIN.y_min, DOMAIN.y_max)
    levels = scale.low + np.array(scale.levels) * (scale.high - scale.low)
    for number, (grid, style) in enumerate(zip(grids, styles, strict=True)):
        left = number * PANEL_WIDTH
        axes = figure.add_axes(((left + PLOT_LEFT) / width, bottom, PLOT_SIZE / width, PLOT_SIZE / PANEL_HEIGHT))
        key = figure.add_axes(((left + KEY_LEFT) / width, bottom, KEY_WIDTH / width, PLOT_SIZE / PANEL_HEIGHT))
        if style.colormap:
            limits = {"vmin": scale.low, "vmax": scale.high}
            drawn = axes.imshow(grid, cmap=style.colormap, interpolation="bilinear", extent=extent, **limits)
            figure.colorbar(drawn, cax=key)
        if "contour" in style.plot_type:
            lines = axes.contour(grid[::-1], levels=levels, extent=extent, linewidths=1.2, cmap="gray_r")
            if not style.colormap:
                figure.colorbar(lines, cax=key)
        axes.set(xlabel="x", ylabel="y", title="Plot A")
    return figure


def plain(grids: list[Grid], scale: HeightScale, styles: list[PlotStyle]) -> bytes:
    target = io.BytesIO()
    plain_figure(grids, scale, styles).savefig(target, format="png", dpi=72)
    return target.getvalue()


def plain_panel(grid: Grid, scale: HeightScale, style: PlotStyle) -> npt.NDArray[np.uint8]:
    canvas = FigureCanvasAgg(plain_figure([grid], scale, [style]))
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[:, :, 2::-1]


def plain_pairs(grids: list[Grid], scale: HeightScale) -> list[bytes]:
    lefts, rights = ([plain_panel(grid, scale, style) for style in STYLES] for grid in grids)
    return [cv2.imencode(".png", np.hstack((a, b)))[1].tobytes() for a in lefts for b in rights]


def pictures(grids: list[Grid], scale: HeightScale) -> list[IndexedImage]:
    lefts, rights = (paint_all(drawing(g, scale), DOMAIN, STYLES, t) for g, t in zip(grids, TITLES, strict=True))
    composer = Composer()
    return [composer.compose(a, b) for a in lefts for b in rights]


def encoded(images: list[IndexedImage]) -> list[bytes]:
    return [*map(Encoder().encode, images)]


def certify(pngs: list[bytes]) -> None:
    certifier = PairCertifier()
    for png in pngs:
        certifier.certify(png, OPTIONS)


def rows() -> Iterator[Measured]:
    (grids, scale), n = two_plots(), 5
    for style in (STYLES[0], STYLES[4], STYLES[8]):
        ours = milliseconds(lambda style: encode(render_panel(grids[0], DOMAIN, scale, style)), style, repeats=n)
        theirs = milliseconds(plain, grids[:1], scale, [style], repeats=n)
        yield Measured(f"a plot, {style}", ours, theirs, "matplotlib, savefig")

    def pair() -> bytes:
        two = zip(grids, (STYLES[4], STYLES[8]), TITLES, strict=True)
        return encode(compose(*(paint(drawing(grid, scale), DOMAIN, style, title) for grid, style, title in two)))

    theirs = milliseconds(plain, grids, scale, [STYLES[4], STYLES[8]], repeats=n)
    yield Measured("a pair of plots", milliseconds(pair, repeats=n), theirs, "matplotlib, savefig")
    pngs = encoded(pictures(grids, scale))
    ours = milliseconds(lambda: encoded(pictures(grids, scale)), repeats=n, pieces=len(pngs))
    theirs = milliseconds(plain_pairs, grids, scale, repeats=0, pieces=len(pngs))
    yield Measured("each of the 81 pictures of a pair", ours, theirs, "each of 18 panels by matplotlib once, OpenCV")
    ours = milliseconds(certify, pngs, repeats=1, pieces=len(pngs))
    pngs = pngs[::4]
    alone = milliseconds(lambda: [certify([png]) for png in pngs], repeats=0, pieces=len(pngs))
    yield Measured("each certificate of the 81", ours, alone, "our certificate of each picture alone")
