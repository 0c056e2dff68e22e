"""The command `import geogram`: curates a corpus of problems with drawing code into a dataset, written and verified.

Beside the dataset's folder lie two lists, one JSON object a line: ``<version>-review.jsonl`` holds what needs a person
(set ``decision`` to "keep" or "drop", edit what is wrong, and feed it back with ``--review`` under another version),
and ``<version>-dropped.jsonl`` every problem that is no row, with the check and the reason. A list that holds a
decision is a person's work and is not written over.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from planimeter.curation import figures
from planimeter.curation.corpus import Corpus, check_names, import_recipe, read
from planimeter.curation.curate import CONFIG, SOURCES, Curator
from planimeter.curation.judge import Judge
from planimeter.curation.review import read_review, refuse_reviewed, write_list, write_page
from planimeter.export.atomic import Staging
from planimeter.export.dataset import write_dataset
from planimeter.export.manifest import library_versions
from planimeter.export.parquet import row_table
from planimeter.export.schema import schema_of
from planimeter.flows.commands import show
from planimeter.flows.display.bars import bars
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store import sources
from planimeter.flows.store.bucket import fetch
from planimeter.flows.store.place import Destination
from planimeter.flows.writing import problems_of, require_sound
from planimeter.recipes.geogram_import import Columns

__all__ = ["Columns", "Judge", "Options", "curate", "run"]

#: Malformed lines that are printed; all of them stand in the list of what was dropped.
SHOWN = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """What the command line was given."""

    files: tuple[str, ...]
    outputs: Path
    name: str = ""
    version: str = "1.0.0"
    license: str = "unknown"
    columns: Columns = field(default_factory=Columns)
    review: Path | None = None
    judge: Judge | None = None


def run(options: Options, out: Console, err: Console) -> None:
    """Curate the corpus; print the summary of the dataset, and where the two lists are."""
    folder = curate(options, err)
    show.run(folder, out)
    out.print(f"{folder}\nfor a person: {folder}-review.html and .jsonl\ndropped: {folder}-dropped.jsonl", markup=False)


def curate(options: Options, err: Console) -> Path:
    """Import the corpus and return the folder of the dataset; malformed lines are told on ``err``.

    Raises ``PlanimeterError`` or ``ExportError`` for whatever a user can cause.
    """
    corpora = [read(address, fetch(address), options.columns) for address in options.files]
    faults = [f"{corpus.name}:{line}: {fault}" for corpus in corpora for line, fault in corpus.faults]
    for fault in faults[:SHOWN]:
        err.print(fault, markup=False)
    if len(faults) > SHOWN:
        err.print(f"and {len(faults) - SHOWN} more malformed lines", markup=False)
    check_names(corpora, options.name)
    review, digest = read_review(options.review, corpora) if options.review else ({}, "")
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
    judge = None if options.judge is None else options.judge.is_geometry
    curator = Curator(recipe, review, lambda item: figures.figure_of(item, asy), judge)
    place = Destination(recipe.dataset, recipe.version, options.outputs)
    values, code = recipe.model_dump(mode="json"), sources.digest(SOURCES)
    own = {"recipe": values, "code": code, "libraries": library_versions()}
    if not place.holds(own):
        place.prepare()
        with place.locked():
            # Once more: another import may have ended since.
            if not place.holds(own):
                refuse_reviewed(place.folder, options.review)
                _make(place.folder, curator, corpora)
    return place.folder


def _make(folder: Path, curator: Curator, corpora: Sequence[Corpus]) -> None:
    recipe, curated = curator.recipe, curator.curated
    with bars() as shown:
        stage = shown.stage("curate", sum(len(corpus.problems) for corpus in corpora))
        for number, corpus in enumerate(corpora):
            curator.take(corpus, number << 32, stage.advance)
        write_list(folder, "review", curated.review)
        write_page(folder, recipe.dataset, curator.draw)
        write_list(folder, "dropped", curated.dropped)
        if not curated.rows:
            raise PlanimeterError(f"no problem of the corpus is left; {folder}-dropped.jsonl says why, one by one")
        table = row_table(curated.rows, schema_of(recipe.suite, CONFIG))
        with Staging(folder) as staging:
            write_dataset(
                staging.path,
                recipe=recipe.model_dump(mode="json"),
                dataset=recipe.dataset,
                version=recipe.version,
                seed=recipe.seed,
                code_digest=sources.digest(SOURCES),
                configs={CONFIG: {"test": [table]}},
                funnel=curated.funnel.table(),
            )
            require_sound(staging.path, problems_of(staging.path, shown, 1))
            staging.commit()
