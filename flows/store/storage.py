"""The store of finished shards and results: a folder, or a bucket that every machine reaches, through fsspec.

A ``Store`` is a set of named byte strings, each complete or absent: in a folder, a file is written under a temporary
name, fsynced and renamed; in a bucket, an object appears when its PUT is complete. A worker opens its store by ``url``,
which contains no secret: fsspec finds endpoint, region and credentials in the environment or in its own configuration.
A name that would be outside of the store, such as ``../file``, is refused. Nothing in a store is ever unpickled.
"""

import errno
import hashlib
import os
import re
import stat
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from planimeter.export.atomic import write_file
from planimeter.flows.errors import DiskError, PlanimeterError, StoreError, first_line, redacted
from planimeter.flows.store.sources import ROOT
from planimeter.items.printing import command

#: The default folder of builds: ``outputs`` in the checkout, or in the working directory if Planimeter was installed
#: without one.
OUTPUTS = (ROOT if (ROOT / "pyproject.toml").is_file() else Path()) / "outputs"

#: The name of the folder of the store, within the folder of the builds.
STORE = ".planimeter"

#: The prefix of the name of a half-written file in a folder.
TEMPORARY = ".tmp-"

#: The most bytes of a file that ``Store.read`` reads into memory.
MOST_BYTES = 2**28

#: A name, an offset, a number of bytes.
Span = tuple[str, int, int]


