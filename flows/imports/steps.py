"""The flow by which a corpus of geometry problems becomes a dataset: the pipeline of GeoGramBench, section 4.

    read-corpora -> curate-chunks (mapped) -> select -> write, describe, verify, commit

The steps behind `select` are those of a build. What the workers do stands in ``chunks.py`` beside this file.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Annotated, cast

from prefect import flow
from prefect.logging import get_run_logger
from prefect.runtime import flow_run
from prefect.states import State
from pydantic import Field

from planimeter.export.atomic import Staging
from planimeter.export.errors import CurationError
from planimeter.filters.funnel import Funnel
from planimeter.flows import built, tasks
from planimeter.flows.build import COMMAND
from planimeter.flows.display.bars import ERRORS, Bars, bars
from planimeter.flows.display.flow_names import IMPORT_FLOW
from planimeter.flows.errors import PlanimeterError, redacted
from planimeter.flows.imports import chunks, figures
from planimeter.flows.imports.chunks import Curating, Options
from planimeter.flows.imports.corpus import Corpus, check_names, corpus_of, import_recipe, read
from planimeter.flows.imports.curate import CONFIG, SOURCES, Outcome, Repeats
from planimeter.flows.imports.figures import Asymptote
from planimeter.flows.imports.judge import PATIENCE, Judge
from planimeter.flows.imports.review import Review, read_review, refuse_reviewed, write_list, write_page
from planimeter.flows.selection import Selection
from planimeter.flows.service.hooks import end_within, suspendable
from planimeter.flows.shards import ShardRecord
from planimeter.flows.steps import Steps
from planimeter.flows.store import sources
from planimeter.flows.store.bucket import local_copy
from planimeter.flows.store.place import Destination, Place
from planimeter.flows.store.storage import folder_of
from planimeter.flows.tasks import Mapped, refused
from planimeter.flows.workers.processes import WorkerPool, Workers, cores
from planimeter.recipes.base import Recipe
from planimeter.recipes.geogram_import import Columns, ImportRecipe

#: The files and the judge as the command line was given them: Prefect stores parameters, and they may hold a secret.
GIVEN: ContextVar[tuple[list[str], str] | None] = ContextVar("given", default=None)

#: What goes on with an import that a deployment began.
RUN = f"prefect deployment run {IMPORT_FLOW}/default, with the same parameters"

#: Malformed lines that are printed; all of them stand in the list of what was dropped.
SHOWN = 20


class ImportPlace(Place):
    """Where an import goes."""

    hint_if_taken = Destination.hint_if_taken

    def __init__(self, recipe: ImportRecipe, outputs: Path) -> None:
        # It has what is asked of a recipe here: name, version, suite, rows of a file.
        super().__init__(cast("Recipe", recipe), outputs)

    def modules(self) -> tuple[str, ...]:
        return SOURCES


class ImportSteps(Steps):
    """The steps of an import of ``recipe`` to ``place``."""

    def __init__(self, place: Place, recipe: ImportRecipe, workers: Workers, shown: Bars) -> None:
        super().__init__(place, workers, workers, shown)
        self.recipe = recipe

    def read_corpora(
        self, corpora: Sequence[Corpus], review: Review, asy: Asymptote | None, judge: Judge | None
    ) -> list[Curating]:
        """Return the chunks of ``corpora``, each with its entries of ``review``; print the first malformed lines.

        Raises:
            CurationError: if a file cannot be read or holds no problem, or ``review`` speaks of a line where none is.
        """
        stage = self._shown.stage("read", len(corpora))
        open_review = dict(review)

        def read_all() -> list[Curating]:
            curatings: list[Curating] = []
            malformed = 0
            for number, corpus in enumerate(corpora):
                name, is_empty, first_fault = corpus.name, True, ""
                for chunk in read(corpus, self.recipe.columns):
                    is_empty = is_empty and not chunk.problems
                    for line, fault in chunk.faults:
                        malformed += 1
                        first_fault = first_fault or f"{name}:{line}: {fault}"
                        if malformed <= SHOWN:
                            ERRORS.print(f"{name}:{line}: {fault}")
                    lines = [(name, problem.line) for problem in chunk.problems]
                    curating = Curating(
                        recipe=self.recipe,
                        number=number,
                        file=name,
                        first=chunk.first,
                        lines=chunks.keep_lines(self._place.store, chunk),
                        review={line: open_review.pop(line) for line in lines if line in review},
                        asy=asy,
                        judge=judge,
                    )
                    curatings.append(curating)
                stage.advance()
                if is_empty:
                    raise CurationError(
                        f"{first_fault or name}: the file holds no problem; name its columns with "
                        "--problem, --answer and --code"
                    )
            if malformed > SHOWN:
                ERRORS.print(f"and {malformed - SHOWN} more malformed lines")
            for name, line in sorted(open_review)[:1]:
                raise CurationError(f"the review speaks of line {line} of {name}, where no problem is")
            return curatings

        return self._step(tasks.read_corpora, read_all)

    def curate(self, curatings: Sequence[Curating], command: str) -> tuple[list[str], list[ShardRecord]]:
        """Return the key of each curated chunk, and its record."""
        code, store = sources.digest((*SOURCES, chunks.__name__)), self._place.store
        keys = [curating.key(code) for curating in curatings]
        stage = self._shown.stage("curate", len(curatings))
        jobs = [
            (
                str(curating),
                Mapped(
                    partial(chunks.find_curated, store, key),
                    partial(self._workers.run, chunks.curate_chunk, curating, store.url, key),
                ),
            )
            for curating, key in zip(curatings, keys, strict=True)
        ]

        def curate() -> list[ShardRecord]:
            self.note(command, keys)
            return list(self._map(tasks.curate_chunk, jobs, lambda *_: stage.advance()))

        return keys, self._fold(tasks.curate_chunks, f"curate {len(curatings)} chunks", curate, self._workers)

    def settle(self, curatings: Sequence[Curating], keys: Sequence[str]) -> Selection:
        """Return which rows repeat no earlier one, and write the two lists beside the dataset."""

        def settle() -> Selection:
            repeats, funnel, kept = Repeats(self.recipe.similarity), Funnel(), []
            repeating: dict[tuple[str, int], Outcome] = {}

            def accounts() -> Iterator[tuple[str, chunks.Account]]:
                for curating, key in zip(curatings, keys, strict=True):
                    yield curating.file, chunks.account_of(self._place.store, key)

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

            # A row has an entry for the review too, for the case that it repeats another.
            write_list(self._place.folder, "review", (o.asked for o in outcomes() if o.asked and o.dropped))
            draw = partial(figures.figure_of, asy=curatings[0].asy)
            write_page(self._place.folder, self.recipe.dataset, draw)
            write_list(self._place.folder, "dropped", (o.dropped for o in outcomes() if o.dropped))
            return Selection(kept=tuple(kept), funnel=funnel)

        return self._step(tasks.select, settle)

    def finish(self, records: Sequence[ShardRecord], selection: Selection) -> None:
        """Write the dataset, verify it and give it its name. ``PlanimeterError`` if it would have no row."""
        folder = self._place.folder
        if not any(map(any, selection.kept)):
            raise PlanimeterError(f"no problem of the corpus is left; {folder}-dropped.jsonl lists the reasons")
        files = self.write(records, selection)
        with Staging(folder) as staging:
            self.describe(staging.path, records, selection, files)
            self.verify(staging.path)
            self.commit(staging)


def import_corpus(
    options: Options,
    command: str,
    shown: Bars,
    steps_of: type[ImportSteps] = ImportSteps,
    workers_of: Callable[[int], Workers] = WorkerPool,
) -> Path:
    """Import the corpus by ``steps_of`` with the workers that ``workers_of`` gives, and return the dataset's folder.

    Raises:
        PlanimeterError, ExportError: for whatever a user can cause; what is finished is then kept.
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
                with workers_of(options.workers or cores()) as workers:
                    steps = steps_of(place, recipe, workers, shown)
                    curatings = steps.read_corpora(corpora, review, asy, options.judge)
                    keys, records = steps.curate(curatings, command)
                    steps.finish(records, steps.settle(curatings, keys))
            built.finish(place, "")
    return place.folder


