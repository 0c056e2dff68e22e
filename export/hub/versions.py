"""Reads a version of a dataset in a folder or on the Hub; only files that are read are downloaded."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self

import pyarrow as pa
import pyarrow.parquet as pq
from huggingface_hub import HfApi
from huggingface_hub.errors import RemoteEntryNotFoundError

from planimeter.export.atomic import ExportError
from planimeter.export.foreign import read_text
from planimeter.export.hub.faults import explain_hub_errors
from planimeter.export.hub.files import info_of
from planimeter.export.manifest import Manifest, NoDatasetError


@dataclass(frozen=True, kw_only=True)
class Version:
    """A version of a dataset: ``path_of`` returns the local path of one of its files, after a download if necessary.

    ``name`` is the name of the version in messages.
    """

    name: str
    manifest: Manifest
    path_of: Callable[[str], str | Path]

    @classmethod
    def in_folder(cls, folder: Path) -> Self:
        """Return the version in ``folder``. Raises ``NoDatasetError`` if there is none."""
        return cls(name=str(folder), manifest=Manifest.read(folder), path_of=folder.joinpath)

    @classmethod
    @explain_hub_errors()
    def on_hub(cls, api: HfApi, repo: str, revision: str) -> Self:
        """Return the version at ``revision`` of ``repo``.

        Raises:
            NoDatasetError: for an unknown revision, or one without a manifest; ``HubError`` if the Hub fails.
        """
        name = f"{repo}@{revision}"
        info = info_of(api, repo, revision)
        if info is None:
            raise NoDatasetError(f"{name}: the Hub shows no such dataset or tag to this token")
        path_of = partial(api.hf_hub_download, repo, repo_type="dataset", revision=info.sha)
        return cls(name=name, manifest=Manifest.parse(_text(name, path_of, "manifest.json"), name), path_of=path_of)

    def text(self, path: str) -> str:
        """Return the text of the document at ``path``. Raises ``NoDatasetError`` if it is missing or binary."""
        return _text(self.name, self.path_of, path)

    def row_groups(self, path: str) -> Iterator[pa.Table]:
        """Yield the row groups of the data file at ``path``. Raises ``ExportError`` if it cannot be read."""
        place = self.path_of(path)
        try:
            with pq.ParquetFile(place) as parquet:
                for group in range(parquet.num_row_groups):
                    yield parquet.read_row_group(group)
        except (pa.ArrowException, OSError) as error:
            verify = "`planimeter verify` shows the details"
            raise ExportError(f"{self.name}: {path} cannot be read ({error}); {verify}") from error


def _text(name: str, path_of: Callable[[str], str | Path], path: str) -> str:
    try:
        return read_text(Path(path_of(path)))
    except RemoteEntryNotFoundError:
        raise NoDatasetError(f"{name} is not a dataset: {path} is missing") from None
    except UnicodeDecodeError:
        raise NoDatasetError(f"{name} is not a dataset: {path} is not text") from None
