"""What was measured of each row once a dataset stood: how small its picture may be, and who solves it half blind.

A build knows nothing of it, and the data files never change. ``planimeter measure`` writes a file of measures for each
data file, with the same rows in the same order: beside the dataset first, and into it where it is published. On the Hub
they are configs of their own (``counting_measures``), which a reader joins to the rows by ``id``.
"""

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from planimeter.export.atomic import ExportError, clear_errors, write_file
from planimeter.export.foreign import require_plain
from planimeter.export.manifest import MEASURES, Manifest
from planimeter.export.parquet import FileRecord
from planimeter.items.order import in_order
from planimeter.items.printing import command

#: ``readable_at``: longer side (px) of the smallest picture from which the answer is still read, null where no picture
#: is shown. ``solved``: mean score of the half-blind readers, 0 to 1, null where there are none; ``solved_by``: those
#: that solve the row.
COLUMNS: Final = {
    "id": pa.string(),
    "readable_at": pa.int32(),
    "solved": pa.float32(),
    "solved_by": pa.list_(pa.string()),
}

_NAME = re.compile(rf"{MEASURES}/(?P<config>[a-z_]+)/(?P<split>[a-z]+)-\d{{5}}-of-\d{{5}}\.parquet")
_FRONT = re.compile(r"\A(---\n.*?^)---\n", flags=re.MULTILINE | re.DOTALL)
_LISTED = re.compile(rf"^- config_name: [a-z_]+_{MEASURES}\n(?:  .*\n)+", flags=re.MULTILINE)

_DATA = b"planimeter.data"


class NoMeasuresError(ExportError):
    """The dataset was not measured, or other data were."""


def config_of(config: str) -> str:
    """Return what the measures of ``config`` are called on the Hub."""
    return f"{config}_{MEASURES}"


def beside(folder: Path) -> Path:
    """Return the folder of what is measured of the dataset in ``folder``: beside it, for nothing is added to it."""
    place = folder.resolve()
    return place.with_name(f"{place.name}.probes")


def home_of(folder: Path) -> Path:
    """Return where the measures of the dataset in ``folder`` lie: beside it, or in one that was published."""
    return beside(folder) if (beside(folder) / MEASURES).is_dir() else folder


def listed(card: str, paths: Iterable[str]) -> str:
    """Return ``card`` whose front matter lists, at its end, the configs of measures that ``paths`` hold, no others."""
    found: dict[str, dict[str, None]] = {}
    for path in paths:
        if named := _NAME.fullmatch(path):
            found.setdefault(named["config"], {})[named["split"]] = None
    lines = [
        f"- config_name: {config_of(config)}\n  data_files:\n"
        + "".join(
            f"  - split: {split}\n    path: {MEASURES}/{config}/{split}-*.parquet\n" for split in in_order(splits)
        )
        for config, splits in found.items()
    ]
    return _FRONT.sub(lambda front: f"{_LISTED.sub('', front[1])}{''.join(lines)}---\n", card, count=1)


def path_of(record: FileRecord) -> str:
    """Return the path of the measures of a data file, within their home."""
    return f"{MEASURES}/{record.path.partition('/')[2]}"


def is_written(home: Path, record: FileRecord, key: str = "") -> bool:
    """Return whether the measures of this very data file stand in ``home``, made in the way of ``key`` if given."""
    try:
        found = (pq.read_schema(home / path_of(record)).metadata or {}).get(_DATA, b"").decode()
    except (OSError, pa.ArrowException):
        return False
    return found == f"{record.sha256} {key}" if key else found.startswith(f"{record.sha256} ")


def write(home: Path, record: FileRecord, key: str, rows: Sequence[Mapping[str, object]]) -> None:
    """Write the measures of a data file, row by row as there; equal measures are equal bytes."""
    schema = pa.schema(list(COLUMNS.items()), metadata={_DATA: f"{record.sha256} {key}"})
    written = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows), schema=schema), written, compression="zstd")
    path = home / path_of(record)
    with clear_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, written.getvalue())


def load(folder: Path, manifest: Manifest) -> dict[str, pd.DataFrame]:
    """Return for each config what was measured of its rows, by ``id``.

    Raises:
        NoMeasuresError: if the dataset was not measured as it is, the whole of it.
        ExportError: if a file cannot be read.
    """
    home = home_of(folder)
    require_plain(home, (MEASURES,))
    for record in manifest.files:
        if not is_written(home, record):
            state = "was measured on other data" if (home / path_of(record)).is_file() else "has no measures"
            measure = command("planimeter", "measure", folder)
            raise NoMeasuresError(f"{folder}: {record.path} {state}; run `{measure}`")
    try:
        return {
            config: pd.concat([_frame(home / path_of(record)) for record, _ in manifest.files_of(config)])
            for config in manifest.configs
        }
    except (OSError, pa.ArrowException) as error:
        raise ExportError(f"{home / MEASURES} cannot be read: {str(error).splitlines()[0]}") from error


def measured(folder: Path, manifest: Manifest) -> dict[str, pd.DataFrame]:
    """Return what ``load`` does, and nothing of a dataset that was not measured as it is, the whole of it."""
    try:
        return load(folder, manifest)
    except NoMeasuresError:
        return {}


def readable(folder: Path, manifest: Manifest, size: int) -> dict[str, frozenset[str]]:
    """Return for each config the ids of the rows that are readable in a picture whose longer side is ``size`` px.

    Raises:
        NoMeasuresError, ExportError: as ``load``, and if models are shown no picture.
    """
    found = load(folder, manifest)
    if all(frame["readable_at"].isna().all() for frame in found.values()):
        raise NoMeasuresError(f"{folder}: readable_at is null in every row, for models are shown no picture of these")
    return {config: frozenset(frame.index[frame["readable_at"] <= size]) for config, frame in found.items()}


def _frame(path: Path) -> pd.DataFrame:
    # Whole numbers that may be null.
    return pq.read_table(path).to_pandas().set_index("id").astype({"readable_at": float})
