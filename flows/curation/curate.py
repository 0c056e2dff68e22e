"""Curates a corpus: takes each problem through the rules in the paper's order and accounts for every one of them.

Pure but for the two functions that it is given, which judge and which draw. A problem ends in a row, in the list of
what was dropped (with its check and reason), or, where a person could save it, in the review as well.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from planimeter import evals
from planimeter.evals.geogram import protocol
from planimeter.export.promises import UNREADABLE, Fault, RowPromises
from planimeter.export.rows.common import Row
from planimeter.export.rows.geogram_import import imported_row
from planimeter.export.schema import schema_of
from planimeter.export.verify.checks import checker
from planimeter.export.verify.repeats import Seen
from planimeter.filters.funnel import Funnel
from planimeter.filters.geogram import curation
from planimeter.filters.geogram.duplicates import Texts
from planimeter.filters.verdict import Verdict
from planimeter.flows.curation.corpus import Corpus
from planimeter.flows.curation.figures import Figure
from planimeter.generators.items import CuratedProblem, RawProblem
from planimeter.recipes.geogram_import import ImportRecipe

CONFIG = "geogram"

#: What `planimeter import` depends on, for the digest of the code in the manifest.
SOURCES = ("planimeter.flows.curation.curate", "planimeter.flows.curation.corpus", "planimeter.flows.curation.figures")

#: Characters of a doubt; an error of a library may quote the whole problem.
LONGEST_DOUBT = 500

UNSCORED = "math-verify does not read the answer as its value"

#: (file, line) -> a person's word on the problem.
Review = Mapping[tuple[str, int], Mapping[str, object]]


@dataclass(kw_only=True)
class Curated:
    """``review`` holds what a person may edit and feed back, ``dropped`` every problem that is no row."""

    rows: list[Row] = field(default_factory=list)
    funnel: Funnel = field(default_factory=Funnel)
    review: list[dict[str, object]] = field(default_factory=list)
    dropped: list[dict[str, object]] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True, slots=True)
class Hands:
    """What the rules cannot do themselves: ``judge`` says what is geometry, ``draw`` makes the picture."""

    draw: Callable[[CuratedProblem], Figure]
    judge: Callable[[str], bool] | None = None


def curate(
    corpora: Sequence[Corpus], recipe: ImportRecipe, review: Review, hands: Hands, advance: Callable[[], None]
) -> Curated:
    """Return what becomes of each problem of ``corpora``; ``advance`` is called after each."""
    curated = Curated()
    gate = _Gate(recipe)
    texts = Texts(recipe.similarity)
    for number, corpus in enumerate(corpora):
        for fault in corpus.faults:
            verdict = Verdict(check="read", kept=False, measured=0, limit=0, reason="a malformed line")
            curated.funnel.add(CONFIG, verdict, corpus.name)
            line = int(fault.removeprefix(f"{corpus.name}:").split(":")[0])
            curated.dropped.append({"file": corpus.name, "line": line, "check": "read", "reason": fault})
        for raw in corpus.problems:
            curated.funnel.add(CONFIG, Verdict(check="read", kept=True, measured=0, limit=0), corpus.name)
            row = _Passage(raw, corpus.name, curated, review).through(texts, recipe, hands, gate, number << 32)
            if row is not None:
                curated.rows.append(row)
            advance()
    return curated


class _Gate:
    """Asks of a row, before anything is written, what the verifier will ask of it in the finished folder."""

    def __init__(self, recipe: ImportRecipe) -> None:
        self._schema = schema_of(recipe.suite, CONFIG)
        own = checker(recipe.suite, recipe.model_dump(mode="json"))
        self._promises = RowPromises(own, partial(evals.gold_score, recipe.suite))
        self._seen = Seen()

    def faults(self, row: Row) -> list[Fault]:
        """Return which promises ``row`` breaks; one that breaks none is remembered, so that no other may repeat it."""
        found = list(self._promises.all_faults(self._schema, row, "test"))
        found = found or [Fault("it repeats another row", said) for said in self._seen.faults(row)]
        if not found:
            self._seen.add(row)
        return found


class _Passage:
    """One problem on its way through the checks."""

    def __init__(self, raw: RawProblem, file: str, curated: Curated, review: Review) -> None:
        self._raw = raw
        self._file = file
        self._curated = curated
        self._word = review.get((file, raw.line))
        self._png = b""

    def through(self, texts: Texts, recipe: ImportRecipe, hands: Hands, gate: _Gate, first: int) -> Row | None:
        """Return the row of the problem, or None once its fate is accounted for; seeds count from ``first``."""
        item: CuratedProblem | None = None
        try:
            item, verdict = curation.with_code(self._raw)
            if not self._kept(verdict) or item is None:
                return None
            if not self._kept(curation.duplicate(item, texts)):
                return None
            # A person has the last word on what the rules would drop, so their word is known from here on.
            for step in self._steps(recipe, hands):
                item, verdict = step(item)
                if not self._kept(verdict):
                    return None
            prompt = protocol.prompt(item.problem, item.code, item.language)
            row = imported_row(item, recipe.origin, self._png, prompt) | {"seed": first | item.line}
            return row if self._promised(item, gate.faults(row)) else None
        except UNREADABLE as error:
            # Foreign material can break any rule; that costs this problem and no other.
            said = f"a rule fails on it: {error!r}"[:LONGEST_DOUBT]
            if item is not None:
                self._ask(replace(item, doubts=(said,)))
            self._kept(Verdict(check="rules", kept=False, measured=0, limit=0, reason="a rule fails on it"), said)
            return None

    def _steps(
        self, recipe: ImportRecipe, hands: Hands
    ) -> Iterator[Callable[[CuratedProblem], tuple[CuratedProblem, Verdict]]]:
        yield lambda item: (item, curation.geometry(item, hands.judge))
        yield curation.open_form
        yield curation.standard_answer
        yield lambda item: curation.without_leak(item, recipe.tolerance)
        yield self._reviewed
        yield lambda item: self._drawn(item, hands.draw)
        yield _scored

    def _kept(self, verdict: Verdict, said: str = "") -> bool:
        """Account for ``verdict``; ``said`` tells more than its reason, which is a key of the funnel."""
        self._curated.funnel.add(CONFIG, verdict, self._file)
        if not verdict.kept:
            self._curated.dropped.append(
                {"file": self._file, "line": self._raw.line, "check": verdict.check, "reason": said or verdict.reason}
            )
        return verdict.kept

    def _reviewed(self, item: CuratedProblem) -> tuple[CuratedProblem, Verdict]:
        item = replace(item, level=curation.level_of(item))
        if not item.doubts and not _is_scored(item):
            item = replace(item, doubts=(UNSCORED,))
        edited, verdict = curation.reviewed(item, [self._word] if self._word else [])
        if not verdict.kept and verdict.reason.startswith("waits"):
            self._ask(item)
        return edited, verdict

    def _drawn(self, item: CuratedProblem, draw: Callable[[CuratedProblem], Figure]) -> tuple[CuratedProblem, Verdict]:
        figure = draw(item)
        if figure.png is None:
            detail = f"{figure.reason} ({figure.detail})" if figure.detail else figure.reason
            self._ask(replace(item, doubts=(detail,)))
            return item, Verdict(check="figure", kept=False, measured=0, limit=0, reason=figure.reason)
        self._png = figure.png
        return item, Verdict(check="figure", kept=True, measured=0, limit=0)

    def _promised(self, item: CuratedProblem, faults: Sequence[Fault]) -> bool:
        said = "; ".join(fault.said for fault in faults)[:LONGEST_DOUBT]
        if faults:
            self._ask(replace(item, doubts=(said,)))
        reason = faults[0].promise if faults else ""
        return self._kept(Verdict(check="promises", kept=not faults, measured=0, limit=0, reason=reason), said)

    def _ask(self, item: CuratedProblem) -> None:
        self._curated.review.append({"file": self._file, **curation.review_entry(item)})


def _scored(item: CuratedProblem) -> tuple[CuratedProblem, Verdict]:
    kept = _is_scored(item)
    return item, Verdict(check="score", kept=kept, measured=0, limit=0, reason="" if kept else UNSCORED)


def _is_scored(item: CuratedProblem) -> bool:
    """Whether the answer, sent through the protocol, is right, and has the value that the rules read in it."""
    row: dict[str, Any] = {"answer": item.answer_latex}
    try:
        if evals.gold_score("geogram", CONFIG, row) != 1.0:
            return False
    except UNREADABLE:
        return False
    if item.answer_value is None:
        return True
    read = protocol.value(item.answer_latex)
    return read is not None and abs(read - item.answer_value) <= 1e-9 * max(1.0, abs(item.answer_value))


def unknown(review: Iterable[tuple[str, int]], corpora: Sequence[Corpus]) -> list[tuple[str, int]]:
    """Return the places in ``review`` that no problem of ``corpora`` has."""
    known = {(corpus.name, problem.line) for corpus in corpora for problem in corpus.problems}
    return sorted(set(review) - known)
