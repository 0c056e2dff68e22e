"""A folder appears whole or not at all: built beside its place, fsynced, renamed.

``rename`` within one file system is the only step that a reader can see, and it is atomic. What a killed build leaves
is a hidden sibling, which the next build of the same version removes (one builder at a time: the flow holds the lock).
"""

import errno
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from planimeter.items.errors import PlanimeterError


class ExportError(PlanimeterError):
    """The dataset cannot be written; the message says what stands in the way and what to do."""


@contextmanager
def clear_errors(place: Path) -> Iterator[None]:
    """Turn an ``OSError`` about ``place`` into an ``ExportError`` that a user can act on."""
    try:
        yield
    except OSError as error:
        raise ExportError(_explain(error, place)) from error


def fsync(path: Path) -> None:
    """Force a file or a directory to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_file(path: Path, content: bytes | Iterable[bytes], beside: Path | None = None) -> None:
    """Write ``content``, which may come in pieces, to ``path``, whole or not at all, and force it to the disk.

    Until it is whole it lies ``beside``: where several write at once, each needs a name of its own.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = beside or path.with_name(f".{path.name}.tmp")
    try:
        with beside.open("wb") as file:
            file.writelines([content] if isinstance(content, bytes) else content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


class Staging:
    """A hidden folder beside ``final`` that becomes ``final`` on ``commit``, and vanishes otherwise.

    Use it as a context manager; ``path`` is the folder to fill. An ``OSError`` from the body (disk full, no right to
    write) leaves as an ``ExportError`` after the folder is gone.

    Raises:
        ExportError: if ``final`` exists, or its parent cannot be written.
    """

    def __init__(self, final: Path) -> None:
        self.final = final
        self.path = final.with_name(f".{final.name}.staging")

    def __enter__(self) -> Self:
        _refuse_existing(self.final)
        with clear_errors(self.path):
            if self.path.exists():
                shutil.rmtree(self.path)
            self.path.mkdir(parents=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        if isinstance(error, OSError):
            raise ExportError(_explain(error, self.path)) from error

    def commit(self) -> Path:
        """Force all that was written to the disk, rename it into place and return ``final``.

        Raises:
            ExportError: if ``final`` has appeared meanwhile, or the disk fails.
        """
        with clear_errors(self.final):
            for folder, _, files in os.walk(self.path, topdown=False):
                for name in files:
                    fsync(Path(folder, name))
                fsync(Path(folder))
            _refuse_existing(self.final)
            self.path.rename(self.final)
            fsync(self.final.parent)
        return self.final


def _refuse_existing(final: Path) -> None:
    # Checked apart from the rename, which would silently replace an empty folder.
    if final.exists() or final.is_symlink():
        raise ExportError(
            f"{final} exists and a published version is never overwritten; give another version or another folder"
        )


def _explain(error: OSError, place: Path) -> str:
    said = str(error)
    # Arrow's errors carry the number in their text only.
    if error.errno in (errno.ENOSPC, errno.EDQUOT) or f"[Errno {errno.ENOSPC}]" in said:
        return f"{place.parent}: no space left on the disk; free some and run the same command again"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"{place.parent}: no right to write there; choose another folder with --out"
    return f"{place}: cannot be written: {said}"
