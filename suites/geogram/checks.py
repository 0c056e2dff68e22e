"""The checks of GeoGramBench rows: columns that must agree, near-duplicates, and the quotas of the recipe.

Quotas are checked only if the recipe is at full scale and does not allow a shortfall.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import sha256

from planimeter.evals.geogram import grader
from planimeter.export.checks import Bond, Checker, Quota, broken_rules, differing
from planimeter.filters.geogram.duplicates import Texts, near_duplicates, packed, unpacked
from planimeter.filters.geogram.leakage import check_copied_from_statement
from planimeter.generators.geogram import plan
from planimeter.generators.geogram.curriculum import LEVELS as COURSE
from planimeter.items import FORMS, LANGUAGES, LEVELS, WORDS
from planimeter.items.values import Recipe, Row
from planimeter.suites.geogram.rows import COLUMNS, problem_id

_NAME = "geogram"

_BONDS = {"problem": Bond(FORMS[0], "forms", ("answer", "level", "template", "givens", "picture"))}

#: Largest relative difference between `answer_value` and the value of the answer by math-verify.
_ROUNDING = 1e-9

#: Cached, because answers repeat and math-verify takes milliseconds for one.
_value = lru_cache(4096)(grader.value)


class GeogramChecker(Checker):
    """The checks of problems: each row alone, near-duplicates, and agreement between the rows of one problem."""

    certified_by = "geogram.construction"
    columns = COLUMNS
    bonds = _BONDS
    remembered = ("templates", "problems")

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe)
        self.templates: Counter[str] = Counter()
        #: (config, id) -> the packed problem, which must differ from all others; for paired problems the first form.
        self.problems: dict[tuple[str, str], bytes] = {}

    def faults(self, config: str, row: Row) -> Iterator[str]:
        yield from row_faults(row)
        if row["origin"] != "generated" or not row["template"]:
            yield f"need a template and the origin 'generated', got {row['template']!r} and {row['origin']!r}"
        yield from _givens(row)
        if row["answer_value"] is not None:
            statement = f"{row['problem']} {row['code']}" if config == WORDS else row["problem"]
            yield from broken_rules([check_copied_from_statement(statement, row["answer_value"])])
        if self.trains(config) and row["template"] not in COURSE[row["difficulty"] - 1]:
            yield f"training level {row['difficulty']} does not have the template {row['template']}"
        if config in (_NAME, FORMS[0]):
            self.problems[config, row["id"]] = packed(row["template"], row["problem"], row["code"])
        if config in FORMS:
            picture = sha256((row["image"] or {}).get("bytes") or b"").digest()
            self.bind("problem", row["pair_id"], config, {**row, "picture": picture})
        self.templates[row["template"]] += 1

    def quotas(self) -> Iterator[Quota]:
        """Yield the required numbers of rows: by training level or, in test sets, by taxonomy level and language.

        In a paired dataset, they are by taxonomy level and form of the figure: a programming language, or words.
        """
        yield from super().quotas()
        table = self.table(_NAME)
        if "levels" not in table:
            return
        shares = plan.quotas(table["levels"], 1.0)
        for level in LEVELS:
            rows = {language: shares[level, language] for language in LANGUAGES}
            if table.get("paired"):
                yield from (Quota(form, {"level": level}, sum(rows.values())) for form in FORMS)
            elif table.get("corpora"):
                yield Quota(_NAME, {"level": level, "language": LANGUAGES[0]}, sum(rows.values()))
            else:
                yield from (Quota(_NAME, {"level": level, "language": name}, number) for name, number in rows.items())

    def wholes(self, bond: str) -> Sequence[frozenset[object]]:  # noqa: ARG002 - there is one
        """Return [all forms of a figure]; a paired problem needs a row in each: two programming languages and words."""
        return [frozenset(FORMS)]

    def together(self, *, sampled: bool) -> Iterator[tuple[str, str]]:
        """Yield (config, fault) for near-duplicates, contradictory rows of one problem, and too frequent templates."""
        yield from self._alike()
        yield from super().together(sampled=sampled)
        if self.full and not sampled:
            yield from ((_NAME, line) for line in self._large_templates())

    def _alike(self) -> Iterator[tuple[str, str]]:
        limit = self.table(_NAME).get("similarity")
        if limit is None:
            return
        texts = Texts(limit), Texts(limit)
        for (config, name), problem in self.problems.items():
            _, statement, code = unpacked(problem)
            yield from (
                (config, f"{name}: {fault}") for fault in broken_rules(near_duplicates([(statement, code)], *texts))
            )

    def _large_templates(self) -> Iterator[str]:
        share, total = self.table(_NAME).get("template_share", 1.0), self.templates.total()
        for template, number in self.templates.items():
            if number > share * total:
                yield f"at most {share:.0%} of the {total} rows may come from one template, but {template} has {number}"


def row_faults(row: Row) -> Iterator[str]:
    """Yield a line for each empty column of a generated or imported row, and for a wrong id, prompt or answer."""
    yield from (f"{name} is empty" for name in ("problem", "code", "origin", "givens") if not row[name].strip())
    yield from differing(row, {"id": problem_id(row["problem"], row["code"])}, "this problem and code")
    if row["prompt"] != grader.prompt(row["problem"], row["code"], row["language"]):
        yield "prompt must be the protocol's prompt for this problem, code and language"
    if row["answer"] != row["answer_latex"] or "$" in row["answer"]:
        yield f"answer and answer_latex must be equal and without $, got {row['answer']!r} and {row['answer_latex']!r}"
    value = row["answer_value"]
    if value is not None:
        read = _value(row["answer"])
        if read is None or abs(read - value) > _ROUNDING * max(1.0, abs(value)):
            yield f"answer_value must be the value of answer, {row['answer']!r}: {read} by math-verify, got {value}"


def _givens(row: Row) -> Iterator[str]:
    try:
        givens = json.loads(row["givens"])
        sound = isinstance(givens["asked"], str) and all(len(fact) == 2 for fact in givens["given"])
    except (ValueError, KeyError, TypeError):
        sound = False
    if not sound:
        yield f'givens must be JSON: {{"given": [[measure, value], ...], "asked": measure}}, got {row["givens"][:80]!r}'


checker = GeogramChecker
