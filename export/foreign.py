"""Reads files of untrusted origin: a dataset folder, a folder of replies, a released audit, a repository on the Hub.

Use ``path_below`` to turn a name into a path. Read a folder only after ``require_plain``, or through ``files_below``,
so that no link is followed. Read a file by ``open_file``, ``read_file`` or ``lines_of``, which open regular files only
and limit the size. Parse JSON by ``parse_json``, which limits size and depth.
"""

import json
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from planimeter.export.atomic import ExportError

#: The most bytes of a document, such as a manifest, card or report, and the most characters of a line of replies.
MOST_BYTES = 2**26

#: The most lists and objects of JSON that are nested in one another.
MOST_DEPTH = 100

#: The most lists and objects of a JSON text, since each takes many times the memory of its text.
MOST_PARTS = 2_000_000

#: The most files and folders below one folder.
MOST_ENTRIES = 100_000

#: A valid name: one component of a path on every system, not hidden, without control characters.
_NAME = re.compile(r"[^/\\\x00-\x1f\x7f-\x9f.\s][^/\\\x00-\x1f\x7f-\x9f]*")

#: The most bytes of a name, so that it fits every file system with a suffix appended.
_MOST_NAME = 200


class ForeignError(ExportError):
    """A file, folder or name of untrusted origin is refused."""


def name_fault(name: str) -> str:
    """Return the reason why ``name`` cannot name a file, for a message; empty for a valid name."""
    if len(name.encode(errors="replace")) > _MOST_NAME:
        return f"is longer than {_MOST_NAME} bytes"
    return (
        ""
        if _NAME.fullmatch(name)
        else "cannot name a file (it has a slash or control character, or begins with a dot)"
    )


def path_below(folder: Path, *names: str) -> Path:
    """Return the path ``folder / names[0] / names[1] ...``; each of ``names`` is one component.

    Raises:
        ForeignError: if a name contains a separator or control character, or begins with a dot.
    """
    for name in names:
        if fault := name_fault(name):
            raise ForeignError(f"{name[:_MOST_NAME]!r} {fault}; rename it at its source")
    return folder.joinpath(*names)


def entry_fault(path: Path) -> str:
    """Return the reason why ``path`` is not read, for a message; empty for a regular file or a folder.

    Links are refused, except in the cache of the Hub's client: there, files in ``snapshots/`` are links to ``blobs/``.
    """
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        blob = _blob(path)
        return "" if blob and stat.S_ISREG(blob.lstat().st_mode) else "is a link, which is not followed"
    return "" if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else "is neither a regular file nor a folder"


def _blob(link: Path) -> Path | None:
    """Return the target of ``link`` if it is a link from ``snapshots/`` to ``blobs/`` in the Hub's cache, else None."""
    target = Path(os.path.normpath(link.parent / link.readlink()))
    snapshots = next((parent for parent in link.parents if parent.name == "snapshots"), None)
    is_blob = snapshots is not None and target.parent == snapshots.parent / "blobs" and os.path.lexists(target)
    return target if is_blob else None


def entries_below(folder: Path, names: Iterable[str] | None = None) -> Iterator[tuple[Path, str]]:
    """Yield (path, fault) of each entry below ``folder``, sorted within a folder; no link is followed.

    ``fault`` is the reason why an entry is not read, or empty. If ``names`` is given, only those entries of ``folder``
    are visited.

    Raises:
        ForeignError: if there are more than ``MOST_ENTRIES``.
    """
    waiting = [folder / name for name in names] if names is not None else sorted(folder.iterdir())
    waiting, count = [path for path in reversed(waiting) if os.path.lexists(path)], 0
    while waiting:
        path, count = waiting.pop(), count + 1
        if count > MOST_ENTRIES:
            raise ForeignError(f"{folder}: has more than {MOST_ENTRIES:,} files; give a smaller folder")
        fault = entry_fault(path)
        yield path, fault
        if not fault and not path.is_symlink() and path.is_dir():
            waiting += sorted(path.iterdir(), reverse=True)


def files_below(folder: Path) -> Iterator[Path]:
    """Yield the paths of the regular files below ``folder``, without links, pipes and devices."""
    return (path for path, fault in entries_below(folder) if not fault and path.is_file())


def require_plain(folder: Path, names: Iterable[str]) -> None:
    """Raise ``ForeignError`` if an entry of ``folder`` in ``names``, or any below it, is a link, pipe or device."""
    for path, fault in entries_below(folder, names):
        if fault:
            raise ForeignError(f"{path}: {fault}; replace it with the file or folder itself")


def open_file(path: Path) -> BinaryIO:
    """Open a regular file for reading; a pipe or device is refused without waiting.

    Raises:
        OSError: if it cannot be opened.
        ForeignError: if it is not a regular file.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise ForeignError(f"{path}: is {'a folder' if stat.S_ISDIR(mode) else 'a pipe or device'}; need a file")
    return os.fdopen(descriptor, "rb")


def read_file(path: Path, most: int = MOST_BYTES) -> bytes:
    """Return the content of a regular file. Raises ``OSError`` if it cannot be opened, and ``ForeignError`` if it is
    not a regular file, or has more than ``most`` bytes.
    """
    with open_file(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise ForeignError(f"{path}: is too large: it has more than {most:,} bytes")
    return content


def read_text(path: Path, most: int = MOST_BYTES) -> str:
    """Return the text of a regular file. Raises the errors of ``read_file``, and ``ValueError`` if it is not UTF-8."""
    return read_file(path, most).decode("utf-8")


def lines_of(file: TextIO, most: int = MOST_BYTES) -> Iterator[str | None]:
    """Yield each line of ``file``, or None for a line of more than ``most`` characters; only one line is in memory."""
    while line := file.readline(most + 1):
        if len(line) <= most:
            yield line
            continue
        yield None
        while line and not line.endswith("\n"):
            line = file.readline(most)


def parse_json(content: str | bytes) -> Any:
    """Return the value of the JSON text ``content``.

    Raises:
        ValueError: if ``content`` is not JSON, is nested deeper than ``MOST_DEPTH``, or has more than ``MOST_PARTS``
            brackets.
    """
    brackets = map(content.count, "[{") if isinstance(content, str) else map(content.count, (b"[", b"{"))
    if sum(brackets) > MOST_PARTS:
        raise ValueError(f"there are more than {MOST_PARTS:,} lists and objects")
    value: Any = None
    level: list[Any] = [None]
    with suppress(RecursionError):
        value = json.loads(content)
        level = [value]
        for _ in range(MOST_DEPTH):
            parts = (
                each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list)
            )
            level = list(chain.from_iterable(parts))
    if level:
        raise ValueError(f"lists and objects are nested deeper than {MOST_DEPTH}")
    return value
