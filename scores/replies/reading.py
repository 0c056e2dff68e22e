"""Finds which harness wrote a file of replies, by its ending and its first line, and reads it, one reply at a time."""

import json
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from planimeter.scores.replies import inspect_log, jsonl, lmms_eval, verifiers, vlmevalkit
from planimeter.scores.replies.records import MISSHAPEN, Found, RepliesError, Unreadable, said

#: What a folder is searched for.
ENDINGS = (".eval", ".jsonl", ".tsv")

_FORMATS = (
    "JSON lines of id and reply, Inspect logs (.eval), traces.jsonl of verifiers, samples (.jsonl) of lmms-eval, or "
    "predictions (.tsv) of VLMEvalKit"
)


def files_in(path: Path) -> list[Path]:
    """Return ``path``, or what a folder holds that may be replies, sorted.

    Raises:
        RepliesError: if there is no such file, or the folder holds none.
    """
    if not path.is_dir():
        if not path.exists():
            raise RepliesError(f"{path}: no such file or folder")
        return [path]
    # What is hidden is half-written, or somebody else's.
    files = (
        file
        for file in path.rglob("*")
        if file.suffix in ENDINGS and file.is_file() and not any(p[0] == "." for p in file.relative_to(path).parts)
    )
    found = sorted(files)
    if not found:
        raise RepliesError(f"{path} holds no replies; needed are {_FORMATS}")
    return found


def read(path: Path) -> Iterator[Found]:
    """Yield what ``path`` holds, in its order; memory holds one line, or one sample of a log.

    Raises:
        RepliesError: if the file is of no known form or cannot be read.
    """
    try:
        yield from _reader(path)(path)
    except (OSError, zipfile.BadZipFile) as error:
        raise RepliesError(f"{path} cannot be read: {error}") from None


def _reader(path: Path) -> Callable[[Path], Iterator[Found]]:
    ending = path.suffix.lower()
    if ending in (".xlsx", ".xls"):
        raise RepliesError(
            f"{path} is an Excel file; save the sheet as tab-separated text (.tsv), or let VLMEvalKit write one: "
            "PRED_FORMAT=tsv"
        )
    if ending == ".eval" or zipfile.is_zipfile(path):
        return inspect_log.read
    if ending == ".tsv":
        return vlmevalkit.read
    return _by_first_line(path)


def _by_first_line(path: Path) -> Callable[[Path], Iterator[Found]]:
    first = _first(path)
    for form in (verifiers, lmms_eval, jsonl):
        if any(map(form.fits, first)):
            return partial(_lines, read_one=form.replies)
    raise RepliesError(f"{path} is no file of replies that is known; needed are {_FORMATS}")


def _first(path: Path) -> list[dict[str, Any]]:
    """Return the first few objects of JSON lines: one that is damaged says nothing of the others."""
    found: list[dict[str, Any]] = []
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        for _, line in zip(range(20), lines, strict=False):
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(record, dict):
                found.append(record)
    return found


def _lines(path: Path, read_one: Callable[[Any, Path], Iterator[Found]]) -> Iterator[Found]:
    """Yield what stands in each line; a damaged one is told with its number."""
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
                if not isinstance(record, dict):
                    raise ValueError("no JSON object")
                yield from read_one(record, path)
            except json.JSONDecodeError:
                yield Unreadable(place=f"{path}:{number}", reason="no JSON, or cut off")
            except MISSHAPEN as error:
                yield Unreadable(place=f"{path}:{number}", reason=said(error))
