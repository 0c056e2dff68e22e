"""The list of problems that need a person: one JSON object a line, written by an import and fed back to the next."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from planimeter.curation.errors import CurationError
from planimeter.export.atomic import clear_errors, write_file

Entry = Mapping[str, object]

#: (file, line) -> a person's decision on the problem, and what they edited.
Review = Mapping[tuple[str, int], Entry]


def read_review(path: Path, file: str) -> tuple[Review, str]:
    """Return the entries of the list at ``path``, and its hash. An entry that names no file is of ``file``.

    Raises:
        CurationError: with the line of the list, if an entry makes no sense.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CurationError(f"{path}: cannot be read ({error.strerror})") from error
    name = path.name
    found: dict[tuple[str, int], Entry] = {}
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.strip():
            at, entry = _entry(f"{name}:{number}", line, file)
            if at in found:
                raise CurationError(f"{name}:{number}: a second word on line {at[1]} of {at[0]}")
            found[at] = entry
    return found, hashlib.sha256(content).hexdigest()


def _entry(where: str, line: bytes, file: str) -> tuple[tuple[str, int], Entry]:
    try:
        entry = json.loads(line)
        # Half a character (a lone surrogate) is no error to json, but no file can hold it.
        json.dumps(entry, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise CurationError(f"{where}: no JSON ({error})") from None
    if not isinstance(entry, dict) or type(entry.get("line")) is not int:
        raise CurationError(f'{where}: need an object with a whole number in "line"')
    if entry.get("decision", "") not in ("keep", "drop", ""):
        raise CurationError(f"{where}: need the decision 'keep', 'drop' or '', got {entry['decision']!r}")
    texts = [name for name in ("problem", "answer", "code", "level") if not isinstance(entry.get(name, ""), str)]
    if texts:
        raise CurationError(f"{where}: need text in {texts[0]!r}, got {entry[texts[0]]!r}")
    return (str(entry.get("file", file)), entry["line"]), entry


def refuse_reviewed(folder: Path, review: Path | None) -> None:
    """Refuse to write a new list beside ``folder`` over one that a person has worked on, or has just fed back.

    Raises:
        CurationError: if an entry of the list holds a decision or something that no import has written, or if the list
            is that of ``review``.
    """
    path = _list(folder, "review")
    if not path.exists():
        return
    fed_back = review is not None and path.samefile(review)
    if fed_back or not all(map(_waits, path.read_bytes().splitlines())):
        raise CurationError(
            f"{path} holds a person's decisions, and the list of what still waits goes there; rename it, and feed it "
            "back under its new name with --review"
        )


def _waits(line: bytes) -> bool:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return not line.strip()
    return isinstance(entry, dict) and entry.get("decision") == ""


def write_list(folder: Path, name: str, entries: Iterable[Entry]) -> None:
    """Write the list ``name`` of ``entries`` beside ``folder``. Raises ``ExportError`` if that fails."""
    with clear_errors(folder):
        write_file(_list(folder, name), (f"{json.dumps(entry, ensure_ascii=False)}\n".encode() for entry in entries))


def _list(folder: Path, name: str) -> Path:
    return folder.with_name(f"{folder.name}-{name}.jsonl")
