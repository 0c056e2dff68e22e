"""Writes Parquet files whose bytes depend on the rows only, not on the tables in which they arrive.

Row groups have exactly 100 rows: the Hub's viewer reads a whole group, and refuses more than 300 MB. Files have a page
index and content-defined chunking, so that an upload of the next version sends only changed parts. The rows of each
group are first combined into one Arrow chunk, since pyarrow does not promise that the bytes are independent of chunks
(in pyarrow 26, they depend on these if content-defined chunking is off). The bytes also depend on the version of
pyarrow, which the manifest names.

Single pictures cannot be compressed further, but pictures of one plot repeat each other: two colour maps of the same
heights have equal deflated pixels and different palettes. So pages have 1 to 4 MiB, which is dozens of pictures, and
zstd's level is the lowest whose window spans a page; this quarters the size of marvl-qa's files at no cost in time.
"""

import hashlib
import io
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ConfigDict, Field, StrictInt
from pydantic.dataclasses import dataclass

from planimeter.export.atomic import ExportError, fsync
from planimeter.export.columns import Schema
from planimeter.items.values import Row

#: The number of rows in each row group but the last of a file.
ROW_GROUP_ROWS = 100

#: The level of zstd, and pyarrow's options of content-defined chunking, with the least and most bytes of a page.
COMPRESSION_LEVEL = 3
PAGES = {"min_chunk_size": 1 << 20, "max_chunk_size": 4 << 20, "norm_level": 0}

#: A number of rows, items or bytes in a manifest, which others may have written.
Count = Annotated[StrictInt, Field(ge=0, lt=2**53)]


@dataclass(frozen=True, kw_only=True, slots=True, config=ConfigDict(extra="forbid", use_attribute_docstrings=True))
class FileRecord:
    """The entry of one data file in the manifest."""

    path: str
    """Path relative to the dataset's folder, with ``/``."""
    sha256: str
    """SHA-256 of the file, hexadecimal."""
    rows: Count
    """Number of rows in the file."""
    bytes: Count
    """Size of the file in bytes."""


def row_table(rows: Sequence[Row], schema: Schema) -> pa.Table:
    """Return ``rows`` as a table with the columns of ``schema``.

    The value of a picture column is the PNG as bytes, a mapping with the keys bytes and path, or None.

    Raises:
        ExportError: if a row lacks a column, has one too many, or a value does not fit its type.
    """
    names = list(schema.by_name)
    for row in rows:
        if set(row) != set(names):
            odd = ", ".join(sorted(set(row) ^ set(names)))
            raise ExportError(f"a row of {schema.config} must have the columns of its schema; it differs in: {odd}")
    columns: list[pa.Array] = []
    for column in schema.columns:
        values: list[object] = [row[column.name] for row in rows]
        if column.is_image:
            pairs = zip(values, rows, strict=True)
            values = [{"bytes": v, "path": f"{row['id']}.png"} if isinstance(v, bytes) else v for v, row in pairs]
        try:
            columns.append(pa.array(values, column.type))
        except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
            raise ExportError(f"{schema.config}.{column.name} must be {column.type}: {error}") from error
    return pa.Table.from_arrays(columns, schema=schema.arrow)


def write_split(
    folder: Path, config: str, split: str, tables: Iterable[pa.Table], schema: Schema, rows_per_file: int
) -> tuple[FileRecord, ...]:
    """Write the rows of ``tables`` to ``folder/data/<config>/<split>-00000-of-0000N.parquet``.

    Return the manifest's entry of each file. A file has ``rows_per_file`` rows, the last one fewer. One incoming table
    and one row group are in memory. The number of files is known only at the end, so they are written under hidden
    names and then renamed. A split without rows gets one empty file, so that it can still be loaded.

    Raises:
        ExportError: if a table does not have the columns of ``schema``, or ``rows_per_file`` is not positive.
    """
    if rows_per_file < 1:
        raise ExportError(f"need rows_per_file >= 1, got {rows_per_file}")
    home = folder / "data" / config
    home.mkdir(parents=True, exist_ok=True)
    rows = _Rows(tables, schema)
    hidden: list[FileRecord] = []
    while not hidden or rows.are_left():
        hidden.append(_write(home / f".{split}-{len(hidden):05d}.tmp", rows.groups(rows_per_file), schema))
    records: list[FileRecord] = []
    for part, record in enumerate(hidden):
        name = path_of(config, split, part, len(hidden))
        Path(record.path).replace(folder / name)
        records.append(replace(record, path=name))
    fsync(home)
    return tuple(records)


