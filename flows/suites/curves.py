"""Nested curves: how one candidate goes through the rooms, for the five categories and for the curriculum.

Drawings that look alike are told apart afterwards, in the order of the plan, and what that drops is drawn anew at
further indices.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, cast

from planimeter.evals.curves.prompt import answer
from planimeter.export.rows.common import Row
from planimeter.export.rows.curves import curves_row
from planimeter.filters.certify.curves import read
from planimeter.filters.curves.duplicates import NearDuplicates
from planimeter.filters.curves.rules import CurvesLimits, judge
from planimeter.filters.distinct import Distinct
from planimeter.filters.verdict import Verdict
from planimeter.flows.shards import Made, Shard
from planimeter.flows.suites.drawing import DrawingMaker, Rooms
from planimeter.flows.suites.driver import checked, pieces, row_again
from planimeter.generators.curves.fingerprint import drawing_digest
from planimeter.generators.curves.plan import category_cells, level_cells, shapes
from planimeter.generators.curves.signatures import pack, signature
from planimeter.generators.curves.style import STYLES_PACKAGE, candidates, style
from planimeter.generators.items import CurveCategory, CurvesItem
from planimeter.recipes.base import Recipe
from planimeter.recipes.curves import Drawing, SuiteRecipe
from planimeter.rendering.curves import render
from planimeter.rendering.png import encode

SOURCES = ("planimeter.flows.suites.curves",)

CURRICULUM = "curriculum"


def plan(recipe: Recipe) -> tuple[Shard, ...]:
    """Return the shards of ``recipe``: the categories in the order of the paper, then the levels, easiest first."""
    return tuple(_shards(checked(recipe, SuiteRecipe)))


def _shards(recipe: SuiteRecipe) -> Iterator[Shard]:
    for name, table in recipe.categories().items():
        for cell in category_cells(table.sizes, tuple(table.splits.items()), table.every_tree, recipe.scale):
            key = (cell.label, cell.split, *cell.sizes)
            yield from pieces(_cell(name, key, cell.quota, name, cell.split), table.rows_per_shard)
    course = recipe.curriculum
    if course is not None:
        for level in level_cells(course.rows, course.level_shares, recipe.scale):
            level_key = (f"level {level.level}", level.category, level.level)
            whole = _cell(CURRICULUM, level_key, level.quota, level.category, "train")
            yield from pieces(whole, course.rows_per_shard)


def _cell(config: str, cell: tuple[str | int, ...], quota: int, category: str, split: str) -> Shard:
    modules = (f"{STYLES_PACKAGE}.{category}",)
    return Shard(suite="curves", config=config, cell=cell, first=0, count=quota, modules=modules, split=split)


def make(recipe: Recipe, shard: Shard) -> Made:
    """Generate, filter, render and certify the items of ``shard``."""
    return DrawingMaker(checked(recipe, SuiteRecipe), shard, _rooms).make()


def again(recipe: Recipe, row: Mapping[str, Any]) -> Row | None:
    """Return the row at the address of the seed of ``row``; its ``category`` narrows the search."""
    curves = checked(recipe, SuiteRecipe)
    near = (shard for shard in _shards(curves) if shard.modules == (f"{STYLES_PACKAGE}.{row['category']}",))
    return row_again(row, near, lambda shard: DrawingMaker(curves, shard, _rooms))


def distinct(recipe: Recipe) -> Callable[[Shard, str], Verdict]:
    """Judge rows to be tested with by how alike they look, all categories together; training rows by equality."""
    curves = checked(recipe, SuiteRecipe)
    limits: dict[str, float] = {name: table.similarity for name, table in curves.categories().items()}
    alike, equal = NearDuplicates(), Distinct()

    def judged(shard: Shard, signature: str) -> Verdict:
        if shard.config == CURRICULUM:
            return equal.judge(signature)
        return alike.judge(bytes.fromhex(signature), limits[shard.config])

    return judged


#: Bytes of a row: crowded and convoluted pictures take more.
_ROW_BYTES = {"easy": 40_000, "polygon": 35_000, "topographical": 65_000, "counting": 96_000, "maze": 168_000}


def room(recipe: Recipe, shard: Shard) -> tuple[int, int]:  # noqa: ARG001 - other suites look into it
    """Return the rows of ``shard`` and the bytes of one."""
    category = shard.cell[1] if shard.config == CURRICULUM else shard.config
    return shard.count, _ROW_BYTES[str(category)]


def _rooms(recipe: SuiteRecipe, shard: Shard) -> Rooms[CurvesItem]:
    more: Mapping[str, object] = {}
    if shard.config == CURRICULUM and recipe.curriculum is not None:
        _, category, level = cast("tuple[str, CurveCategory, int]", shard.cell)
        table: Drawing = recipe.curriculum
        config, more = recipe.curriculum.config(level), {"level": level}
    else:
        label, _, low, high = cast("tuple[str, str, int, int]", shard.cell)
        category = cast("CurveCategory", shard.config)
        table = drawn = recipe.categories()[category]
        config = drawn.config((low, high), shapes([(low, high)])[label] if drawn.every_tree else None)
    training = shard.config == CURRICULUM
    limits = CurvesLimits(**table.limits.model_dump())
    return Rooms(
        attempts=table.attempts,
        side="train" if training else "test",
        candidates=partial(candidates, style(category), config),
        rules=lambda item: judge(item, limits),
        picture=lambda item: encode(render(item)),
        read=lambda png, item: read(png, item.look),
        answer=lambda item: answer(item.parents),
        row=lambda item, png, reading: curves_row(shard.config, item, png, reading, more),
        signature=_equality if training else lambda item: pack(signature(item.curves)),
    )


def _equality(item: CurvesItem) -> bytes:
    return drawing_digest(item.canonical, (*item.curves, *item.arcs))
