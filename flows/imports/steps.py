"""The flow that curates a corpus of geometry problems into a dataset, as the GeoGramBench paper does in section 4.

    read-corpora -> curate-chunks (mapped) -> select -> write, describe, verify, commit

The steps after `select` are those of a build. Workers run ``chunks.py``.
"""

import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, cast

from prefect import flow, task
from prefect.logging import get_run_logger
from prefect.runtime import flow_run, task_run
from pydantic import Field, RootModel, model_serializer

from planimeter.export.errors import CurationError
from planimeter.filters.funnel import Funnel
from planimeter.flows import built
from planimeter.flows.build import write_dataset
from planimeter.flows.display.bars import ERRORS
from planimeter.flows.display.flow_names import IMPORT_FLOW
from planimeter.flows.errors import PlanimeterError, redacted
from planimeter.flows.imports import chunks, figures
from planimeter.flows.imports.chunks import Curating, Options
from planimeter.flows.imports.corpus import Corpus, check_names, corpus_of, import_recipe, read
from planimeter.flows.imports.curate import CONFIG, Outcome, Repeats
from planimeter.flows.imports.figures import Asymptote
from planimeter.flows.imports.judge import PATIENCE, Judge
from planimeter.flows.imports.review import Review, read_review, refuse_reviewed, write_list, write_page
from planimeter.flows.selection import Selection
from planimeter.flows.service.hooks import end_within, suspendable
from planimeter.flows.shards import ShardRecord
from planimeter.flows.store.place import Place
from planimeter.flows.store.sources import code_digest
from planimeter.flows.store.storage import Store, folder_of, local_copy
from planimeter.flows.tasks import KEPT, SHARD_RECORD, Batch, Step, as_one, in_threads, refusing, run_step
from planimeter.flows.workers.calls import Workers
from planimeter.flows.workers.processes import cores
from planimeter.suites.base import Recipe
from planimeter.suites.geogram_import.recipe import Columns, ImportRecipe
from planimeter.suites.loading import Values

#: The most malformed lines that are printed; the list of dropped problems has all of them.
SHOWN = 20


class Address(RootModel[str], frozen=True):
    """An address that may contain credentials. Prefect, which stores parameters, serializes it without them."""

    @model_serializer
    def _redacted(self) -> str:
        return redacted(self.root)

    def __str__(self) -> str:
        return redacted(self.root)


#: The default of an address that is not given.
NOWHERE = Address("")


def code_of_import() -> str:
    """Return the digest of all source files that decide the rows of an imported dataset."""
    return code_digest("geogram_import", "flows/imports")


class ImportPlace(Place):
    """The destination of an imported dataset; ``imported`` is the recipe of the dataset."""

    hint_if_taken = "Give another --version, --name or --out"

    def __init__(self, recipe: ImportRecipe, outputs: Path) -> None:
        # The recipe of an import has the fields that ``Place`` uses: dataset, version, suite, rows_per_file.
        super().__init__(cast("Recipe", recipe), outputs)
        self.imported = recipe

    def code(self) -> str:
        return code_of_import()


@task(name="read-corpora", task_run_name="read-corpora", persist_result=False)
def read_corpora(
    place: ImportPlace, corpora: Sequence[Corpus], review: Review, asy: Asymptote | None, judge: Judge | None
) -> list[Curating]:
    """Read the corpora, store them in chunks, and return the chunks to curate, each with its entries of ``review``.

    The first malformed lines are printed.

    Raises:
        CurationError: if a file is unreadable or without problems, or ``review`` names a line without a problem.
    """
    open_review, curatings, malformed = dict(review), [], 0
    for number, corpus in enumerate(corpora):
        name, is_empty, first_fault = corpus.name, True, ""
        for chunk in read(corpus, place.imported.columns):
            is_empty = is_empty and not chunk.problems
            for line, fault in chunk.faults:
                malformed += 1
                first_fault = first_fault or f"{name}:{line}: {fault}"
                if malformed <= SHOWN:
                    ERRORS.print(f"{name}:{line}: {fault}")
            lines = [(name, problem.line) for problem in chunk.problems]
            curating = Curating(
                recipe=place.imported,
                number=number,
                file=name,
                first=chunk.first,
                lines=chunks.keep_lines(place.store, chunk),
                review={line: open_review.pop(line) for line in lines if line in review},
                asy=asy,
                judge=judge,
            )
            curatings.append(curating)
        if is_empty:
            raise CurationError(
                f"{first_fault or name}: the file contains no problem; name its columns with --problem, --answer and "
                "--code"
            )
    if malformed > SHOWN:
        ERRORS.print(f"and {malformed - SHOWN} more malformed lines")
    for name, line in sorted(open_review)[:1]:
        raise CurationError(
            f"the review list has an entry for line {line} of {name}, where no problem was found; remove that entry"
        )
    return curatings


