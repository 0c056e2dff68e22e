"""Curates a chunk (some lines of a file) of an imported corpus in a worker. Needs no Prefect.

Each curated chunk and each reply of a model is stored. So after a kill, only unfinished chunks are curated again, and
no answered question is sent to the model again.
"""

from dataclasses import astuple, dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from filelock import FileLock

from planimeter.export.manifest import architecture, library_versions
from planimeter.filters.funnel import Funnel
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.imports import figures
from planimeter.flows.imports.corpus import Chunk
from planimeter.flows.imports.curate import CONFIG, Curator, Outcome, malformed
from planimeter.flows.imports.figures import Asymptote
from planimeter.flows.imports.judge import Judge
from planimeter.flows.imports.review import Review
from planimeter.flows.shards import Made, Shard, ShardRecord
from planimeter.flows.store.keys import digest
from planimeter.flows.store.results import Kind
from planimeter.flows.store.storage import Store
from planimeter.flows.store.tables import is_whole, write_shard
from planimeter.suites.geogram_import.recipe import Columns, ImportRecipe

Result = TypeVar("Result")

#: (line number, outcome) of each line of a chunk, without rows and verdicts.
Account = list[tuple[int, Outcome]]

#: The kinds of stored results: chunks to curate, records and accounts of curated chunks, replies of a model.
READ: Kind[Chunk] = Kind("read", Chunk)
CURATED: Kind[tuple[ShardRecord, Account]] = Kind("curated", tuple[ShardRecord, Account])
JUDGED: Kind[str] = Kind("judged", str)

#: Fields of the recipe that cannot change the result of a chunk. Its own lines and review entries are in its key.
_EXCLUDED = {"version", "title", "summary", "release_date", "license", "rows_per_file", "files", "review", "similarity"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """The options of an import, as ``import_geogram`` describes them; ``workers=None`` means one for each core."""

    files: tuple[str, ...]
    outputs: Path
    name: str = ""
    version: str = "1.0.0"
    license: str = "unknown"
    columns: Columns = field(default_factory=Columns)
    review: Path | None = None
    judge: Judge | None = None
    draw: bool = False
    workers: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Curating:
    """A chunk (some lines of a corpus file) to curate, and everything that decides the result.

    ``number`` and ``file`` are number and name of the file, ``first`` is the number of the chunk's first line.
    ``lines`` is the key under which the chunk is stored. ``asy`` is None if nothing is drawn, ``judge`` is None if
    no model is asked.
    """

    recipe: ImportRecipe
    number: int
    file: str
    first: int
    lines: str
    review: Review
    asy: Asymptote | None
    judge: Judge | None

    def __str__(self) -> str:
        return f"{self.file}:{self.first}"

    @property
    def first_seed(self) -> int:
        """The seed of a row is this number plus the row's line number; no two files have the same number."""
        return self.number << 32

    def key(self, code: str) -> str:
        """Return the cache key of the curated chunk; ``code`` is a digest of the source files that curate it."""
        recipe = self.recipe.model_dump(mode="json", exclude=_EXCLUDED)
        entries = sorted((line, entry) for (_, line), entry in self.review.items())
        known = (library_versions(), architecture(), self.file, self.lines, self.first_seed, entries)
        return digest([code, recipe, *known])


def keep_lines(store: Store, chunk: Chunk) -> str:
    """Store ``chunk`` for the worker that curates it; return its key, a digest of its content."""
    key = digest([chunk.first, [astuple(problem) for problem in chunk.problems], chunk.faults])
    READ.cached(store, key, lambda: chunk)
    return key


def curate_chunk(curating: Curating, store: str, key: str) -> ShardRecord:
    """Curate a chunk; store the record of its rows and the outcome of each line under ``key``; return the record."""
    curated = curate(curating, store, key)
    CURATED.keep(Store(store), key, curated)
    return curated[0]


def find_curated(store: Store, key: str) -> ShardRecord | None:
    """Return the stored record of the curated chunk ``key``; None if it is missing, or a file of it is damaged."""
    kept = CURATED.find(store, key)
    return kept[0] if kept and is_whole(kept[0], store) else None


def curate(curating: Curating, store: str, key: str) -> tuple[ShardRecord, Account]:
    """Curate a chunk and store its rows in the store at ``store``; return their record and the outcome of each line.

    Raises ``CurationError`` if the model does not answer.
    """
    opened, file = Store(store), curating.file
    chunk = _kept(opened, READ, curating.lines)
    draw = partial(figures.figure_of, asy=curating.asy)
    ask = partial(_reply, curating.judge, opened)
    curator = Curator(curating.recipe, file, curating.first_seed, curating.review, draw, ask)
    outcomes = curator.curate(chunk.problems)
    outcomes |= {line: malformed(file, line, fault) for line, fault in chunk.faults}
    items, funnel, account = Made(), Funnel(), []
    for line, outcome in sorted(outcomes.items()):
        for verdict in outcome.verdicts:
            funnel.add(CONFIG, verdict, file)
        if outcome.row is not None:
            items.items.append({CONFIG: [dict(outcome.row)]})
        account.append((line, outcome.model_copy(update={"verdicts": [], "row": None})))
    items.funnel = funnel.table()
    shard = Shard(suite=curating.recipe.suite, config=CONFIG, cell=(file,), first=chunk.first, count=len(account))
    return write_shard(opened, key, shard, items), account


def account_of(store: Store, key: str) -> Account:
    """Return (number, outcome) of each line of the chunk ``key``. Raises ``PlanimeterError`` if it is not stored."""
    return _kept(store, CURATED, key)[1]


def _kept(store: Store, kind: Kind[Result], key: str) -> Result:
    """Return the result of ``kind`` under ``key``. Raises ``PlanimeterError`` if it is missing or damaged."""
    result = kind.find(store, key)
    if result is None:
        raise PlanimeterError(
            f"{kind.name}/{key} in {store.url} was damaged or removed during the import; run the same command again"
        )
    return result


def _reply(judge: Judge | None, store: Store, question: str) -> str:
    """Return the reply of ``judge`` to ``question``: a stored one, or a new one, which is stored at once."""
    if judge is None:
        raise LookupError("a problem needs a judge model, but none is given; give --judge and --judge-model")
    key = digest([judge.body(question)])
    folder = Path(store.url, JUDGED.name)
    folder.mkdir(parents=True, exist_ok=True)
    # Two problems may lead to the same question; then the second one waits for the reply to the first. The system frees
    # a lock when its process ends. There are 4,096 locks, by the first digits of keys, so that others rarely wait.
    with FileLock(folder / f".{key[:3]}.lock"):
        return JUDGED.cached(store, key, lambda: judge.ask(question).encode(errors="replace").decode())
