"""`planimeter import geogram`: reads a corpus, curates it, writes and verifies the dataset.

Beside the dataset's folder lie two lists, one JSON object a line: ``<version>-review.jsonl`` holds what needs a person
(set ``decision`` to "keep" or "drop", edit what is wrong, and feed it back with ``--review`` under another version),
and ``<version>-dropped.jsonl`` every problem that is no row, with the check and the reason. A list that
holds a decision is a person's work and is not written over.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError
from rich.console import Console

from planimeter.export.atomic import Staging, clear_errors, write_file
from planimeter.export.dataset import write_dataset
from planimeter.export.manifest import library_versions
from planimeter.export.parquet import row_table
from planimeter.export.schema import schema_of
from planimeter.flows.curation import figures
from planimeter.flows.curation.corpus import Corpus, read
from planimeter.flows.curation.curate import CONFIG, SOURCES, Curated, Hands, Review, curate, unknown
from planimeter.flows.curation.judge import Judge
from planimeter.flows.display.bars import bars
from planimeter.flows.errors import PlanimeterError, VersionExistsError
from planimeter.flows.store import sources
from planimeter.flows.store.place import Place
from planimeter.flows.writing import problems_of, refuse
from planimeter.recipes.base import Recipe
from planimeter.recipes.geogram_import import Columns, ImportRecipe, Source

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


def run(options: Options, err: Console) -> Path:
    """Import the corpus and return the folder of the dataset; malformed lines are told on ``err``.

    Raises ``PlanimeterError`` or ``ExportError`` for whatever a user can cause.
    """
    corpora = [read(address, options.columns) for address in options.files]
    _tell(corpora, options, err)
    review, digest = _read_review(options.review, corpora)
    asy, version_of_asy = figures.asymptote()
    recipe = _recipe(options, corpora, digest, version_of_asy)
    judge = None if options.judge is None else options.judge.is_geometry
    hands = Hands(draw=lambda item: figures.figure_of(item, asy), judge=judge)
    # Of a recipe, a place needs no more here than its name and version.
    place = Place(cast("Recipe", recipe), options.outputs)
    if not _is_built(place.folder, recipe):
        place.prepare()
        with place.locked():
            # Once more: another import may have ended since.
            if not _is_built(place.folder, recipe):
                _refuse_reviewed(place.folder, options.review)
                _make(place.folder, recipe, corpora, review, hands)
    return place.folder


def _make(folder: Path, recipe: ImportRecipe, corpora: Sequence[Corpus], review: Review, hands: Hands) -> None:
    with bars() as shown:
        stage = shown.stage("curate", sum(len(corpus.problems) for corpus in corpora))
        curated = curate(corpora, recipe, review, hands, stage.advance)
        _write_lists(folder, curated)
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
            refuse(staging.path, problems_of(staging.path, shown, 1))
            staging.commit()


def _tell(corpora: Sequence[Corpus], options: Options, err: Console) -> None:
    faults = [fault for corpus in corpora for fault in corpus.faults]
    for fault in faults[:SHOWN]:
        err.print(fault, markup=False)
    if len(faults) > SHOWN:
        err.print(f"and {len(faults) - SHOWN} more malformed lines", markup=False)
    names = [corpus.name for corpus in corpora]
    strange = [name for name in (*names, options.name) if not name.isprintable()]
    if strange:
        raise PlanimeterError(f"{strange[0]!a}: no name that a card could show; rename the file, and see --name")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise PlanimeterError(f"{twice[0]}: two files have this name, by which review and funnel know them; rename one")


def _recipe(options: Options, corpora: Sequence[Corpus], review: str, asymptote: str) -> ImportRecipe:
    origin = options.name or Path(corpora[0].name).stem
    slug = "-".join("".join(c if c.isalnum() and c.isascii() else " " for c in origin.lower()).split())
    try:
        return ImportRecipe.model_validate(
            {
                "dataset": f"geogram-{slug}",
                "version": options.version,
                "title": f"GeoGram from {origin}",
                "license": options.license,
                "origin": origin,
                "files": [Source(name=corpus.name, sha256=corpus.sha256) for corpus in corpora],
                "columns": options.columns,
                "review": review,
                "judge": "" if options.judge is None else options.judge.model,
                "asymptote": asymptote,
            }
        )
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, f['loc']))}: {f['msg']}, got {f['input']!r}" for f in error.errors())
        raise PlanimeterError(f"the import cannot be made: {faults}") from None


def _read_review(path: Path | None, corpora: Sequence[Corpus]) -> tuple[Review, str]:
    """Return a person's words by file and line, and the digest of their file."""
    if path is None:
        return {}, ""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PlanimeterError(f"{path}: cannot be read ({error.strerror})") from error
    found: dict[tuple[str, int], Mapping[str, object]] = {}
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.strip():
            entry = _entry(f"{path.name}:{number}", line, corpora)
            place = (str(entry["file"]), int(entry["line"]))
            if place in found:
                raise PlanimeterError(f"{path.name}:{number}: a second word on line {place[1]} of {place[0]}")
            found[place] = entry
    strange = unknown(found, corpora)
    if strange:
        raise PlanimeterError(f"{path.name}: speaks of line {strange[0][1]} of {strange[0][0]}, where no problem is")
    return found, hashlib.sha256(content).hexdigest()


