"""Nested curves: how one candidate goes through the rooms, for the five categories and for the curriculum.

An address is (config, cell, index). The candidates of an index come from its own stream; the first that every check
keeps is the item, and its seed is that of the index. Drawings that look alike are told apart afterwards, in the order
of the plan, and what that drops is drawn anew at further indices.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from evals.curves import answer
from export.rows import Row
from export.rows_curves import curves_row, drawing_digest
from filters.certify.curves import read
from filters.curves_duplicates import NearDuplicates, disjoint, pack, signature
from filters.curves_rules import CurvesLimits, judge
from filters.distinct import Distinct
from filters.verdict import Verdict, agrees
from flows.account import Account
from flows.shards import Made, Shard
from generators.curves.config import CurvesConfig, LayoutError
from generators.curves.fingerprint import Side
from generators.curves.plan import category_cells, level_cells, shapes
from generators.curves.style import STYLES_PACKAGE, Style, candidates, style
from generators.items import CurveCategory, CurvesItem
from generators.seeding import item_seed
from recipes.base import Recipe
from recipes.curves import Category, Curriculum, SuiteRecipe
from rendering.curves import render
from rendering.png import encode

SOURCES = ("flows.suites.curves",)

CURRICULUM = "curriculum"

Cell = tuple[str | int, ...]


def plan(recipe: Recipe) -> tuple[Shard, ...]:
    """Return the shards of ``recipe``: the categories in the order of the paper, then the levels, easiest first."""
    curves = _suite(recipe)
    shards: list[Shard] = []
    for name, table in curves.categories().items():
        for cell in category_cells(table.sizes, tuple(table.splits.items()), table.every_tree, curves.scale):
            key: Cell = (cell.label, cell.split, *cell.sizes)
            shards += _pieces(name, key, cell.quota, table.rows_per_shard, name, cell.split)
    course = curves.curriculum
    if course is not None:
        for level in level_cells(course.rows, course.level_shares, curves.scale):
            key = (f"level {level.level}", level.category, level.level)
            shards += _pieces(CURRICULUM, key, level.quota, course.rows_per_shard, level.category, "train")
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
        made.signatures.append(drawing_digest(item) if shard.config == CURRICULUM else pack(signature(item)))
    made.funnel = account.funnel.table()
    made.rejects = account.rejects
    made.seconds = account.watch.stop()
    return made


def distinct(recipe: Recipe) -> Callable[[Shard, str], Verdict]:
    """Judge rows to be tested with by how alike they look, all categories together; training rows by equality."""
    limits = {name: table.similarity for name, table in _suite(recipe).categories().items()}
    alike, equal = NearDuplicates(), Distinct()

    def judged(shard: Shard, signature: str) -> Verdict:
        if shard.config == CURRICULUM:
            return equal.judge(signature)
        return alike.judge(bytes.fromhex(signature), limits[cast("CurveCategory", shard.config)])

    return judged


#: Bytes of a row: crowded and convoluted pictures take more.
_ROW_BYTES = {"easy": 40_000, "polygon": 35_000, "topographical": 65_000, "counting": 96_000, "maze": 168_000}


def room(recipe: Recipe, shard: Shard) -> tuple[int, int]:  # noqa: ARG001 - other suites look into it
    """Return the rows of ``shard`` and the bytes of one."""
    category = shard.cell[1] if shard.config == CURRICULUM else shard.config
    return shard.count, _ROW_BYTES[str(category)]


def again(recipe: Recipe, row: Mapping[str, Any]) -> Row | None:
    """Return the row at the address of the seed of ``row``; its ``category`` narrows the search."""
    seed = int(row["seed"])
    for shard in plan(recipe):
        if shard.modules != _modules(row["category"]):
            continue
        # Refills of a cell lie just behind its quota.
        for index in range(shard.first, shard.first + 2 * shard.count):
            if _seed(recipe, shard, index) == seed:
                found = _first(_task(_suite(recipe), shard), shard, seed, Account(shard.config))
                return found[1] if found else None
    return None


@dataclass(frozen=True, kw_only=True)
class _Task:
    """What a shard asks of each of its rows; ``more`` are the columns that only its config has."""

    style: Style
    config: CurvesConfig
    limits: CurvesLimits
    attempts: int
    side: Side
    more: Mapping[str, object]


def _task(recipe: SuiteRecipe, shard: Shard) -> _Task:
    if shard.config == CURRICULUM and recipe.curriculum is not None:
        course: Category | Curriculum = recipe.curriculum
        _, category, level = cast("tuple[str, CurveCategory, int]", shard.cell)
        config, side, more = recipe.curriculum.config(level), "train", {"level": level}
    else:
        label, _, low, high = cast("tuple[str, str, int, int]", shard.cell)
        category = cast("CurveCategory", shard.config)
        course = recipe.categories()[category]
        parents = shapes([(low, high)])[label] if course.every_tree else None
        config, side, more = course.config((low, high), parents), "test", {}
    return _Task(
        style=style(category),
        config=config,
        limits=CurvesLimits(**course.limits.model_dump()),
        attempts=course.attempts,
        side=cast("Side", side),
        more=more,
    )


def _first(task: _Task, shard: Shard, seed: int, account: Account) -> tuple[CurvesItem, Row] | None:
    """Return the first candidate of the stream of ``seed`` that every check keeps, and its row."""
    stratum = str(shard.cell[0])
    stream = candidates(task.style, task.config, seed)
    for _ in range(task.attempts):
        with account.watch.stage("generate"):
            candidate = next(stream)
        if not account.judge(_laid_out(candidate), bytes, stratum) or isinstance(candidate, LayoutError):
            continue
        row = _row(task, shard, candidate, account, stratum)
        if row is not None:
            return candidate, row
    return None


def _row(task: _Task, shard: Shard, item: CurvesItem, account: Account, stratum: str) -> Row | None:
    def picture() -> bytes:
        return encode(render(item))

    # The cheapest check comes first; most candidates for a test row end here.
    if not account.judge(disjoint(item, task.side), picture, stratum):
        return None
    stage = account.watch.stage
    with stage("filter"):
        verdicts = judge(item, task.limits)
    if not all(account.judge(verdict, picture, stratum) for verdict in verdicts):
        return None
    with stage("render"):
        png = picture()
    with stage("certify"):
        reading = read(png, item.look)
    if not account.judge(agrees(reading, answer(item.parents)), partial(bytes, png), stratum):
        return None
    return curves_row(shard.config, item, png, reading, task.more)


def _laid_out(candidate: CurvesItem | LayoutError) -> Verdict:
    reason = candidate.reason if isinstance(candidate, LayoutError) else ""
    return Verdict(check="layout", kept=not reason, measured=float(not reason), limit=1.0, reason=reason)


def _seed(recipe: Recipe, shard: Shard, index: int) -> int:
    return item_seed(recipe.seed, (shard.config, *shard.cell, index))


def _modules(category: str) -> tuple[str, ...]:
    return (f"{STYLES_PACKAGE}.{category}",)


def _pieces(config: str, cell: Cell, quota: int, size: int, category: str, split: str) -> list[Shard]:
    return [
        Shard(
            suite="curves",
            config=config,
            cell=cell,
            first=first,
            count=min(size, quota - first),
            modules=_modules(category),
            split=split,
        )
        for first in range(0, quota, size)
    ]


def _suite(recipe: Recipe) -> SuiteRecipe:
    if not isinstance(recipe, SuiteRecipe):
        raise TypeError(f"need a recipe of the suite curves, got one of {recipe.suite}")
    return recipe
