"""The rows of a built dataset as a harness reads them, from its folder or from its repository on the Hub."""

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from huggingface_hub import snapshot_download

from planimeter.export.atomic import ExportError
from planimeter.export.manifest import MEASURES, Manifest
from planimeter.items.hub import repository
from planimeter.items.suites import declared

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Source:
    """A dataset that is read: its folder on this machine, and what its manifest says."""

    folder: Path
    manifest: Manifest

    @property
    def suite(self) -> str:
        """The suite of the dataset."""
        return str(self.manifest.recipe["suite"])

    @property
    def shows_pictures(self) -> bool:
        """Whether a model is shown a row's picture."""
        return declared(self.suite).pictures

    @property
    def tests(self) -> dict[str, str]:
        """For each config the split that is asked."""
        return self.manifest.tests

    def files(self, config: str, split: str) -> list[Path]:
        """Return the data files of ``split`` of ``config``, in the order of their rows.

        Raises:
            ExportError: if there is no such config or split; the message names those that there are.
        """
        if split not in self.manifest.configs.get(config, {}):
            known = ", ".join(f"{name}/{part}" for name, parts in self.manifest.configs.items() for part in parts)
            raise ExportError(f"{self.folder} has no {config}/{split}; it has: {known}")
        return [self.folder / record.path for record, part in self.manifest.files_of(config) if part == split]

    def rows(self, config: str, split: str, *, pictures: bool = True) -> Iterator[Row]:
        """Yield the rows of ``split`` of ``config``; ``image`` is the PNG's bytes, and missing without ``pictures``.

        Raises:
            ExportError: as ``files``.
        """
        for path in self.files(config, split):
            file = pq.ParquetFile(path)
            columns = [name for name in file.schema_arrow.names if pictures or name != "image"]
            for group in range(file.num_row_groups):
                for row in file.read_row_group(group, columns).to_pylist():
                    yield {**row, "image": row["image"]["bytes"]} if pictures else row


def source(place: str) -> Source:
    """Return the dataset at ``place``: its folder, or ``owner/name`` or ``owner/name@tag`` on the Hub.

    Raises:
        NoDatasetError: if a folder holds no dataset; what ``huggingface_hub`` raises, if the Hub has none.
    """
    folder = Path(place).expanduser()
    if found := repository(place):
        name, revision = found
        patterns = ["manifest.json", "data/*", f"{MEASURES}/*"]
        folder = Path(snapshot_download(name, repo_type="dataset", revision=revision, allow_patterns=patterns))
    return Source(folder=folder.resolve(), manifest=Manifest.read(folder))


def data_url(png: bytes) -> str:
    """Return a picture as harnesses and endpoints take it within a message."""
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"
