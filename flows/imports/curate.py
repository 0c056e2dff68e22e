"""Applies the rules of curation to each problem of a corpus, in the order of the GeoGramBench paper.

The outcome of a problem is a row, or an entry in the list of dropped problems with check and reason; if a person could
keep the problem, it is also an entry in the review list. Outcomes depend only on the problems and on two callbacks,
one to ask a judge model and one to draw. Only ``Repeats`` compares problems.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from threading import Lock

from pydantic import BaseModel

from planimeter import evals
from planimeter.evals.geogram import grader
from planimeter.export.promises import UNREADABLE, Fault, RowPromises
from planimeter.export.rows import Row
from planimeter.export.schema import checker, schema_of
from planimeter.export.verify.repeats import Mark, Seen, mark_of
from planimeter.filters.geogram import curation as rules
from planimeter.filters.geogram.duplicates import Runs, Texts, runs, similarity
from planimeter.filters.verdict import Verdict
from planimeter.flows.imports import questions
from planimeter.flows.imports.figures import Figure
from planimeter.flows.imports.review import Entry, Review
from planimeter.items import CuratedProblem
from planimeter.items.corpora import RawProblem
from planimeter.suites.geogram_import.recipe import ImportRecipe
from planimeter.suites.geogram_import.rows import imported_row

CONFIG = "geogram"

#: The most concurrent questions of one worker to the judge model.
ASKED_AT_ONCE = 8

#: The most characters of a doubt, since an error of a library may quote the whole problem.
LONGEST_DOUBT = 500

#: The doubt about an answer that the grader would not accept as a reply to its own problem.
UNSCORED = "math-verify does not read the answer as its value"


class Outcome(BaseModel):
    """The outcome of a problem: its ``row``, or ``dropped``, its entry in the list of dropped problems.

    ``asked`` is its entry for the review list; that of a kept row is used only if ``Repeats`` finds it too similar to
    another. ``mark`` is (id of the row, hexadecimal digest of its item). ``decided``: a person has kept the problem.
    """

    verdicts: list[Verdict] = []
    row: Row | None = None
    mark: tuple[str, str] | None = None
    dropped: Entry | None = None
    asked: Entry | None = None
    decided: bool = False


class Curator:
    """Applies all rules of curation to problems of ``file``; the seed of a row is ``first_seed`` + its line number.

    ``review`` has the decisions and edits of a person. ``draw`` returns the picture of a problem, and ``ask`` the reply
    of the judge model to a question; it is called only if the recipe names a judge model.
    """

    def __init__(
        self,
        recipe: ImportRecipe,
        file: str,
        first_seed: int,
        review: Review,
        draw: Callable[[CuratedProblem], Figure],
        ask: Callable[[str], str],
    ) -> None:
        self.recipe, self.file, self.first_seed, self.review, self.draw = recipe, file, first_seed, review, draw
        self._ask, self._rules = ask, Lock()
        row_checker = checker(recipe.suite, recipe.model_dump(mode="json"))
        self._promises = RowPromises(row_checker, partial(evals.gold_score, recipe.suite))
        self._schema = schema_of(recipe.suite, CONFIG)

    def curate(self, problems: Sequence[RawProblem]) -> dict[int, Outcome]:
        """Return line number -> outcome of each problem. Raises ``CurationError`` if the judge model does not reply."""

        def outcome(raw: RawProblem) -> Outcome:
            with self._rules:
                return _Passage(self, raw).run()

        if not self.recipe.judge:
            return {raw.line: outcome(raw) for raw in problems}
        pool = ThreadPoolExecutor(ASKED_AT_ONCE)
        try:
            return dict(zip((raw.line for raw in problems), pool.map(outcome, problems), strict=True))
        finally:
            # After a failure, questions that wait are not sent.
            pool.shutdown(cancel_futures=True)

    def answer(self, question: str) -> str:
        """Return the judge model's reply to ``question``; while it waits, other threads may apply rules."""
        self._rules.release()
        try:
            return self._ask(question)
        finally:
            self._rules.acquire()

    def faults(self, row: Row) -> list[Fault]:
        """Return the faults of ``row`` that the verifier would find in the finished dataset."""
        return list(self._promises.all_faults(self._schema, row, "test"))


class _DroppedError(Exception):
    """A rule has dropped the problem, so that no further rule is applied; its verdict is counted already."""