def write_part(path: Path, tables: Iterable[pa.Table], schema: Schema) -> FileRecord:
    """Write the rows of ``tables`` to the one file ``path``, like ``write_split``, and return the file's entry.

    Raises:
        ExportError: if a table does not have the columns of ``schema``.
    """
    return _write(path, _Rows(tables, schema).groups(sys.maxsize), schema)


def path_of(config: str, split: str, part: int, parts: int) -> str:
    """Return the path of data file ``part`` (0 to ``parts`` - 1) of a split, relative to the dataset's folder."""
    return f"data/{config}/{split}-{part:05d}-of-{parts:05d}.parquet"


def sha256_of(path: Path) -> str:
    """Return the hexadecimal SHA-256 of the file at ``path``."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Rows:
    """A reader that divides the rows of ``tables``, one of which is in memory, into row groups of equal size."""

    def __init__(self, tables: Iterable[pa.Table], schema: Schema) -> None:
        self._tables, self._schema = iter(tables), schema
        self._table = schema.arrow.empty_table()

    def are_left(self) -> bool:
        """True if there is another row. Raises ``ExportError`` if the next table has other columns than the schema."""
        wanted = self._schema.arrow
        while not self._table.num_rows:
            table = next(self._tables, None)
            if table is None:
                return False
            if not table.schema.equals(wanted):
                has = f"has the columns {table.schema.names}, not {wanted.names}"
                raise ExportError(f"a table of {self._schema.config} {has}")
            self._table = table.replace_schema_metadata(wanted.metadata)
        return True

    def groups(self, rows: int) -> Iterator[pa.Table]:
        """Yield the next ``rows`` rows, or fewer at the end, in row groups; only the last group may be smaller."""
        while rows and self.are_left():
            pieces, room = [], min(ROW_GROUP_ROWS, rows)
            while room and self.are_left():
                pieces.append(self._table.slice(0, room))
                self._table = self._table.slice(pieces[-1].num_rows)
                room -= pieces[-1].num_rows
                rows -= pieces[-1].num_rows
            yield pa.concat_tables(pieces).combine_chunks()


def _write(path: Path, groups: Iterator[pa.Table], schema: Schema) -> FileRecord:
    """Write ``groups`` to one file, force it to the disk, and return its record.

    Arrow writes to memory, from where each row group is written to the file: if Arrow itself fails to write a file in
    the middle of a column, it aborts the process, so that a full disk could not be reported.
    """
    plain = [c.name for c in schema.columns if not pa.types.is_nested(c.type) and c.name not in ("id", "seed")]
    rows, size, digest = 0, 0, hashlib.sha256()
    memory = io.BytesIO()

    def move() -> None:
        nonlocal size
        with memory.getbuffer() as content:
            file.write(content)
            digest.update(content)
            size += len(content)
        memory.seek(0)
        memory.truncate()

    with path.open("wb") as file:
        with pq.ParquetWriter(
            memory,
            schema.arrow,
            compression="zstd",
            compression_level=COMPRESSION_LEVEL,
            use_dictionary=plain,
            write_page_index=True,
            use_content_defined_chunking=PAGES,
        ) as writer:
            for group in groups:
                writer.write_table(group, row_group_size=ROW_GROUP_ROWS)
                rows += group.num_rows
                move()
        move()
        file.flush()
        os.fsync(file.fileno())
    return FileRecord(path=str(path), sha256=digest.hexdigest(), rows=rows, bytes=size)
