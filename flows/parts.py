"""What a worker does with a part, one Parquet file of a dataset: it writes it, and reads it back. Needs no Prefect.

The selection decides which rows each file holds before any is written. A worker writes the file under the hash of its
content and notes it, another checks it and notes that it is sound; so a kill costs the parts that are under way.
"""

import hashlib
import json
import os
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import pyarrow as pa
from pydantic import BaseModel

from planimeter.export.atomic import clear_errors
from planimeter.export.manifest import library_versions
from planimeter.export.parquet import FileRecord, path_of
from planimeter.export.parquet import write_part as write_rows
from planimeter.export.schema import schema_of
from planimeter.export.verify.part import Checked, Job, check
from planimeter.flows.selection import Selection, chosen_rows
from planimeter.flows.shards import ShardRecord, StoredTable
from planimeter.flows.store import shard_cache, sources
from planimeter.flows.store.storage import FolderStore, Store, open_store
from planimeter.flows.store.tables import rows_of
from planimeter.recipes.base import Recipe


class Piece(BaseModel, frozen=True, extra="forbid"):
    """Rows ``first`` to ``last - 1`` of those of ``table`` whose items are ``kept``."""

    table: StoredTable
    kept: tuple[bool, ...]
    first: int
    last: int


class Part(BaseModel, frozen=True, extra="forbid"):
    """One Parquet file to be: number ``number`` of ``parts`` of a split."""

    suite: str
    config: str
    split: str
    number: int
    parts: int
    pieces: tuple[Piece, ...]

    @property
    def path(self) -> str:
        """Where it stands in the dataset's folder."""
        return path_of(self.config, self.split, self.number, self.parts)

    @property
    def rows(self) -> int:
        """Number of its rows."""
        return sum(piece.last - piece.first for piece in self.pieces)

    def __str__(self) -> str:
        return self.path.removeprefix("data/")

    def key(self, code: sources.Code) -> str:
        """Return the key of its bytes when ``code`` writes it: what is in it, not what it is called."""
        return _key("write", self.model_dump_json(include={"suite", "config", "pieces"}), code.digest)


#: The Parquet files of a dataset, in order.
Files = Sequence[tuple[Part, FileRecord]]


def code_of(suite: str) -> sources.Code:
    """Return the code that writes and checks the files of ``suite``."""
    found = ("export.rows.{}", "export.verify.checks.{}", "evals.{}.protocol")
    modules = ("planimeter.flows.parts", *(f"planimeter.{part.format(suite)}" for part in found))
    return sources.Code(modules=modules, digest=sources.digest(modules))


def parts_of(recipe: Recipe, records: Sequence[ShardRecord], selection: Selection) -> tuple[Part, ...]:
    """Return the files of the dataset: the kept rows of each config and split in the order of the plan, cut evenly.

    A split without rows makes one empty file, so that it can still be loaded.
    """
    cut: dict[tuple[str, str], list[list[Piece]]] = {}
    for record, kept in zip(records, selection.kept, strict=True):
        for table in record.tables:
            files = cut.setdefault((table.config, record.split), [[]])
            _fill(files, table, kept, recipe.rows_per_file)
    # Sorted by config; its splits in the order in which they come.
    return tuple(
        Part(suite=recipe.suite, config=config, split=split, number=i, parts=len(files), pieces=tuple(pieces))
        for (config, split), files in sorted(cut.items(), key=lambda item: item[0][0])
        for i, pieces in enumerate(files)
    )


def _fill(files: list[list[Piece]], table: StoredTable, kept: tuple[bool, ...], rows_per_file: int) -> None:
    """Add the kept rows of ``table`` to the last of ``files``, and to further ones where it is full."""
    rows = sum(number for number, wanted in zip(table.rows_of_items, kept, strict=True) if wanted)
    first = 0
    while first < rows:
        room = rows_per_file - sum(piece.last - piece.first for piece in files[-1])
        if not room:
            files.append([])
            room = rows_per_file
        last = min(rows, first + room)
        files[-1].append(Piece(table=table, kept=kept, first=first, last=last))
        first = last


def write_part(part: Part, store: str, parts: str, key: str, code: sources.Code) -> FileRecord:
    """Write ``part`` from the tables in the store at ``store`` to the folder ``parts``, and note it under ``key``.

    Returns its record, whose path is within that folder. Memory holds one table and one row group. Raises
    ``PlanimeterError`` if a table is damaged or the code is other than ``code``, ``ExportError`` if the file cannot be
    written.
    """
    code.hold()
    opened, folder = open_store(store), Path(parts)
    temporary = folder / f".tmp-{os.getpid()}-{key}"
    with clear_errors(temporary):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            rows = (table for piece in part.pieces for table in _rows(piece, opened))
            written = write_rows(temporary, rows, schema_of(part.suite, part.config, [part.split]))
            temporary.replace(folder / written.sha256)
        finally:
            temporary.unlink(missing_ok=True)
    record = replace(written, path=written.sha256)
    shard_cache.note(FolderStore(folder), f"written/{key}", json.dumps(asdict(record)).encode())
    return record


def find_written(parts: FolderStore, key: str) -> FileRecord | None:
    """Return the record of the part that was written under ``key``, if its file is whole."""
    content = shard_cache.noted(parts, f"written/{key}")
    record = None if content is None else FileRecord(**json.loads(content))
    return record if record and parts.holds(record.path, record.sha256) else None


def _rows(piece: Piece, store: Store) -> Iterator[pa.Table]:
    start = 0
    for table in chosen_rows(rows_of(piece.table, store), piece.table, piece.kept):
        first, last = max(piece.first - start, 0), min(piece.last - start, table.num_rows)
        if first < last:
            yield table.slice(first, last - first)
        start += table.num_rows


def check_part(job: Job, parts: str, key: str, code: sources.Code) -> Checked:
    """Check a file in a worker, and note in the folder ``parts`` under ``key`` what was seen if nothing is wrong."""
    code.hold()
    found = check(job)
    if found.is_clean:
        shard_cache.note(FolderStore(Path(parts)), f"checked/{key}", pickle.dumps(found))
    return found


def find_checked(job: Job, parts: FolderStore, key: str) -> Checked | None:
    """Return what was seen in a sound file of this content, if that is still its content."""
    content = shard_cache.noted(parts, f"checked/{key}")
    if content is None or not FolderStore(job.folder).holds(job.record.path, job.record.sha256):
        return None
    found: Checked = pickle.loads(content)  # noqa: S301 - ours: its hash was compared, and it lies beside the shards
    return found


def key_of_check(job: Job, code: sources.Code) -> str:
    """Return the key of what a check by ``code`` finds."""
    return _key("check", json.dumps([asdict(job.record), job.suite, job.recipe], sort_keys=True), code.digest)


def _key(*content: str) -> str:
    return hashlib.sha256(json.dumps([*content, library_versions()], sort_keys=True).encode()).hexdigest()
