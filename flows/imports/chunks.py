"""What a worker does with a chunk of an imported corpus: it reads it, and curates what is in it. Needs no Prefect.

Everything that is finished is noted in the store: a chunk that was read, one that was curated, each reply of a model.
So a kill costs the chunks that are under way, and no question whose reply has come is asked again.
"""

import hashlib
import json
import pickle
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from filelock import FileLock

from planimeter.export.manifest import architecture, library_versions
from planimeter.export.promises import UNREADABLE
from planimeter.export.verify.repeats import Mark, mark_of
from planimeter.filters.funnel import Funnel
from planimeter.filters.geogram import curation as rules
from planimeter.filters.geogram.duplicates import Texts
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.imports import figures
from planimeter.flows.imports.corpus import Chunk, Corpus, Lines, read
from planimeter.flows.imports.curate import CONFIG, Curator, Outcome, codeless, malformed
from planimeter.flows.imports.judge import Judge
from planimeter.flows.imports.review import Review
from planimeter.flows.shards import Made, Shard, ShardRecord
from planimeter.flows.store import shard_cache, sources
from planimeter.flows.store.storage import Store, open_store
from planimeter.flows.store.tables import keep
from planimeter.items.corpora import RawProblem
from planimeter.recipes.geogram_import import Columns, ImportRecipe

#: What the lines of a chunk depend on.
READING = ("planimeter.flows.imports.corpus",)

#: Where the store keeps a model's replies.
JUDGED = "judged"

#: Requests that one worker has under way.
ASKED_AT_ONCE = 8

