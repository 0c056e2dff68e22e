"""Crossing curves, with the planar map as the answer: how one candidate goes through the rooms.

Drawings that look alike are told apart afterwards, in the order of the plan, and what that drops is drawn anew at
further indices.
"""

from collections.abc import Iterator
from functools import cached_property, partial
from typing import cast

from planimeter.evals.curves_maps.prompt import CONFIG, answer
from planimeter.export.rows import Row
from planimeter.export.suites.curves_maps import planar_map_row
from planimeter.filters.certify.curves_maps import read_planar_map
from planimeter.filters.curves.duplicates import NearDuplicates
from planimeter.filters.curves_maps.rules import PlanarMapLimits, judge
from planimeter.flows.shards import Shard
from planimeter.flows.suites.drawing import DrawingMaker, Rooms
from planimeter.flows.suites.driver import DistinctJudge, Suite
from planimeter.generators.curves.fingerprint import planar_map_side
from planimeter.generators.curves.plan import category_cells
from planimeter.generators.curves.signatures import pack, signature
from planimeter.generators.curves_maps.candidates import map_candidates
from planimeter.items import PlanarMapItem
from planimeter.recipes.curves_maps import SuiteRecipe
from planimeter.rendering.curves_maps import render
from planimeter.rendering.png import encode


class _Maker(DrawingMaker[SuiteRecipe]):
    @cached_property
    def rooms(self) -> Rooms[PlanarMapItem]:
        _, _, low, high = cast("tuple[str, str, int, int]", self.shard.cell)
        config = self.recipe.planar_map.config((low, high))
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
            attempts=self.recipe.planar_map.attempts,
            side=planar_map_side(self.shard.split),
            candidates=partial(map_candidates, config),
            rules=lambda item: judge(item, limits),
            picture=lambda item: encode(render(item)),
            read=lambda png, _: read_planar_map(png),
            answer=lambda item: answer(len(item.areas), item.adjacent),
            row=planar_map_row,
            signature=lambda item: pack(signature(item.curves)),
        )


class _CurvesMaps(Suite[SuiteRecipe]):
    maker = _Maker
    row_bytes = 30_000

    def cells(self, recipe: SuiteRecipe) -> Iterator[tuple[Shard, int]]:
        table = recipe.planar_map
        for cell in category_cells(table.sizes, tuple(table.splits.items()), 0, recipe.scale):
            key = (cell.label, cell.split, *cell.sizes)
            whole = Shard(suite="curves_maps", config=CONFIG, cell=key, first=0, count=cell.quota, split=cell.split)
            yield whole, table.rows_per_shard

    def near(self, row: Row, shard: Shard) -> bool:
        return cast("int", shard.cell[2]) <= row["num_curves"] <= cast("int", shard.cell[3])

    def distinct(self, recipe: SuiteRecipe) -> DistinctJudge:
        """Judge rows by how alike they look, all splits together."""
        limit, alike = recipe.planar_map.similarity, NearDuplicates()
        return lambda _, signatures: alike.judge([bytes.fromhex(signature) for signature in signatures], limit)


SUITE = _CurvesMaps()
