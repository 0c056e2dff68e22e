"""Takes each problem of a corpus through the rules in the paper's order, and accounts for every one of them.

Pure but for the two functions that it is given, which judge and which draw. A problem ends as a row, or in the list of
what was dropped (with its check and reason) and, where a person could save it, in the review as well.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from planimeter import evals
from planimeter.curation.corpus import Corpus
from planimeter.curation.figures import Figure, sketch_of
from planimeter.curation.review import Entry, Review
from planimeter.evals.geogram import protocol
from planimeter.export.promises import UNREADABLE, Fault, RowPromises
from planimeter.export.rows.common import Row
from planimeter.export.rows.geogram_import import imported_row
from planimeter.export.schema import schema_of
from planimeter.export.verify.checks import checker
from planimeter.export.verify.repeats import Seen, mark_of
from planimeter.filters.funnel import Funnel
from planimeter.filters.geogram import curation as rules
from planimeter.filters.geogram.duplicates import Texts
from planimeter.filters.verdict import Verdict
from planimeter.items import CuratedProblem, RawProblem
from planimeter.recipes.geogram_import import ImportRecipe

CONFIG = "geogram"

#: What `planimeter import` depends on, for the digest of the code in the manifest.
SOURCES = ("planimeter.curation.curate",)

#: Characters of a doubt; an error of a library may quote the whole problem.
LONGEST_DOUBT = 500

UNSCORED = "math-verify does not read the answer as its value"


@dataclass(kw_only=True)
class Curated:
    """``review`` holds what a person may edit and feed back, ``dropped`` every problem that is no row."""

    rows: list[Row] = field(default_factory=list)
    funnel: Funnel = field(default_factory=Funnel)
    review: list[Entry] = field(default_factory=list)
    dropped: list[Entry] = field(default_factory=list)


class Curator:
    """Curates one file after the other; ``curated`` is what has become of their problems so far.

    ``draw`` makes the picture of a problem; ``judge`` says of a statement whether it is geometry (words do without it).
    """

    def __init__(
        self,
        recipe: ImportRecipe,
        review: Review,
        draw: Callable[[CuratedProblem], Figure],
        judge: Callable[[str], bool] | None = None,
    ) -> None:
        self.curated = Curated()
        self.recipe, self.review, self.draw, self.judge = recipe, review, draw, judge
        self.texts = Texts(recipe.similarity)
        own = checker(recipe.suite, recipe.model_dump(mode="json"))
        self._promises = RowPromises(own, partial(evals.gold_score, recipe.suite))
        self._schema = schema_of(recipe.suite, CONFIG)
        self._seen = Seen()

    def take(self, corpus: Corpus, first_seed: int, advance: Callable[[], None]) -> None:
        """Curate the problems of ``corpus``, with seeds from ``first_seed`` on; call ``advance`` after each."""
        for line, fault in corpus.faults:
            self.count(_verdict("read", "a malformed line"), corpus.name, line, f"{corpus.name}:{line}: {fault}")
        for raw in corpus.problems:
            _Passage(self, corpus.name, raw).run(first_seed)
            advance()

    def count(self, verdict: Verdict, file: str, line: int, said: str = "") -> None:
        """Account for ``verdict``; ``said`` tells more than its reason, which is a key of the funnel."""
        self.curated.funnel.add(CONFIG, verdict, file)
        if not verdict.kept:
            dropped = {"file": file, "line": line, "check": verdict.check, "reason": said or verdict.reason}
            self.curated.dropped.append(dropped)

    def faults(self, row: Row) -> list[Fault]:
        """Return which promises ``row`` breaks, as the verifier would find them in the finished folder.

        A row that breaks none is remembered, so that no other may repeat it.
        """
        found = list(self._promises.all_faults(self._schema, row, "test"))
        found = found or [Fault("it repeats another row", said) for said in self._seen.faults(mark_of(row))]
        if not found:
            self._seen.add(mark_of(row))
        return found


class _DroppedError(Exception):
    """The problem is no row, and that is accounted for."""


class _Passage:
    """One problem on its way through the checks, each of which gives it back, perhaps changed, or drops it."""

    def __init__(self, curator: Curator, file: str, raw: RawProblem) -> None:
        self._curator, self._file, self._raw = curator, file, raw
        self._item: CuratedProblem | None = None

    def run(self, first_seed: int) -> None:
        """Put the row of the problem among those that are curated, unless a check drops it."""
        try:
            self._curator.curated.rows.append(self._row(first_seed))
        except _DroppedError:
            return
        except UNREADABLE as error:
            # Foreign material can break any rule; that costs this problem and no other.
            said = f"a rule fails on it: {error!r}"[:LONGEST_DOUBT]
            self._ask(self._item, said)
            self._curator.count(_verdict("rules", "a rule fails on it"), self._file, self._raw.line, said)

    def _row(self, first_seed: int) -> Row:
        recipe = self._curator.recipe
        self._curator.count(_verdict("read"), self._file, self._raw.line)
        item = self._keep(*rules.with_code(self._raw))
        self._keep(item, rules.duplicate(item, self._curator.texts))
        self._keep(item, rules.geometry(item, self._curator.judge))
        item = self._keep(*rules.open_form(item))
        item = self._keep(*rules.standard_answer(item))
        item = self._keep(*rules.without_leak(item, sketch_of, recipe.tolerance, recipe.ruler))
        item = self._reviewed(item)
        png = self._picture(item)
        self._keep(item, _verdict("score", "" if _is_scored(item) else UNSCORED))
        prompt = protocol.prompt(item.problem, item.code, item.language)
        row = imported_row(item, recipe.origin, png, prompt) | {"seed": first_seed | item.line}
        faults = self._curator.faults(row)
        said = "; ".join(fault.said for fault in faults)[:LONGEST_DOUBT]
        if faults:
            self._ask(item, said)
        self._keep(item, _verdict("promises", faults[0].promise if faults else ""), said)
        return row

    def _keep(self, item: CuratedProblem | None, verdict: Verdict, said: str = "") -> CuratedProblem:
        """Account for ``verdict`` and return ``item``. Raises ``_DroppedError`` if the verdict does not keep it."""
        self._curator.count(verdict, self._file, self._raw.line, said)
        if item is None or not verdict.kept:
            raise _DroppedError
        self._item = item
        return item

    def _reviewed(self, item: CuratedProblem) -> CuratedProblem:
        """Return ``item`` as a person has edited it; they have the last word on what is doubtful."""
        item = replace(item, level=rules.level_of(item))
        if not item.doubts and not _is_scored(item):
            item = replace(item, doubts=(UNSCORED,))
        entry = self._curator.review.get((self._file, self._raw.line))
        edited, verdict = rules.reviewed(item, [entry] if entry else [])
        if not verdict.kept and verdict.reason.startswith("waits"):
            self._ask(item)
        return self._keep(edited, verdict)

    def _picture(self, item: CuratedProblem) -> bytes:
        figure = self._curator.draw(item)
        if figure.png is None:
            self._ask(item, f"{figure.reason} ({figure.detail})" if figure.detail else figure.reason)
        self._keep(item, _verdict("figure", figure.reason))
        return figure.png or b""

    def _ask(self, item: CuratedProblem | None, doubt: str = "") -> None:
        """Put ``item``, if it came so far, on the list for a person, with its own doubts or with this one."""
        if item is not None:
            asked = replace(item, doubts=(doubt,)) if doubt else item
            self._curator.curated.review.append({"file": self._file, **rules.review_entry(asked)})


def _verdict(check: str, reason: str = "") -> Verdict:
    return Verdict(check=check, kept=not reason, measured=0, limit=0, reason=reason)


def _is_scored(item: CuratedProblem) -> bool:
    """Whether the answer, sent through the protocol, is right, and has the value that the rules read in it."""
    try:
        if evals.gold_score("geogram", CONFIG, {"answer": item.answer_latex}) != 1.0:
            return False
    except UNREADABLE:
        return False
    if item.answer_value is None:
        return True
    read = protocol.value(item.answer_latex)
    return read is not None and abs(read - item.answer_value) <= 1e-9 * max(1.0, abs(item.answer_value))
