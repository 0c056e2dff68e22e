"""Verifies one Parquet file: its hash and layout, every row, and every picture.

Files are checked independently, so that several processes can share the work. ``verify/data.py`` joins the results, and
checks all rows together.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from planimeter import evals
from planimeter.export.canary import KEY
from planimeter.export.columns import Schema
from planimeter.export.manifest import FILE_NAME
from planimeter.export.parquet import ROW_GROUP_ROWS, FileRecord, sha256_of
from planimeter.export.promises import RowPromises, picture_faults
from planimeter.export.schema import COLUMNS, checker, schema_of
from planimeter.export.verify.problems import Problem
from planimeter.export.verify.repeats import Mark, has_mark, mark_of
from planimeter.items.suites import declared
from planimeter.items.values import Recipe

#: The most problems of rows, and of pictures, that are listed of one file; the others are counted.
MAX_LISTED = 20

#: The number of lowest bits of a seed that number the views of one question (``generators/seeding.py``).
VARIANT_BITS = 8

BAD_PARQUET = (OSError, pa.ArrowException, ValueError)


@dataclass(frozen=True)
class Job:
    """A Parquet file to check: ``record`` is its entry in the manifest of the dataset in ``folder``.

    ``canary`` is the text that its metadata must contain, empty if none; ``sealed`` is true for rows without a seed.
    """

    folder: Path
    record: FileRecord
    suite: str
    recipe: Recipe
    canary: str = ""
    sealed: bool = False


@dataclass(kw_only=True)
class Checked:
    """The result of checking one file, as values that JSON can represent.

    ``file`` has the faults of the file itself; ``row_faults`` and ``pictures`` are (row, fault). ``marks`` are (number
    of a row, its id and digest), to find repeated rows. ``memory`` has the counts and groups of the suite's checker.
    ``questions`` are the numbers of the first and the last question, which are parts of the seeds of their rows.
    """

    path: str
    file: list[str] = field(default_factory=list)
    rows: int = 0
    row_faults: list[tuple[str, str]] = field(default_factory=list)
    pictures: list[tuple[str, str]] = field(default_factory=list)
    marks: list[tuple[int, Mark]] = field(default_factory=list)
    memory: str | None = None
    questions: tuple[int, int] | None = None

    @property
    def is_clean(self) -> bool:
        """True if the check found no fault in this file."""
        return not (self.file or self.row_faults or self.pictures)

    def row_problems(self) -> Iterator[Problem]:
        """Yield at most ``MAX_LISTED`` problems of rows and as many of pictures, then the number of the others."""
        listed = [*self.row_faults[:MAX_LISTED], *self.pictures[:MAX_LISTED]]
        yield from (Problem(f"{self.path}: {row}", fault) for row, fault in listed)
        more = len(self.row_faults) + len(self.pictures) - len(listed)
        if more:
            yield Problem(self.path, f"has {more} more problems in its rows")


def check(job: Job) -> Checked:
    """Check one file and return the result. One row group, and a few bytes of each row, are in memory."""
    name = job.record.path
    path, match, checked = job.folder / name, FILE_NAME.fullmatch(name), Checked(path=name)
    if not path.is_file():
        checked.file.append("is missing")
    elif match and match["config"] in COLUMNS[job.suite]:
        schema = schema_of(job.suite, match["config"], [match["split"]], sealed=job.sealed)
        schema = replace(schema, canary=job.canary)
        checked.file += _file_faults(path, job.record, schema)
        with declared(job.suite).blamed("its checks failed"):
            own = checker(job.suite, job.recipe)
            _check_rows(path, schema, RowPromises(own, partial(evals.gold_score, job.suite)), checked)
            checked.memory = own.memory()
    return checked


def _file_faults(path: Path, record: FileRecord, schema: Schema) -> Iterator[str]:
    """Yield the faults of the file itself: another size, hash or layout, or not readable as Parquet."""
    try:
        if path.stat().st_size != record.bytes:
            yield f"has {path.stat().st_size} bytes, not {record.bytes}"
        if sha256_of(path) != record.sha256:
            yield "its SHA-256 is not the one in manifest.json"
        with pq.ParquetFile(path) as file:
            yield from _layout_faults(file, record.rows, schema)
    except BAD_PARQUET as error:
        yield f"cannot be read as Parquet: {error}"


def _layout_faults(file: pq.ParquetFile, rows: int, schema: Schema) -> Iterator[str]:
    """Yield the faults of the layout: number of rows, columns, metadata, row groups, compression, page index."""
    footer = file.metadata
    if footer.num_rows != rows:
        yield f"has {footer.num_rows} rows, not {rows} as manifest.json says"
    layout = file.schema_arrow
    if not layout.equals(schema.arrow):
        columns = dict(zip(layout.names, layout.types, strict=True))
        expected = dict(zip(schema.arrow.names, schema.arrow.types, strict=True))
        odd = [n for n in {**expected, **columns} if columns.get(n) != expected.get(n)]
        yield f"its columns differ from the schema in {', '.join(odd) or 'their order'}"
    if (layout.metadata or {}).get(b"huggingface") != schema.arrow.metadata[b"huggingface"]:
        yield "lacks the metadata by which the Hub shows `image` as a picture"
    if schema.canary and (layout.metadata or {}).get(KEY, b"").decode(errors="replace") != schema.canary:
        yield "lacks the canary of manifest.json in its metadata"
    groups = [footer.row_group(i) for i in range(footer.num_row_groups)]
    sizes = [group.num_rows for group in groups]
    if any(size != ROW_GROUP_ROWS for size in sizes[:-1]) or any(size > ROW_GROUP_ROWS for size in sizes[-1:]):
        yield f"its row groups must have {ROW_GROUP_ROWS} rows each, got {sizes[:8]}"
    if groups:
        first = groups[0].column(0)
        if first.compression != "ZSTD":
            yield f"must be compressed with zstd, not {first.compression}"
        if not (first.has_column_index and first.has_offset_index):
            yield "lacks a page index"


def _check_rows(path: Path, schema: Schema, promises: RowPromises, checked: Checked) -> None:
    """Add the faults of all rows and pictures to ``checked``; a file with wrong columns is skipped."""
    split = path.name.partition("-")[0]
    full = [column for column in schema.columns if not (column.nullable or column.is_image)]
    try:
        with pq.ParquetFile(path) as file:
            if not file.schema_arrow.equals(schema.arrow):
                return
            for group in range(file.num_row_groups):
                table = file.read_row_group(group)
                odd = [column.name for column in full if _has_nulls(table[column.name].combine_chunks())]
                for whole in table.to_pylist():
                    row = {name: value for name, value in whole.items() if name != "image"}
                    where, image = f"row {checked.rows} ({row['id']})", whole["image"]
                    empty = [name for name in odd if _is_null(row[name])]
                    if empty:
                        checked.row_faults.append((where, f"is null or not finite in {', '.join(empty)}"))
                    else:
                        faults = promises.faults(schema.config, {**whole, "split": split})
                        checked.row_faults += ((where, fault.message) for fault in faults)
                    if image is not None or not schema.by_name["image"].nullable:
                        checked.pictures += ((where, said) for said in picture_faults(image))
                    if has_mark(whole):
                        checked.marks.append((checked.rows, mark_of(whole)))
                    checked.row_faults += ((where, fault) for fault in _order_faults(row.get("seed"), checked))
                    checked.rows += 1
    except BAD_PARQUET as error:
        checked.file.append(f"cannot be read from row {checked.rows} on: {error}")


def _order_faults(seed: object, checked: Checked) -> Iterator[str]:
    """Yield a fault if ``seed``, that of the next row, is less than that of the row before it; rows are sorted by seed.

    The number of the row's question, which is a part of the seed, is stored in ``checked``.
    """
    if isinstance(seed, int):
        # The lowest bits number the views of a question, and do not count for the order.
        question = seed >> VARIANT_BITS
        first, last = checked.questions or (question, question)
        if question < last:
            yield "its seed is smaller than that of the row before it: rows must be in the order of their seeds"
        checked.questions = (first, question)


def _has_nulls(values: pa.Array) -> bool:
    """True if ``values``, or lists and structs in them, contain a null or a non-finite float."""
    if values.null_count:
        return True
    if pa.types.is_list(values.type):
        return _has_nulls(values.flatten())
    if pa.types.is_struct(values.type):
        return any(_has_nulls(part) for part in values.flatten())
    return pa.types.is_floating(values.type) and not pc.all(pc.is_finite(values), min_count=0).as_py()


def _is_null(value: object) -> bool:
    if isinstance(value, list):
        return any(map(_is_null, value))
    if isinstance(value, dict):
        return any(map(_is_null, value.values()))
    return value is None or (isinstance(value, float) and not math.isfinite(value))