@task(name="curate-chunk", task_run_name="{curating}", tags=["curate-chunk"], **KEPT)
def curate_chunk(curating: Curating, key: str, store: str, workers: Workers) -> Values:
    """Curate the problems of one chunk in a worker, and store the outcomes; return the record of its rows."""
    get_run_logger().info("curating chunk %s, cache key %s", curating, key)
    record = workers.call(f"chunk {curating}", task_run.run_count, chunks.curate_chunk, curating, store, key)
    return record.model_dump(mode="json")


@flow(
    name="curate-chunks",
    flow_run_name="curate {curatings.count} chunks",
    validate_parameters=False,
    persist_result=False,
)
@refusing
def curate_chunks(curatings: Batch, keys: Sequence[str], store: str, workers: Workers) -> list[ShardRecord]:
    """Curate the problems of all chunks; return the records of their rows in order."""
    opened = Store(store)

    def is_kept(key: str, record: ShardRecord) -> bool:
        return chunks.find_curated(opened, key) == record

    step = Step("curate", curate_chunk, opened, (store, workers), SHARD_RECORD, is_kept)
    return run_step(step, curatings.items, keys, workers)


@task(name="select", task_run_name="select", persist_result=False)
def select(place: ImportPlace, curatings: Sequence[Curating], keys: Sequence[str]) -> Selection:
    """Return the selection of all rows that repeat no earlier one; the others are dropped.

    The list of dropped problems, the review list and its page are written next to the dataset.
    """
    repeats, funnel, kept = Repeats(place.imported.similarity), Funnel(), []
    repeating: dict[tuple[str, int], Outcome] = {}

    def accounts() -> Iterator[tuple[str, chunks.Account]]:
        for curating, key in zip(curatings, keys, strict=True):
            yield curating.file, chunks.account_of(place.store, key)

    def outcomes() -> Iterator[Outcome]:
        for file, account in accounts():
            yield from (repeating.get((file, line), outcome) for line, outcome in account)

    for file, account in accounts():
        chosen = []
        for line, outcome in ((line, outcome) for line, outcome in account if outcome.mark):
            judged = repeats.judge(outcome, file, line)
            for verdict in judged.verdicts:
                funnel.add(CONFIG, verdict, file)
            if judged.dropped:
                repeating[file, line] = judged
            chosen.append(not judged.dropped)
        kept.append(tuple(chosen))
    # Rows have review entries too; only those of dropped problems are listed.
    write_list(place.folder, "review", (o.asked for o in outcomes() if o.asked and o.dropped))
    write_page(place.folder, place.dataset, partial(figures.figure_of, asy=curatings[0].asy))
    write_list(place.folder, "dropped", (o.dropped for o in outcomes() if o.dropped))
    return Selection(kept=tuple(kept), funnel=funnel)