class _Passage:
    """The curation of one problem: each rule returns the problem, changed or not, or drops it."""

    def __init__(self, curator: Curator, raw: RawProblem) -> None:
        self._curator, self._raw = curator, raw
        self._item: CuratedProblem | None = None
        self._outcome = Outcome()
        #: The judge model's reason for the level of difficulty.
        self._why = ""

    def run(self) -> Outcome:
        """Apply the rules of curation to the problem, and return its outcome.

        Raises:
            CurationError: if the judge model does not reply.
        """
        try:
            self._outcome.row = self._row()
            self._outcome.mark = mark_of(self._outcome.row)
            self._ask(self._item)
        except _DroppedError:
            pass
        except UNREADABLE as error:
            # A rule may fail on an unexpected problem; then only this problem is dropped.
            detail = f"a rule fails on it: {error!r}"[:LONGEST_DOUBT]
            self._ask(self._item, detail)
            self._count(_verdict("rules", "a rule fails on it"), detail)
        return self._outcome

    def _count(self, verdict: Verdict, detail: str = "") -> None:
        """Add ``verdict`` to the outcome; a dropped problem is listed with ``detail``, or else the verdict's reason."""
        self._outcome.verdicts.append(verdict)
        if not verdict.kept:
            self._outcome.dropped = _entry(self._curator.file, self._raw.line, verdict, detail)

    def _row(self) -> Row:
        """Return the row of the problem. Raises ``_DroppedError`` if a rule drops it."""
        recipe = self._curator.recipe
        self._count(_verdict("read"))
        item = self._keep(*rules.with_code(self._raw))
        item = self._geometry(item)
        item = self._keep(*rules.open_form(item))
        item = self._keep(*rules.standard_answer(item))
        item = self._keep(*rules.without_leak(item, recipe.tolerance, recipe.ruler))
        item, png = self._reviewed(item)
        self._keep(item, _verdict("score", "" if _is_scored(item) else UNSCORED))
        prompt = grader.prompt(item.problem, item.code, item.language)
        row = imported_row(item, self._raw, recipe.origin, png, prompt, self._why)
        row = row | {"seed": self._curator.first_seed | item.line}
        faults = self._curator.faults(row)
        listed = "; ".join(fault.message for fault in faults)[:LONGEST_DOUBT]
        if faults:
            self._ask(item, listed)
            self._keep(item, _verdict("promises", faults[0].promise), listed)
        # The last verdict of a kept problem is counted by ``Repeats``.
        return row

    def _geometry(self, item: CuratedProblem) -> CuratedProblem:
        """Return ``item`` if it is geometry: the judge model decides or, if the recipe has none, words of the problem.

        If this decides nothing, a person has to review the item. Raises ``_DroppedError`` if it is not geometry.
        """
        if not self._curator.recipe.judge:
            return self._keep(*rules.geometry(item))
        word = questions.read_geometry(self._curator.answer(questions.geometry(item.problem)))
        if word is None:
            item = replace(item, doubts=(*item.doubts, "the judge does not say whether it is geometry"))
        return self._keep(*rules.geometry(item, lambda _: word is not False))

    def _levelled(self, item: CuratedProblem) -> CuratedProblem:
        """Return ``item`` with its level of difficulty from the judge model or, if it names none, from our rules."""
        if not self._curator.recipe.judge:
            return replace(item, level=rules.level_of(item))
        named = questions.read_level(self._curator.answer(questions.level(item.problem, item.code)))
        if named is None:
            doubts = (*item.doubts, "the judge names no level")
            return replace(item, level=rules.level_of(item), doubts=doubts)
        self._why = named[1]
        return replace(item, level=named[0])

    def _keep(self, item: CuratedProblem | None, verdict: Verdict, detail: str = "") -> CuratedProblem:
        """Add ``verdict`` to the outcome and return ``item``. Raises ``_DroppedError`` if ``verdict`` drops it."""
        self._count(verdict, detail)
        if item is None or not verdict.kept:
            raise _DroppedError
        self._item = item
        return item

    def _reviewed(self, item: CuratedProblem) -> tuple[CuratedProblem, bytes | None]:
        """Return ``item`` with its level and the edits of a person, and its picture (None if it is not drawn).

        Raises ``_DroppedError`` if a person drops it, or if it has doubts and no person has decided to keep it.
        """
        item = self._levelled(item)
        if self._curator.recipe.asymptote and item.language == "asymptote":
            figure = self._curator.draw(item)
            if figure.png is None:
                item = replace(item, doubts=(*item.doubts, figure.reason), notes=(*item.notes, figure.detail))
        if not item.doubts and not _is_scored(item):
            item = replace(item, doubts=(UNSCORED,))
        entry = self._curator.review.get((self._curator.file, self._raw.line))
        edited, verdict = rules.reviewed(item, entry or {})
        self._outcome.decided = bool(entry) and verdict.kept and edited.changes != item.changes
        if edited.level != item.level:
            self._why = ""
        if not verdict.kept and verdict.reason.startswith("waits"):
            self._ask(item)
        kept = self._keep(edited, verdict)
        return kept, self._curator.draw(kept).png

    def _ask(self, item: CuratedProblem | None, doubt: str = "") -> None:
        """Set the entry of ``item`` for the review list, with ``doubt`` or else its own doubts; do nothing for None."""
        if item is not None:
            doubtful = replace(item, doubts=(doubt,)) if doubt else item
            self._outcome.asked = {"file": self._curator.file, **rules.review_entry(doubtful)}


