"""Nested curves: the stages of one candidate, for the five categories and for the curriculum."""

from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from types import MappingProxyType
from typing import cast

from planimeter.evals.curves.prompt import answer
from planimeter.export.rows import Row
from planimeter.export.suites.curves import curves_row
from planimeter.filters.certify.curves import read
from planimeter.filters.curves.rules import judge
from planimeter.flows.shards import Shard
from planimeter.flows.suites.drawing import DrawingMaker, DrawingPipeline, Stages, look
from planimeter.generators.curves.curriculum import LEVELS
from planimeter.generators.curves.fingerprint import drawing_digest
from planimeter.generators.curves.plan import shapes
from planimeter.generators.curves.styles import STYLES, candidates
from planimeter.items import CurveCategory, CurvesItem
from planimeter.recipes.curves import Drawing, SuiteRecipe
from planimeter.rendering.curves import render
from planimeter.rendering.png import encode

CURRICULUM = "curriculum"

#: Bytes of a row: crowded and convoluted pictures take more.
_ROW_BYTES = {"easy": 40_000, "polygon": 35_000, "topographical": 65_000, "counting": 96_000, "maze": 168_000}


class _Maker(DrawingMaker[SuiteRecipe]):
    @cached_property
    def stages(self) -> Stages[CurvesItem]:
        more: Mapping[str, object] = {}
        if self.shard.config == CURRICULUM and self.recipe.curriculum is not None:
            _, category, level = cast("tuple[str, CurveCategory, int]", self.shard.cell)
            table: Drawing = self.recipe.curriculum
            config, more = self.recipe.curriculum.config(level), {"level": level}
        else:
            label, _, low, high = cast("tuple[str, str, int, int]", self.shard.cell)
            category = cast("CurveCategory", self.shard.config)
            table = drawn = self.recipe.categories()[category]
            config = drawn.config((low, high), shapes([(low, high)])[label] if high <= drawn.trees_to else None)
        return Stages(
            candidates=partial(candidates, STYLES[category], config),
            rules=lambda item: (*judge(item, table.limits),),
            picture=lambda item: encode(render(item)),
            read=lambda png, item: read(png, item.look),
            answer=lambda item: answer(item.parents),
            row=lambda item, png, reading: curves_row(self.shard.config, item, png, reading, more),
            signature=_digest if self.shard.config == CURRICULUM else look,
        )


class _Curves(DrawingPipeline[SuiteRecipe]):
    maker = _Maker
    levels = MappingProxyType({CURRICULUM: len(LEVELS)})

    def cells(self, recipe: SuiteRecipe) -> Iterator[tuple[Shard, int]]:
        """Yield the categories in the order of the paper, then the levels, easiest first."""
        yield from super().cells(recipe)
        if course := recipe.curriculum:
            for shard in self.course(recipe, CURRICULUM, course.rows, course.level_shares):
                yield shard, course.rows_per_shard

    def level_cells(self, recipe: SuiteRecipe, config: str, level: int) -> Iterator[tuple[Shard, float]]:
        """Yield the categories of ``level``."""
        if config == CURRICULUM and recipe.curriculum is not None:
            for category, weight in LEVELS[level - 1].weights:
                key = (f"level {level}", category, level)
                yield Shard(suite="curves", config=config, cell=key, first=0, count=0, split="train"), weight

    def near(self, row: Row, shard: Shard) -> bool:
        return _category(shard) == row["category"]

    def room(self, recipe: SuiteRecipe, shard: Shard) -> tuple[int, int]:  # noqa: ARG002 - other suites look into it
        return shard.count, _ROW_BYTES[_category(shard)]


def _digest(item: CurvesItem) -> bytes:
    return drawing_digest(item.canonical, (*item.curves, *item.arcs))


def _category(shard: Shard) -> str:
    return str(shard.cell[1] if shard.config == CURRICULUM else shard.config)


SUITE = _Curves()
