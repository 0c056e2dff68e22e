"""Panels and pairs against plain matplotlib, and the certificates: CPU milliseconds and ratios in one process.

Run with ``python -m benchmarks.bench_rendering``. Plain matplotlib draws the same layout with ``savefig`` to PNG; for
the 81 pictures of a pair it draws each of the 18 panels once, and OpenCV encodes them side by side.
"""

import io
import time
from collections.abc import Callable

import cv2
import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from planimeter.filters.certify.marvl_qa.certificate import CountingCertifier, PairCertifier
from planimeter.items import OPTIONS, STYLES, Domain, PlotStyle
from planimeter.rendering.frame import KEY_LEFT, KEY_WIDTH, PANEL_HEIGHT, PANEL_WIDTH, PLOT_LEFT, PLOT_SIZE, PLOT_TOP
from planimeter.rendering.heights import HeightScale, scale_of_heights
from planimeter.rendering.marvl_qa import Composer, compose, drawing, paint, paint_all, render_panel
from planimeter.rendering.png import Encoder, IndexedImage, encode

mpl.use("Agg")

DOMAIN = Domain(x_min=-6.0, x_max=6.0, y_min=-6.0, y_max=6.0)
TITLES = ("Plot A", "Plot B")
Grid = npt.NDArray[np.float64]


def milliseconds(work: Callable[[], object], repeats: int = 12) -> float:
    work()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return float(np.median(times)) * 1e3


def surface(peaks: int = 12) -> Grid:
    rng = np.random.default_rng(7)
    x, y = np.meshgrid(np.linspace(-6, 6, 400), np.linspace(6, -6, 400))
    places = rng.uniform(-5, 5, (peaks, 2))
    return sum((np.exp(-((x - a) ** 2 + (y - b) ** 2) / 1.2) for a, b in places), np.zeros_like(x))


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


def main() -> None:
    grid = surface()
    turned = np.ascontiguousarray(np.rot90(grid, -1))
    scale = scale_of_heights(grid, turned)
    print(f"{'':38}{'ours ms':>9}{'plain ms':>10}{'ratio':>7}{'kB':>7}{'plain kB':>10}")

    def row(name: str, ours: Callable[[], bytes], theirs: Callable[[], bytes]) -> None:
        our_ms, their_ms = milliseconds(ours), milliseconds(theirs, 5)
        sizes = f"{len(ours()) / 1e3:7.0f}{len(theirs()) / 1e3:10.0f}"
        print(f"{name:38}{our_ms:9.2f}{their_ms:10.1f}{their_ms / our_ms:7.1f}{sizes}")

    for style in (STYLES[0], STYLES[4], STYLES[8]):
        row(
            f"panel {style}",
            lambda style=style: encode(render_panel(grid, DOMAIN, scale, style)),  # type: ignore[misc]
            lambda style=style: plain([grid], scale, [style]),  # type: ignore[misc]
        )

    def nine() -> list[IndexedImage]:
        drawn = drawing(grid, scale)
        return [paint(drawn, DOMAIN, style) for style in STYLES]

    each = milliseconds(nine) / len(STYLES)
    plain_each = float(np.mean([milliseconds(lambda s=s: plain_panel(grid, scale, s), 3) for s in STYLES]))  # type: ignore[misc]
    print(f"{'panel of nine styles, mean, no PNG':38}{each:9.2f}{plain_each:10.1f}{plain_each / each:7.1f}")

    first, second = drawing(grid, scale), drawing(turned, scale)
    for left, right in ((STYLES[0], STYLES[1]), (STYLES[4], STYLES[8])):
        a, b = paint(first, DOMAIN, left, "Plot A"), paint(second, DOMAIN, right, "Plot B")
        row(
            f"pair {left}, {right}"[:37],
            lambda a=a, b=b: encode(compose(a, b)),  # type: ignore[misc]
            lambda s=(left, right): plain([grid, turned], scale, [*s]),  # type: ignore[misc]
        )

    def all_pairs() -> list[bytes]:
        drawn = drawing(grid, scale), drawing(turned, scale)
        lefts, rights = (paint_all(d, DOMAIN, STYLES, t) for d, t in zip(drawn, TITLES, strict=True))
        composer, encoder = Composer(), Encoder()
        return [encoder.encode(composer.compose(a, b)) for a in lefts for b in rights]

    ours = milliseconds(all_pairs, 5) / len(STYLES) ** 2
    theirs = milliseconds(lambda: plain_pairs([grid, turned], scale), 3) / len(STYLES) ** 2
    print(f"{'81 pictures of a pair, from heights, each':38}{ours:9.2f}{theirs:10.1f}{theirs / ours:7.1f}")

    pngs = all_pairs()

    def certify_all() -> None:
        certifier = PairCertifier()
        for png in pngs:
            certifier.certify(png, OPTIONS)

    together = milliseconds(certify_all, 1) / len(pngs)
    alone = float(np.mean([milliseconds(lambda p=p: PairCertifier().certify(p, OPTIONS), 1) for p in pngs]))  # type: ignore[misc]
    print(
        f"certificates of the 81, each{together:19.2f}{alone:10.1f}{alone / together:7.1f}  (plain: each picture alone)"
    )

    print("\ncertificates, ms from PNG bytes")
    for style in (STYLES[0], STYLES[4], STYLES[8]):
        png = encode(paint(first, DOMAIN, style))
        pair = encode(compose(paint(first, DOMAIN, style), paint(second, DOMAIN, style)))
        counting = milliseconds(lambda png=png: CountingCertifier().certify(png, "maxima"))  # type: ignore[misc]
        transformation = milliseconds(lambda png=pair: PairCertifier().certify(png, OPTIONS))  # type: ignore[misc]
        print(f"{style!s:38}{counting:9.2f} a count{transformation:9.2f} a pair")


if __name__ == "__main__":
    main()
