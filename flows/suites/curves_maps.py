"""Crossing curves, with the planar map as the answer: the recipe, and how one candidate becomes a row."""

from dataclasses import fields
from functools import cached_property, partial
from typing import Annotated, ClassVar

from pydantic import Field

from planimeter.evals.curves_maps.prompt import answer
from planimeter.export.suites.curves_maps import planar_map_row
from planimeter.filters.certify.curves_maps import read_planar_map
from planimeter.filters.curves_maps import judge
from planimeter.flows.suites.drawing import DrawingMaker, DrawingPipeline, Stages
from planimeter.generators.curves.config import tries
from planimeter.generators.curves_maps import PlanarMapConfig, draw_planar_map
from planimeter.items.planar_map import PlanarMapItem
from planimeter.recipes.base import Recipe
from planimeter.recipes.curves import BySize, Length, Span
from planimeter.rendering.curves import render_map
from planimeter.rendering.png import encode


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
        names = {field.name for field in fields(PlanarMapConfig)} - {"curves"}
        return PlanarMapConfig(curves=nodes, **self.model_dump(include=names))


class SuiteRecipe(Recipe):
    """A recipe with ``suite = "curves_maps"``."""

    QUOTAS: ClassVar[frozenset[str]] = frozenset({"splits", "similarity", "rows_per_shard"})

    planar_map: PlanarMap
    """Curves that cross."""


class _Maker(DrawingMaker[SuiteRecipe]):
    @cached_property
    def stages(self) -> Stages[PlanarMapItem]:
        config = self.recipe.planar_map.config(self.sizes)
        return Stages(
            candidates=lambda seed: tries(partial(draw_planar_map, config, seed=seed), seed),
            rules=lambda item: judge(item, config)[1],
            picture=lambda item: encode(render_map(item)),
            read=lambda png, _: read_planar_map(png),
            answer=lambda item: answer(len(item.areas), item.adjacent),
            row=planar_map_row,
        )


class _CurvesMaps(DrawingPipeline[SuiteRecipe]):
    maker = _Maker
    row_bytes = 30_000


SUITE = _CurvesMaps()
