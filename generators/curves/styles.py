"""The five categories of CurveBench (section 3).

Easy: a few smooth blobs as a hand would draw them: lobes, bays, waists, never a circle.
Polygon: straight edges, sharp corners, notches and spikes, hardly ever convex. Outlines are simplified (Douglas and
Peucker) as coarsely as the gap allows, curve by curve.
Topographical: contour maps, the level sets of a random island, with summits, saddles and hollows. The tree comes from
the terrain. Where a recipe asks for one tree, contours are grown around it instead.
Maze: labyrinths, long winding corridors in which inside and outside look alike. Boundary length is rewarded instead of
charged: every curve folds until no cell is left to fold into.
Counting: crowds, fifteen to a hundred and more curves, packed like cells in a tissue.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import numpy as np
import shapely

from planimeter.generators.curves.clearance import measure
from planimeter.generators.curves.config import LEAST_OPENING_PX, CurvesConfig, LayoutError
from planimeter.generators.curves.grown import ROUNDING, Growth, grow_curves, grown_labels
from planimeter.generators.curves.growth import Energy
from planimeter.generators.curves.outlines import Bend, Curve, area, fit, openings, trace, turned
from planimeter.generators.curves.style import Style
from planimeter.generators.curves.terrain import Relief, draw_terrain, level_curves
from planimeter.generators.curves.trees import Parents
from planimeter.items import CurveCategory

#: How much finer the simplification of a curve becomes each time it comes too near, and how often.
_FINER, _ROUNDS = 0.62, 8


def _easy(parents: Parents, config: CurvesConfig, rng: np.random.Generator) -> list[Curve]:
    """Return smooth blobs; raises LayoutError."""
    relief, cover, spread = rng.uniform(2.0, 4.5) * config.convolution, rng.uniform(0.4, 0.65), rng.uniform(0.3, 0.8)
    growth = Growth(
        cells=int(rng.integers(40, 60)),
        planted=bool(rng.random() < 0.75),
        squareness=rng.uniform(2.2, 4.0),
        aspect=rng.uniform(0.65, 1.0),
        cover=cover,
        spread=spread,
        leaf_cells=6,
        fill=rng.uniform(0.4, 0.8),
        waves=rng.uniform(1.4, 2.6),
        energy=Energy(tension=0.7, pressure=20.0, relief=relief, noise=1.5, sweeps=70.0),
        sigma=2.8,
        bend=0.45,
    )
    return grow_curves(parents, growth, config, rng)


def _polygon(parents: Parents, config: CurvesConfig, rng: np.random.Generator) -> list[Curve]:
    """Return polygons; raises LayoutError."""
    relief = rng.uniform(2.5, 5.0) * config.convolution
    growth = Growth(
        cells=int(rng.integers(36, 52)),
        planted=bool(rng.random() < 0.7),
        squareness=rng.uniform(2.5, 5.0),
        aspect=rng.uniform(0.7, 1.0),
        cover=rng.uniform(0.45, 0.65),
        spread=rng.uniform(0.3, 0.8),
        leaf_cells=6,
        fill=rng.uniform(0.6, 0.95),
        waves=rng.uniform(2.0, 4.0),
        energy=Energy(tension=0.15, pressure=20.0, relief=relief, noise=1.5, sweeps=45.0),
        sigma=0.0,
        bend=0.35,
    )
    labels = grown_labels(parents, growth, config, rng)
    raw = trace(labels, parents)
    bend = Bend(len(labels), growth.bend, rng)
    angle, mirrored, coarseness = rng.random() * 2 * np.pi, bool(rng.random() < 0.5), rng.uniform(0.9, 1.4)
    bent = bend(raw)
    for curves in (turned(bent, angle, mirrored), bent, raw):
        fitted = fit(curves, config.canvas_px, config.margin_px)
        cell = (config.canvas_px - 2 * config.margin_px) / len(labels)
        simplified = _simplified(fitted, coarseness * cell, config)
        if simplified is not None:
            return simplified
    raise LayoutError("curves come too near")


def _simplified(curves: list[Curve], tolerance: float, config: CurvesConfig) -> list[Curve] | None:
    # A small curve that loses a corner loses its opening.
    tolerances = np.array([min(tolerance, 0.2 * np.sqrt(abs(area(c)))) for c in curves])
    simple = [_simplify(c, t) for c, t in zip(curves, tolerances.tolist(), strict=True)]
    open_px = config.stroke_px[0] + LEAST_OPENING_PX + 0.2
    opened = openings(simple, open_px)
    for _ in range(_ROUNDS):
        near = measure(simple, config.gap_px + 0.1).tight(config.gap_px - ROUNDING)
        tight = np.union1d(near, np.flatnonzero(opened < open_px))
        if not len(tight):
            return simple
        tolerances[tight] *= _FINER
        for i in tight.tolist():
            simple[i] = _simplify(curves[i], float(tolerances[i]))
        opened[tight] = openings([simple[i] for i in tight.tolist()], open_px)
    return None


def _simplify(curve: Curve, tolerance: float) -> Curve:
    ring = shapely.simplify(shapely.LinearRing(curve), tolerance)
    return np.asarray(shapely.get_coordinates(ring))[:-1]


def _contour_map(config: CurvesConfig, rng: np.random.Generator) -> list[Curve]:
    """Return the level curves of a random terrain; raises LayoutError."""
    relief = Relief(
        hills=int(rng.integers(5, 13)),
        hollow_share=rng.uniform(0.1, 0.4),
        roughness=rng.uniform(0.3, 0.9) * config.convolution,
    )
    curves = level_curves(draw_terrain(relief, rng), config.canvas_px, config.gap_px, 700.0, 3)
    if not curves:
        raise LayoutError("terrain too steep for three levels")
    return curves


def _topographical(parents: Parents, config: CurvesConfig, rng: np.random.Generator) -> list[Curve]:
    """Return curves like contours around the given tree; raises LayoutError."""
    growth = Growth(
        cells=int(rng.integers(64, 84)),
        squareness=2.4,
        cover=rng.uniform(0.6, 0.75),
        spread=0.4,
        waves=rng.uniform(2.0, 3.0),
        energy=Energy(tension=1.0, pressure=15.0, relief=1.2, noise=2.5, sweeps=50.0),
        sigma=3.0,
        bend=0.4,
    )
    return grow_curves(parents, growth, config, rng)


def _maze(parents: Parents, config: CurvesConfig, rng: np.random.Generator) -> list[Curve]:
    """Return convoluted curves; raises LayoutError."""
    square = bool(rng.random() < 0.35)
    noise = rng.uniform(0.8, 2.6)
    growth = Growth(
        cells=int(rng.integers(60, 104)),
        planted=bool(rng.random() < 0.85),
        squareness=rng.uniform(2.0, 6.0),
        aspect=rng.uniform(0.75, 1.0),
        bays=rng.uniform(0.0, 0.3),
        cover=rng.uniform(0.45, 0.6),
        spread=0.4,
        leaf_cells=10,
        fill=rng.uniform(0.85, 1.0),
        waves=rng.uniform(1.5, 3.0),
        energy=Energy(tension=0.3, pressure=20.0, relief=0.5, noise=1.5, sweeps=15.0),
        fold=Energy(tension=-1.0, pressure=20.0, relief=rng.uniform(0.0, 0.8), noise=noise, sweeps=250.0),
        sigma=0.4 if square else rng.uniform(0.8, 1.4),
        bend=0.0 if square else rng.uniform(0.0, 0.2),
        turn=not square,
    )
    return grow_curves(parents, growth, config, rng)


def _counting(parents: Parents, config: CurvesConfig, rng: np.random.Generator) -> list[Curve]:
    """Return crowded blobs; raises LayoutError."""
    growth = Growth(
        cells=98,
        squareness=rng.uniform(2.2, 4.0),
        cover=rng.uniform(0.6, 0.72),
        spread=rng.uniform(0.5, 0.9),
        waves=rng.uniform(3.0, 5.0),
        energy=Energy(tension=0.8, pressure=20.0, relief=0.8 * config.convolution, noise=2.0, sweeps=36.0),
        sigma=2.0,
        bend=0.3,
    )
    return grow_curves(parents, growth, config, rng)


_LISTED = (
    Style(name="easy", lay_out=_easy, defaults=CurvesConfig(nodes=(1, 5), gap_px=12.0)),
    Style(name="polygon", lay_out=_polygon, defaults=CurvesConfig(nodes=(2, 12), gap_px=10.0)),
    Style(
        name="topographical",
        lay_out=_topographical,
        defaults=CurvesConfig(nodes=(6, 30), depth=(3, 30), gap_px=11.0),
        found=_contour_map,
    ),
    Style(name="maze", lay_out=_maze, defaults=CurvesConfig(nodes=(4, 14), depth=(3, 8), tree_shape="deep")),
    Style(
        name="counting",
        lay_out=_counting,
        defaults=CurvesConfig(nodes=(15, 110), depth=(2, 6), tree_shape="bushy", stroke_px=(4.0, 5.0), gap_px=7.5),
    ),
)

STYLES: Final[Mapping[CurveCategory, Style]] = MappingProxyType({style.name: style for style in _LISTED})
