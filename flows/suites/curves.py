"""Nested curves: how one candidate goes through the rooms, for the five categories and for the curriculum; and curves
that cross, with the planar map as the answer.

An address is (config, cell, index). The candidates of an index come from its own stream; the first that every check
keeps is the item, and its seed is that of the index. Drawings that look alike are told apart afterwards, in the order
of the plan, and what that drops is drawn anew at further indices.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar, cast

from planimeter.evals import planar_map
from planimeter.evals.curves import answer
from planimeter.export.rows.curves import curves_row, drawing_digest, planar_map_row
from planimeter.export.rows.marvl_qa import Row
from planimeter.filters.certify.curves import read
from planimeter.filters.certify.curves_maps import read_planar_map
from planimeter.filters.curves.duplicates import NearDuplicates, disjoint
from planimeter.filters.curves.rules import CurvesLimits, judge
from planimeter.filters.curves_maps import rules
from planimeter.filters.curves_maps.rules import PlanarMapLimits
from planimeter.filters.distinct import Distinct
from planimeter.filters.verdict import Verdict, agrees
from planimeter.flows.shards import Made, Shard, addresses
from planimeter.flows.suites.account import Account
from planimeter.generators.curves.config import CurvesConfig, LayoutError
from planimeter.generators.curves.fingerprint import Side, planar_map_side
from planimeter.generators.curves.plan import category_cells, level_cells, shapes
from planimeter.generators.curves.signatures import pack, signature
from planimeter.generators.curves.style import STYLES_PACKAGE, candidates, style
from planimeter.generators.curves_maps.candidates import map_candidates
from planimeter.generators.items import CurveCategory, CurvesItem, PlanarMapItem, Reading
from planimeter.generators.seeding import item_seed
from planimeter.recipes.base import Recipe
from planimeter.recipes.curves import Category, Curriculum, PlanarMap, SuiteRecipe
from planimeter.rendering.curves import render, render_planar_map
from planimeter.rendering.png import encode

SOURCES = ("planimeter.flows.suites.curves",)

CURRICULUM = "curriculum"
PLANAR_MAP = planar_map.CONFIG

Drawn = TypeVar("Drawn", CurvesItem, PlanarMapItem)

Cell = tuple[str | int, ...]


def plan(recipe: Recipe) -> tuple[Shard, ...]:
    """Return the shards of ``recipe``: the categories in the order of the paper, then the levels, easiest first,
    then the maps.
    """
    curves = _suite(recipe)
    shards: list[Shard] = []
    for name, table in curves.categories().items():
        for cell in category_cells(table.sizes, tuple(table.splits.items()), table.every_tree, curves.scale):
            key: Cell = (cell.label, cell.split, *cell.sizes)
            shards += _pieces(name, key, cell.quota, table.rows_per_shard, _modules(name), cell.split)
    course = curves.curriculum
    if course is not None:
        for level in level_cells(course.rows, course.level_shares, curves.scale):
            key = (f"level {level.level}", level.category, level.level)
            modules = _modules(level.category)
            shards += _pieces(CURRICULUM, key, level.quota, course.rows_per_shard, modules, "train")
    maps = curves.planar_map
    if maps is not None:
        for cell in category_cells(maps.sizes, tuple(maps.splits.items()), False, curves.scale):
            key = (cell.label, cell.split, *cell.sizes)
            shards += _pieces(PLANAR_MAP, key, cell.quota, maps.rows_per_shard, (), cell.split)
    return tuple(shards)


def make(recipe: Recipe, shard: Shard) -> Made:
    """Generate, filter, render and certify the items of ``shard``."""
    task = _task(_suite(recipe), shard)
    account = Account(shard.config)
    made = Made()
    for index in range(shard.first, shard.first + shard.count):
        found = _first(task, shard, _seed(recipe, shard, index), account)
        if found is None:
            made.missing += 1
            continue
        item, row = found
        made.items.append({shard.config: [row]})
        made.signatures.append(task.signature(item))
    made.funnel = account.funnel.table()
    made.rejects = account.rejects
    made.seconds = account.watch.stop()
    return made


def distinct(recipe: Recipe) -> Callable[[Shard, str], Verdict]:
    """Judge rows to be tested with by how alike they look, all categories together; training rows by equality."""
    curves = _suite(recipe)
    limits: dict[str, float] = {name: table.similarity for name, table in curves.categories().items()}
    if curves.planar_map is not None:
        limits[PLANAR_MAP] = curves.planar_map.similarity
    alike, equal = NearDuplicates(), Distinct()

    def judged(shard: Shard, signature: str) -> Verdict:
        if shard.config == CURRICULUM:
            return equal.judge(signature)
        return alike.judge(bytes.fromhex(signature), limits[shard.config])

    return judged


#: Bytes of a row: crowded and convoluted pictures take more.
_ROW_BYTES = {
    "easy": 40_000,
    "polygon": 35_000,
    "topographical": 65_000,
    "counting": 96_000,
    "maze": 168_000,
    PLANAR_MAP: 30_000,
}


def room(recipe: Recipe, shard: Shard) -> tuple[int, int]:  # noqa: ARG001 - other suites look into it
    """Return the rows of ``shard`` and the bytes of one."""
    category = shard.cell[1] if shard.config == CURRICULUM else shard.config
    return shard.count, _ROW_BYTES[str(category)]


def again(recipe: Recipe, row: Mapping[str, Any]) -> Row | None:
    """Return the row at the address of the seed of ``row``; its ``category``, if it has one, narrows the search."""
    seed = int(row["seed"])
    modules = _modules(row["category"]) if "category" in row else ()
    for shard, index in addresses(shard for shard in plan(recipe) if shard.modules == modules):
        if _seed(recipe, shard, index) == seed:
            found = _first(_task(_suite(recipe), shard), shard, seed, Account(shard.config))
            return found[1] if found else None
    return None


@dataclass(frozen=True, kw_only=True)
class _Task(Generic[Drawn]):
    """The rooms that each candidate of a shard goes through, and how many candidates a row may take."""

    attempts: int
    side: Side
    candidates: Callable[[int], Iterator[Drawn | LayoutError]]
    rules: Callable[[Drawn], tuple[Verdict, ...]]
    picture: Callable[[Drawn], bytes]
    read: Callable[[bytes, Drawn], Reading]
    answer: Callable[[Drawn], str]
    row: Callable[[Drawn, bytes, Reading], Row]
    signature: Callable[[Drawn], bytes]


def _task(recipe: SuiteRecipe, shard: Shard) -> _Task[Any]:
    if shard.config == CURRICULUM and recipe.curriculum is not None:
        _, category, level = cast("tuple[str, CurveCategory, int]", shard.cell)
        course = recipe.curriculum
        return _nested(course, category, course.config(level), "train", shard.config, {"level": level})
    label, _, low, high = cast("tuple[str, str, int, int]", shard.cell)
    if shard.config == PLANAR_MAP and recipe.planar_map is not None:
        return _crossing(recipe.planar_map, (low, high), planar_map_side(shard.split))
    category = cast("CurveCategory", shard.config)
    table = recipe.categories()[category]
    parents = shapes([(low, high)])[label] if table.every_tree else None
    return _nested(table, category, table.config((low, high), parents), "test", shard.config, {})


def _nested(
    table: Category | Curriculum,
    category: CurveCategory,
    config: CurvesConfig,
    side: Side,
    name: str,
    more: Mapping[str, object],
) -> _Task[CurvesItem]:
    """Return the rooms of nested curves; ``more`` are the columns that only the config ``name`` has."""
    limits = CurvesLimits(**table.limits.model_dump())
    return _Task(
        attempts=table.attempts,
        side=side,
        candidates=partial(candidates, style(category), config),
        rules=lambda item: judge(item, limits),
        picture=lambda item: encode(render(item)),
        read=lambda png, item: read(png, item.look),
        answer=lambda item: answer(item.parents),
        row=lambda item, png, reading: curves_row(name, item, png, reading, more),
        signature=drawing_digest if name == CURRICULUM else lambda item: pack(signature(item.curves)),
    )


def _crossing(table: PlanarMap, curves: tuple[int, int], side: Side) -> _Task[PlanarMapItem]:
    """Return the rooms of crossing curves."""
    config = table.config(curves)
    limits = PlanarMapLimits(
        border_px=config.margin_px,
        stroke_px=config.stroke_px[0],
        crossing_degrees=config.crossing_degrees,
        arc_px=config.arc_px,
        opening_px=config.opening_px,
        face_px2=config.face_px2,
        area_ratio=config.area_ratio,
    )
    return _Task(
        attempts=table.attempts,
        side=side,
        candidates=partial(map_candidates, config),
        rules=lambda item: rules.judge(item, limits),
        picture=lambda item: encode(render_planar_map(item)),
        read=lambda png, _: read_planar_map(png),
        answer=lambda item: planar_map.answer(len(item.areas), item.adjacent),
        row=partial(planar_map_row, PLANAR_MAP),
        signature=lambda item: pack(signature(item.curves)),
    )


def _first(task: _Task[Drawn], shard: Shard, seed: int, account: Account) -> tuple[Drawn, Row] | None:
    """Return the first candidate of the stream of ``seed`` that every check keeps, and its row."""
    stratum = str(shard.cell[0])
    stream = task.candidates(seed)
    for _ in range(task.attempts):
        with account.watch.stage("generate"):
            candidate = next(stream)
        if not account.judge(_laid_out(candidate), bytes, stratum) or isinstance(candidate, LayoutError):
            continue
        row = _row(task, candidate, account, stratum)
        if row is not None:
            return candidate, row
    return None


def _row(task: _Task[Drawn], item: Drawn, account: Account, stratum: str) -> Row | None:
    picture = partial(task.picture, item)
    # The cheapest check comes first; most candidates for a test row end here.
    if not account.judge(disjoint(item, task.side), picture, stratum):
        return None
    stage = account.watch.stage
    with stage("filter"):
        verdicts = task.rules(item)
    if not all(account.judge(verdict, picture, stratum) for verdict in verdicts):
        return None
    with stage("render"):
        png = picture()
    with stage("certify"):
        reading = task.read(png, item)
    if not account.judge(agrees(reading, task.answer(item)), partial(bytes, png), stratum):
        return None
    return task.row(item, png, reading)


def _laid_out(candidate: CurvesItem | PlanarMapItem | LayoutError) -> Verdict:
    reason = candidate.reason if isinstance(candidate, LayoutError) else ""
    return Verdict(check="layout", kept=not reason, measured=float(not reason), limit=1.0, reason=reason)


def _seed(recipe: Recipe, shard: Shard, index: int) -> int:
    return item_seed(recipe.seed, (shard.config, *shard.cell, index))


def _modules(category: str) -> tuple[str, ...]:
    return (f"{STYLES_PACKAGE}.{category}",)


def _pieces(config: str, cell: Cell, quota: int, size: int, modules: tuple[str, ...], split: str) -> list[Shard]:
    return [
        Shard(
            suite="curves",
            config=config,
            cell=cell,
            first=first,
            count=min(size, quota - first),
            modules=modules,
            split=split,
        )
        for first in range(0, quota, size)
    ]


def _suite(recipe: Recipe) -> SuiteRecipe:
    if not isinstance(recipe, SuiteRecipe):
        raise TypeError(f"need a recipe of the suite curves, got one of {recipe.suite}")
    return recipe
