"""Reads the problems of one corpus file: JSONL, JSON or Parquet.

A malformed line becomes a fault with its place; the other lines of its file are read all the same.
"""

import hashlib
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ValidationError

from planimeter.curation.errors import CurationError
from planimeter.filters.geogram.curation import read_rows
from planimeter.items import RawProblem
from planimeter.recipes.geogram_import import Columns, ImportRecipe, Source

FORMATS = (".jsonl", ".ndjson", ".json", ".parquet")


@dataclass(frozen=True, kw_only=True, slots=True)
class Corpus:
    """One file: ``name`` without its folder, ``faults`` as (number of the line from 1, what is wrong with it)."""

    name: str
    sha256: str
    problems: tuple[RawProblem, ...]
    faults: tuple[tuple[int, str], ...]


def read(address: str, content: bytes, columns: Columns) -> Corpus:
    """Return the problems in ``content``, the bytes of the file at ``address``, whose ending tells the format.

    Raises:
        CurationError: if the file cannot be read at all, or not one of its lines is a problem.
    """
    name = PurePosixPath(address.split("::", maxsplit=1)[0]).name
    suffix = PurePosixPath(name).suffix.lower()
    if suffix not in FORMATS:
        raise CurationError(f"{address}: need a file that ends in {', '.join(FORMATS)}")
    try:
        rows = list(_rows(content, suffix))
    except (ValueError, pa.ArrowException) as error:
        raise CurationError(f"{address}: cannot be read as {suffix.lstrip('.')}: {error}") from error
    found, faults = read_rows(rows, columns.problem, columns.answer, columns.code)
    if not found:
        first = f"; {name}:{faults[0][0]}: {faults[0][1]}" if faults else ""
        raise CurationError(f"{address}: holds no problem{first}; name its columns with --problem, --answer and --code")
    digest = hashlib.sha256(content).hexdigest()
    return Corpus(name=name, sha256=digest, problems=tuple(found), faults=tuple(faults))


def _rows(content: bytes, suffix: str) -> Iterator[tuple[int, object]]:
    """Yield (number from 1, row); a line that is not JSON comes as the error that says so."""
    if suffix == ".parquet":
        yield from enumerate(pq.read_table(io.BytesIO(content)).to_pylist(), 1)
    elif suffix == ".json":
        document = json.loads(content)
        if not isinstance(document, list):
            raise ValueError("need a list of objects")
        yield from enumerate(document, 1)
    else:
        for number, line in enumerate(content.split(b"\n"), 1):
            if line.strip():
                try:
                    yield number, json.loads(line)
                except (ValueError, RecursionError) as error:
                    yield number, ValueError(f"no JSON ({error})")


def check_names(corpora: Sequence[Corpus], name: str) -> None:
    """Raise ``CurationError`` if two files have one name, or if a card could not show one of them or ``name``."""
    names = [corpus.name for corpus in corpora]
    strange = [known for known in (*names, name) if not known.isprintable()]
    if strange:
        raise CurationError(f"{strange[0]!a}: no name that a card could show; rename the file, and see --name")
    twice = sorted({known for known in names if names.count(known) > 1})
    if twice:
        raise CurationError(f"{twice[0]}: two files have this name, by which review and funnel know them; rename one")


def import_recipe(corpora: Sequence[Corpus], name: str, **given: object) -> ImportRecipe:
    """Return the recipe of the dataset that is made of ``corpora``, called ``name`` or like the first file.

    Raises:
        CurationError: if a value is out of its range.
    """
    origin = name or Path(corpora[0].name).stem
    slug = "-".join("".join(c if c.isalnum() and c.isascii() else " " for c in origin.lower()).split())
    own = {
        "dataset": f"geogram-{slug}",
        "title": f"GeoGram from {origin}",
        "origin": origin,
        "files": [Source(name=corpus.name, sha256=corpus.sha256) for corpus in corpora],
    }
    try:
        return ImportRecipe.model_validate({**given, **own})
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, f['loc']))}: {f['msg']}, got {f['input']!r}" for f in error.errors())
        raise CurationError(f"the import cannot be made: {faults}") from None
