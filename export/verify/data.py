"""The part of the verifier that opens the Parquet files: their hashes and layout, then every row in them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from planimeter.export.manifest import FILE_NAME, STRAYS, Manifest
from planimeter.export.parquet import ROW_GROUP_ROWS, FileRecord, sha256_of
from planimeter.export.promises import MISSHAPEN, RowPromises, Score
from planimeter.export.schema import COLUMNS, Schema, schema_of
from planimeter.export.verify.checks import Checker, checker
from planimeter.export.verify.pictures import BAD_PARQUET, MAX_LISTED, look
from planimeter.export.verify.problems import Problem
from planimeter.export.verify.repeats import Repeats

_REBUILD = "build the dataset again"

#: Told the number of rows that have just been checked.
Progress = Callable[[int], None]


def verify_files(folder: Path, manifest: Manifest, suite: str) -> Iterator[Problem]:
    """Check each listed file against the manifest and the schema, and that no other file lies under data/."""
    listed = {record.path for record in manifest.files}
    for path in sorted((folder / "data").rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in listed and path.name not in STRAYS:
            yield Problem(name, "is not listed in manifest.json", "remove it or build the dataset again")
    yield from _verify_names(manifest)
    for record in manifest.files:
        yield from _verify_file(folder, record, suite)


def _verify_names(manifest: Manifest) -> Iterator[Problem]:
    parts: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for record in manifest.files:
        match = FILE_NAME.fullmatch(record.path)
        if match is None or match["split"] not in manifest.configs.get(match["config"], {}):
            what = "must be data/<config>/<split>-00000-of-0000N.parquet of a config and split in configs"
            yield Problem(record.path, what, _REBUILD)
            continue
        parts.setdefault((match["config"], match["split"]), []).append((int(match["part"]), int(match["parts"])))
    for (config, split), numbers in parts.items():
        if sorted(numbers) != [(part, len(numbers)) for part in range(len(numbers))]:
            yield Problem(f"data/{config}/{split}", "its files must be numbered 0 to N - 1, of N", _REBUILD)


def _config_of(path: str, suite: str) -> str | None:
    """Return the config of the data file at ``path``; None of a file that was reported for its name."""
    match = FILE_NAME.fullmatch(path)
    return match["config"] if match and match["config"] in COLUMNS[suite] else None


def _verify_file(folder: Path, record: FileRecord, suite: str) -> Iterator[Problem]:
    path, config = folder / record.path, _config_of(record.path, suite)
    if not path.is_file():
        yield Problem(record.path, "is missing", _REBUILD)
        return
    if config is None:
        return
    try:
        if path.stat().st_size != record.bytes:
            yield Problem(record.path, f"has {path.stat().st_size} bytes, not {record.bytes}", _REBUILD)
        if sha256_of(path) != record.sha256:
            yield Problem(record.path, "its SHA-256 is not the one in manifest.json", _REBUILD)
        with pq.ParquetFile(path) as file:
            for fault in _layout_faults(file, record.rows, schema_of(suite, config)):
                yield Problem(record.path, fault, _REBUILD)
    except BAD_PARQUET as error:
        yield Problem(record.path, f"cannot be read as Parquet: {error}", _REBUILD)


def _layout_faults(file: pq.ParquetFile, rows: int, schema: Schema) -> Iterator[str]:
    footer = file.metadata
    if footer.num_rows != rows:
        yield f"has {footer.num_rows} rows, not {rows} as manifest.json says"
    found = file.schema_arrow
    if not found.equals(schema.arrow):
        columns = dict(zip(found.names, found.types, strict=True))
        wanted = dict(zip(schema.arrow.names, schema.arrow.types, strict=True))
        odd = [n for n in {**wanted, **columns} if columns.get(n) != wanted.get(n)]
        yield f"its columns are not those of the schema; look at: {', '.join(odd) or 'their order'}"
    if (found.metadata or {}).get(b"huggingface") != schema.arrow.metadata[b"huggingface"]:
        yield "lacks the metadata by which the Hub shows `image` as a picture"
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


def verify_rows(
    folder: Path,
    manifest: Manifest,
    suite: str,
    score: Score | None,
    progress: Progress,
    helper: Executor | None,
) -> Iterator[Problem]:
    """Check every row of every listed file, a row group at a time; ``progress`` is told how many rows each had.

    Pictures are looked at by ``helper`` meanwhile, if there is one.
    """
    try:
        own: Checker | None = checker(suite, manifest.recipe)
    except LookupError as error:
        own = None
        yield Problem("export/checks", f"cannot check the rows of {suite}: {error}", "add the suite's checks")
    if own is not None:
        yield from split_faults(own, manifest.configs)
    promises, repeats = RowPromises(own, score), Repeats()
    names = [record.path for record in manifest.files]
    files = {name: config for name in names if (config := _config_of(name, suite)) and (folder / name).is_file()}
    looks = {name: helper.submit(look, folder / name) for name in files} if helper else {}
    for name, config in files.items():
        listed: list[tuple[str, str]] = []
        count = 0
        for count, found in enumerate(_file_faults(folder / name, schema_of(suite, config), promises, progress), 1):
            if count <= MAX_LISTED:
                listed.append(found)
        pictures = looks.pop(name).result() if helper else look(folder / name)
        repeats.extend(pictures.repeats)
        listed += pictures.listed
        yield from (Problem(f"{name}: {row}", fault, _REBUILD) for row, fault in listed)
        more = count + pictures.count - len(listed)
        if more:
            yield Problem(name, f"has {more} more problems in its rows", _REBUILD)
    yield from _repeat_faults(folder, [folder / name for name in files], repeats)
    if own is not None:
        try:
            for config, fault in own.whole():
                yield Problem(config, fault, "build the dataset again, or say in its recipe what it holds")
        except MISSHAPEN as error:
            yield Problem("manifest.json", f"recipe is misshapen, so quotas cannot be checked: {error!r}", _REBUILD)


def split_faults(own: Checker, configs: Mapping[str, Mapping[str, int]]) -> Iterator[Problem]:
    """Yield where ``configs`` (rows of each config and split) are not the splits that the recipe asks for."""
    for config, splits in configs.items():
        try:
            promised = own.splits(config)
        except MISSHAPEN as error:
            yield Problem("manifest.json", f"recipe is misshapen, so splits cannot be checked: {error!r}", _REBUILD)
            continue
        if not set(splits) <= set(promised):
            what = f"has the splits {', '.join(splits)}, the recipe promises {', '.join(promised) or 'none'}"
            yield Problem(config, what, _REBUILD)
        for split, rows in promised.items():
            if rows is not None and splits.get(split, 0) != rows:
                what = f"the recipe promises {rows} rows in {split}, found {splits.get(split, 0)}"
                yield Problem(config, what, _REBUILD)


def _repeat_faults(folder: Path, files: Sequence[Path], repeats: Repeats) -> Iterator[Problem]:
    count = 0
    try:
        for count, (path, number, row, fault) in enumerate(repeats.faults(files), 1):
            if count <= MAX_LISTED:
                where = f"{path.relative_to(folder).as_posix()}: row {number} ({row['id']})"
                yield Problem(where, fault, _REBUILD)
    except BAD_PARQUET as error:
        yield Problem("data", f"cannot be read for ids and items that occur twice: {error}", _REBUILD)
    if count > MAX_LISTED:
        yield Problem("data", f"has {count - MAX_LISTED} more ids or items that occur twice", _REBUILD)


def _file_faults(path: Path, schema: Schema, promises: RowPromises, progress: Progress) -> Iterator[tuple[str, str]]:
    """Yield (row, what is wrong with it); a file whose columns are wrong was reported and is passed over."""
    number = 0
    try:
        with pq.ParquetFile(path) as file:
            if not file.schema_arrow.equals(schema.arrow):
                return
            columns = [column.name for column in schema.columns if not column.is_image]
            split = path.name.partition("-")[0]
            for group in range(file.num_row_groups):
                table = file.read_row_group(group, columns=columns)
                full = [column for column in schema.columns if not (column.nullable or column.is_image)]
                odd = [column for column in full if _has_nulls(table[column.name].combine_chunks())]
                rows = _rows_of(table, promises.checker.arrays if promises.checker else ())
                for row in rows:
                    where = f"row {number} ({row['id']})"
                    empty = [column.name for column in odd if _is_null(row[column.name])]
                    if empty:
                        yield where, f"is null in {', '.join(empty)}"
                    else:
                        found = promises.faults(schema.config, {**row, "split": split})
                        yield from ((where, fault.said) for fault in found)
                    number += 1
                progress(len(rows))
    except BAD_PARQUET as error:
        yield f"row {number} and after", f"cannot be read: {error}"


def _rows_of(table: pa.Table, arrays: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the rows of ``table``, those columns that are named in ``arrays`` as lists of numpy arrays."""
    columns = [_curves(table[name]) if name in arrays else table[name].to_pylist() for name in table.column_names]
    return [dict(zip(table.column_names, values, strict=True)) for values in zip(*columns, strict=True)]


