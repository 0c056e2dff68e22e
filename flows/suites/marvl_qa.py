"""MaRVL-QA: how one candidate goes through the rooms, for both tasks.

An address is (config, cell, index, attempt). The attempts of an index are its own stream: the first that every check
keeps is the item, so that a quota fills the same way whatever runs first. A row's seed is that of the attempt, with
the style in its lowest bits; with the recipe, it says all there is to the row.

A pair of plots is kept only if all 81 pairs of styles can be certified, whichever of them the recipe shows; quotas of
pairs grow cell by cell (``generators/marvl_qa/plan.py``) and equal pairs are looked for within a cell. So what a recipe
with fewer pairs, or fewer styles of each, publishes is a part of what one with more of them does, of the same seed.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np

from planimeter.evals import marvl_qa as protocol
from planimeter.export.rows.marvl_qa import Row, answer_of, counting_row, transformation_row
from planimeter.filters.certify.marvl_qa.certificate import CountingCertifier, PairCertifier
from planimeter.filters.distinct import Distinct
from planimeter.filters.marvl_qa.ambiguity import AmbiguityLimits, judge
from planimeter.filters.marvl_qa.duplicates import signature
from planimeter.filters.marvl_qa.extrema import CurationLimits, curate
from planimeter.filters.verdict import Verdict, agrees
from planimeter.flows.shards import Made, Shard, addresses
from planimeter.flows.suites.account import Account
from planimeter.generators.items import STYLES, Feature, Transformation
from planimeter.generators.marvl_qa import counting, transformation
from planimeter.generators.marvl_qa.family import Family
from planimeter.generators.marvl_qa.plan import FAMILIES, counting_cells, family, transformation_cells
from planimeter.generators.marvl_qa.sampling import RENDER_POINTS, Grid, sample
from planimeter.generators.marvl_qa.transformation import Candidate, ShiftRange, plot_a, plot_b
from planimeter.generators.seeding import item_seed, rng_of, with_variant, without_variant
from planimeter.recipes.base import Recipe
from planimeter.recipes.marvl_qa import SuiteRecipe
from planimeter.rendering.heights import scale_of_heights
from planimeter.rendering.marvl_qa import compose, drawing, paint_all, render_panel
from planimeter.rendering.png import Encoder, encode

SOURCES = ("planimeter.flows.suites.marvl_qa",)

TITLES = ("Plot A", "Plot B")

Cell = tuple[str | int, ...]


def plan(recipe: Recipe) -> tuple[Shard, ...]:
    """Return the shards of ``recipe``, counting first, each cell cut into pieces of the recipe's size."""
    marvl = _marvl(recipe)
    tasks = (marvl.counting, marvl.transformation)
    shards: list[Shard] = []
    for c in counting_cells(tasks[0].questions, tasks[0].count_bins, tasks[0].maxima_share, marvl.scale):
        shards += _pieces("counting", (c.family, c.feature, c.low, c.high), c.quota, tasks[0].questions_per_shard)
    for t in transformation_cells(tasks[1].pairs, marvl.scale):
        shards += _pieces("transformation", (t.family, t.transformation), t.quota, tasks[1].pairs_per_shard)
    return tuple(shards)


def make(recipe: Recipe, shard: Shard) -> Made:
    """Generate, filter, render and certify the items of ``shard``."""
    marvl = _marvl(recipe)
    account = Account(shard.config)
    made = Made()
    for index in range(shard.first, shard.first + shard.count):
        for seed in _attempts(marvl, shard, index):
            item = _attempt(marvl, shard, seed, account)
            if item is not None:
                made.items.append({shard.config: item.rows})
                made.signatures.append(item.signature)
                break
        else:
            made.missing += 1
    made.funnel = account.funnel.table()
    made.rejects = account.rejects
    made.seconds = account.watch.stop()
    return made


