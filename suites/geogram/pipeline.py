"""The pipeline of GeoGramBench: proposes problems, certifies answers, rejects leaks of answers, and renders figures.

The templates of a level are used in rotation by the index of the problem (``generators.geogram.plan``), so that a
rejected near-duplicate is replaced by a problem of another template.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import cast

from planimeter.evals.geogram.prompt import prompt
from planimeter.export.rows import Row
from planimeter.filters.certify.geogram.certificate import certify
from planimeter.filters.geogram import leakage
from planimeter.filters.geogram.duplicates import DistinctProblems, packed
from planimeter.filters.verdict import Verdict, agrees
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.shards import Shard
from planimeter.generators.geogram.curriculum import LEVELS as COURSE
from planimeter.generators.geogram.plan import Quotas, check_shares, most_of_a_template, quotas, templates_at, turn
from planimeter.generators.geogram.propose import propose, templates_of
from planimeter.generators.geogram.template import Template
from planimeter.generators.seeding import rng_of, with_variant
from planimeter.items import FORMS, LANGUAGES, LEVELS, WORDS, GeogramItem, Language, Level
from planimeter.rendering.geogram import picture
from planimeter.rendering.png import encode
from planimeter.suites.geogram.recipe import ProblemCourse, SuiteRecipe
from planimeter.suites.geogram.rows import geogram_row
from planimeter.suites.pipeline import DistinctJudge, Found, Maker, Pipeline, one_by_one

CONFIG = "geogram"

#: In place of a language in a cell: each problem has a row in every form.
PAIRED = "paired"
#: In place of a language in a cell: programs are Asymptote in the style of the corpora.
CORPORA = "corpora"

Cell = tuple[str | int, ...]


class _Maker(Maker[SuiteRecipe]):
    @property
    def budget(self) -> int:
        return self.recipe.geogram.attempts

    def attempt(self, index: int, seed: int) -> Found | None:
        if self.shard.cell[1] == PAIRED:
            return self.pair(turn(_templates(self.shard.cell), LANGUAGES[0], index), seed)
        language = LANGUAGES[0] if self._corpora else cast("Language", self.shard.cell[1])
        return self.problem(turn(_templates(self.shard.cell), language, index), language, seed)

    @property
    def _corpora(self) -> bool:
        return self.shard.cell[1] == CORPORA

    def problem(self, template: Template, language: Language, seed: int) -> Found | None:
        """Return the problem of ``template`` for ``seed``, in ``language``, or None if a check rejects it."""
        row = self._row(template, language, seed, CONFIG)
        if row is None:
            return None
        more = {"difficulty": level} if (level := _level(self.shard.cell)) else {}
        return Found(rows={CONFIG: [{**row, **more}]}, signature=_signature(template, row))

    def pair(self, template: Template, seed: int) -> Found | None:
        """Return the problem of ``template`` for ``seed``, with a row for each form: two languages of code, and words.

        The result is None if a check rejects the problem in any form.
        """
        rows: dict[str, Row] = {}
        for variant, form in enumerate(FORMS):
            language = cast("Language", LANGUAGES[0] if form == WORDS else form)
            row = self._row(template, language, seed, form)
            if row is None:
                return None
            rows[form] = {**row, "seed": with_variant(seed, variant), "pair_id": rows.get(FORMS[0], row)["id"]}
        return Found(rows={form: [row] for form, row in rows.items()}, signature=_signature(template, rows[FORMS[0]]))

    def _row(self, template: Template, language: Language, seed: int, config: str) -> Row | None:
        form = language if config == CONFIG else config
        strata = (template.level, f"{template.level}/{template.name}", form)
        stage, keeps = self.account.watch.stage, self.account.judge
        item = self._proposed(template, language, seed, config, strata)
        if item is None:
            return None
        draw = partial(_png, item)
        if form == WORDS:
            item = replace(item, problem=item.stated, code=item.words)
        with stage("certify"):
            reading = certify(item.problem, item.code, form, item.givens, item.answer_latex)
        if not keeps(agrees(reading, item.answer_latex), draw, *strata, config=config):
            return None
        with stage("filter"):
            limits = self.recipe.geogram.leakage
            if form == WORDS:
                leaks = leakage.check_words(item.problem, item.code, item.answer_value or 0.0)
            else:
                leaks = leakage.judge(item, limits.coincidence, limits.measured)
        if not keeps(leaks, draw, *strata, config=config):
            return None
        with stage("render"):
            png = draw()
        return {**geogram_row(item, png, reading, prompt(item.problem, item.code, form)), "language": form}

    def _proposed(
        self, template: Template, language: Language, seed: int, config: str, strata: tuple[str, ...]
    ) -> GeogramItem | None:
        reason, item = "", None
        with self.account.watch.stage("generate"):
            try:
                item = propose(template, language, rng_of(seed), seed, corpora=self._corpora)
            except ValueError:
                reason = "the draws do not fit together"
        draft = Verdict(check="draft", kept=not reason, measured=0, limit=0, reason=reason)
        self.account.funnel.add(config, draft, *strata)
        return item


def _level(cell: Cell) -> int:
    """Return the training level of ``cell``; 0 for a cell of a test dataset."""
    return int(cell[2]) if len(cell) > 2 else 0


def _templates(cell: Cell) -> tuple[Template, ...]:
    level = _level(cell)
    if level:
        return templates_at(level)
    return templates_of(cast("Level", cell[0]), in_words=cell[1] == PAIRED, corpora=cell[1] == CORPORA)


def _signature(template: Template, row: Row) -> bytes:
    return packed(template.name, row["problem"], row["code"])


def _png(item: GeogramItem) -> bytes:
    if item.drawing is None:
        raise ValueError(f"need an item with a drawing, got one without, of origin {item.origin}")
    return encode(picture(item.drawing))


class _Geogram(Pipeline[SuiteRecipe]):
    maker = _Maker
    exclude_test_items = True
    levels = MappingProxyType({CONFIG: len(COURSE)})
    row_bytes = 9_000

    def cells(self, recipe: SuiteRecipe) -> Iterator[tuple[Shard, int]]:
        if isinstance(recipe.geogram, ProblemCourse):
            for shard in self.course(recipe, CONFIG, recipe.geogram.rows, recipe.geogram.level_shares):
                yield shard, recipe.geogram.problems_per_shard
            return
        shares = self.quotas(recipe)
        try:
            check_shares(shares, recipe.geogram.template_share)
        except ValueError as error:
            raise PlanimeterError(str(error)) from None
        config, kind = (FORMS[0], PAIRED) if recipe.paired else (CONFIG, CORPORA if recipe.geogram.corpora else "")
        cells = Counter[Cell]()
        for (level, language), quota in shares.items():
            cells[level, kind or language] += quota
        for cell, count in cells.items():
            whole = Shard(suite="geogram", config=config, cell=cell, first=0, count=count)
            yield whole, recipe.geogram.problems_per_shard

    def level_cells(self, recipe: SuiteRecipe, config: str, level: int) -> Iterator[tuple[Shard, float]]:
        """Yield (shard of count 0, weight 1) for each of the two languages, which get equally many rows."""
        if config == CONFIG and isinstance(recipe.geogram, ProblemCourse):
            for language in LANGUAGES:
                cell = (f"level {level}", language, level)
                yield Shard(suite="geogram", config=CONFIG, cell=cell, first=0, count=0, split="train"), 1.0

    def quotas(self, recipe: SuiteRecipe) -> Quotas:
        """Return the number of rows of each (level, language) of a test dataset; empty for training."""
        if isinstance(recipe.geogram, ProblemCourse):
            return {}
        return quotas({level: getattr(recipe.geogram.levels, level) for level in LEVELS}, recipe.scale)

    def may_contain(self, row: Row, shard: Shard) -> bool:
        level = _level(shard.cell)
        return shard.cell[1] in (row["language"], PAIRED, CORPORA) and (
            row["difficulty"] == level if level else shard.cell[0] == row["level"]
        )

    def estimate_size(self, recipe: SuiteRecipe, shard: Shard) -> tuple[int, int]:
        return shard.count * (len(FORMS) if recipe.paired else 1), self.row_bytes

    def distinct(self, recipe: SuiteRecipe) -> DistinctJudge:
        shares = [(_templates(cell.cell), cell.count) for cell, _ in self.cells(recipe)]
        most = most_of_a_template(shares, recipe.geogram.template_share)
        problems = DistinctProblems(recipe.geogram.similarity, most)
        return one_by_one(lambda _, signature: problems.judge(bytes.fromhex(signature)))


PIPELINE = _Geogram()
