"""Curves: pictures and least distances against the plain way."""

import io
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import shapely
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from benchmarks.measured import Measured, milliseconds
from planimeter.filters.curves.rules import least_distance, rings_of
from planimeter.generators.curves.config import LayoutError
from planimeter.generators.curves.styles import STYLES, candidates
from planimeter.generators.seeding import item_seed
from planimeter.items import CurvesItem
from planimeter.rendering.curves import render
from planimeter.rendering.png import encode


def drawing(name: str) -> CurvesItem:
    """Return the first drawing that a style lays out by itself."""
    drawn = candidates(STYLES[name], STYLES[name].defaults, item_seed(1, ("bench", name)))
    return next(one for one in drawn if not isinstance(one, LayoutError))


def plain_picture(item: CurvesItem) -> bytes:
    side = item.canvas_px
    figure, target = Figure(figsize=(side / 72, side / 72), dpi=72), io.BytesIO()
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, side), ylim=(side, 0))
    for curve in item.curves:
        axes.plot(*np.vstack([curve, curve[:1]]).T, "k", linewidth=item.stroke_px)
    figure.savefig(target, format="png", dpi=72)
    return target.getvalue()


def plain_distance(item: CurvesItem) -> float:
    """Return how near two curves come; how near a curve comes to itself, shapely does not say."""
    rings = rings_of(item.curves)
    one, other = np.array([*combinations(range(len(rings)), 2)]).reshape(-1, 2).T
    return float(shapely.distance(rings[one], rings[other]).min(initial=item.gap_px))


def rows() -> Iterator[Measured]:
    items = [drawing(name) for name in sorted(STYLES)]
    for what, ours, plain, how in (
        (
            "a picture of curves",
            lambda item: encode(render(item)),
            plain_picture,
            "matplotlib, a line a curve, savefig",
        ),
        (
            "the least distance of strokes",
            lambda item: least_distance(item.curves, item.gap_px, item.arcs),
            plain_distance,
            "shapely, each two curves, none with itself",
        ),
    ):
        ms = (milliseconds(lambda do: [*map(do, items)], do, repeats=1, pieces=len(items)) for do in (ours, plain))
        yield Measured(what, *ms, how)
