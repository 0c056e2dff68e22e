"""The pipeline of crossing curves, whose planar map is the answer: draws, checks, renders and certifies items."""

from functools import partial

from planimeter.filters.certify.curves_maps import read_planar_map
from planimeter.filters.curves_maps import judge
from planimeter.flows.shards import Shard
from planimeter.generators.curves.config import tries
from planimeter.generators.curves_maps import draw_planar_map
from planimeter.items.planar_map import PlanarMapItem
from planimeter.rendering.curves import render_map
from planimeter.suites.curves_maps.recipe import SuiteRecipe
from planimeter.suites.curves_maps.rows import planar_map_row
from planimeter.suites.drawing.pipeline import DrawingPipeline, Stages, sizes_of


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


PIPELINE = _CurvesMaps()