#: Recipe fields that cannot change a chunk's result. Files and review are hashed for each chunk.
_EXCLUDED = {"version", "title", "summary", "release_date", "license", "rows_per_file", "files", "review", "similarity"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """The options of an import; ``workers`` is None for one for each core."""

    files: tuple[str, ...]
    outputs: Path
    name: str = ""
    version: str = "1.0.0"
    license: str = "unknown"
    columns: Columns = field(default_factory=Columns)
    review: Path | None = None
    judge: Judge | None = None
    workers: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """A chunk to be read: the ``number`` of its file, the file, where in it."""

    number: int
    corpus: Corpus
    chunk: Chunk
    columns: Columns

    def __str__(self) -> str:
        return f"{self.corpus.name}:{self.chunk.first}"

    def key(self, code: sources.Code) -> str:
        """Return the key of what ``code`` reads in it: content, not where the file lies."""
        return _key("read", code.digest, self.corpus.name, self.corpus.sha256, self.chunk, self.columns.model_dump())


@dataclass(frozen=True, kw_only=True, slots=True)
class Curating:
    """A chunk to be curated: ``lines`` is the key of what was read, ``repeated`` names problems like earlier ones."""

    recipe: ImportRecipe
    reading: Reading
    lines: str
    repeated: tuple[int, ...]
    review: Review
    asy: str
    judge: Judge | None

    @property
    def first_seed(self) -> int:
        """Seeds are unique in the dataset: number of the file, number of the line."""
        return self.reading.number << 32

    def key(self, code: sources.Code) -> str:
        """Return the key of what ``code`` makes of it; where a model is asked and how long matters to no byte."""
        recipe = self.recipe.model_dump(mode="json", exclude=_EXCLUDED)
        entries = sorted((line, entry) for (_, line), entry in self.review.items())
        known = (library_versions(), architecture(), self.lines, self.first_seed, self.repeated, entries)
        return _key("curate", code.digest, recipe, *known)


def _key(*content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def read_chunk(reading: Reading, store: str, key: str, code: sources.Code) -> str:
    """Read a chunk, note its lines in the store at ``store`` under ``key``, and return the key.

    Raises ``CurationError`` if the file cannot be read.
    """
    code.pin()
    problems, faults = read(reading.corpus, reading.chunk, reading.columns)
    with_code: list[RawProblem] = []
    without_code: list[int] = []
    for problem in problems:
        if _has_code(problem):
            with_code.append(problem)
        else:
            without_code.append(problem.line)
    lines = Lines(found=tuple(with_code), without=tuple(without_code), faults=tuple(faults))
    shard_cache.note(open_store(store), f"read/{key}", pickle.dumps(lines))
    return key


def _has_code(problem: RawProblem) -> bool:
    try:
        return rules.with_code(problem)[0] is not None
    except UNREADABLE:
        # Reported where the problem is curated.
        return True


def find_read(store: Store, key: str) -> str | None:
    """Return ``key`` if its chunk was read."""
    return None if shard_cache.noted(store, f"read/{key}") is None else key


def lines_of(store: Store, key: str) -> Lines:
    """Return what was read under ``key``. Raises ``PlanimeterError`` if that is gone since."""
    lines: Lines = _noted(store, f"read/{key}")
    return lines


def _noted(store: Store, name: str) -> Any:
    content = shard_cache.noted(store, name)
    if content is None:
        raise PlanimeterError(
            f"{name} in {store.url} was damaged or removed while the import was at work; run the same command again"
        )
    return pickle.loads(content)  # noqa: S301 - ours, and its hash was compared


def repeated(texts: Texts, lines: Lines) -> tuple[int, ...]:
    """Return which problems of ``lines`` are like one in ``texts``, which keeps the others."""
    repeats = []
    for problem in lines.found:
        try:
            item, _ = rules.with_code(problem)
            if item is not None and not rules.duplicate(item, texts).kept:
                repeats.append(problem.line)
        except UNREADABLE:
            continue
    return tuple(repeats)


def curate_chunk(curating: Curating, store: str, key: str, code: sources.Code) -> ShardRecord:
    """Curate a chunk, keep its rows in the store at ``store``, note its account there, and return its record.

    Raises ``CurationError`` if the model does not answer.
    """
    code.pin()
    opened = open_store(store)
    if record := find_curated(opened, key):
        # A worker finished it and died before it answered.
        return record
    file, lines = curating.reading.corpus.name, lines_of(opened, curating.lines)
    draw = partial(figures.figure_of, asy=curating.asy)
    curator = Curator(curating.recipe, file, curating.first_seed, curating.review, draw)
    outcomes = curator.curate(lines.found, frozenset(curating.repeated), partial(_replies, curating.judge, opened))
    outcomes |= {line: malformed(file, line, fault) for line, fault in lines.faults}
    outcomes |= {line: codeless(file, line) for line in lines.without}
    made, funnel, account = Made(), Funnel(), []
    for line, outcome in sorted(outcomes.items()):
        for verdict in outcome.verdicts:
            funnel.add(CONFIG, verdict, file)
        if outcome.row is not None:
            made.items.append({CONFIG: [dict(outcome.row)]})
            mark = mark_of(outcome.row)
            made.signatures.append(mark.item + line.to_bytes(8) + mark.id.encode())
        account.append((line, Outcome(dropped=outcome.dropped, asked=outcome.asked)))
    made.funnel = funnel.table()
    first = curating.reading.chunk.first
    shard = Shard(suite=curating.recipe.suite, config=CONFIG, cell=(file,), first=first, count=len(account))
    record = keep(shard, made, opened)
    shard_cache.note(opened, f"accounts/{key}", pickle.dumps(account))
    shard_cache.keep_record(opened, key, record)
    return record


def find_curated(store: Store, key: str) -> ShardRecord | None:
    """Return the record kept under ``key`` if it, its rows and its account are whole."""
    return shard_cache.finished(store, key) if shard_cache.noted(store, f"accounts/{key}") is not None else None


def account_of(store: Store, key: str) -> list[tuple[int, Outcome]]:
    """Return number and outcome of each line of a chunk, rows and verdicts aside. ``PlanimeterError`` if it is gone."""
    account: list[tuple[int, Outcome]] = _noted(store, f"accounts/{key}")
    return account


def marks_of(record: ShardRecord) -> Iterator[tuple[int, Mark]]:
    """Yield the line of each row of ``record``, and its mark, which equal rows share."""
    for signature in map(bytes.fromhex, record.signatures):
        yield int.from_bytes(signature[16:24]), Mark(signature[24:].decode(), signature[:16])


def _replies(judge: Judge | None, store: Store, questions: Iterable[str]) -> list[str]:
    """Return the model's reply to each of ``questions``: a noted one, or one that is noted as soon as it comes."""
    if judge is None:
        return []

    def reply(question: str) -> str:
        key = _key(judge.body(question))
        # Problems with different figures may have one statement: the second one waits for the reply to the first.
        # A lock of the system's ends with its process; one for each of 4,096 beginnings of keys hardly holds others up.
        with FileLock(folder / f".{key[:3]}.lock"):
            known = shard_cache.noted(store, f"{JUDGED}/{key}")
            if known is None:
                known = judge.ask(question).encode(errors="replace")
                shard_cache.note(store, f"{JUDGED}/{key}", known)
            return known.decode()

    folder = Path(store.url, JUDGED)
    folder.mkdir(parents=True, exist_ok=True)
    pool = ThreadPoolExecutor(ASKED_AT_ONCE)
    try:
        return list(pool.map(reply, questions))
    finally:
        # Where one got no answer, the others of the queue are not asked.
        pool.shutdown(cancel_futures=True)
