"""Where finished shards and their records are kept: a folder, or a bucket that every machine reaches.

A ``Store`` is a flat set of named byte strings, each there whole or not at all. A folder keeps that promise by a
temporary name, fsync and rename; a bucket keeps it by itself, since an object appears when its PUT is complete
(``flows/store/bucket.py``). A worker opens its store by ``url``, which carries no secret.
"""

import hashlib
import os
import re
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from planimeter.export.atomic import write_file
from planimeter.flows.errors import DiskError, PlanimeterError, redacted
from planimeter.flows.store.sources import ROOT
from planimeter.items.printing import command

#: Builds go here by default: the ``outputs`` folder of the checkout, or of the working directory where
#: Planimeter was installed without one.
OUTPUTS = (ROOT if (ROOT / "pyproject.toml").is_file() else Path()) / "outputs"

#: Shards live here, below the folder of the builds.
STORE = ".planimeter"

#: A name, from which byte on, how many bytes.
Span = tuple[str, int, int]


class Store(Protocol):
    """Named byte strings; a name is a relative path with forward slashes."""

    @property
    def url(self) -> str:
        """What ``open_store`` opens the same store by, on every machine that reaches it."""

    def put(self, name: str, content: bytes) -> None:
        """Keep ``content`` under ``name``, whole or not at all. Raises ``PlanimeterError`` if it cannot."""

    def get(self, name: str) -> bytes:
        """Return what is kept under ``name``. Raises ``FileNotFoundError`` if nothing is."""

    def slices(self, spans: Sequence[Span]) -> list[bytes]:
        """Return the bytes of each of ``spans``, fewer where a file ends. Raises ``FileNotFoundError`` as ``get``."""

    def holds(self, name: str, sha256: str) -> bool:
        """Return whether ``name`` is kept with exactly the bytes that have this hash."""

    def delete(self, name: str) -> None:
        """Forget ``name``, if it is there."""

    def names(self, folder: str) -> frozenset[str]:
        """Return the names directly below ``folder``, without it."""


class FolderStore:
    """A ``Store`` in a folder of this machine, or one that all machines mount under the same path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def url(self) -> str:
        return str(self.folder)

    def put(self, name: str, content: bytes) -> None:
        path = self.folder / name
        # Two workers may keep equal content (an empty list of rejects, say) at once: the name has the writer in it.
        temporary = path.with_name(f".tmp-{os.getpid()}-{threading.get_ident()}-{path.name}")
        try:
            write_file(path, content, temporary)
        except OSError as error:
            raise DiskError(
                f"cannot write a shard below {self.folder}: {error.strerror}; free some space or mend the "
                "permissions, and run the same command again: finished shards are kept"
            ) from error

    def get(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()

    def slices(self, spans: Sequence[Span]) -> list[bytes]:
        contents = []
        for name, start, size in spans:
            with (self.folder / name).open("rb") as file:
                file.seek(start)
                contents.append(file.read(size))
        return contents

    def holds(self, name: str, sha256: str) -> bool:
        try:
            with (self.folder / name).open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest() == sha256
        except OSError:
            return False

    def delete(self, name: str) -> None:
        (self.folder / name).unlink(missing_ok=True)

    def names(self, folder: str) -> frozenset[str]:
        try:
            return frozenset(path.name for path in (self.folder / folder).iterdir() if path.name[:5] != ".tmp-")
        except OSError:
            return frozenset()


def resolved(path: Path) -> Path:
    """Return ``path`` without links in it. Raises ``DiskError`` if they lead in a circle or may not be followed."""
    try:
        # From Python 3.13 on, `resolve` takes a circle for a path.
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
            path.stat()
        return path.resolve()
    except OSError as error:
        raise DiskError(f"{path} leads nowhere ({error}); mend the link, or give another folder with --out") from error


def folder_of(outputs: str | None) -> Path:
    """Return the folder of ``outputs``, by default ours; no bucket here, and not a link that leads in a circle."""
    if outputs and is_remote(outputs):
        raise PlanimeterError(f"--out: need a folder of this machine here, got {checked(outputs)}")
    return resolved(Path(checked(outputs))) if outputs else OUTPUTS


def open_store(url: str) -> Store:
    """Return the store at ``url``: a path, or an address such as ``s3://bucket/prefix/.planimeter``.

    Raises ``PlanimeterError`` if the address cannot be opened.
    """
    if not is_remote(url):
        return FolderStore(Path(url))
    # fsspec is needed for buckets only, and takes a while to load.
    from planimeter.flows.store.bucket import Bucket

    return Bucket(url)


def is_remote(place: str) -> bool:
    """Return whether ``place`` is an address rather than a path."""
    return "://" in place and not place.startswith("file://")


def local(place: str) -> Path:
    """Return the path ``place``. Raises ``PlanimeterError`` for an address, with the command that fetches it."""
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
    raise PlanimeterError(f"{redacted(place)}: need a folder of this machine, not an address; fetch it first: {fetch}")


def checked(place: str) -> str:
    """Return ``place``, where builds go, without a slash at its end.

    Raises ``PlanimeterError`` for an address with a secret in it, without showing it: a parameter is stored by Prefect
    and an output is printed.
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
