"""The rows of a built dataset, without their pictures."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from planimeter.export.manifest import Manifest, NoDatasetError
from planimeter.items.printing import command


@dataclass(frozen=True, kw_only=True, eq=False)
class Dataset:
    """A dataset in memory: for each config its ``rows``, indexed by ``id`` in file order, and the split of each row."""

    manifest: Manifest
    rows: Mapping[str, pd.DataFrame]
    splits: Mapping[str, pd.Series]

    @property
    def suite(self) -> str:
        """The suite of the dataset."""
        return str(self.manifest.recipe["suite"])

    @property
    def name(self) -> str:
        """The name of the dataset and its version, as in "curves 1.3.0"."""
        return f"{self.manifest.dataset} {self.manifest.version}"


def load(folder: Path) -> Dataset:
    """Return the dataset in ``folder`` with all columns except the pictures.

    Raises:
        NoDatasetError: if the folder has no dataset, or a file of it cannot be read.
    """
    manifest = Manifest.read(folder)
    rows, splits = {}, {}
    for config in manifest.configs:
        parts = [(_table(folder / record.path), split) for record, split in manifest.files_of(config)]
        if not parts:
            verify = command("planimeter", "verify", folder)
            raise NoDatasetError(f"{folder}: the manifest lists no file of {config}; `{verify}` lists all faults")
        rows[config] = pd.concat([frame for frame, _ in parts]).set_index("id")
        names = [split for frame, split in parts for _ in range(len(frame))]
        splits[config] = pd.Series(names, rows[config].index)
    return Dataset(manifest=manifest, rows=rows, splits=splits)


def _table(path: Path) -> pd.DataFrame:
    try:
        with pq.ParquetFile(path) as file:
            table = file.read(columns=[name for name in file.schema_arrow.names if name != "image"])
    except (OSError, pa.ArrowException) as error:
        raise NoDatasetError(f"{path} cannot be read: {str(error).splitlines()[0]}") from error
    # Lists stay lists: arrays have no truth value.
    return pd.DataFrame(
        {
            name: column.to_pylist() if pa.types.is_nested(column.type) else column.to_pandas(integer_object_nulls=True)
            for name, column in zip(table.column_names, table.columns, strict=True)
        }
    )
