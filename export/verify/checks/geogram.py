"""What must hold between the columns of a GeoGramBench row, and which quotas the recipe promises.

Quotas are checked where the recipe is at full scale and allows no shortfall.
"""

import json
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256

from planimeter.evals.geogram import protocol
from planimeter.export import stated
from planimeter.export.verify.checks import Checker, Recipe, Row, level_of, level_quotas
from planimeter.filters.geogram.duplicates import Texts, near_duplicates, packed, unpacked
from planimeter.generators.geogram.curriculum import LEVELS as COURSE
from planimeter.items import FORMS, LANGUAGES, LEVELS, WORDS

_NAME = "geogram"

#: What the rows of one problem have in common.
_COMMON = ("answer", "level", "template", "givens")

#: Relative difference allowed between `answer_value` and the value of the answer as math-verify reads it.
_ROUNDING = 1e-9

#: Answers repeat, and math-verify takes milliseconds to read one.
_value = lru_cache(4096)(protocol.value)


class GeogramChecker(Checker):
    """Counts the rows of each level, language and template, and the texts that must not repeat."""

    certified_by = "geogram.construction"
    remembered = ("levels", "languages", "templates", "texts", "problems", "difficulties", "forms", "answers")

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe)
        self.levels: Counter[str] = Counter()
        self.languages: Counter[tuple[str, str]] = Counter()
        self.templates: Counter[str] = Counter()
        self.texts: Counter[tuple[str, str]] = Counter()
        #: The problems that may not be alike, packed, by (config, id). Of one in several forms it is the first form.
        self.problems: dict[tuple[str, str], bytes] = {}
        #: Rows of each problem that is asked in several forms by (pair, form), and what they have in common.
        self.forms: Counter[tuple[str, str]] = Counter()
        self.answers: set[tuple[str, ...]] = set()
        #: Training rows by level.
        self.difficulties: Counter[int] = Counter()

    def row(self, config: str, row: Row) -> Iterator[str]:
        """Yield what is wrong with ``row``."""
        yield from row_faults(row)
        if row["language"] not in ([config] if config in FORMS else LANGUAGES):
            yield f"a row of {config} has its own language, got {row['language']!r}"
            return
        if row["origin"] != "generated" or not row["template"]:
            yield f"a generated row names its template and origin, got {row['template']!r} and {row['origin']!r}"
        yield from _givens(row)
        told = {**row, "problem": f"{row['problem']} {row['code']}"} if config == WORDS else row
        if stated.copied(told):
            yield f"its answer {row['answer']} is a number of its statement, so that copying scores"
        if self.trains(config):
            yield from self.like_a_test(config, row)
            self.difficulties[row["difficulty"]] += 1
            own = level_of(row, COURSE, "difficulty")
            if own is None or row["template"] not in own:
                yield f"training level {row['difficulty']} has no template {row['template']}"
        self.texts[config, row["problem"]] += 1
        if config != WORDS:
            self.texts[config, row["code"]] += 1
        if config in (_NAME, FORMS[0]):
            self.problems[config, row["id"]] = packed(row["template"], row["problem"], row["code"])
        if config in FORMS:
            self.forms[row["pair_id"], config] += 1
            picture = sha256((row["image"] or {}).get("bytes") or b"").hexdigest()
            self.answers.add((*(row[name] for name in ("pair_id", *_COMMON)), picture))
        self.levels[row["level"]] += 1
        self.languages[row["level"], row["language"]] += 1
        self.templates[row["template"]] += 1

    def whole(self, *, sampled: bool = False) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with the dataset as a whole."""
        yield from (
            (config, f"a text occurs {n} times: {text[:60]!r}") for (config, text), n in self.texts.items() if n > 1
        )
        yield from self._alike()
        yield from self._pairs()
        table = self.table(_NAME)
        if not self.full or sampled or not table:
            return
        if self.trains(_NAME):
            yield from ((_NAME, line) for line in level_quotas(table, self.difficulties))
        yield from ((_NAME, line) for line in self._quotas(table))

    def _alike(self) -> Iterator[tuple[str, str]]:
        limit = self.table(_NAME).get("similarity")
        if limit is None:
            return
        texts = Texts(limit), Texts(limit)
        for (config, name), problem in self.problems.items():
            _, statement, code = unpacked(problem)
            (verdict,) = near_duplicates([(statement, code)], *texts)
            if not verdict.kept:
                yield config, f"{name}: {verdict.reason} by {verdict.measured:.3f}, and the limit is {limit}"

    def _pairs(self) -> Iterator[tuple[str, str]]:
        for pair in {pair for pair, _ in self.forms}:
            if any(self.forms[pair, form] != 1 for form in FORMS):
                yield FORMS[0], f"the problem {pair} must have one row in each of {', '.join(FORMS)}"
        for pair, n in Counter(pair for pair, *_ in self.answers).items():
            if n > 1:
                yield FORMS[0], f"the rows of the problem {pair} must agree on {', '.join(_COMMON)} and the picture"

    def _quotas(self, table: Recipe) -> Iterator[str]:
        forms = FORMS if table.get("paired") else LANGUAGES[:1] if table.get("corpora") else LANGUAGES
        for level, wanted in table.get("levels", {}).items():
            rows = wanted * (len(FORMS) if table.get("paired") else 1)
            if self.levels[level] != rows:
                yield f"the recipe promises {rows} rows of the level {level}, found {self.levels[level]}"
            counts = [self.languages[level, form] for form in forms]
            if max(counts) - min(counts) > 1:
                yield f"the languages must share the level {level} evenly, found {' and '.join(map(str, counts))} rows"
        share, total = table["template_share"], self.templates.total()
        for template, number in self.templates.items():
            if number > share * total:
                yield f"no template may make more than {share:.0%} of the {total} rows, but {template} makes {number}"


def row_faults(row: Row) -> Iterator[str]:
    """Yield what is wrong with a row of any origin: its columns, its prompt, its answer."""
    if row["level"] not in LEVELS or row["language"] not in FORMS:
        yield f"need one of {LEVELS} and one of {FORMS}, got {row['level']!r} and {row['language']!r}"
        return
    yield from (f"{name} is empty" for name in ("problem", "code", "origin", "givens") if not row[name].strip())
    if row["prompt"] != protocol.prompt(row["problem"], row["code"], row["language"]):
        yield "its prompt is not that of the protocol for its problem and code"
    if row["answer"] != row["answer_latex"] or "$" in row["answer"]:
        yield f"answer and answer_latex must be equal and without $, got {row['answer']!r} and {row['answer_latex']!r}"
    value = row["answer_value"]
    if value is not None:
        read = _value(row["answer"])
        if read is None or abs(read - value) > _ROUNDING * max(1.0, abs(value)):
            yield f"math-verify reads {row['answer']!r} as {read}, but answer_value is {value}"


def _givens(row: Row) -> Iterator[str]:
    try:
        givens = json.loads(row["givens"])
        sound = isinstance(givens["asked"], str) and all(len(fact) == 2 for fact in givens["given"])
    except (ValueError, KeyError, TypeError):
        sound = False
    if not sound:
        yield f'givens must be JSON: {{"given": [[measure, value], ...], "asked": measure}}, got {row["givens"][:80]!r}'


checker = GeogramChecker
