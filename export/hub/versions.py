"""A version of a dataset: a folder, or a revision on the Hub, behind one interface of fsspec.

A revision is not downloaded to be compared: Parquet's footer lists where each column of each row group lies, and a row
group (a hundred rows) is requested at a time.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pyarrow as pa
import pyarrow.parquet as pq
from fsspec import AbstractFileSystem
from fsspec.implementations.local import LocalFileSystem
from huggingface_hub import HfApi, HfFileSystem
from huggingface_hub.errors import RemoteEntryNotFoundError

from planimeter.export.atomic import ExportError
from planimeter.export.foreign import read_text
from planimeter.export.hub.faults import clear_faults
from planimeter.export.hub.files import info_of
from planimeter.export.manifest import Manifest, NoDatasetError
from planimeter.export.parquet import FileRecord


@dataclass(frozen=True, kw_only=True)
class Version:
    """A dataset below ``root`` of the file system ``files``; ``name`` is for messages, a folder has no ``card``."""

    name: str
    manifest: Manifest
    files: AbstractFileSystem
    root: str
    card: str = ""

    @classmethod
    def in_folder(cls, folder: Path) -> Self:
        """Return the dataset in ``folder``. Raises ``NoDatasetError`` if there is none."""
        return cls(name=str(folder), manifest=Manifest.read(folder), files=LocalFileSystem(), root=str(folder))

    @classmethod
    @clear_faults()
    def on_hub(cls, api: HfApi, repo: str, revision: str) -> Self:
        """Return the dataset at ``revision`` of ``repo``.

        Raises:
            NoDatasetError: if there is no such revision, or it has no manifest or card; ``HubError`` if the Hub fails.
        """
        name = f"{repo}@{revision}"
        info = info_of(api, repo, revision)
        if info is None:
            raise NoDatasetError(f"{name}: the Hub shows no such dataset or tag to this token")
        texts: list[str] = []
        for path in ("manifest.json", "README.md"):
            try:
                place = api.hf_hub_download(repo, path, repo_type="dataset", revision=info.sha)
                texts.append(read_text(Path(place)))
            except RemoteEntryNotFoundError:
                raise NoDatasetError(f"{name} holds no dataset: {path} is missing") from None
            except UnicodeDecodeError:
                raise NoDatasetError(f"{name} holds no dataset: {path} is no text") from None
        hub, root = HfFileSystem(endpoint=api.endpoint), f"datasets/{repo}@{info.sha}"
        return cls(name=name, manifest=Manifest.parse(texts[0], name), files=hub, root=root, card=texts[1])

    def row_groups(self, record: FileRecord) -> Iterator[pa.Table]:
        """Yield the row groups of a data file. Raises ``ExportError`` if it cannot be read."""
        path = f"{self.root}/{record.path}"
        try:
            # With its size the Hub is not asked for it.
            with self.files.open(path, size=record.bytes) as file, pq.ParquetFile(file, pre_buffer=True) as parquet:
                for group in range(parquet.num_row_groups):
                    yield parquet.read_row_group(group)
        except (pa.ArrowException, OSError) as error:
            if isinstance(error, OSError) and type(error) not in (OSError, FileNotFoundError):
                # An error of the Hub's client; Arrow raises only the plain one, for a page that was cut.
                raise
            verify = "`planimeter verify` says more"
            raise ExportError(f"{self.name}: {record.path} cannot be read ({error}); {verify}") from error
