"""Reads problems from corpus files (JSONL, JSON or Parquet) chunk by chunk, with one chunk in memory.

A malformed line is reported with file and line number; the other lines are read nevertheless.
"""

import codecs
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ValidationError

from planimeter.export.errors import CurationError
from planimeter.filters.geogram.curation import KEPT, read_rows
from planimeter.items.corpora import RawProblem
from planimeter.suites.geogram_import.recipe import Columns, ImportRecipe, Source

FORMATS = (".jsonl", ".ndjson", ".json", ".parquet")

#: The size of chunks: the first ``STEPS`` chunks of a file have ``LINES`` lines, so that a small corpus uses all cores,
#: the next ``STEPS`` twice as many, and so on up to ``MOST_LINES``; a chunk ends at ``FULL`` characters.
LINES, STEPS, MOST_LINES, FULL = 50, 8, 5_000, 8 << 20

#: Characters of a line of JSON above which it is reported as a fault instead of read.
LONGEST_LINE = 16 << 20

#: Rows of Parquet in memory at once.
BATCH = 500

#: (number, value) of each row of a file; the value of an unreadable row is an exception.
Rows = Iterator[tuple[int, object]]


class Chunk(BaseModel):
    """Consecutive lines of a file, from line ``first``: their problems, and (number, fault) of each malformed line."""

    first: int
    problems: list[RawProblem]
    faults: list[tuple[int, str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Corpus:
    """A corpus file: its path, its size and time of last change, its name without folder, and its SHA-256."""

    path: Path
    stamp: tuple[int, int]
    name: str
    sha256: str

    @property
    def suffix(self) -> str:
        """The suffix of the name in lower case, which decides the format."""
        return PurePosixPath(self.name).suffix.lower()


def corpus_of(address: str, path: Path) -> Corpus:
    """Return the corpus file of ``address``, whose local copy is at ``path``.

    Raises ``CurationError`` if its suffix is not in ``FORMATS``, or it cannot be read.
    """
    name = PurePosixPath(address.split("::", maxsplit=1)[0]).name
    if not name.lower().endswith(FORMATS):
        raise CurationError(f"{address}: need a file that ends in {', '.join(FORMATS)}")
    try:
        stamp = _stamp(path)
        with path.open("rb") as file:
            return Corpus(path=path, stamp=stamp, name=name, sha256=hashlib.file_digest(file, "sha256").hexdigest())
    except OSError as error:
        raise CurationError(f"{name}: cannot be read: {error}") from error


def read(corpus: Corpus, columns: Columns) -> Iterator[Chunk]:
    """Yield the chunks of the file ``corpus``; ``columns`` names its columns of problem, answer and code.

    Raises:
        CurationError: if the file cannot be read, or changes meanwhile.
    """
    rows = {".parquet": _groups, ".json": _list}.get(corpus.suffix, _lines)(corpus.path, columns)
    try:
        for number in count():
            part = list(_chunk(rows, min(LINES * (1 + number // STEPS), MOST_LINES)))
            if not part:
                break
            problems, faults = read_rows(part, columns.problem, columns.answer, columns.code)
            yield Chunk(first=part[0][0], problems=problems, faults=faults)
        stamp = _stamp(corpus.path)
    except (OSError, ValueError, MemoryError, RecursionError, pa.ArrowException) as error:
        raise CurationError(f"{corpus.name}: cannot be read as {corpus.suffix.lstrip('.')}: {error}") from error
    if stamp != corpus.stamp:
        raise CurationError(f"{corpus.name} changed while it was read; run the same command again")


def _chunk(rows: Rows, lines: int) -> Rows:
    """Yield the next ``rows``, up to ``lines`` of them; stop earlier once their texts have ``FULL`` characters."""
    size = 0
    for number, row in islice(rows, lines):
        yield number, row
        size += sum(len(value) for value in row.values() if isinstance(value, str)) if isinstance(row, Mapping) else 0
        if size >= FULL:
            return


def _lines(path: Path, _: Columns) -> Rows:
    """Yield (number, row) of each non-empty line of JSONL; the row is an exception if the line is not JSON."""
    with path.open("rb") as file:
        is_utf16 = file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    with path.open(encoding="utf-16" if is_utf16 else "utf-8-sig", errors="surrogateescape", newline="\n") as file:
        for number in count(1):
            line = part = file.readline(LONGEST_LINE)
            if not part:
                return
            while len(part) == LONGEST_LINE and not part.endswith("\n"):
                line, part = "", file.readline(LONGEST_LINE)
            try:
                if line.strip():
                    yield number, json.loads(line, object_pairs_hook=_object)
                elif part is not line:
                    yield number, ValueError(f"a line of more than {LONGEST_LINE:,} characters")
            except (ValueError, RecursionError) as error:
                yield number, ValueError(f"not JSON ({error})")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the dict of ``pairs`` of a JSON object. Raises ``ValueError`` if a key occurs twice."""
    names = [name for name, _ in pairs]
    if len(names) > len(set(names)):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two columns are named {twice!r}")
    return dict(pairs)


def _list(path: Path, _: Columns) -> Rows:
    document = json.loads(path.read_bytes(), object_pairs_hook=_object)
    if not isinstance(document, list):
        raise ValueError("need a list of objects")
    yield from enumerate(document, 1)


def _groups(path: Path, columns: Columns) -> Rows:
    """Yield (number, row) of each row of a Parquet file. If all needed columns exist, only these are read."""
    with pq.ParquetFile(path) as file:
        names = file.schema_arrow.names
        needed = {name for name in (columns.problem, columns.answer, columns.code) if name}
        twice = sorted(name for name in needed if names.count(name) > 1)
        if twice:
            raise ValueError(f"two columns are named {twice[0]!r}")
        # If one is missing, the fault of each row lists the existing ones.
        columns_read = [name for name in names if name in {*needed, *KEPT}] if needed <= {*names} else names
        batches = file.iter_batches(BATCH, columns=columns_read)
        yield from enumerate((row for batch in batches for row in batch.to_pylist()), 1)


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def check_names(corpora: Sequence[Corpus], name: str) -> None:
    """Raise ``CurationError`` if two files have equal names, or if a file name or ``name`` is not printable."""
    names = [corpus.name for corpus in corpora]
    strange = [known for known in (*names, name) if not known.isprintable()]
    if strange:
        raise CurationError(f"{strange[0]!a}: this name has unprintable characters; rename the file, or give --name")
    twice = sorted({known for known in names if names.count(known) > 1})
    if twice:
        raise CurationError(
            f"{twice[0]}: two files have this name, by which review list and counts refer to files; rename one"
        )


def import_recipe(corpora: Sequence[Corpus], name: str, **fields: object) -> ImportRecipe:
    """Return the recipe of a dataset of ``corpora``; ``fields`` are further values of the recipe.

    The dataset is named after ``name`` or, if that is empty, after the first file.

    Raises:
        CurationError: if a value is out of its range.
    """
    origin = name or Path(corpora[0].name).stem
    slug = "-".join("".join(c if c.isalnum() and c.isascii() else " " for c in origin.lower()).split())
    derived = {
        "dataset": f"geogram-{slug}",
        "title": f"GeoGram from {origin}",
        "origin": origin,
        "files": [Source(name=corpus.name, sha256=corpus.sha256) for corpus in corpora],
    }
    try:
        return ImportRecipe.model_validate({**fields, **derived})
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, f['loc']))}: {f['msg']}, got {f['input']!r}" for f in error.errors())
        raise CurationError(f"the options of the import are not valid: {faults}") from None
