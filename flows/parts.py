"""Plans the Parquet files of a dataset, and writes one in a worker. Needs no Prefect.

The rows of each file are chosen before the first file is written: the selected items of a config are sorted by their
seeds, which are hash values, so that the position of a row is independent of its answer. The rows of an item stay
together, since pictures of one plot repeat each other and compress well. A worker writes the file under the
SHA-256 of its content.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
from pydantic import BaseModel

from planimeter.export.atomic import explain_os_errors
from planimeter.export.canary import canary_of
from planimeter.export.parquet import ROW_GROUP_ROWS, FileRecord, path_of
from planimeter.export.parquet import write_part as write_rows
from planimeter.export.schema import schema_of
from planimeter.flows.selection import Selection
from planimeter.flows.shards import Block, ShardRecord
from planimeter.flows.store.storage import TEMPORARY, Store
from planimeter.flows.store.tables import read_items
from planimeter.suites.base import Recipe


class Piece(NamedTuple):
    """Rows ``first`` to ``last - 1`` of one item in one config, which are stored in the file ``path`` of the store.

    ``block`` describes the record batch with all rows of this item, such as its place in the file.
    """

    path: str
    block: Block
    first: int
    last: int


class Part(BaseModel, frozen=True, extra="forbid"):
    """A planned Parquet file with the rows of ``pieces``.

    A split of a config has ``parts`` files; this one is file ``number``, counted from 0.
    """

    suite: str
    canary: str
    #: True for a file of a sealed edition, whose rows have no column `seed`.
    sealed: bool = False
    config: str
    split: str
    number: int
    parts: int
    pieces: tuple[Piece, ...]

    @property
    def path(self) -> str:
        """The path of the file within the dataset's folder."""
        return path_of(self.config, self.split, self.number, self.parts)

    @property
    def rows(self) -> int:
        """The number of rows in the file."""
        return sum(piece.last - piece.first for piece in self.pieces)

    def __str__(self) -> str:
        return self.path.removeprefix("data/")


#: The Parquet files of a dataset, in order.
Files = Sequence[tuple[Part, FileRecord]]


def parts_of(recipe: Recipe, records: Sequence[ShardRecord], selection: Selection) -> tuple[Part, ...]:
    """Return the planned files of the dataset: the selected rows of each config and split, sorted by their seeds.

    Each file has ``recipe.rows_per_file`` rows; the last of a split may have fewer. A split without rows gets one empty
    file, so that it can still be loaded.
    """
    items: dict[tuple[str, str], list[Piece]] = {}
    for record, kept in zip(records, selection.kept, strict=True):
        for table in record.tables:
            items.setdefault((table.config, record.split), []).extend(
                Piece(table.path, block, 0, block.rows)
                for block, is_kept in zip(table.blocks, kept, strict=True)
                if is_kept and block.rows
            )
    parts: list[Part] = []
    canary = canary_of(recipe.dataset, recipe.version)
    # Sorted by config; the splits of a config are in the order of their first shards.
    for (config, split), pieces in sorted(items.items(), key=lambda item: item[0][0]):
        files = _cut(sorted(pieces, key=lambda piece: piece.block.seed), recipe.rows_per_file)
        parts += (
            Part(
                suite=recipe.suite,
                canary=canary,
                sealed=recipe.seed is None,
                config=config,
                split=split,
                number=i,
                parts=len(files),
                pieces=tuple(file),
            )
            for i, file in enumerate(files)
        )
    return tuple(parts)


def _cut(pieces: Iterable[Piece], rows: int) -> list[list[Piece]]:
    """Divide ``pieces`` into lists of ``rows`` rows each (the last may have fewer). Return ``[[]]`` for no pieces.

    A piece with too many rows for a list is cut, and its remaining rows begin the next list.
    """
    cut: list[list[Piece]] = [[]]
    free = rows
    for piece in pieces:
        first = piece.first
        while first < piece.last:
            if not free:
                cut.append([])
                free = rows
            last = min(piece.last, first + free)
            cut[-1].append(piece._replace(first=first, last=last))
            free -= last - first
            first = last
    return cut


def write_part(part: Part, store: str, parts: str) -> FileRecord:
    """Write ``part`` from the shards in the store at ``store`` to a file in the folder ``parts``; return its record.

    The name of the file, which is also the path in the record, is the SHA-256 of its content. About two row groups are
    in memory.
    Raises ``PlanimeterError`` if a shard is damaged, ``ExportError`` if the file cannot be written.
    """
    opened, folder = Store(store), Path(parts)
    temporary = folder / f"{TEMPORARY}{os.getpid()}-{str(part).replace('/', '-')}"
    with explain_os_errors(temporary):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            stored = schema_of(part.suite, part.config, [part.split])
            schema = schema_of(part.suite, part.config, [part.split], sealed=part.sealed)
            tables = _rows(part.pieces, stored.arrow, opened)
            rows = (table.select(list(schema.by_name)) for table in tables)
            written = write_rows(temporary, rows, replace(schema, canary=part.canary))
            temporary.replace(folder / written.sha256)
        finally:
            temporary.unlink(missing_ok=True)
    return replace(written, path=written.sha256)


def _rows(pieces: Sequence[Piece], schema: pa.Schema, store: Store) -> Iterator[pa.Table]:
    """Yield the rows of ``pieces`` as tables of about one row group each."""
    group: list[Piece] = []
    for number, piece in enumerate(pieces, start=1):
        group.append(piece)
        if number == len(pieces) or sum(p.last - p.first for p in group) >= ROW_GROUP_ROWS:
            batches = read_items(store, [(p.path, p.block) for p in group], schema)
            rows = (batch.slice(p.first, p.last - p.first) for batch, p in zip(batches, group, strict=True))
            yield pa.Table.from_batches(rows, schema)
            group.clear()