def distinct(recipe: Recipe) -> Callable[[Shard, str], Verdict]:  # noqa: ARG001 - other suites have limits for it
    """Judge items by equality of their pictures up to amplitude: questions with all others, pairs within their cell.

    Pairs of other cells cannot be equal: another transformation of the same plot would look like this one, and another
    family is another form of function. So how many pairs another cell has decides nothing in this one.
    """
    seen: dict[tuple[str | int, ...], Distinct] = {}

    def judge(shard: Shard, signature: str) -> Verdict:
        scope = (shard.config, *(shard.cell if shard.config == "transformation" else ()))
        return seen.setdefault(scope, Distinct()).judge(signature)

    return judge


def room(recipe: Recipe, shard: Shard) -> tuple[int, int]:
    """Return the rows of ``shard`` and the bytes of one: pictures of one plot share most of theirs."""
    if shard.config == "counting":
        return shard.count * len(STYLES), 10_400
    every = _marvl(recipe).transformation.styles == "all"
    return (shard.count * len(STYLES) ** 2, 10_600) if every else (shard.count * 2, 60_000)


def again(recipe: Recipe, row: Mapping[str, Any]) -> Row | None:
    """Return the row at the address of the seed of ``row``; its task and ``family`` narrow the search."""
    marvl = _marvl(recipe)
    seed = int(row["seed"])
    task = "counting" if "feature" in row else "transformation"
    near = (shard for shard in plan(recipe) if (shard.config, shard.cell[0]) == (task, row["family"]))
    for shard, index in addresses(near):
        if without_variant(seed) in _attempts(marvl, shard, index):
            item = _attempt(marvl, shard, without_variant(seed), Account(shard.config))
            return next((r for r in item.rows if r["seed"] == seed), None) if item else None
    return None


@dataclass(frozen=True, kw_only=True)
class _Item:
    """The rows of one question, and what tells it apart from others."""

    rows: list[Row]
    signature: bytes


def _attempt(recipe: SuiteRecipe, shard: Shard, seed: int, account: Account) -> _Item | None:
    """Return the item that ``seed`` gives in the cell of ``shard``, or None if a check rejects it."""
    return (_counting if shard.config == "counting" else _transformation)(recipe, shard.cell, seed, account)


def _counting(recipe: SuiteRecipe, cell: Cell, seed: int, account: Account) -> _Item | None:
    name, feature, low, high = cast("tuple[str, Feature, int, int]", cell)
    kin, stage = family(name), account.watch.stage
    with stage("generate"):
        surface = counting.propose(kin, feature, rng_of(seed))
    with stage("filter"):
        limits = CurationLimits(**recipe.counting.curation.model_dump())
        verdict, extrema = curate(kin, surface, feature, limits, (low, high))

    def heights() -> Grid:
        return sample(kin, surface.parameters, surface.domain, RENDER_POINTS)

    def picture() -> bytes:
        grid = heights()
        return encode(render_panel(grid, surface.domain, scale_of_heights(grid), STYLES[0]))

    if not account.judge(verdict, picture, name):
        return None
    item = counting.item(surface, feature, extrema, seed)
    with stage("render"):
        grid = heights()
        drawn = drawing(grid, scale_of_heights(grid))
        panels = paint_all(drawn, surface.domain, STYLES)
    certifier, encoder = CountingCertifier(), Encoder()
    rows: list[Row] = []
    for variant, style in enumerate(STYLES):
        with stage("render"):
            png = encoder.encode(panels[variant])
        with stage("certify"):
            reading = certifier.certify(png, feature)
        if not account.judge(agrees(reading, str(len(extrema))), partial(bytes, png), name, f"style={style}"):
            return None
        prompts = (protocol.counting_system_prompt(), protocol.counting_prompt(feature))
        rows.append(counting_row(item, style, with_variant(seed, variant), png, reading, *prompts))
    return _Item(rows=rows, signature=signature(grid) + feature.encode())


