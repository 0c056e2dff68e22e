"""GeoGramBench: how one candidate goes through the rooms.

A cell is a level in a language. The templates of the level take turns by index, so that each has its even share, and
what near duplicates leave open is refilled from the templates whose turn comes next: a template with few variants hands
its share on by itself. The attempts of an index are its own stream; the first that every check keeps is the item.
"""

import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, cast

from planimeter.evals import geogram as protocol
from planimeter.export.rows.geogram import geogram_row
from planimeter.export.rows.marvl_qa import Row
from planimeter.filters.certify.geogram.certificate import certify, measure
from planimeter.filters.geogram import leakage
from planimeter.filters.geogram.duplicates import Texts, near_duplicates
from planimeter.filters.verdict import Verdict, agrees
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.shards import Made, Shard, addresses
from planimeter.flows.suites.account import Account
from planimeter.generators import registry
from planimeter.generators.geogram.propose import PRINTERS, TEMPLATES, propose, templates_of
from planimeter.generators.geogram.template import Template
from planimeter.generators.items import LANGUAGES, LEVELS, GeogramItem, Language, Level
from planimeter.generators.seeding import item_seed, rng_of
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


def quotas(recipe: SuiteRecipe) -> dict[tuple[Level, Language], int]:
    """Return the rows of each cell: levels to scale, each in both languages, half and half and at least one."""
    shares: dict[tuple[Level, Language], int] = {}
    odd = 0
    for level in LEVELS:
        wanted = getattr(recipe.geogram.levels, level)
        rows = max(len(LANGUAGES), int(wanted * recipe.scale + 0.5)) if wanted else 0
        for i, language in enumerate(LANGUAGES):
            # Of an odd number the languages get the larger half in turn.
            shares[level, language] = (rows + (i + odd + 1) % 2) // 2 if rows % 2 else rows // 2
        odd += rows % 2
    return shares


def plan(recipe: Recipe) -> tuple[Shard, ...]:
    """Return the shards of ``recipe``, level by level."""
    geogram = _geogram(recipe)
    shares = quotas(geogram)
    _refuse_uneven(geogram, shares)
    size = geogram.geogram.problems_per_shard
    return tuple(
        Shard(suite="geogram", config=CONFIG, cell=cell, first=first, count=min(size, quota - first))
        for cell, quota in shares.items()
        for first in range(0, quota, size)
    )


def make(recipe: Recipe, shard: Shard) -> Made:
    """Generate, certify, filter and render the problems of ``shard``."""
    geogram = _geogram(recipe)
    account = Account(CONFIG)
    made = Made()
    for index in range(shard.first, shard.first + shard.count):
        template, language = _turn(shard, index)
        for seed in _attempts(geogram, shard, index):
            row = _attempt(geogram, template, language, seed, account)
            if row is not None:
                made.items.append({CONFIG: [row]})
                made.signatures.append(_signature(row))
                break
        else:
            made.missing += 1
    made.funnel = account.funnel.table()
    made.rejects = account.rejects
    made.seconds = account.watch.stop()
    return made


def distinct(recipe: Recipe) -> Callable[[Shard, str], Verdict]:
    """Judge problems by the similarity of their statements and of their programs, and by their template's share."""
    geogram = _geogram(recipe)
    limits = geogram.geogram
    most = _most(geogram, quotas(geogram))
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


def again(recipe: Recipe, row: Mapping[str, Any]) -> Row | None:
    """Return the row at the address of the seed of ``row``; its level, language and template narrow the search."""
    geogram = _geogram(recipe)
    cell = (row["level"], row["language"])
    for shard, index in addresses(shard for shard in plan(geogram) if shard.cell == cell):
        template, language = _turn(shard, index)
        if template.name == row["template"] and int(row["seed"]) in _attempts(geogram, shard, index):
            return _attempt(geogram, template, language, int(row["seed"]), Account(CONFIG))
    return None


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
    return geogram_row(item, png, reading, protocol.prompt(item.problem, item.code, item.language))


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


def _turn(shard: Shard, index: int) -> tuple[Template, Language]:
    """Return whose turn it is; the languages begin at different templates, which mixes small datasets better."""
    level, language = cast("tuple[Level, Language]", shard.cell)
    own = templates_of(level)
    ahead = LANGUAGES.index(language) * (len(own) // len(LANGUAGES))
    return own[(index + ahead) % len(own)], language


def _attempts(recipe: SuiteRecipe, shard: Shard, index: int) -> Iterator[int]:
    for attempt in range(recipe.geogram.attempts):
        yield item_seed(recipe.seed, (CONFIG, *shard.cell, index, attempt))


def _most(recipe: SuiteRecipe, shares: Mapping[tuple[Level, Language], int]) -> int:
    """Return the most rows that one template may have: its share, but always as many as its own turns."""
    fair = max(-(-shares[cell] // len(templates_of(cell[0]))) for cell in shares)
    return max(len(LANGUAGES) * fair, int(recipe.geogram.template_share * sum(shares.values())))


def _refuse_uneven(recipe: SuiteRecipe, shares: Mapping[tuple[Level, Language], int]) -> None:
    """Refuse levels that cannot be filled without a template above its share; tiny datasets are let be."""
    total = sum(shares.values())
    for level in LEVELS:
        rows, own = sum(shares[level, language] for language in LANGUAGES), len(templates_of(level))
        if rows > own and rows / own > max(recipe.geogram.template_share * total, len(LANGUAGES)):
            raise PlanimeterError(
                f"geogram.levels.{level}: {rows} rows from {own} templates are {rows / own / total:.1%} of all rows a "
                f"template, more than template_share = {recipe.geogram.template_share:.0%}; ask for fewer of this "
                "level or raise template_share"
            )


def _geogram(recipe: Recipe) -> SuiteRecipe:
    if not isinstance(recipe, SuiteRecipe):
        raise TypeError(f"need a recipe of the suite geogram, got one of {recipe.suite}")
    return recipe