def _curves(column: pa.ChunkedArray) -> list[Any]:
    """Return for each row a list of curves (points, coordinates); nested lists where points differ in coordinates."""
    rows = column.combine_chunks()
    curves = rows.flatten()
    points = curves.flatten()
    sizes = np.unique(points.value_lengths().to_numpy(zero_copy_only=False))
    if _has_nulls(rows) or len(sizes) != 1:
        return list(column.to_pylist())
    values = points.flatten().to_numpy().reshape(-1, int(sizes[0]))
    ends = np.cumsum(curves.value_lengths().to_numpy())
    each = np.split(values, ends[:-1])
    stops = np.cumsum(rows.value_lengths().to_numpy())
    return [each[stop - number : stop] for stop, number in zip(stops, rows.value_lengths().to_numpy(), strict=True)]


def _has_nulls(values: pa.Array) -> bool:
    """Return whether a null, or a float that is not a number, stands anywhere in ``values``: quick, for sound files."""
    if values.null_count:
        return True
    if pa.types.is_list(values.type):
        return _has_nulls(values.flatten())
    if pa.types.is_struct(values.type):
        return any(_has_nulls(part) for part in values.flatten())
    return pa.types.is_floating(values.type) and bool(pc.any(pc.is_nan(values)).as_py())


def _is_null(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_is_null, value))
    if isinstance(value, dict):
        return any(map(_is_null, value.values()))
    return value is None or value != value