def _run_name() -> str:
    return " ".join(["import", *flow_run.parameters["files"]])


@flow(
    name=IMPORT_FLOW,
    flow_run_name=_run_name,
    persist_result=True,
    on_crashed=[end_within],
    on_cancellation=[end_within],
)
def import_geogram(
    files: list[str],
    out: str | None = None,
    version: str = "1.0.0",
    name: str = "",
    corpus_license: str = "unknown",
    problem: str = "problem",
    answer: str = "answer",
    code: str = "",
    review: str | None = None,
    judge: str = "",
    judge_model: str = "",
    patience: Annotated[float, Field(ge=0)] = PATIENCE,
    draw: bool = False,
    workers: Annotated[int, Field(ge=1, le=128)] | None = None,
) -> str | State[object]:
    """Curate a corpus of problems with drawing code into a dataset; nothing is dropped without a reason.

    Args:
        files: JSONL, JSON or Parquet files; hf:// and s3:// work too.
        out: Folder under which the folder of the dataset and in it that of its version are made; outputs/ by default.
        version: Version of the dataset.
        name: Name of the corpus; that of the first file by default.
        corpus_license: The corpus's licence, such as MIT.
        problem: Column of the problem, with its code.
        answer: Column of the answer.
        code: Column of the code, where it does not stand in the problem.
        review: A review file that a person has edited.
        judge: OpenAI-compatible endpoint that judges what is geometry, and the level.
        judge_model: Model to ask there; its token is in PLANIMETER_JUDGE_TOKEN.
        patience: Seconds that the endpoint may be busy or gone.
        draw: Draw the Asymptote programs by an installed asy, which runs them.
        workers: Worker processes; one for each core by default. The bytes do not depend on it.
    """
    try:
        outputs = folder_of(out)
        addresses, endpoint = GIVEN.get() or (files, judge)
        options = Options(
            files=tuple(addresses),
            outputs=outputs,
            name=name,
            version=version,
            license=corpus_license,
            columns=Columns(problem=problem, answer=answer, code=code),
            review=Path(review) if review else None,
            judge=Judge(url=endpoint, model=judge_model, patience=patience) if endpoint else None,
            draw=draw,
            workers=workers,
        )
        with suspendable(), bars(get_run_logger().info) as shown:
            return str(import_corpus(options, redacted(COMMAND.get() or RUN), shown))
    except PlanimeterError as error:
        return refused(error)