class Store:
    """The store at ``url``, a path or an address such as ``s3://bucket/prefix``.

    A name is a relative path with forward slashes. Methods raise ``FileNotFoundError`` for an unknown name, and
    ``PlanimeterError`` for any other fault. Listings never come from fsspec's cache, which lacks the files that other
    machines have written since.
    """

    def __init__(self, url: str) -> None:
        # Imported here, since fsspec loads slowly.
        from fsspec import url_to_fs
        from fsspec.implementations.local import LocalFileSystem

        self.url = url.rstrip("/") or "/"
        #: The folder; None if the store is a bucket.
        self.folder = None if is_remote(url) else Path(url.removeprefix("file://")).absolute()
        with self._explain_os_errors("opened"):
            if self.folder:
                self._files, root = LocalFileSystem(), str(self.folder)
            else:
                try:
                    self._files, root = url_to_fs(self.url, use_listings_cache=False)
                except ImportError as error:
                    needs = "Planimeter's extra `s3` brings what s3:// needs (in a checkout: make dev)"
                    raise StoreError(f"{self.url}: {error}; {needs}") from None
        self._root = str(root).rstrip("/")

    def read(self, name: str) -> bytes:
        """Return the content of ``name``."""
        with self._explain_os_errors("read"):
            return cast("bytes", self._files.cat_file(self._kept(name, MOST_BYTES)))

    def open(self, name: str) -> IO[bytes]:
        """Open the file ``name`` for reading; it is seekable."""
        with self._explain_os_errors("read"):
            return cast("IO[bytes]", self._files.open(self._kept(name), "rb"))

    def slices(self, spans: Sequence[Span]) -> list[bytes]:
        """Return the bytes of each of ``spans``, (name, offset, size); requests to a bucket run in parallel.

        A span that extends beyond the end of its file yields fewer bytes than its size.
        """
        with self._explain_os_errors("read"):
            paths, starts = [self._kept(name) for name, _, _ in spans], [start for _, start, _ in spans]
            ends = [start + size for _, start, size in spans]
            return [bytes(content) for content in self._files.cat_ranges(paths, starts, ends, on_error="raise")]

    def write(self, name: str, data: bytes | memoryview) -> None:
        """Store ``data`` under ``name``, completely or not at all."""
        with self._explain_os_errors("written"):
            path = self._at(name)
            if self.folder:
                # The temporary name contains the writer, since two workers may write one shard at the same time.
                writer = f"{TEMPORARY}{os.getpid()}-{threading.get_ident()}-{Path(path).name}"
                write_file(Path(path), data, Path(path).with_name(writer))
            else:
                self._files.pipe_file(path, bytes(data))

    def exists(self, name: str) -> bool:
        """True if the store contains ``name``."""
        with self._explain_os_errors("read"):
            return bool(self._files.exists(self._at(name)))

    def sha256(self, name: str) -> str:
        """Read the content of ``name`` and return its SHA-256, hexadecimal; empty for an unknown name."""
        try:
            with self.open(name) as file, self._explain_os_errors("read"):
                return hashlib.file_digest(cast("Any", file), "sha256").hexdigest()
        except FileNotFoundError:
            return ""

    def delete(self, name: str) -> None:
        """Delete ``name``, if it exists."""
        with self._explain_os_errors("removed"), suppress(FileNotFoundError):
            self._files.rm_file(self._at(name))

    def sizes(self, folder: str) -> dict[str, int]:
        """Return the size in bytes of each file below ``folder``, at any depth, by its name relative to ``folder``."""
        with self._explain_os_errors("listed"):
            self._files.invalidate_cache()
            try:
                found: dict[str, dict[str, Any]] = self._files.find(self._at(folder), detail=True)
            except FileNotFoundError:
                return {}
        start = len(self._at(folder)) + 1
        return {path[start:]: int(entry["size"]) for path, entry in found.items() if f"/{TEMPORARY}" not in path}

    def create(self, name: str, path: Path) -> None:
        """Store the local file at ``path`` under ``name``, in several parts if it is large.

        Raises ``FileExistsError`` if ``name`` exists. The test is atomic if the service has conditional writes, as S3
        has; otherwise it happens before the write.
        """
        with self._explain_os_errors("written"):
            try:
                self._files.put_file(str(path), self._at(name), mode="create")
            except FileExistsError:
                raise
            except (OSError, NotImplementedError, TypeError) as error:
                # Services report an existing name by different errors, and some back ends lack the mode "create".
                if self._files.exists(self._at(name)):
                    raise FileExistsError(name) from None
                if getattr(error, "errno", errno.ENOSYS) != errno.ENOSYS:
                    raise
                self._files.put_file(str(path), self._at(name))

    def fetch(self, folder: str, target: Path) -> None:
        """Copy all files below ``folder`` to the local folder ``target``."""
        with self._explain_os_errors("read"):
            self._files.get(f"{self._at(folder)}/", f"{target}/", recursive=True)

    def _kept(self, name: str, most: int | None = None) -> str:
        """Return the full path of the file ``name``. If the store is a folder, raises ``FileNotFoundError`` for
        a missing file, and for a link, a pipe, a folder, or a file of more than ``most`` bytes.
        """
        path = self._at(name)
        if self.folder:
            status = os.lstat(path)
            if not stat.S_ISREG(status.st_mode) or (most is not None and status.st_size > most):
                raise FileNotFoundError(errno.ENOENT, "not a file of a build", path)
        return path

    def _at(self, name: str) -> str:
        """Return the full path of ``name``. Raises ``StoreError`` if it would be outside of the store."""
        if not is_name(name):
            raise StoreError(
                f"{name!r} is outside of {self.url} or does not exist: a record was changed; remove the store"
            )
        return f"{self._root}/{name}"

    @contextmanager
    def _explain_os_errors(self, doing: str) -> Iterator[None]:
        """Turn errors of this block into a ``PlanimeterError`` with remedy.

        ``FileNotFoundError`` and ``FileExistsError`` pass unchanged, unless the bucket itself is missing. ``doing`` is
        a participle for the message, such as "written".
        """
        try:
            yield
        except (FileNotFoundError, FileExistsError) as error:
            if "bucket does not exist" in str(error):
                raise StoreError(f"{self.url} cannot be {doing}: {first_line(error)}; create it first") from None
            raise
        except PlanimeterError:
            raise
        except OSError as error:
            if self.folder is None:
                raise self._trouble(doing, error) from None
            raise DiskError(
                f"a shard below {self.folder} cannot be {doing}: {error.strerror or error}; free some space or fix "
                "the permissions, and run the same command again: finished shards are kept"
            ) from error
        except Exception as error:  # noqa: BLE001 - many libraries raise errors of network, service, credentials
            raise self._trouble(doing, error) from None

    def _trouble(self, doing: str, error: Exception) -> StoreError:
        advice = "check the address, and the credentials and endpoint in the environment; finished shards are kept"
        return StoreError(f"{self.url} cannot be {doing}: {first_line(error)}; {advice}")