def malformed(file: str, line: int, fault: str) -> Outcome:
    """Return the outcome of a malformed line of ``file``, dropped with the reason ``fault``."""
    verdict = _verdict("read", "a malformed line")
    return Outcome(verdicts=[verdict], dropped=_entry(file, line, verdict, f"{file}:{line}: {fault}"))


class Repeats:
    """The rows that are kept so far, with which each later row is compared to find repeats.

    A row with similar statement and code and an equal answer is dropped. If only the statements are similar, a person
    decides. ``limit`` is the similarity, in [0, 1], above which two texts are similar.
    """

    def __init__(self, limit: float) -> None:
        self._seen, self._limit = Seen(), limit
        self._statements = Texts(limit)
        self._kept: list[tuple[Runs, str, str]] = []

    def judge(self, outcome: Outcome, file: str, line: int) -> Outcome:
        """Compare the row of ``outcome`` with earlier rows; return its final outcome, dropped if it repeats a row."""
        entry, mark = outcome.asked or {}, Mark("", "")
        if outcome.mark is not None:
            mark = Mark(*outcome.mark)
        statement, code, answer = runs(str(entry["problem"])), runs(str(entry["code"])), str(entry["answer"])
        same = "; ".join(self._seen.faults(mark))
        verdict, doubt = _verdict("promises", "it repeats another row" if same else ""), same
        others = [self._kept[place] for place in self._statements.alike(statement)] if not outcome.decided else []
        if others:
            doubt = f"the statement is like that of {others[0][2]}"
            copies = [place for known, a, place in others if a == answer and similarity(known, code) > self._limit]
            if copies:
                verdict = _verdict("duplicates", "it is like an earlier problem")
                return Outcome(verdicts=[verdict], dropped=_entry(file, line, verdict, doubt))
            verdict = verdict if same else _verdict("duplicates", "waits for review: a statement twice")
            doubt += ", and the code or the answer is not"
        if doubt:
            asked = {**entry, "doubts": [doubt]}
            return Outcome(verdicts=[verdict], dropped=_entry(file, line, verdict, doubt), asked=asked)
        self._seen.add(mark)
        self._statements.add(statement)
        self._kept.append((code, answer, f"{file}:{line}"))
        return outcome.model_copy(update={"verdicts": [_verdict("duplicates"), verdict]})


def _entry(file: str, line: int, verdict: Verdict, detail: str = "") -> Entry:
    """Return an entry of the list of dropped problems; its reason is ``detail``, or else that of ``verdict``."""
    return {"file": file, "line": line, "check": verdict.check, "reason": detail or verdict.reason}


def _verdict(check: str, reason: str = "") -> Verdict:
    return Verdict(check=check, kept=not reason, measured=0, limit=0, reason=reason)


def _is_scored(item: CuratedProblem) -> bool:
    """True if the grader accepts the item's own answer as a right reply, and parses it to ``item.answer_value``."""
    try:
        if evals.gold_score("geogram", CONFIG, {"answer": item.answer_latex}) != 1.0:
            return False
    except UNREADABLE:
        return False
    if item.answer_value is None:
        return True
    value = grader.value(item.answer_latex)
    return value is not None and abs(value - item.answer_value) <= 1e-9 * max(1.0, abs(item.answer_value))
