"""The pipeline of MaRVL-QA: draws, checks, renders and certifies the items of all configs.

The seed of a row is the seed of its item, with the index of the drawing style in the lowest bits.

A pair of plots is accepted only if it can be certified in all 81 pairs of styles, even if the recipe shows only two. A
recipe for more pairs of plots has at least as many in each cell (family and motion; ``generators/marvl_qa/plan.py``),
and a pair is compared for equality only with pairs of its cell. Therefore, with the same seed, a recipe with fewer
pairs of plots, or fewer styles of each, has a subset of the rows of a larger one.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from planimeter.evals.marvl_qa import prompt as words
from planimeter.export.rows import Row
from planimeter.filters.certify.marvl_qa.certificate import CountingCertifier, PairCertifier
from planimeter.filters.marvl_qa.ambiguity import fitting, judge
from planimeter.filters.marvl_qa.duplicates import signature
from planimeter.filters.marvl_qa.extrema import curate
from planimeter.filters.marvl_qa.recount import recount
from planimeter.filters.verdict import Distinct, Verdict, agrees
from planimeter.flows.shards import Shard
from planimeter.generators.marvl_qa import counting, transformation
from planimeter.generators.marvl_qa.curriculum import LEVELS, TRANSFORMATION, pair_of_styles, style_of
from planimeter.generators.marvl_qa.plan import (
    counting_cells,
    counting_course,
    transformation_cells,
    transformation_course,
)
from planimeter.generators.marvl_qa.plan import family as family_of
from planimeter.generators.marvl_qa.sampling import RENDER_POINTS, Grid, sample
from planimeter.generators.marvl_qa.transformation import ShiftRange, plots, style_pairs
from planimeter.generators.seeding import rng_of, with_variant
from planimeter.items import STYLES, Domain, Feature, Transformation
from planimeter.rendering.frame import in_picture, shift_in_picture
from planimeter.rendering.heights import HeightScale, scale_of_heights
from planimeter.rendering.marvl_qa import Composer, compose, drawing, paint_all, render_panel
from planimeter.rendering.png import Encoder, IndexedImage, encode
from planimeter.suites.account import Account
from planimeter.suites.base import Course
from planimeter.suites.editions import Likeness
from planimeter.suites.marvl_qa import hard, surface, surface_transformation
from planimeter.suites.marvl_qa.recipe import Counting, CountingCourse, PairTask, SuiteRecipe, TransformationTask
from planimeter.suites.marvl_qa.rows import answer_of, counting_row, level_column, transformation_rows
from planimeter.suites.pipeline import DistinctJudge, Found, Maker, Pipeline, one_by_one

Cell = hard.Cell
TITLES = hard.TITLES


class _Maker(Maker[SuiteRecipe]):
    @property
    def budget(self) -> int:
        attempts: int = getattr(self.recipe, self.shard.config).attempts
        return attempts

    def attempt(self, index: int, seed: int) -> Found | None:  # noqa: ARG002 - the seed says all
        return _ATTEMPTS[self.shard.config](self.recipe, self.shard.cell, seed, self.account)


def _counting(recipe: SuiteRecipe, cell: Cell, seed: int, account: Account) -> Found | None:
    name, feature, low, high, *level = cast("tuple[str, Feature, int, int, *tuple[int, ...]]", cell)
    family, rng, stage = family_of(name), rng_of(seed), account.watch.stage
    task = cast("Counting | CountingCourse", recipe.counting)
    with stage("generate"):
        surface = counting.propose(family, feature, rng)
        # A training question appears in one style, and only this one must be certain.
        shown = (style_of(level[0], rng),) if level else tuple(range(len(STYLES)))
    with stage("filter"):
        heights = cache(partial(sample, family, surface.parameters, surface.domain, RENDER_POINTS))
        verdict, extrema = curate(family, surface, feature, task.curation, (low, high), heights)

    def picture() -> bytes:
        return encode(render_panel(heights(), surface.domain, scale_of_heights(heights()), STYLES[0]))

    if not account.judge(verdict, picture, name):
        return None
    if task.recounted:
        with stage("filter"):
            second = recount(family, surface, feature, heights(), len(extrema))
        if not account.judge(second, picture, name):
            return None
    item, grid = counting.item(surface, feature, extrema, seed), heights()
    with stage("render"):
        drawn = drawing(grid, scale_of_heights(grid), {STYLES[variant].plot_type for variant in shown})
        panels = paint_all(drawn, surface.domain, [STYLES[variant] for variant in shown])
    places = [in_picture(surface.domain, point.x, point.y) for point in extrema]
    certifier, encoder = CountingCertifier(), Encoder()
    rows: list[Row] = []
    for variant, panel in zip(shown, panels, strict=True):
        style = STYLES[variant]
        with stage("render"):
            png = encoder.encode(panel)
        with stage("certify"):
            reading = certifier.certify(png, feature)
        if not account.judge(agrees(reading, str(len(extrema))), png, name, f"style={style}"):
            return None
        prompts = (words.counting_system_prompt(), words.counting_prompt(feature))
        row = counting_row(item, style, with_variant(seed, variant), png, reading, *prompts, places)
        rows.append({**row, **level_column(level)})
    alike = signature(grid)
    return Found(rows={"counting": rows}, signature=alike + feature.encode(), like=Likeness("counting", alike))


def _transformation(recipe: SuiteRecipe, cell: Cell, seed: int, account: Account) -> Found | None:
    name, kind, *level = cast("tuple[str, Transformation, *tuple[int, ...]]", cell)
    task = cast("TransformationTask", recipe.transformation)
    family, rng, stage = family_of(name), rng_of(seed), account.watch.stage
    with stage("generate"):
        candidate = transformation.propose(family, kind, rng, _shifts(task, level))
        if level:
            # The other questions of a surface decide which surfaces a test shows; in a narrow range
            # of shifts some families have no surface that fits all.
            candidate = replace(candidate, others=())
        shown = (pair_of_styles(level[0], rng),) if level else style_pairs(task.styles, rng)
    with stage("filter"):
        found = judge(family, candidate, task.ambiguity)
    domain = candidate.surface.domain

    def picture() -> bytes:
        grids = plots(family, found.refused or candidate)
        scale = scale_of_heights(*grids)
        panels = (render_panel(g, domain, scale, STYLES[0], t) for g, t in zip(grids, TITLES, strict=True))
        return encode(compose(*panels))

    def ambiguous() -> dict[str, str]:
        asked = found.refused or candidate
        fits = fitting(family, asked, task.ambiguity)
        return {"answer": words.LABELS[asked.transformation], "fits": "; ".join(words.LABELS[o] for o in fits)}

    if not account.judge(found.verdict, picture, name, details=ambiguous):
        return None
    candidate = replace(candidate, offset=found.offset)
    item = transformation.item(
        candidate, nrmse_identity=found.nrmse_identity, nrmse_confusable=found.nrmse_confusable, seed=seed
    )
    with stage("render"):
        grids = found.plots
        scale = scale_of_heights(*grids)
        # All 81 pairs of styles show 18 panels. Of a training pair only the shown one must be certain.
        every = {variant: divmod(variant, len(STYLES)) for variant in (shown if level else range(len(STYLES) ** 2))}
        panels = [
            _panels(grids[side], scale, domain, TITLES[side], {pair[side] for pair in every.values()})
            for side in (0, 1)
        ]
    certifier, composer, encoder = PairCertifier(), Composer(), Encoder()
    with stage("certify"):
        colours = [{style: image.bgr() for style, image in side.items()} for side in panels]
        readings = {
            variant: certifier.certify_panels(colours[0][left], colours[1][right], item.options)
            for variant, (left, right) in every.items()
            if variant not in shown
        }
    prompts = (words.transformation_system_prompt(), words.transformation_prompt(item.options))
    row_of = transformation_rows(item, *prompts, shift_in_picture(domain, kind, item.offset))
    rows: dict[int, Row] = {}
    for variant, (left, right) in every.items():

        def pair(left: int = left, right: int = right) -> bytes:
            with stage("render"):
                return encoder.encode(composer.compose(panels[0][left], panels[1][right]))

        styles = (STYLES[left], STYLES[right])
        if variant in shown:
            png = pair()
            with stage("certify"):
                readings[variant] = certifier.certify(png, item.options)
            seed_of_row = with_variant(seed, variant)
            rows[variant] = {**row_of(*styles, seed_of_row, png, readings[variant]), **level_column(level)}
        verdict = agrees(readings[variant], answer_of(item))
        if not account.judge(verdict, pair, name, f"style={styles[0]} and {styles[1]}"):
            return None
    shown_rows = {"transformation": [rows[variant] for variant in shown]}
    alike = signature(np.hstack(grids))
    return Found(rows=shown_rows, signature=alike, like=Likeness("transformation", alike))


def _panels(grid: Grid, scale: HeightScale, domain: Domain, title: str, shown: set[int]) -> dict[int, IndexedImage]:
    """Return {index of a style: the picture of ``grid`` in this style} for the indices ``shown``."""
    styles = {number: STYLES[number] for number in sorted(shown)}
    drawn = drawing(grid, scale, {style.plot_type for style in styles.values()})
    return dict(zip(styles, paint_all(drawn, domain, list(styles.values()), title), strict=True))


def _shifts(task: PairTask, level: Sequence[int]) -> ShiftRange:
    """Return the range of lengths of translations: of the training level or, if ``level`` is empty, of the recipe."""
    if not level:
        return task.shifts
    smallest, largest = TRANSFORMATION[level[0] - 1].shifts
    return replace(task.shifts, smallest=smallest, largest=largest)


#: Config -> one attempt at an item of it.
_ATTEMPTS: Mapping[str, Callable[[SuiteRecipe, Cell, int, Account], Found | None]] = {
    "counting": _counting,
    "transformation": _transformation,
    "counting_hard": hard.counting,
    "transformation_hard": hard.transformation,
    "surface": surface.surface,
    "surface_transformation": surface_transformation.surface_transformation,
}
#: Config -> its cells for testing, by its table and the scale, and the training cells of a level with their weights.
_CELLS: Mapping[str, Callable[[Any, float], Iterable[tuple[Cell, int]]]] = {
    "counting": lambda t, scale: counting_cells(t.questions, t.count_bins, t.maxima_share, scale),
    "transformation": lambda t, scale: transformation_cells(t.pairs, scale),
    "counting_hard": hard.counting_cells,
    "transformation_hard": hard.transformation_cells,
    "surface": surface.cells,
    "surface_transformation": hard.transformation_cells,
}
_COURSES: Mapping[str, Callable[[int], Iterable[tuple[Cell, float]]]] = {
    "counting": counting_course,
    "transformation": transformation_course,
    "counting_hard": hard.counting_course,
    "transformation_hard": hard.transformation_course,
    "surface": surface.course,
    "surface_transformation": surface_transformation.course,
}


#: Bytes of a row of each config of ``marvl-qa-hard``.
ROW_BYTES: Mapping[str, int] = MappingProxyType(
    {**hard.ROW_BYTES, "surface": surface.ROW_BYTES, "surface_transformation": surface_transformation.ROW_BYTES}
)


def _has_pairs(config: str) -> bool:
    return "transformation" in config


class _MarvlQa(Pipeline[SuiteRecipe]):
    maker = _Maker
    exclude_test_items = True
    levels = MappingProxyType({config: len(levels) for config, levels in LEVELS.items()})

    def cells(self, recipe: SuiteRecipe) -> Iterator[tuple[Shard, int]]:
        for config, cells in _CELLS.items():
            task = getattr(recipe, config)
            if task is None:
                continue
            size = task.pairs_per_shard if _has_pairs(config) else task.questions_per_shard
            if isinstance(task, Course):
                for shard in self.course(recipe, config, task.rows, task.level_shares):
                    yield shard, size
            else:
                for cell, quota in cells(task, recipe.scale):
                    yield _cell(config, cell, quota), size

    def level_cells(self, recipe: SuiteRecipe, config: str, level: int) -> Iterator[tuple[Shard, float]]:
        """Yield (shard of count 0, weight) for each cell of ``level``, which gets rows in proportion to its weight."""
        if isinstance(getattr(recipe, config), Course):
            for question, weight in _COURSES[config](level):
                yield _cell(config, (*question, level), 0, "train"), weight

    def may_contain(self, row: Row, shard: Shard) -> bool:
        return _has_pairs(shard.config) != ("feature" in row) and shard.cell[0] == row["family"]

    def distinct(self, recipe: SuiteRecipe) -> DistinctJudge:  # noqa: ARG002 - others have limits
        """Return a judge that rejects items whose plots show the same heights as earlier ones, up to scale and offset.

        Counting questions are compared with all questions of their config, pairs with those of their cell (family and
        motion), at any level. Pairs of different cells are never equal: Algorithm 1 of the MaRVL-QA paper excludes that
        two motions look alike, and each family has its own form of function. So the number of pairs in one cell does
        not change the rows of another.
        """
        seen: dict[tuple[str | int, ...], Distinct] = {}

        def judge(shard: Shard, signature: str) -> Verdict:
            scope = (shard.config, *(shard.cell[:2] if _has_pairs(shard.config) else ()))
            return seen.setdefault(scope, Distinct()).judge(signature)

        return one_by_one(judge)

    def estimate_size(self, recipe: SuiteRecipe, shard: Shard) -> tuple[int, int]:
        # Pictures of one plot share most of their bytes.
        if shard.config in ROW_BYTES:
            return shard.count, ROW_BYTES[shard.config]
        if shard.split == "train":
            return shard.count, 15_000 if shard.config == "counting" else 60_000
        if shard.config == "counting":
            return shard.count * len(STYLES), 10_400
        every = isinstance(recipe.transformation, TransformationTask) and recipe.transformation.styles == "all"
        return (shard.count * len(STYLES) ** 2, 10_600) if every else (shard.count * 2, 60_000)


def _cell(config: str, cell: Cell, quota: int, split: str = "test") -> Shard:
    return Shard(suite="marvl_qa", config=config, cell=cell, first=0, count=quota, split=split)


PIPELINE = _MarvlQa()
