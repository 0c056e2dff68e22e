"""Crossing curves, with the planar map as the answer: how one candidate goes through the rooms.

Drawings that look alike are told apart afterwards, in the order of the plan, and what that drops is drawn anew at
further indices.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, cast

from planimeter.evals.curves_maps.prompt import CONFIG, answer
from planimeter.export.rows.common import Row
from planimeter.export.rows.curves_maps import planar_map_row
from planimeter.filters.certify.curves_maps import read_planar_map
from planimeter.filters.curves.duplicates import NearDuplicates
from planimeter.filters.curves_maps.rules import PlanarMapLimits, judge
from planimeter.filters.verdict import Verdict
from planimeter.flows.shards import Made, Shard
from planimeter.flows.suites.drawing import DrawingMaker, Rooms
from planimeter.flows.suites.driver import checked, pieces, row_again
from planimeter.generators.curves.fingerprint import planar_map_side
from planimeter.generators.curves.plan import category_cells
from planimeter.generators.curves.signatures import pack, signature
from planimeter.generators.curves_maps.candidates import map_candidates
from planimeter.generators.items import PlanarMapItem
from planimeter.recipes.base import Recipe
from planimeter.recipes.curves_maps import SuiteRecipe
from planimeter.rendering.curves_maps import render
from planimeter.rendering.png import encode

SOURCES = ("planimeter.flows.suites.curves_maps",)


def plan(recipe: Recipe) -> tuple[Shard, ...]:
    """Return the shards of ``recipe``, by split and number of curves."""
    return tuple(_shards(checked(recipe, SuiteRecipe)))


def _shards(recipe: SuiteRecipe) -> Iterator[Shard]:
    table = recipe.planar_map
    for cell in category_cells(table.sizes, tuple(table.splits.items()), False, recipe.scale):
        key = (cell.label, cell.split, *cell.sizes)
        whole = Shard(suite="curves_maps", config=CONFIG, cell=key, first=0, count=cell.quota, split=cell.split)
        yield from pieces(whole, table.rows_per_shard)


def make(recipe: Recipe, shard: Shard) -> Made:
    """Generate, filter, render and certify the items of ``shard``."""
    return DrawingMaker(checked(recipe, SuiteRecipe), shard, _rooms).make()


def again(recipe: Recipe, row: Mapping[str, Any]) -> Row | None:
    """Return the row at the address of the seed of ``row``."""
    maps = checked(recipe, SuiteRecipe)
    return row_again(row, _shards(maps), lambda shard: DrawingMaker(maps, shard, _rooms))


def distinct(recipe: Recipe) -> Callable[[Shard, str], Verdict]:
    """Judge rows by how alike they look, all splits together."""
    limit, alike = checked(recipe, SuiteRecipe).planar_map.similarity, NearDuplicates()
    return lambda _, signature: alike.judge(bytes.fromhex(signature), limit)


def room(recipe: Recipe, shard: Shard) -> tuple[int, int]:  # noqa: ARG001 - other suites look into it
    """Return the rows of ``shard`` and the bytes of one."""
    return shard.count, 30_000


def _rooms(recipe: SuiteRecipe, shard: Shard) -> Rooms[PlanarMapItem]:
    _, _, low, high = cast("tuple[str, str, int, int]", shard.cell)
    config = recipe.planar_map.config((low, high))
    limits = PlanarMapLimits(
        border_px=config.margin_px,
        stroke_px=config.stroke_px[0],
        crossing_degrees=config.crossing_degrees,
        arc_px=config.arc_px,
        opening_px=config.opening_px,
        face_px2=config.face_px2,
        area_ratio=config.area_ratio,
    )
    return Rooms(
        attempts=recipe.planar_map.attempts,
        side=planar_map_side(shard.split),
        candidates=partial(map_candidates, config),
        rules=lambda item: judge(item, limits),
        picture=lambda item: encode(render(item)),
        read=lambda png, _: read_planar_map(png),
        answer=lambda item: answer(len(item.areas), item.adjacent),
        row=planar_map_row,
        signature=lambda item: pack(signature(item.curves)),
    )
