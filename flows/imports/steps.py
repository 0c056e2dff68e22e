"""The steps by which a corpus of geometry problems becomes a dataset: the pipeline of GeoGramBench, section 4.

    plan -> read-chunks (mapped) -> deduplicate -> curate-chunks (mapped) -> select -> write, describe, verify, commit

The steps behind `select` are those of a build. What the workers do stands in ``chunks.py`` beside this file.
"""

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

from planimeter.export.atomic import Staging
from planimeter.export.errors import CurationError
from planimeter.export.verify.repeats import Seen
from planimeter.filters.funnel import Funnel
from planimeter.filters.geogram.duplicates import Texts
from planimeter.flows import tasks
from planimeter.flows.display.bars import ERRORS, Bars
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.imports import chunks, figures
from planimeter.flows.imports.chunks import Curating, Options, Reading
from planimeter.flows.imports.corpus import Corpus, check_names, import_recipe, index, lines_of_chunk
from planimeter.flows.imports.curate import CONFIG, SOURCES, Outcome, published, repeating
from planimeter.flows.imports.judge import Judge
from planimeter.flows.imports.review import Review, read_review, refuse_reviewed, write_list, write_page
from planimeter.flows.selection import Selection
from planimeter.flows.shards import ShardRecord
from planimeter.flows.steps import Steps
from planimeter.flows.store import journal, sweep
from planimeter.flows.store.bucket import local_copy
from planimeter.flows.store.place import Destination, Place
from planimeter.flows.store.sources import Code
from planimeter.flows.workers.processes import WorkerPool, Workers, cores
from planimeter.recipes.base import Recipe
from planimeter.recipes.geogram_import import ImportRecipe

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
        code = Code.of(chunks.READING)
        self._journal = partial(journal.Journal, dataset=recipe.dataset, version=recipe.version, code=code)

    def divide(self, corpora: Sequence[Corpus], command: str) -> list[Reading]:
        """Return the chunks of ``corpora``, in order, and note down for `planimeter status` what is to be done."""

        def divide() -> list[Reading]:
            lines, code = lines_of_chunk(corpora), Code.of(chunks.READING)
            columns = self.recipe.columns
            readings = [
                # The reader of a chunk needs none of the other places at which the file may be cut.
                Reading(number=number, corpus=replace(corpus, marks=()), chunk=chunk, columns=columns)
                for number, corpus in enumerate(corpora)
                for chunk in corpus.chunks(lines)
            ]
            self._journal(command=command, keys=tuple(r.key(code) for r in readings)).write(self._place.store)
            return readings

        return self._step(tasks.plan, divide)

    def read(self, readings: Sequence[Reading]) -> list[str]:
        """Return the keys under which the lines of each chunk are noted."""
        code, store = Code.of(chunks.READING), self._place.store
        keys = [reading.key(code) for reading in readings]
        stage = self._shown.stage("read", len(readings))

        def read_one(number: int) -> str:
            return self._workers.run(chunks.read_chunk, readings[number], store.url, keys[number], code)

        def read() -> list[str]:
            finished = [partial(chunks.find_read, store, key) for key in keys]
            return list(
                self._map(tasks.read_chunk, [*map(str, readings)], read_one, finished, lambda *_: stage.advance())
            )

        return self._fold(tasks.read_chunks, f"read {len(readings)} chunks", read, self._workers)

    def deduplicate(self, readings: Sequence[Reading], keys: Sequence[str], review: Review) -> list[tuple[int, ...]]:
        """Return which problems of each chunk are like earlier ones; print the first malformed lines.

        Raises:
            CurationError: if a file holds no problem, or ``review`` speaks of a line where none is.
        """

        def deduplicate() -> list[tuple[int, ...]]:
            texts, open_review, faults = Texts(self.recipe.similarity), set(review), 0
            problems = dict.fromkeys((reading.corpus.name for reading in readings), 0)
            first_faults: dict[str, str] = {}
            repeats = []
            for reading, key in zip(readings, keys, strict=True):
                name, lines = reading.corpus.name, chunks.lines_of(self._place.store, key)
                for line, fault in lines.faults:
                    faults += 1
                    first_faults.setdefault(name, f"{name}:{line}: {fault}")
                    if faults <= SHOWN:
                        ERRORS.print(f"{name}:{line}: {fault}", markup=False)
                numbers = {*lines.without, *(problem.line for problem in lines.found)}
                problems[name] += len(numbers)
                open_review -= {(name, line) for line in numbers}
                repeats.append(chunks.repeated(texts, lines))
            if faults > SHOWN:
                ERRORS.print(f"and {faults - SHOWN} more malformed lines", markup=False)
            for name, number in problems.items():
                if not number:
                    raise CurationError(
                        f"{first_faults.get(name, name)}: the file holds no problem; name its columns with --problem, "
                        "--answer and --code"
                    )
            for name, line in sorted(open_review)[:1]:
                raise CurationError(f"the review speaks of line {line} of {name}, where no problem is")
            return repeats

        return self._step(tasks.deduplicate, deduplicate)

    def curate(self, curatings: Sequence[Curating], command: str) -> tuple[list[str], list[ShardRecord]]:
        """Return the key of each curated chunk, and its record."""
        code, store = Code.of(SOURCES), self._place.store
        keys = [curating.key(code) for curating in curatings]
        stage = self._shown.stage("curate", len(curatings))

        def curate_one(number: int) -> ShardRecord:
            return self._workers.run(chunks.curate_chunk, curatings[number], store.url, keys[number], code)

        def curate() -> list[ShardRecord]:
            self._journal(command=command, keys=tuple(keys)).write(store)
            finished = [partial(chunks.find_curated, store, key) for key in keys]
            labels = [str(curating.reading) for curating in curatings]
            return list(self._map(tasks.curate_chunk, labels, curate_one, finished, lambda *_: stage.advance()))

        return keys, self._fold(tasks.curate_chunks, f"curate {len(curatings)} chunks", curate, self._workers)

    def settle(self, curatings: Sequence[Curating], keys: Sequence[str], records: Sequence[ShardRecord]) -> Selection:
        """Return which rows repeat no earlier one, and write the two lists beside the dataset."""

        def settle() -> Selection:
            seen, funnel, kept = Seen(), Funnel(), []
            repeats: dict[tuple[str, int], str] = {}
            for curating, record in zip(curatings, records, strict=True):
                file, chosen = curating.reading.corpus.name, []
                for line, mark in chunks.marks_of(record):
                    fault = "; ".join(seen.faults(mark))
                    if fault:
                        repeats[file, line] = fault
                    else:
                        seen.add(mark)
                    funnel.add(CONFIG, published(fault), file)
                    chosen.append(not fault)
                kept.append(tuple(chosen))

            def outcomes() -> Iterator[Outcome]:
                for curating, key in zip(curatings, keys, strict=True):
                    file = curating.reading.corpus.name
                    for line, outcome in chunks.account_of(self._place.store, key):
                        fault = repeats.get((file, line), "")
                        yield repeating(outcome, file, line, fault) if fault else outcome

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
            index(address, local_copy(address, Path(copies, str(number))))
            for number, address in enumerate(options.files)
        ]
        check_names(corpora, options.name)
        review, digest = read_review(options.review, corpora[0].name) if options.review else ({}, "")
        asy, version_of_asy = figures.asymptote()
        recipe = import_recipe(
            corpora,
            options.name,
            version=options.version,
            license=options.license,
            columns=options.columns,
            review=digest,
            judge="" if options.judge is None else options.judge.model,
            asymptote=version_of_asy,
        )
        place = ImportPlace(recipe, options.outputs)
        place.prepare()
        with place.locked():
            sweep.sweep(place)
            if not place.is_built():
                refuse_reviewed(place.folder, options.review)
                with workers_of(options.workers or cores()) as workers:
                    _import(steps_of(place, recipe, workers, shown), corpora, review, asy, options.judge, command)
            journal.close(place.store, recipe.dataset, recipe.version)
            shutil.rmtree(place.parts.folder, ignore_errors=True)
    return place.folder


def _import(
    steps: ImportSteps, corpora: Sequence[Corpus], review: Review, asy: str, judge: Judge | None, command: str
) -> None:
    readings = steps.divide(corpora, command)
    lines = steps.read(readings)
    repeated = steps.deduplicate(readings, lines, review)
    curatings = [
        Curating(
            recipe=steps.recipe,
            reading=reading,
            lines=key,
            repeated=like,
            review=_within(review, reading, after),
            asy=asy,
            judge=judge,
        )
        for reading, after, key, like in zip(readings, [*readings[1:], None], lines, repeated, strict=True)
    ]
    keys, records = steps.curate(curatings, command)
    steps.finish(records, steps.settle(curatings, keys, records))


def _within(review: Review, reading: Reading, after: Reading | None) -> Review:
    """Return the entries of ``review`` that speak of the chunk of ``reading``, behind which ``after`` comes."""
    same = after is not None and after.number == reading.number
    end = after.chunk.first if after and same else sys.maxsize
    return {
        (file, line): entry
        for (file, line), entry in review.items()
        if file == reading.corpus.name and reading.chunk.first <= line < end
    }
