"""Reads the problems of corpus files, JSONL, JSON or Parquet, a chunk at a time: memory holds one, however long a file.

A malformed line becomes a fault with its place; the other lines of its file are read all the same.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ValidationError

from planimeter.export.errors import CurationError
from planimeter.filters.geogram.curation import KEPT, read_rows
from planimeter.items.corpora import RawProblem
from planimeter.recipes.geogram_import import Columns, ImportRecipe, Source

LINES = (".jsonl", ".ndjson")
FORMATS = (*LINES, ".json", ".parquet")

#: Lines and bytes between two places at which a file of lines may be cut, and bytes from which on a chunk is full.
STRIDE, STRIDE_BYTES, CHUNK_BYTES = 50, 1 << 20, 8 << 20

#: Chunks of a corpus, about, and the most lines of one.
CHUNKS, CHUNK_LINES = 400, 5_000

#: Bytes of a line of JSON.
LONGEST_LINE = 16 << 20

#: Rows of Parquet that are held at once.
BATCH = 500


class Mark(NamedTuple):
    """A place where a file may be cut: a byte or the number of a row group, the lines and the bytes before it."""

    at: int
    lines: int
    bytes: int


class Chunk(NamedTuple):
    """From ``start`` to ``end``: bytes of a file of lines, row groups of Parquet. ``first`` is its first line."""

    start: int
    end: int
    first: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Corpus:
    """One file at ``path``; ``name`` is its own without the folder, ``marks`` begin at 0 and end at its end.

    ``stamp`` is its size and when it was changed last.
    """

    path: Path
    stamp: tuple[int, int]
    name: str
    sha256: str
    marks: tuple[Mark, ...]

    def chunks(self, lines: int) -> Iterator[Chunk]:
        """Yield the file in chunks of ``lines`` lines or a little more, fewer where they are long."""
        begin, last = self.marks[0], self.marks[-1]
        for mark in self.marks:
            if mark.lines - begin.lines >= lines or mark.bytes - begin.bytes >= CHUNK_BYTES or mark is last:
                yield Chunk(begin.at, mark.at, begin.lines + 1)
                begin = mark


def lines_of_chunk(corpora: Sequence[Corpus]) -> int:
    """Return how many lines a chunk of ``corpora`` should have: small corpora are shared by all cores, too."""
    return min(max(sum(corpus.marks[-1].lines for corpus in corpora) // CHUNKS, STRIDE), CHUNK_LINES)


def index(address: str, path: Path) -> Corpus:
    """Index the file of ``address``, which lies at ``path``; the address's ending decides the format.

    Raises:
        CurationError: if the file cannot be read at all.
    """
    name = PurePosixPath(address.split("::", maxsplit=1)[0]).name
    suffix = PurePosixPath(name).suffix.lower()
    if suffix not in FORMATS:
        raise CurationError(f"{address}: need a file that ends in {', '.join(FORMATS)}")
    digest = hashlib.sha256()
    try:
        stamp = _stamp(path)
        with path.open("rb") as file:
            for block in iter(partial(file.read, STRIDE_BYTES), b""):
                digest.update(block)
        marks = tuple(_marks(path, suffix))
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(name, suffix, error) from error
    return Corpus(path=path, stamp=stamp, name=name, sha256=digest.hexdigest(), marks=marks)


def _marks(path: Path, suffix: str) -> Iterator[Mark]:
    mark = Mark(0, 0, 0)
    yield mark
    if suffix == ".parquet":
        footer = pq.read_metadata(path)
        for group in map(footer.row_group, range(footer.num_row_groups)):
            mark = Mark(mark.at + 1, mark.lines + group.num_rows, mark.bytes + group.total_byte_size)
            yield mark
        return
    if suffix not in LINES:
        # A list has no place where it could be cut without reading it.
        yield Mark(path.stat().st_size, 1, 0)
        return
    at = lines = 0
    with path.open("rb") as file:
        # A line may be longer than memory; what comes here may be a part of one.
        for part in iter(partial(file.readline, STRIDE_BYTES), b""):
            at += len(part)
            if part.endswith(b"\n"):
                lines += 1
                if lines - mark.lines >= STRIDE or at - mark.at >= STRIDE_BYTES:
                    mark = Mark(at, lines, at)
                    yield mark
    if at > mark.at:
        yield Mark(at, lines, at)


def read(corpus: Corpus, chunk: Chunk, columns: Columns) -> tuple[list[RawProblem], list[tuple[int, str]]]:
    """Return the problems in ``chunk``, and its faults as (number of the line from 1, what is wrong with it).

    Raises:
        CurationError: if the file cannot be read, or is not what it was.
    """
    suffix = PurePosixPath(corpus.name).suffix.lower()
    rows = {".parquet": _groups, ".json": _list}.get(suffix, _lines)(corpus.path, chunk, columns)
    try:
        problems = read_rows(rows, columns.problem, columns.answer, columns.code)
        if _stamp(corpus.path) == corpus.stamp:
            return problems
    except (OSError, ValueError, pa.ArrowException) as error:
        raise _unreadable(corpus.name, suffix, error) from error
    raise CurationError(f"{corpus.name} changed while it was read; run the same command again")


def _lines(path: Path, chunk: Chunk, _: Columns) -> Iterator[tuple[int, object]]:
    """Yield number and row of each line that is not empty, or the error where a line is no JSON."""
    with path.open("rb") as file:
        file.seek(chunk.start)
        number = chunk.first
        while file.tell() < chunk.end:
            line = part = file.readline(LONGEST_LINE)
            while len(part) == LONGEST_LINE and not part.endswith(b"\n"):
                line, part = b"", file.readline(LONGEST_LINE)
            try:
                if line.strip():
                    yield number, json.loads(line)
                elif part is not line:
                    yield number, ValueError(f"a line of more than {LONGEST_LINE:,} bytes")
            except (ValueError, RecursionError) as error:
                yield number, ValueError(f"no JSON ({error})")
            number += 1


def _list(path: Path, chunk: Chunk, _: Columns) -> Iterator[tuple[int, object]]:
    document = json.loads(path.read_bytes())
    if not isinstance(document, list):
        raise ValueError("need a list of objects")
    yield from enumerate(document, chunk.first)


def _groups(path: Path, chunk: Chunk, columns: Columns) -> Iterator[tuple[int, object]]:
    with pq.ParquetFile(path) as file:
        names = file.schema_arrow.names
        needed = {name for name in (columns.problem, columns.answer, columns.code) if name}
        # Where one is missing, the fault of each row names those that are there.
        columns_read = [name for name in names if name in {*needed, *KEPT}] if needed <= {*names} else names
        batches = file.iter_batches(BATCH, row_groups=range(chunk.start, chunk.end), columns=columns_read)
        yield from enumerate((row for batch in batches for row in batch.to_pylist()), chunk.first)


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def _unreadable(name: str, suffix: str, error: Exception) -> CurationError:
    return CurationError(f"{name}: cannot be read as {suffix.lstrip('.')}: {error}")


def check_names(corpora: Sequence[Corpus], name: str) -> None:
    """Raise ``CurationError`` if two files have one name, or if a card could not show one of them or ``name``."""
    names = [corpus.name for corpus in corpora]
    strange = [known for known in (*names, name) if not known.isprintable()]
    if strange:
        raise CurationError(f"{strange[0]!a}: no name that a card could show; rename the file, and see --name")
    twice = sorted({known for known in names if names.count(known) > 1})
    if twice:
        raise CurationError(f"{twice[0]}: two files have this name, by which review and funnel know them; rename one")


def import_recipe(corpora: Sequence[Corpus], name: str, **fields: object) -> ImportRecipe:
    """Return the recipe of the dataset that is made of ``corpora``, called ``name`` or like the first file.

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
        raise CurationError(f"the import cannot be made: {faults}") from None
