"""The five categories of CurveBench (section 3), and the generation of an item of a category from a recipe.

Easy: a few smooth blobs like freehand drawings, with lobes, bays and waists. Polygon: straight edges, sharp corners,
notches and spikes, rarely convex; outlines are simplified (Douglas and Peucker) as coarsely as the gap allows, curve by
curve. Topographical: contour maps, the level sets of a random island with summits, saddles and hollows, which determine
the tree; if the recipe requires a given tree, blobs like contour lines are grown for it instead. Maze: labyrinths, long
winding corridors in which inside and outside look alike; every curve folds until no room remains. Counting: fifteen to
more than a hundred curves, packed like cells in a tissue.

Open arcs, which bound nothing, can be added as distractors.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Final

import numpy as np
import shapely

from planimeter.generators.curves.clearance import measure, open_clearance, sampled
from planimeter.generators.curves.config import (
    LEAST_OPENING_PX,
    LEAST_PAPER_PX,
    CurvesConfig,
    LayoutError,
    draw_tree,
    tries,
)
from planimeter.generators.curves.grown import ROUNDING, Growth, grow_curves, grown_labels
from planimeter.generators.curves.growth import Energy
from planimeter.generators.curves.nesting import canonicalised, nest
from planimeter.generators.curves.outlines import Bend, Curve, area, divided, fit, openings, trace, turned
from planimeter.generators.curves.terrain import Relief, draw_terrain, level_curves
from planimeter.generators.curves.trees import Parents, canonical, depth
from planimeter.items import CurveCategory, CurvesItem


def draw_arcs(curves: Sequence[Curve], config: CurvesConfig, rng: np.random.Generator, limit: int = 60) -> list[Curve]:
    """Return random open arcs (n, 2; px), which serve as distractors.

    They are at least ``config.gap_px`` from every curve, from each other and from non-adjacent parts of themselves, and
    at least ``config.margin_px`` from the border. Their number is chosen at random in ``config.arcs``; fewer are
    returned if there is no room after ``limit`` attempts for each.
    """
    wanted = int(rng.integers(config.arcs[0], config.arcs[1] + 1))
    if wanted == 0:
        return []
    occupied = sampled(curves, 4.0)[0]
    arcs: list[Curve] = []
    for _ in range(wanted * limit):
        if len(arcs) == wanted:
            break
        arc = _arc(config, rng)
        inside = arc.min() > config.margin_px and arc.max() < config.canvas_px - config.margin_px
        # Points represent lines here: half a gap more than compensates for the stretches between them.
        if (
            inside
            and _is_clear(arc, occupied, 1.5 * config.gap_px)
            and open_clearance(arc, config.gap_px) >= config.gap_px
        ):
            arcs.append(arc)
            occupied = np.vstack([occupied, arc])
    return arcs


def _arc(config: CurvesConfig, rng: np.random.Generator) -> Curve:
    steps = int(rng.integers(10, 40))
    heading = rng.random() * 2 * np.pi
    turn = rng.normal(0.0, 0.09)
    wobble = np.cumsum(rng.normal(0.0, 0.05, steps))
    angles = heading + turn * np.arange(steps) + wobble
    start = rng.uniform(config.margin_px, config.canvas_px - config.margin_px, 2)
    return start + 5.0 * np.cumsum(np.stack([np.cos(angles), np.sin(angles)], axis=1), axis=0)


def _is_clear(arc: Curve, points: Curve, least: float) -> bool:
    low, high = arc.min(axis=0) - least, arc.max(axis=0) + least
    close = points[((points > low) & (points < high)).all(axis=1)]
    squares = ((arc[:, None] - close[None]) ** 2).sum(axis=2)
    return bool(np.sqrt(squares.min(initial=np.inf)) > least)


LayOut = Callable[[Parents, CurvesConfig, np.random.Generator], list[Curve]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Style:
    """One of the five categories of CurveBench, and the functions that make its curves.

    ``lay_out``: returns random curves of a given canonical tree, ``curves[i]`` for node ``i + 1``; ``draw_contours``:
    returns random curves that determine their tree, used unless the recipe requires a tree; ``defaults``: the recipe of
    the paper. Both functions raise LayoutError if a random attempt fails.
    """

    name: CurveCategory
    lay_out: LayOut
    defaults: CurvesConfig
    draw_contours: Callable[[CurvesConfig, np.random.Generator], list[Curve]] | None = None


def draw(category: Style, config: CurvesConfig, rng: np.random.Generator, *, seed: int = 0) -> CurvesItem:
    """Return a random item of the category, a candidate for the filters; ``seed`` is stored in it.

    Raises:
        LayoutError: if this attempt fails; with the reason.
    """
    # The random share of the stroke is drawn first; its range depends on the layout.
    share = rng.random()
    if config.parents is None and not config.tree_first and category.draw_contours is not None:
        contours = category.draw_contours(config, rng)
        if not config.nodes[0] <= len(contours) <= config.nodes[1]:
            raise LayoutError("another number of curves")
        parents, curves = nest(_rounded(contours))
        if not config.depth[0] <= depth(parents) <= config.depth[1]:
            raise LayoutError("another depth")
    else:
        tree = draw_tree(config, rng)
        parents, curves = canonicalised(tree, _rounded(category.lay_out(tree, config, rng)))
    stroke = config.stroke_px[0] + share * (_widest_stroke(curves, parents, config) - config.stroke_px[0])
    arcs = draw_arcs(curves, config, rng)
    return CurvesItem(
        category=category.name,
        parents=parents,
        depth=depth(parents),
        canonical=canonical(parents),
        curves=tuple(curves),
        arcs=tuple(_rounded(arcs)),
        canvas_px=config.canvas_px,
        stroke_px=round(stroke, 2),
        gap_px=config.gap_px,
        look=config.look,
        seed=seed,
    )


def _widest_stroke(curves: list[Curve], parents: Parents, config: CurvesConfig) -> float:
    """Return the widest stroke (px) in the range ``config.stroke_px`` that leaves enough blank paper between lines and
    inside empty curves.

    If no stroke leaves enough inside empty curves, the thinnest is returned. Raises LayoutError if the thinnest leaves
    too little between lines.
    """
    widest = config.stroke_px[1]
    if config.gap_px < widest + LEAST_PAPER_PX:
        clear = measure(curves, widest + LEAST_PAPER_PX + 0.1)
        widest = min(widest, float(clear.between.min()) - LEAST_PAPER_PX, float(clear.within.min()) - LEAST_PAPER_PX)
        if widest < config.stroke_px[0]:
            raise LayoutError("curves come too near")
    empty = [c for i, c in enumerate(curves) if i + 1 not in parents]
    opening = float(openings(empty, widest + LEAST_OPENING_PX).min()) - LEAST_OPENING_PX
    return max(config.stroke_px[0], min(widest, opening))


def candidates(category: Style, config: CurvesConfig, seed: int) -> Iterator[CurvesItem | LayoutError]:
    """Yield candidates for the item with ``seed``, endlessly: an item, or the LayoutError of a failed attempt."""
    return tries(partial(draw, category, config, seed=seed), seed)


def _rounded(curves: list[Curve]) -> list[Curve]:
    """Return the curves rounded to 0.01 px, so that float rounding on another machine does not change stored values."""
    return divided(np.asarray(np.concatenate(curves).round(2)), curves) if curves else []


#: The factor by which the simplification of a curve gets finer each time it comes too near, and the number of tries.
_FINER, _ROUNDS = 0.62, 8


def _easy(parents: Parents, config: CurvesConfig, rng: np.random.Generator) -> list[Curve]:
    """Return the curves of the category `easy`, smooth blobs: (n, 2; px) for each node of the tree."""
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
    """Return the curves of the category `polygon`: (n, 2; px) for each node of the tree."""
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
    """Return polygons that deviate from the curves by up to ``tolerance`` px (Douglas and Peucker).

    Curves that come too near to others, or become too narrow inside, are simplified less, in up to ``_ROUNDS`` rounds.
    Returns None if there are still such curves after the last round.
    """
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
    """Return the contour lines (n, 2; px) of a random terrain.

    Raises LayoutError if the terrain is too steep for contour lines at three heights.
    """
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
    """Return the curves of `topographical` for a given tree, blobs like contour lines: (n, 2; px) for each node."""
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
    """Return the curves of the category `maze`, folded into a labyrinth: (n, 2; px) for each node of the tree."""
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
    """Return the curves of the category `counting`, crowded blobs: (n, 2; px) for each node of the tree."""
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
        draw_contours=_contour_map,
    ),
    Style(name="maze", lay_out=_maze, defaults=CurvesConfig(nodes=(4, 14), depth=(3, 8), tree_shape="deep")),
    Style(
        name="counting",
        lay_out=_counting,
        defaults=CurvesConfig(nodes=(15, 110), depth=(2, 6), tree_shape="bushy", stroke_px=(4.0, 5.0), gap_px=7.5),
    ),
)

STYLES: Final[Mapping[CurveCategory, Style]] = MappingProxyType({style.name: style for style in _LISTED})