def import_corpus(options: Options) -> Path:
    """Import the corpus of ``options``, and return the folder of the dataset. Finished work is kept after a failure.

    Raises:
        PlanimeterError, ExportError: for any error that a user can cause.
    """
    with tempfile.TemporaryDirectory(prefix="planimeter-import-") as copies:
        corpora = [
            corpus_of(address, local_copy(address, Path(copies, str(number))))
            for number, address in enumerate(options.files)
        ]
        check_names(corpora, options.name)
        review, digest = read_review(options.review, corpora[0].name) if options.review else ({}, "")
        asy = figures.asymptote() if options.draw else None
        recipe = import_recipe(
            corpora,
            options.name,
            version=options.version,
            license=options.license,
            columns=options.columns,
            review=digest,
            judge="" if options.judge is None else options.judge.model,
            asymptote=asy.version if asy else "",
        )
        place = ImportPlace(recipe, options.outputs)
        place.prepare()
        with place.locked():
            place.sweep()
            if not place.is_built():
                refuse_reviewed(place.folder, options.review)
                with Workers.of_processes(options.workers or cores()) as workers:
                    _curate(place, as_one(corpora), as_one(review), asy, as_one(options.judge), workers)
            built.finish(place, "")
    return place.folder


def _curate(
    place: ImportPlace,
    corpora: Sequence[Corpus],
    review: Review,
    asy: Asymptote | None,
    judge: Judge | None,
    workers: Workers,
) -> None:
    """Make the dataset at ``place`` from ``corpora``. Raises ``PlanimeterError`` if all problems are dropped."""
    curatings = read_corpora(place, corpora, review, asy, judge)
    keys = [curating.key(place.code()) for curating in curatings]
    curate = in_threads(curate_chunks, workers)
    records = curate(as_one(Batch.of(curatings)), as_one(keys), place.store.url, workers)
    chosen = select(place, as_one(curatings), as_one(keys))
    if not any(map(any, chosen.kept)):
        raise PlanimeterError(f"no problem of the corpus is left; {place.folder}-dropped.jsonl lists the reasons")
    write_dataset(place, records, chosen, workers)


def _run_name() -> str:
    return " ".join(["import", *map(redacted, map(str, flow_run.parameters["files"]))])


@flow(
    name=IMPORT_FLOW,
    flow_run_name=_run_name,
    persist_result=True,
    result_serializer="json",
    on_crashed=[end_within],
    on_cancellation=[end_within],
)
@refusing
def import_geogram(
    files: list[Address],
    out: str | None = None,
    version: str = "1.0.0",
    name: str = "",
    corpus_license: str = "unknown",
    problem: str = "problem",
    answer: str = "answer",
    code: str = "",
    review: str | None = None,
    judge: Address = NOWHERE,
    judge_model: str = "",
    patience: Annotated[float, Field(ge=0)] = PATIENCE,
    draw: bool = False,
    workers: Annotated[int, Field(ge=1, le=128)] | None = None,
) -> str:
    """Curate a corpus of problems with drawing code into a dataset; each dropped problem is listed with a reason.

    Args:
        files: JSONL, JSON or Parquet files; hf:// and s3:// work too.
        out: Folder in which DATASET/VERSION/ is made; outputs/ by default.
        version: Version of the dataset.
        name: Name of the corpus, by default that of the first file.
        corpus_license: Licence of the corpus, such as MIT.
        problem: Column of the problem, with its code.
        answer: Column of the answer.
        code: Column of the code, if it is not in the problem.
        review: Path of a review list that a person has edited.
        judge: OpenAI-compatible endpoint that judges what is geometry, and the level.
        judge_model: Model at this endpoint; its token is in PLANIMETER_JUDGE_TOKEN.
        patience: Seconds for which the endpoint may be busy or unreachable before the import fails.
        draw: Draw the Asymptote programs by an installed asy, which runs them.
        workers: Number of worker processes, by default one for each core. The dataset's bytes do not depend on it.
    """
    options = Options(
        files=tuple(address.root for address in files),
        outputs=folder_of(out),
        name=name,
        version=version,
        license=corpus_license,
        columns=Columns(problem=problem, answer=answer, code=code),
        review=Path(review) if review else None,
        judge=Judge(url=judge.root, model=judge_model, patience=patience) if judge.root else None,
        draw=draw,
        workers=workers,
    )
    with suspendable():
        return str(import_corpus(options))
