"""The pipeline of nested curves: draws, checks, renders and certifies test items and items of training levels."""

from collections.abc import Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import cast

from planimeter.export.rows import Row
from planimeter.filters.certify.curves import read
from planimeter.filters.curves.rules import judge
from planimeter.flows.shards import Shard
from planimeter.generators.curves.curriculum import LEVELS
from planimeter.generators.curves.fingerprint import drawing_digest
from planimeter.generators.curves.plan import shapes
from planimeter.generators.curves.styles import STYLES, candidates
from planimeter.items import CurveCategory, CurvesItem
from planimeter.rendering.curves import render
from planimeter.suites.curves.recipe import Drawing, SuiteRecipe
from planimeter.suites.curves.rows import curves_row
from planimeter.suites.drawing.pipeline import DrawingPipeline, Stages, look, sizes_of

CURRICULUM = "curriculum"

#: Category -> bytes of a row, as measured.
_ROW_BYTES = {"easy": 40_000, "polygon": 35_000, "topographical": 65_000, "counting": 96_000, "maze": 168_000}


class _Curves(DrawingPipeline[SuiteRecipe]):
    levels = MappingProxyType({CURRICULUM: len(LEVELS)})

    def stages(self, recipe: SuiteRecipe, shard: Shard) -> Stages[CurvesItem]:
        more: Mapping[str, object] = {}
        if shard.config == CURRICULUM and recipe.curriculum is not None:
            _, category, level = cast("tuple[str, CurveCategory, int]", shard.cell)
            table: Drawing = recipe.curriculum
            config, more = recipe.curriculum.config(level), {"level": level}
        else:
            category, sizes = cast("CurveCategory", shard.config), sizes_of(shard)
            table = drawn = recipe.categories()[category]
            tree = shapes([sizes])[str(shard.cell[0])] if sizes[1] <= drawn.trees_to else None
            config = drawn.config(sizes, tree)
        return Stages(
            candidates=partial(candidates, STYLES[category], config),
            rules=lambda item: (*judge(item, table.limits),),
            picture=render,
            read=lambda png, item: read(png, item.look),
            row=lambda item, png, reading: curves_row(shard.config, item, png, reading, more),
            signature=_digest if shard.config == CURRICULUM else look,
        )

    def cells(self, recipe: SuiteRecipe) -> Iterator[tuple[Shard, int]]:
        """Yield (cell as one shard, items per final shard) for each cell, a kind of drawings with its own quota.

        The cells of categories come in the order of the CurveBench paper, then those of training levels, easiest first.
        """
        yield from super().cells(recipe)
        if course := recipe.curriculum:
            for shard in self.course(recipe, CURRICULUM, course.rows, course.level_shares):
                yield shard, course.rows_per_shard

    def level_cells(self, recipe: SuiteRecipe, config: str, level: int) -> Iterator[tuple[Shard, float]]:
        """Yield (shard of count 0, weight) for each category, which gets rows in proportion to its weight."""
        if config == CURRICULUM and recipe.curriculum is not None:
            for category, weight in LEVELS[level - 1].weights:
                key = (f"level {level}", category, level)
                yield Shard(suite="curves", config=config, cell=key, first=0, count=0, split="train"), weight

    def may_contain(self, row: Row, shard: Shard) -> bool:
        return _category(shard) == row["category"]

    def estimate_size(self, recipe: SuiteRecipe, shard: Shard) -> tuple[int, int]:  # noqa: ARG002
        return shard.count, _ROW_BYTES[_category(shard)]


def _digest(item: CurvesItem) -> bytes:
    return drawing_digest(item.canonical, (*item.curves, *item.arcs))


def _category(shard: Shard) -> str:
    return str(shard.cell[1] if shard.config == CURRICULUM else shard.config)


PIPELINE = _Curves()
