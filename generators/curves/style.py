"""What a style is, and the way from a style and a recipe to an item."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from planimeter.generators.curves.arcs import draw_arcs
from planimeter.generators.curves.clearance import measure
from planimeter.generators.curves.config import LEAST_OPENING_PX, LEAST_PAPER_PX, CurvesConfig, LayoutError
from planimeter.generators.curves.nesting import canonicalised, nest
from planimeter.generators.curves.outlines import Curve, divided, openings
from planimeter.generators.curves.trees import Parents, canonical, depth
from planimeter.generators.curves.wanted import draw_tree
from planimeter.generators.seeding import rng_of
from planimeter.items import CurveCategory, CurvesItem

LayOut = Callable[[Parents, CurvesConfig, np.random.Generator], list[Curve]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Style:
    """One category of CurveBench, as ``styles`` lists it.

    ``lay_out`` draws a given canonical tree, ``curves[i]`` around node ``i + 1``; ``found``, where a style has it,
    draws curves whose tree is whatever they show. Both raise LayoutError. ``defaults``: the recipe at paper scale.
    """

    name: CurveCategory
    lay_out: LayOut
    defaults: CurvesConfig
    found: Callable[[CurvesConfig, np.random.Generator], list[Curve]] | None = None


def draw(category: Style, config: CurvesConfig, rng: np.random.Generator, *, seed: int = 0) -> CurvesItem:
    """Return one candidate item.

    Raises:
        LayoutError: if this draw leads to no picture, with the reason.
    """
    # The stroke's draw comes first: what the layout leaves room for decides the rest.
    share = rng.random()
    if config.parents is None and not config.tree_first and category.found is not None:
        shown = category.found(config, rng)
        if not config.nodes[0] <= len(shown) <= config.nodes[1]:
            raise LayoutError("another number of curves")
        parents, curves = nest(_rounded(shown))
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
    """Return the widest stroke up to the recipe's that leaves paper between the lines and in every empty curve.

    Raises LayoutError if not even the recipe's thinnest leaves paper between the lines.
    """
    widest = config.stroke_px[1]
    if config.gap_px < widest + LEAST_PAPER_PX:
        clear = measure(curves, widest + LEAST_PAPER_PX + 0.1)
        widest = min(widest, float(clear.between.min()) - LEAST_PAPER_PX, float(clear.within.min()) - LEAST_PAPER_PX)
        if widest < config.stroke_px[0]:
            raise LayoutError("curves come too near")
    empty = [c for i, c in enumerate(curves) if i + 1 not in parents]
    room = float(openings(empty, widest + LEAST_OPENING_PX).min()) - LEAST_OPENING_PX
    return max(config.stroke_px[0], min(widest, room))


def candidates(category: Style, config: CurvesConfig, seed: int) -> Iterator[CurvesItem | LayoutError]:
    """Yield candidates for the item with ``seed`` without end: an item, or why there is none.

    All come from the item's own stream, so the first that passes the filters is a function of recipe and seed.
    """
    rng = rng_of(seed)
    while True:
        try:
            yield draw(category, config, rng, seed=seed)
        except LayoutError as failure:
            yield failure


def _rounded(curves: list[Curve]) -> list[Curve]:
    # Multiples of 0.01 px: float noise of another machine must not reach a stored value.
    return divided(np.asarray(np.vstack(curves).round(2)), curves) if curves else []