def _entry(where: str, line: bytes, corpora: Sequence[Corpus]) -> dict[str, Any]:
    try:
        entry = json.loads(line)
        # Half a character (a lone surrogate) is no error to json, but no file can hold it.
        json.dumps(entry, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise PlanimeterError(f"{where}: no JSON ({error})") from None
    if not isinstance(entry, dict) or type(entry.get("line")) is not int:
        raise PlanimeterError(f'{where}: need an object with a whole number in "line"')
    if entry.get("decision", "") not in ("keep", "drop", ""):
        raise PlanimeterError(f"{where}: need the decision 'keep', 'drop' or '', got {entry['decision']!r}")
    texts = [name for name in ("problem", "answer", "code", "level") if not isinstance(entry.get(name, ""), str)]
    if texts:
        raise PlanimeterError(f"{where}: need text in {texts[0]!r}, got {entry[texts[0]]!r}")
    return {"file": corpora[0].name, **entry}


def _is_built(folder: Path, recipe: ImportRecipe) -> bool:
    if not folder.exists():
        return False
    try:
        manifest = json.loads((folder / "manifest.json").read_bytes())
        same = (
            manifest["recipe"] == recipe.model_dump(mode="json")
            and manifest["code"] == sources.digest(SOURCES)
            and manifest["libraries"] == library_versions()
        )
    except (OSError, ValueError, KeyError, TypeError):
        same = False
    if not same:
        raise VersionExistsError(
            f"{folder} exists with other content; it is not replaced. Give another --version, --name or --out"
        )
    return True


def _refuse_reviewed(folder: Path, review: Path | None) -> None:
    """Refuse to write a new list over one that a person has worked on, or has just fed back."""
    path = _list(folder, "review")
    if not path.exists():
        return
    fed_back = review is not None and path.samefile(review)
    if fed_back or not all(map(_is_undecided, path.read_bytes().splitlines())):
        raise PlanimeterError(
            f"{path} holds a person's decisions, and the list of what still waits goes there; rename it, and feed it "
            "back under its new name with --review"
        )


def _is_undecided(line: bytes) -> bool:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        # Nothing that we wrote.
        return not line.strip()
    return isinstance(entry, dict) and entry.get("decision") == ""


def _list(folder: Path, name: str) -> Path:
    return folder.with_name(f"{folder.name}-{name}.jsonl")


def _write_lists(folder: Path, curated: Curated) -> None:
    with clear_errors(folder):
        for name, entries in (("review", curated.review), ("dropped", curated.dropped)):
            write_file(_list(folder, name), _jsonl(entries))


def _jsonl(entries: Iterable[Mapping[str, object]]) -> bytes:
    return "".join(f"{json.dumps(entry, ensure_ascii=False)}\n" for entry in entries).encode()
