"""Crossing curves, with the planar map as the answer: the recipe, and how one candidate becomes a row.

Drawings that look alike are compared afterwards, in the order of the plan, and what that drops is drawn anew at
further indices.
"""

from collections.abc import Iterator
from dataclasses import fields
from functools import cached_property, partial
from typing import Annotated, ClassVar, Literal, cast

from pydantic import Field

from planimeter.evals.curves_maps.prompt import CONFIG, answer
from planimeter.export.suites.curves_maps import planar_map_row
from planimeter.filters.certify.curves_maps import read_planar_map
from planimeter.filters.curves.likeness import NearDuplicates
from planimeter.filters.curves_maps import judge
from planimeter.flows.shards import Shard
from planimeter.flows.suites.drawing import DrawingMaker, Stages, cells_of
from planimeter.flows.suites.pipeline import DistinctJudge, Pipeline
from planimeter.generators.curves.config import tries
from planimeter.generators.curves.signatures import pack, signature
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

    suite: Literal["curves_maps"]
    """Names the suite; it decides which tables there are."""
    planar_map: PlanarMap
    """Curves that cross."""


class _Maker(DrawingMaker[SuiteRecipe]):
    @cached_property
    def stages(self) -> Stages[PlanarMapItem]:
        _, _, low, high = cast("tuple[str, str, int, int]", self.shard.cell)
        config = self.recipe.planar_map.config((low, high))
        return Stages(
            attempts=self.recipe.planar_map.attempts,
            candidates=lambda seed: tries(partial(draw_planar_map, config, seed=seed), seed),
            rules=lambda item: judge(item, config)[1],
            picture=lambda item: encode(render_map(item)),
            read=lambda png, _: read_planar_map(png),
            answer=lambda item: answer(len(item.areas), item.adjacent),
            row=planar_map_row,
            signature=lambda item: pack(signature(item.curves)),
        )


class _CurvesMaps(Pipeline[SuiteRecipe]):
    maker = _Maker
    apart = True
    row_bytes = 30_000

    def cells(self, recipe: SuiteRecipe) -> Iterator[tuple[Shard, int]]:
        yield from cells_of(recipe, CONFIG, recipe.planar_map)

    def distinct(self, recipe: SuiteRecipe) -> DistinctJudge:
        """Judge rows by how alike they look, all splits together."""
        limit, alike = recipe.planar_map.similarity, NearDuplicates()
        return lambda _, signatures: alike.judge([bytes.fromhex(signature) for signature in signatures], limit)


SUITE = _CurvesMaps()