def is_name(name: str) -> bool:
    """True if ``name`` is a valid name in a store: a relative path with forward slashes and without ``..``."""
    parts = PurePosixPath(name).parts
    return bool(parts) and name == "/".join(parts) and ".." not in parts and parts[0] != "/" and "\0" not in name


def local_copy(address: str, folder: Path) -> Path:
    """Return the path of the file at ``address``; a remote file is first copied to the new folder ``folder``.

    ``address`` is a path, or a URL that fsspec reads. Raises ``StoreError`` if the file cannot be read.
    """
    if not is_remote(address) and Path(address.removeprefix("file://")).is_file():
        return Path(address.removeprefix("file://")).absolute()
    import fsspec

    try:
        files, path = fsspec.url_to_fs(address)
        folder.mkdir()
        files.get_file(path, str(folder / "copy"))
    except ImportError as error:
        raise StoreError(f"{redacted(address)}: needs a package that is not installed ({first_line(error)})") from None
    except Exception as error:  # noqa: BLE001 - errors of many libraries
        # Not chained to the error itself: Prefect would log it with the whole address.
        raise StoreError(f"{redacted(address)}: cannot be read ({first_line(error)})") from None
    return folder / "copy"


def resolved(path: Path) -> Path:
    """Return the absolute path of ``path`` with all links resolved. Raises ``DiskError`` for a circle of links."""
    try:
        # From Python 3.13 on, `resolve` accepts a circle of links, and `stat` does not.
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
            path.stat()
        return path.resolve()
    except OSError as error:
        raise DiskError(f"{path} is a broken link ({error}); fix it, or give another folder with --out") from error


def folder_of(outputs: str | None) -> Path:
    """Return the folder ``outputs``, by default ``OUTPUTS``. Raises ``PlanimeterError`` for a bucket or cyclic link."""
    if outputs and is_remote(outputs):
        raise PlanimeterError(f"--out: need a local folder here, got {checked(outputs)}")
    return resolved(Path(checked(outputs))) if outputs else OUTPUTS


def is_remote(place: str) -> bool:
    """True if ``place`` is an address such as s3://bucket/prefix, False if it is a path or a file:// address."""
    return "://" in place and not place.startswith("file://")


def local(place: str) -> Path:
    """Return the path ``place``. Raises ``PlanimeterError`` for an address, with a command to download it."""
    if not is_remote(place):
        return Path(place.removeprefix("file://"))
    name = place.rstrip("/").rpartition("/")[2]
    on_the_hub = re.search(r"\bdatasets/([\w.-]+/[\w.-]+)", place)
    if on_the_hub:
        to = on_the_hub[1].rpartition("/")[2]
        fetch = f"`{command('hf', 'download', on_the_hub[1], '--repo-type', 'dataset', '--local-dir', to)}`"
    elif place.startswith("s3://"):
        fetch = f"`{command('aws', 's3', 'cp', '--recursive', redacted(place), redacted(name))}`"
    else:
        fetch = "with the tool of that store"
    raise PlanimeterError(f"{redacted(place)}: need a local folder, not an address; download it first: {fetch}")


def checked(place: str) -> str:
    """Return ``place``, a path or address in which to build, without file:// and without a slash at its end.

    Raises ``PlanimeterError`` for an address that names no bucket or contains credentials: Prefect would store them.
    The message does not contain them.
    """
    if is_remote(place):
        bucket = place.split("://", 1)[1]
        if "@" in bucket or "?" in bucket or "#" in bucket:
            raise PlanimeterError(
                "--out: an address holds the bucket and a prefix only; credentials and options come from the "
                "environment or from fsspec's own configuration"
            )
        if not bucket.strip("/"):
            raise PlanimeterError(f"--out: {place} names no bucket; give one, such as {place.split(':')[0]}://bucket/x")
        return place.rstrip("/")
    return place.removeprefix("file://")
