"""Crossing curves, with the planar map as the answer: the recipe, and how one candidate becomes a row.

Drawings that look alike are told apart afterwards, in the order of the plan, and what that drops is drawn anew at
further indices.
"""

from collections.abc import Iterator
from dataclasses import fields
from functools import cached_property, partial
from typing import Annotated, ClassVar, Literal, Self, cast

from pydantic import Field, model_validator

from planimeter.evals.curves_maps.prompt import CONFIG, answer
from planimeter.export.suites.curves_maps import planar_map_row
from planimeter.filters.certify.curves_maps import read_planar_map
from planimeter.filters.curves.duplicates import NearDuplicates
from planimeter.filters.curves_maps import judge
from planimeter.flows.shards import Shard
from planimeter.flows.suites.drawing import DrawingMaker, Rooms
from planimeter.flows.suites.pipeline import DistinctJudge, Pipeline
from planimeter.generators.curves.plan import category_cells
from planimeter.generators.curves.signatures import pack, signature
from planimeter.generators.curves_maps import PlanarMapConfig, map_candidates
from planimeter.items.planar_map import PlanarMapItem
from planimeter.recipes.base import Positive, Recipe, Table
from planimeter.recipes.curves import Length, Span, Splits, check_sizes
from planimeter.rendering.curves import render_map
from planimeter.rendering.png import encode


class PlanarMap(Table):
    """Crossing curves (CurveBench, section 8). ``sizes`` and ``similarity`` are as in a category; for the lengths, the
    angle and the areas see ``generators.curves_maps.PlanarMapConfig``. The rules judge by the same limits.
    """

    splits: Splits
    """Rows of each split."""
    sizes: tuple[tuple[Positive, Positive], ...] = Field(min_length=1)
    """Ranges of the number of curves, which share the rows evenly."""
    canvas_px: Annotated[int, Field(ge=64, le=4096)]
    """Side of the square picture, px."""
    margin_px: Length
    """Margin that the layout keeps free, px."""
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
    similarity: Annotated[float, Field(gt=0, le=1)]
    """From this similarity on, 0 to 1, two drawings are duplicates."""
    attempts: Positive
    """Candidates for one row before it is given up."""
    rows_per_shard: Positive
    """Rows of one shard, the unit of work."""

    @model_validator(mode="after")
    def _can_be_drawn(self) -> Self:
        check_sizes(self.sizes)
        for curves in self.sizes:
            self.config(curves)
        return self

    def config(self, curves: tuple[int, int]) -> PlanarMapConfig:
        """Return what is asked of an arrangement of that many curves. Raises ``ValueError`` if none can be read."""
        names = {field.name for field in fields(PlanarMapConfig)} - {"curves"}
        return PlanarMapConfig(curves=curves, **self.model_dump(include=names))


class SuiteRecipe(Recipe):
    """A recipe with ``suite = "curves_maps"``."""

    QUOTAS: ClassVar[frozenset[str]] = frozenset({"splits", "similarity", "rows_per_shard"})

    suite: Literal["curves_maps"]
    """Names the suite; it decides which tables there are."""
    planar_map: PlanarMap
    """Curves that cross."""


class _Maker(DrawingMaker[SuiteRecipe]):
    @cached_property
    def rooms(self) -> Rooms[PlanarMapItem]:
        _, _, low, high = cast("tuple[str, str, int, int]", self.shard.cell)
        config = self.recipe.planar_map.config((low, high))
        return Rooms(
            attempts=self.recipe.planar_map.attempts,
            candidates=partial(map_candidates, config),
            rules=lambda item: judge(item, config),
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
        table = recipe.planar_map
        for cell in category_cells(table.sizes, tuple(table.splits.items()), 0, recipe.scale):
            key = (cell.label, cell.split, *cell.sizes)
            whole = Shard(suite="curves_maps", config=CONFIG, cell=key, first=0, count=cell.quota, split=cell.split)
            yield whole, table.rows_per_shard

    def distinct(self, recipe: SuiteRecipe) -> DistinctJudge:
        """Judge rows by how alike they look, all splits together."""
        limit, alike = recipe.planar_map.similarity, NearDuplicates()
        return lambda _, signatures: alike.judge([bytes.fromhex(signature) for signature in signatures], limit)


SUITE = _CurvesMaps()
