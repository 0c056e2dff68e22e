"""A version of a dataset as ``export.hub.diff`` reads it: a folder, or a revision on the Hub.

Versions are of any size, and a revision is not downloaded to be compared. Which of its files differ at all is decided
by their SHA-256, which the Hub knows without sending them; of those that do, Parquet's footer lists where each column
of each row group lies, and a row group (a hundred rows) is requested at a time.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa
import pyarrow.parquet as pq
from huggingface_hub import HfApi, HfFileSystem
from huggingface_hub.errors import RemoteEntryNotFoundError

from planimeter.export.atomic import ExportError
from planimeter.export.foreign import read_text
from planimeter.export.hub.faults import clear_faults
from planimeter.export.hub.files import RemoteFile, info_of, remote_files
from planimeter.export.manifest import Manifest, NoDatasetError
from planimeter.export.parquet import sha256_of


class Folder:
    """A dataset in a folder. Raises ``NoDatasetError`` if there is none."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = str(folder)
        self.manifest = Manifest.read(folder)

    def sha256(self, path: str) -> str:
        """Return the SHA-256 of the file as it is, whatever the manifest says."""
        return sha256_of(self.folder / path)

    def open(self, path: str) -> BinaryIO:
        """Open the file at ``path``."""
        return (self.folder / path).open("rb")


class Revision:
    """A dataset on the Hub at one commit.

    Raises:
        NoDatasetError: if there is no such revision, or it has no manifest; ``HubError`` if the Hub fails.
    """

    @clear_faults()
    def __init__(self, api: HfApi, repo: str, revision: str) -> None:
        self.name = f"{repo}@{revision}"
        self._api, self._repo = api, repo
        info = info_of(api, repo, revision)
        if info is None:
            raise NoDatasetError(f"{self.name}: the Hub shows no such dataset or tag to this token")
        self._commit: str = info.sha or revision
        self._files: Mapping[str, RemoteFile] = remote_files(info)
        self.manifest = Manifest.parse(self.text("manifest.json"), self.name)

    def text(self, path: str) -> str:
        """Return a small file."""
        try:
            place = self._api.hf_hub_download(self._repo, path, repo_type="dataset", revision=self._commit)
            return read_text(Path(place))
        except RemoteEntryNotFoundError:
            raise NoDatasetError(f"{self.name} holds no dataset: {path} is missing") from None
        except UnicodeDecodeError:
            raise NoDatasetError(f"{self.name} holds no dataset: {path} is no text") from None

    def sha256(self, path: str) -> str:
        """Return what the Hub knows; it has none of a small file, which lies in git."""
        return self._files[path].sha256 if path in self._files else ""

    def open(self, path: str) -> BinaryIO:
        """Open the file at ``path``; what is read of it is asked of the Hub at once."""
        if path not in self._files:
            raise ExportError(f"{self.name}: {path} is missing")
        hub = HfFileSystem(endpoint=self._api.endpoint)
        address = f"datasets/{self._repo}@{self._commit}/{path}"
        return cast("BinaryIO", hub.open(address, size=self._files[path].size))


#: What is compared. ``name`` is for messages, ``manifest`` that of the version.
Version = Folder | Revision


def row_groups(version: Version, path: str) -> Iterator[pa.Table]:
    """Yield the row groups of a data file. Raises ``ExportError`` if it cannot be read."""
    try:
        with version.open(path) as file, pq.ParquetFile(file, pre_buffer=True) as parquet:
            for group in range(parquet.num_row_groups):
                yield parquet.read_row_group(group)
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and type(error) is not OSError:
            # What the client of the Hub raises; Arrow has only the plain one for a page that was cut.
            raise
        raise ExportError(f"{version.name}: {path} cannot be read ({error}); `planimeter verify` says more") from error
