"""GeoGramBench: how one candidate goes through the rooms.

The templates of a level take turns by index (``generators.geogram.plan``), so that what near duplicates leave open is
refilled from other templates than those that made them.
"""

import json
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

from planimeter.evals.geogram.prompt import prompt
from planimeter.export.rows.common import Row
from planimeter.export.rows.geogram import geogram_row
from planimeter.filters.certify.geogram.certificate import certify, measure
from planimeter.filters.geogram import leakage
from planimeter.filters.geogram.duplicates import Texts, near_duplicates
from planimeter.filters.verdict import Verdict, agrees
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.shards import Made, Shard
from planimeter.flows.suites.account import Account
from planimeter.flows.suites.driver import Found, Maker, checked, pieces, row_again
from planimeter.generators import registry
from planimeter.generators.geogram.plan import Quotas, check_shares, most_of_a_template, quotas, turn
from planimeter.generators.geogram.propose import PRINTERS, TEMPLATES, propose
from planimeter.generators.geogram.template import Template
from planimeter.generators.items import LEVELS, GeogramItem, Language, Level
from planimeter.generators.seeding import rng_of
from planimeter.recipes.base import Recipe
from planimeter.recipes.geogram import Leakage, SuiteRecipe
from planimeter.rendering.geogram import picture
from planimeter.rendering.png import encode

CONFIG = "geogram"

#: Templates and printers are found by their files, which no import names.
SOURCES = (
    "planimeter.flows.suites.geogram",
    *(f"{package}.{name}" for package in (TEMPLATES, PRINTERS) for name in registry.names(package)),
)


def plan(recipe: Recipe) -> tuple[Shard, ...]:
    """Return the shards of ``recipe``, level by level. Raises ``PlanimeterError`` if templates cannot share them."""
    geogram = checked(recipe, SuiteRecipe)
    shares = _quotas(geogram)
    try:
        check_shares(shares, geogram.geogram.template_share)
    except ValueError as error:
        raise PlanimeterError(str(error)) from None
    cells = (Shard(suite="geogram", config=CONFIG, cell=cell, first=0, count=shares[cell]) for cell in shares)
    return tuple(piece for cell in cells for piece in pieces(cell, geogram.geogram.problems_per_shard))


def _quotas(recipe: SuiteRecipe) -> Quotas:
    levels = recipe.geogram.levels
    return quotas({level: getattr(levels, level) for level in LEVELS}, recipe.scale)


def make(recipe: Recipe, shard: Shard) -> Made:
    """Generate, certify, filter and render the problems of ``shard``."""
    return _Maker(checked(recipe, SuiteRecipe), shard).make()


def again(recipe: Recipe, row: Mapping[str, Any]) -> Row | None:
    """Return the row at the address of the seed of ``row``; its level and language narrow the search."""
    geogram = checked(recipe, SuiteRecipe)
    near = (shard for shard in plan(geogram) if shard.cell == (row["level"], row["language"]))
    return row_again(row, near, partial(_Maker, geogram))


def distinct(recipe: Recipe) -> Callable[[Shard, str], Verdict]:
    """Judge problems by the similarity of their statements and of their programs, and by their template's share."""
    geogram = checked(recipe, SuiteRecipe)
    limits = geogram.geogram
    most = most_of_a_template(_quotas(geogram), limits.template_share)
    statements, codes = Texts(limits.similarity), Texts(limits.similarity)
    held: Counter[str] = Counter()

    def judge(_: Shard, signature: str) -> Verdict:
        template, problem, code = zlib.decompress(bytes.fromhex(signature)).decode().split("\0")
        if held[template] >= most:
            reason = "its template fills its share of the rows"
            return Verdict(check="distinct", kept=False, measured=held[template], limit=most, reason=reason)
        (verdict,) = near_duplicates([(problem, code)], statements, codes)
        held[template] += verdict.kept
        return Verdict(
            check="distinct",
            kept=verdict.kept,
            measured=verdict.measured,
            limit=verdict.limit,
            reason=verdict.reason,
        )

    return judge


def room(recipe: Recipe, shard: Shard) -> tuple[int, int]:  # noqa: ARG001 - other suites look into it
    """Return the rows of ``shard`` and the bytes of one."""
    return shard.count, 9_000


class _Maker(Maker[SuiteRecipe]):
    @property
    def budget(self) -> int:
        return self.recipe.geogram.attempts

    def attempt(self, index: int, seed: int) -> Found | None:
        level, language = cast("tuple[Level, Language]", self.shard.cell)
        row = _attempt(self.recipe, turn(level, language, index), language, seed, self.account)
        return Found(rows={CONFIG: [row]}, signature=_signature(row)) if row else None


def _attempt(recipe: SuiteRecipe, template: Template, language: Language, seed: int, account: Account) -> Row | None:
    """Return the row that ``seed`` gives, or None if a check rejects it."""
    strata = (template.level, f"{template.level}/{template.name}", language)
    stage = account.watch.stage
    with stage("generate"):
        item = _proposed(template, language, seed, account, strata)
    if item is None:
        return None
    draw = partial(_png, item)
    with stage("certify"):
        reading = certify(item.problem, item.code, item.language, item.givens, item.answer_latex)
    if not account.judge(agrees(reading, item.answer_latex), draw, *strata):
        return None
    with stage("filter"):
        leaks = _leakage(item, recipe.geogram.leakage)
    if not account.judge(leaks, draw, *strata):
        return None
    with stage("render"):
        png = draw()
    return geogram_row(item, png, reading, prompt(item.problem, item.code, item.language))


def _proposed(
    template: Template, language: Language, seed: int, account: Account, strata: tuple[str, ...]
) -> GeogramItem | None:
    try:
        item = propose(template, language, rng_of(seed), seed)
    except ValueError:
        reason = "the draws do not fit together"
        account.funnel.add(CONFIG, Verdict(check="draft", kept=False, measured=0, limit=0, reason=reason), *strata)
        return None
    account.funnel.add(CONFIG, Verdict(check="draft", kept=True, measured=0, limit=0), *strata)
    return item


def _leakage(item: GeogramItem, limits: Leakage) -> Verdict:
    """Return the first verdict against ``item``, or the last one for it; all have the check "leakage"."""
    if item.answer_value is None or item.drawing is None:
        raise ValueError(f"need a generated item with a number as its answer, got one of {item.origin}")
    answer, facts = item.answer_value, json.loads(item.givens)
    verdicts = [
        leakage.copied(item.problem, answer),
        leakage.literal(item.code, answer),
        leakage.coincidence(leakage.trivial(item.drawing), answer, limits.coincidence),
    ]
    if facts.get("drawn", True):
        drawn = measure(item.code, item.language, item.givens)
        verdicts.append(leakage.measured(answer, facts["asked"], drawn.asked, drawn.facts, limits.measured))
    return next((verdict for verdict in verdicts if not verdict.kept), verdicts[-1])


def _png(item: GeogramItem) -> bytes:
    if item.drawing is None:
        raise ValueError(f"need an item with a drawing, got one of {item.origin}")
    return encode(picture(item.drawing))


def _signature(row: Row) -> bytes:
    """Return what ``distinct`` compares; packed, it takes a third of the digests of its 8-grams."""
    return zlib.compress(f"{row['template']}\0{row['problem']}\0{row['code']}".encode(), 9)