def _transformation(recipe: SuiteRecipe, cell: Cell, seed: int, account: Account) -> _Item | None:
    name, kind = cast("tuple[str, Transformation]", cell)
    task = recipe.transformation
    kin, rng, stage = family(name), rng_of(seed), account.watch.stage
    with stage("generate"):
        candidate = transformation.propose(kin, kind, rng, ShiftRange(**task.shifts.model_dump()))
        shown = _variants(task.styles, rng)
    with stage("filter"):
        found = judge(kin, candidate, AmbiguityLimits(**task.ambiguity.model_dump()))
    domain = candidate.surface.domain

    def picture() -> bytes:
        grids = _grids(kin, candidate, found.offset)
        scale = scale_of_heights(*grids)
        panels = (render_panel(g, domain, scale, STYLES[0], t) for g, t in zip(grids, TITLES, strict=True))
        return encode(compose(*panels))

    if not account.judge(found.verdict, picture, name):
        return None
    item = transformation.item(
        candidate,
        offset=found.offset,
        nrmse_identity=found.nrmse_identity,
        nrmse_confusable=found.nrmse_confusable,
        seed=seed,
    )
    with stage("render"):
        grids = _grids(kin, candidate, found.offset)
        scale = scale_of_heights(*grids)
        drawn = tuple(drawing(grid, scale) for grid in grids)
        # All 81 pairs of styles show 18 panels.
        panels = [paint_all(d, domain, STYLES, t) for d, t in zip(drawn, TITLES, strict=True)]
    certifier, encoder = PairCertifier(), Encoder()
    every = [(left, right) for left in range(len(STYLES)) for right in range(len(STYLES))]
    with stage("certify"):
        colours = [[image.bgr() for image in side] for side in panels]
        readings = {
            variant: certifier.certify_panels(colours[0][left], colours[1][right], item.options)
            for variant, (left, right) in enumerate(every)
            if variant not in shown
        }
    prompts = (protocol.transformation_system_prompt(), protocol.transformation_prompt(item.options))
    rows: dict[int, Row] = {}
    for variant, (left, right) in enumerate(every):

        def pair(left: int = left, right: int = right) -> bytes:
            with stage("render"):
                return encoder.encode(compose(panels[0][left], panels[1][right]))

        styles = (STYLES[left], STYLES[right])
        if variant in shown:
            png = pair()
            with stage("certify"):
                readings[variant] = certifier.certify(png, item.options)
            seed_of_row = with_variant(seed, variant)
            rows[variant] = transformation_row(item, *styles, seed_of_row, png, readings[variant], *prompts)
        verdict = agrees(readings[variant], answer_of(item))
        if not account.judge(verdict, pair, name, f"style={styles[0]} and {styles[1]}"):
            return None
    return _Item(rows=[rows[variant] for variant in shown], signature=signature(np.hstack(grids)))


def _grids(kin: Family, candidate: Candidate, offset: float) -> tuple[Grid, Grid]:
    """Return plots A and B; of a translation that was rejected, with the first distance that was tried."""
    shift = offset or next(iter(candidate.offsets), 0.0)
    surface = candidate.surface
    return (
        plot_a(kin, surface, RENDER_POINTS),
        plot_b(kin, surface, candidate.transformation, shift, RENDER_POINTS),
    )


def _variants(styles: str, rng: np.random.Generator) -> tuple[int, ...]:
    """Return which of the 81 pairs of styles show a pair of plots: one with equal, one with different styles, or
    all.
    """
    number = len(STYLES)
    if styles == "all":
        return tuple(range(number**2))
    same, left, step = (int(rng.integers(low, number)) for low in (0, 0, 1))
    return same * number + same, left * number + (left + step) % number


def _attempts(recipe: SuiteRecipe, shard: Shard, index: int) -> Iterator[int]:
    budget = recipe.counting.attempts if shard.config == "counting" else recipe.transformation.attempts
    for attempt in range(budget):
        yield item_seed(recipe.seed, (shard.config, *shard.cell, index, attempt))


def _pieces(config: str, cell: Cell, quota: int, size: int) -> list[Shard]:
    return [
        Shard(
            suite="marvl_qa",
            config=config,
            cell=cell,
            first=first,
            count=min(size, quota - first),
            modules=(f"{FAMILIES}.{cell[0]}",),
        )
        for first in range(0, quota, size)
    ]


def _marvl(recipe: Recipe) -> SuiteRecipe:
    if not isinstance(recipe, SuiteRecipe):
        raise TypeError(f"need a recipe of the suite marvl_qa, got one of {recipe.suite}")
    return recipe
