"""Detects which harness wrote a file of replies, by its ending and first lines, and reads it one reply at a time."""

import codecs
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice, takewhile
from pathlib import Path

from planimeter.evals.scores.replies import inspect_log, json_lines, vlmevalkit
from planimeter.evals.scores.replies.records import Found, RepliesError, UnknownFormError, mapping, opened, some
from planimeter.export.foreign import entries_below, lines_of, open_file, parse_json
from planimeter.items.errors import PlanimeterError
from planimeter.items.printing import command
from planimeter.items.values import Row

#: The endings of files of replies in a folder; JSON lines and tables may be compressed by gzip.
ENDINGS = (".eval", ".jsonl", ".tsv", ".jsonl.gz", ".tsv.gz")

#: The number of characters and lines of a file that determine its form.
_HEAD, _FIRST_LINES = 4096, 20

_FORMATS = (
    "JSON lines of id and reply, Inspect logs (.eval), traces.jsonl of verifiers, samples (.jsonl) of lmms-eval, or "
    "predictions (.tsv) of VLMEvalKit"
)


def stem(path: Path) -> str:
    """Return the name of a file without its ending and without ".gz"."""
    return Path(path.name.removesuffix(".gz")).stem


def files_in(path: Path) -> list[Path]:
    """Return ``path`` if it is a file, else the sorted files below the folder ``path`` that may contain replies.

    Raises:
        RepliesError: if ``path`` does not exist, or is a folder without such files.
    """
    if not path.is_dir():
        if not path.exists():
            raise RepliesError(f"{path}: no such file or folder")
        return [path]
    paths = []
    for file, fault in entries_below(path):
        # Hidden files are half-written, or of another program.
        if file.name.endswith(ENDINGS) and not any(part[0] == "." for part in file.relative_to(path).parts):
            if fault:
                raise RepliesError(f"{file}: {fault}; give the path of the file instead of its folder, or remove it")
            paths += [file] if file.is_file() else []
    if not paths:
        raise RepliesError(f"{path} contains no replies; need {_FORMATS}")
    return paths


def read(path: Path) -> Iterator[Found]:
    """Yield the replies and other records in the file ``path``, with one line, or sample of a log, in memory at a time.

    Raises:
        UnknownFormError: before the first record, if the file has no known form.
        RepliesError: if it cannot be read.
    """
    try:
        yield from _reader(path)(path)
    except PlanimeterError:
        raise
    except Exception as error:  # noqa: BLE001 - any error of zipfile, gzip, csv or the system on a damaged file
        raise RepliesError(f"{path} cannot be read: {error or type(error).__name__}") from None


def _reader(path: Path) -> Callable[[Path], Iterator[Found]]:
    """Return the function that reads files like ``path``, whose ending and first lines show which harness wrote it.

    Raises:
        RepliesError: for an Excel file; ``UnknownFormError`` if the file has no known form.
    """
    # Refuses a pipe or device: more than one reader opens a file.
    open_file(path).close()
    ending = Path(path.name.lower().removesuffix(".gz")).suffix
    if ending in (".xlsx", ".xls"):
        raise RepliesError(
            f"{path} is an Excel file; save the sheet as tab-separated text (.tsv), or let VLMEvalKit write one: "
            "PRED_FORMAT=tsv"
        )
    if ending == ".eval" or zipfile.is_zipfile(path):
        return inspect_log.read
    if ending == ".tsv":
        return vlmevalkit.read
    with opened(path) as file:
        head = file.read(_HEAD)
    with opened(path) as file:
        # Up to a line that is too long: an endless line would be read for hours.
        lines = takewhile(lambda line: line is not None, islice(lines_of(file), _FIRST_LINES))
        records = [record for line in lines if (record := _record(line))]
    form = next((form for form, fits in json_lines.FORMS if any(map(fits, records))), None)
    # A list over several lines may have an object on one of them.
    if form is None or head.lstrip().startswith("["):
        raise UnknownFormError(f"{path} {_describe_unknown(path, head, records)}; need {_FORMATS}")
    return partial(json_lines.read, form=form)


def _record(line: str | None) -> Row:
    """Return the JSON object in a line; an empty one for a damaged line, which thus does not determine the form."""
    try:
        return mapping(parse_json(line or ""))
    except ValueError:
        return {}


def _describe_unknown(path: Path, head: str, records: list[Row]) -> str:
    """Return the reason why a file has no known form, as the end of a sentence that begins with the file's path.

    ``head`` is the beginning of its text, ``records`` are the JSON objects in its first lines.
    """
    with path.open("rb") as file:
        mark = file.read(2)
    if not head.strip():
        return "is empty"
    if mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "is UTF-16; save it as UTF-8"
    if head.lstrip()[0] == "[":
        return f"is one JSON list; write a line for each of its objects ({command('jq', '-c', '.[]', path.name)})"
    if path.suffix == ".csv":
        return "is comma-separated; write a JSON object for each of its lines"
    lines = f": its lines have {some(list(records[0]))}, and no id with a reply" if records else ""
    return f"is not a known file of replies{lines}"
