"""The rows of a built dataset, without their pictures."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from planimeter.export.manifest import FILE_NAME, Manifest, NoDatasetError


@dataclass(frozen=True, kw_only=True, eq=False)
class Dataset:
    """``rows`` holds for each config its columns by ``id``, in the order of the files; ``splits`` the split by id."""

    manifest: Manifest
    rows: Mapping[str, pd.DataFrame]
    splits: Mapping[str, pd.Series]

    @property
    def suite(self) -> str:
        """The suite of the dataset."""
        return str(self.manifest.recipe["suite"])

    def part(self, ids: Mapping[str, Set[str]]) -> "Dataset":
        """Return the dataset with those rows of each config whose ids are given."""
        kept = {config: rows.index.isin(list(ids[config])) for config, rows in self.rows.items()}
        return replace(
            self,
            rows={config: rows[kept[config]] for config, rows in self.rows.items()},
            splits={config: splits[kept[config]] for config, splits in self.splits.items()},
        )

    @property
    def name(self) -> str:
        """The dataset with its version."""
        return f"{self.manifest.dataset} {self.manifest.version}"


def load(folder: Path, columns: Iterable[str] | None = None) -> Dataset:
    """Return the dataset in ``folder`` with all columns but the pictures, or with those of ``columns`` that there are.

    Raises:
        NoDatasetError: if there is none, or it cannot be read.
    """
    manifest = Manifest.read(folder)
    parts: dict[str, list[tuple[str, pd.DataFrame]]] = {}
    for record in manifest.files:
        named = FILE_NAME.fullmatch(record.path)
        if named is None:
            raise NoDatasetError(f"{folder}: manifest.json lists {record.path}; `planimeter verify {folder}` says more")
        try:
            parts.setdefault(named["config"], []).append((named["split"], _table(folder / record.path, columns)))
        except (OSError, pa.ArrowException) as error:
            raise NoDatasetError(f"{folder / record.path} cannot be read: {str(error).splitlines()[0]}") from error
    rows = {config: pd.concat([frame for _, frame in frames]).set_index("id") for config, frames in parts.items()}
    splits = {
        config: pd.Series([split for split, frame in frames for _ in range(len(frame))], rows[config].index)
        for config, frames in parts.items()
    }
    return Dataset(manifest=manifest, rows=rows, splits=splits)


def _table(path: Path, columns: Iterable[str] | None) -> pd.DataFrame:
    with pq.ParquetFile(path) as file:
        names = [name for name in file.schema_arrow.names if name != "image"]
        wanted = names if columns is None else [name for name in names if name in {"id", *columns}]
        table = file.read(columns=wanted)
    # Lists stay lists: as arrays they would have no truth value.
    return pd.DataFrame(
        {
            name: column.to_pylist() if pa.types.is_nested(column.type) else column.to_pandas()
            for name, column in zip(table.column_names, table.columns, strict=True)
        }
    )
