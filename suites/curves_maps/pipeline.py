"""Crossing curves, with the planar map as the answer: the recipe, and how one candidate becomes a row."""

from dataclasses import fields
from functools import partial
from typing import Annotated

from pydantic import Field

from planimeter.filters.certify.curves_maps import read_planar_map
from planimeter.filters.curves_maps import judge
from planimeter.flows.shards import Shard
from planimeter.generators.curves.config import tries
from planimeter.generators.curves_maps import PlanarMapConfig, draw_planar_map
from planimeter.items.planar_map import PlanarMapItem, PlanarMapLimits
from planimeter.rendering.curves import render_map
from planimeter.suites.base import Recipe
from planimeter.suites.curves.recipe import BySize, Length, Span
from planimeter.suites.curves_maps.rows import planar_map_row
from planimeter.suites.drawing.pipeline import DrawingPipeline, Stages, sizes_of


class PlanarMap(BySize):
    """Crossing curves (CurveBench, section 8), by the limits of ``generators.curves_maps.PlanarMapConfig``."""

    stroke_px: Span
    """Thinnest and widest stroke, px."""
    crossing_degrees: Length
    """Least angle of two curves where they cross, degrees."""
    arc_px: Length
    """Least length along a curve between two crossings, px."""
    opening_px: Length
    """Least width of a face, necks included, px."""
    face_px2: Length
    """Least white paper in a face, px²."""
    area_ratio: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    """Least ratio of the areas of two faces."""

    def config(self, nodes: tuple[int, int]) -> PlanarMapConfig:
        """Return what is asked of an arrangement of that many curves. Raises ``ValueError`` if none can be read."""
        return PlanarMapConfig(curves=nodes, **self.model_dump(include={f.name for f in fields(PlanarMapLimits)}))


class SuiteRecipe(Recipe):
    """A recipe with ``suite = "curves_maps"``."""

    planar_map: PlanarMap
    """Curves that cross."""


class _CurvesMaps(DrawingPipeline[SuiteRecipe]):
    row_bytes = 30_000

    def stages(self, recipe: SuiteRecipe, shard: Shard) -> Stages[PlanarMapItem]:
        config = recipe.planar_map.config(sizes_of(shard))
        return Stages(
            candidates=lambda seed: tries(partial(draw_planar_map, config, seed=seed), seed),
            rules=lambda item: judge(item, config)[1],
            picture=render_map,
            read=lambda png, _: read_planar_map(png),
            row=planar_map_row,
        )


SUITE = _CurvesMaps()
