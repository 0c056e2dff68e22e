"""The part of the verifier that looks at the measures of a published dataset: one row for each row of the data."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from planimeter.export.manifest import MEASURES, Manifest
from planimeter.export.measures import COLUMNS, is_written, path_of
from planimeter.export.parquet import FileRecord
from planimeter.export.verify.problems import Problem


def verify_measures(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    """Check that the measures in ``folder``, if there are any, are of its data, whole, and within their ranges."""
    if (folder / MEASURES).exists():
        for record in manifest.files:
            try:
                yield from (Problem(path_of(record), fault) for fault in _faults(folder, record))
            except (OSError, pa.ArrowException) as error:
                yield Problem(path_of(record), f"cannot be read: {str(error).splitlines()[0]}")


def _faults(folder: Path, record: FileRecord) -> Iterator[str]:
    if not (folder / path_of(record)).is_file():
        yield "is missing"
        return
    if not is_written(folder, record):
        yield f"was measured on other data than {record.path}"
    table = pq.read_table(folder / path_of(record))
    if {field.name: field.type for field in table.schema} != COLUMNS:
        yield f"needs the columns {', '.join(COLUMNS)} with their types"
        return
    if table["id"].combine_chunks() != pq.read_table(folder / record.path, columns=["id"])["id"].combine_chunks():
        yield f"does not have the rows of {record.path} in their order"
    if pc.any(pc.less(table["readable_at"], 1)).as_py():
        yield "has a readable_at below 1 px"
    if pc.any(pc.or_(pc.less(table["solved"], 0), pc.greater(table["solved"], 1))).as_py():
        yield "has a share of solving readers beyond 0 to 1"
