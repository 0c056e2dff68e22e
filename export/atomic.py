"""Writes files and folders completely or not at all: under a temporary name, then fsync and rename.

The rename is atomic, and the only step that another process can observe. A killed build leaves a hidden folder next to
the final one; the next build of the same version removes it. The caller must exclude concurrent builds of one version.
This module also turns errors of the operating system into messages with a remedy.
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
    """A dataset cannot be read or written; the message contains reason and remedy."""


@contextmanager
def explain_os_errors(place: Path) -> Iterator[None]:
    """Turn an ``OSError`` in the ``with`` block, which writes ``place``, into an ``ExportError`` with a remedy."""
    try:
        yield
    except OSError as error:
        raise ExportError(explain(error, place)) from error


@contextmanager
def add_file_name(path: Path) -> Iterator[None]:
    """Add ``path`` to an ``OSError`` of the ``with`` block if the error names no file, such as one of fsync."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def fsync(path: Path) -> None:
    """Force a file or folder to the disk by fsync."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        with add_file_name(path):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_file(path: Path, content: bytes | memoryview | Iterable[bytes], beside: Path | None = None) -> None:
    """Write ``content`` (bytes, or chunks of bytes) to ``path``, completely or not at all, and force it to the disk.

    ``beside`` is the path of the temporary file, by default a hidden name in the same folder; concurrent writers of
    one ``path`` must pass different ones. A link at ``path`` or ``beside`` is replaced, not followed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = beside or path.with_name(f".{path.name}.tmp")
    try:
        with add_file_name(path):
            beside.unlink(missing_ok=True)
        with add_file_name(path), beside.open("xb") as file:
            file.writelines([content] if isinstance(content, bytes | memoryview) else content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


class Staging:
    """A temporary folder next to ``final``, which ``commit`` renames to ``final``; without ``commit`` it is removed.

    Use it as a context manager; ``path`` is the folder to fill. An ``OSError`` of the block (disk full, no right to
    write) is raised as an ``ExportError`` after the folder is removed.

    Raises:
        ExportError: if ``final`` exists, or its parent cannot be written.
    """

    def __init__(self, final: Path) -> None:
        self.final = final
        self.path = final.with_name(f".{final.name}.staging")

    def __enter__(self) -> Self:
        _refuse_existing(self.final)
        with explain_os_errors(self.path):
            if self.path.exists():
                shutil.rmtree(self.path)
            self.path.mkdir(parents=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        if isinstance(error, OSError):
            raise ExportError(explain(error, self.path)) from error

    def commit(self) -> Path:
        """Force all files to the disk, rename the folder to ``final``, and return ``final``.

        Raises:
            ExportError: if ``final`` has appeared meanwhile, or the disk fails.
        """
        with explain_os_errors(self.final):
            for folder, _, files in os.walk(self.path, topdown=False):
                for name in files:
                    fsync(Path(folder, name))
                fsync(Path(folder))
            _refuse_existing(self.final)
            self.path.rename(self.final)
            fsync(self.final.parent)
        return self.final


def _refuse_existing(final: Path) -> None:
    """Raise ``ExportError`` if ``final`` exists; the rename alone would silently replace an empty folder."""
    if final.exists() or final.is_symlink():
        raise ExportError(
            f"{final} exists and a published version is never overwritten; give another version or another folder"
        )


#: Error number -> fault and remedy, for a message about a folder.
_FAULTS = {
    **dict.fromkeys(
        (errno.ENOSPC, errno.EDQUOT), "no space left on the disk; free some and run the same command again"
    ),
    **dict.fromkeys(
        (errno.EACCES, errno.EPERM, errno.EROFS), "no right to write there; choose another folder with --out"
    ),
    **dict.fromkeys(
        (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP),
        "this file system has no locks; mount it with them (NFS: start lockd, or use version 4), or choose another "
        "folder with --out",
    ),
    errno.ESTALE: "the network file system no longer has this folder; mount it again and run the same command again",
    errno.EIO: "the disk fails to read or write; look at the system's log, and choose another folder with --out",
}


#: Error numbers whose remedy is the same for reading and writing.
OUTAGES = frozenset({errno.ENOSPC, errno.EDQUOT, errno.ENOLCK, errno.ESTALE, errno.EIO})


def explain(error: OSError, place: Path) -> str:
    """Return one line about ``error``, which occurred when ``place`` was written: the fault and its remedy."""
    text = str(error)
    # Errors of Arrow contain the number in their text only.
    number = errno.ENOSPC if f"[Errno {errno.ENOSPC}]" in text else error.errno
    fault = _FAULTS.get(number or 0)
    return f"{place.parent}: {fault}" if fault else f"{place}: cannot be written: {text}"
