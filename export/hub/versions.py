"""A version of a dataset as ``export.hub.diff`` reads it: a folder, or a revision on the Hub.

Versions are of any size, and a revision is not downloaded to be compared. Which of its files differ at all is decided
by their SHA-256, which the Hub knows without sending them; of those that do, Parquet's footer lists where each column
of each row group lies, and only these bytes are requested, a row group (a hundred rows) at a time.
"""

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO, Protocol, TypeVar, cast

import pyarrow as pa
import pyarrow.parquet as pq
from huggingface_hub import HfApi, hf_hub_url
from huggingface_hub.errors import RemoteEntryNotFoundError
from huggingface_hub.utils import build_hf_headers, get_session, hf_raise_for_status

from planimeter.export.atomic import ExportError
from planimeter.export.hub.files import RemoteFile, info_of, remote_files
from planimeter.export.manifest import FILE_NAME, Manifest, NoDatasetError
from planimeter.export.parquet import sha256_of

Result = TypeVar("Result")


class Persist(Protocol):
    """Calls what only reads, if need be after some tries; see ``export.hub.faults.Patience``."""

    def __call__(self, action: Callable[[], Result], /) -> Result:
        """Return what ``action`` returns."""
        ...


class Folder:
    """A dataset in a folder. Raises ``NoDatasetError`` if there is none."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = str(folder)
        self.manifest = _named(Manifest.read(folder), str(folder / "manifest.json"))

    def sha256(self, path: str) -> str:
        """Return the SHA-256 of the file as it is, whatever the manifest says."""
        with _reading(self.folder / path):
            return sha256_of(self.folder / path)

    def open(self, path: str) -> BinaryIO:
        """Open the file at ``path``."""
        with _reading(self.folder / path):
            return (self.folder / path).open("rb")


class Revision:
    """A dataset on the Hub at one commit. ``persist`` makes every request; see ``Persist``.

    Raises:
        NoDatasetError: if there is no such revision, or it has no manifest; and what ``persist`` and the client raise.
    """

    def __init__(self, api: HfApi, repo: str, revision: str, persist: Persist) -> None:
        self.name = f"{repo}@{revision}"
        self._api, self._repo, self._persist = api, repo, persist
        info = persist(partial(info_of, api, repo, revision))
        if info is None:
            raise NoDatasetError(f"{self.name}: the Hub shows no such dataset or tag to this token")
        self._commit: str = info.sha or revision
        self._files: Mapping[str, RemoteFile] = remote_files(info)
        self.manifest = _named(Manifest.parse(self.text("manifest.json"), self.name), self.name)

    @property
    def names(self) -> frozenset[str]:
        """The paths of its files."""
        return frozenset(self._files)

    def text(self, path: str) -> str:
        """Return a small file."""
        path_here = self._persist(partial(self._download, path))
        if path_here is None:
            raise NoDatasetError(f"{self.name} holds no dataset: {path} is missing")
        try:
            return Path(path_here).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise NoDatasetError(f"{self.name} holds no dataset: {path} is no text") from None

    def sha256(self, path: str) -> str:
        """Return what the Hub knows; it has none of a small file, which lies in git."""
        return self._files[path].sha256 if path in self._files else ""

    def open(self, path: str) -> BinaryIO:
        """Open the file at ``path``; what is read of it is asked of the Hub at once."""
        if path not in self._files:
            raise ExportError(f"{self.name}: {path} is missing")
        url = hf_hub_url(self._repo, path, repo_type="dataset", revision=self._commit, endpoint=self._api.endpoint)

        def fetch(start: int, end: int) -> bytes:
            return self._persist(lambda: _range(url, start, end))

        return cast("BinaryIO", _Ranges(self._files[path].size, fetch))

    def _download(self, path: str) -> str | None:
        try:
            return self._api.hf_hub_download(self._repo, path, repo_type="dataset", revision=self._commit)
        except RemoteEntryNotFoundError:
            return None


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


def _named(manifest: Manifest, place: str) -> Manifest:
    for record in manifest.files:
        if not FILE_NAME.fullmatch(record.path):
            fault = f"{record.path} is not called data/<config>/<split>-00000-of-0000N.parquet"
            raise NoDatasetError(f"{place} cannot be read ({fault}); `planimeter verify` says more")
    return manifest


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ExportError(f"{path} cannot be read ({error.strerror}); `planimeter verify` says more") from error


def _range(url: str, start: int, end: int) -> bytes:
    answer = get_session().get(url, headers={**build_hf_headers(), "Range": f"bytes={start}-{end - 1}"})
    hf_raise_for_status(answer)
    content: bytes = answer.content
    # A server that does not know ranges sends the whole file.
    return content if len(content) == end - start else content[start:end]


class _Ranges(io.RawIOBase):
    """A file of ``size`` bytes; ``fetch(start, end)`` brings those of a range."""

    def __init__(self, size: int, fetch: Callable[[int, int], bytes]) -> None:
        self._size, self._fetch, self._place = size, fetch, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        self._place = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence]
        return self._place

    def tell(self) -> int:
        return self._place

    def read(self, size: int | None = -1, /) -> bytes:
        end = self._size if size is None or size < 0 else min(self._place + size, self._size)
        content = self._fetch(self._place, end) if end > self._place else b""
        self._place += len(content)
        return content
