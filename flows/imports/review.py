"""The review list: problems that a person has to decide, one JSON object on each line.

An import writes the list and a page that shows it; the next import reads the edited list.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from planimeter.export.atomic import explain_os_errors, write_file
from planimeter.export.errors import CurationError
from planimeter.export.pages.review import render
from planimeter.export.promises import UNREADABLE
from planimeter.flows.imports.figures import Figure
from planimeter.items import LEVELS, CuratedProblem

#: The most characters of the reason for a missing picture.
LONGEST_REASON = 300

#: The most problems on the page, which a browser loads at once.
ON_A_PAGE = 1000

#: An entry of the review list, or of the list of dropped problems.
Entry = Mapping[str, object]

#: (file, line) of a problem -> its entry in an edited list, with decision and edits.
Review = Mapping[tuple[str, int], Entry]


def read_review(path: Path, file: str) -> tuple[Review, str]:
    """Return the entries of the edited list at ``path``, and its SHA-256. Entries that name no file are of ``file``.

    Raises:
        CurationError: with the line of the list, if an entry is invalid.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CurationError(f"{path}: cannot be read ({error.strerror})") from error
    name = path.name
    entries: dict[tuple[str, int], Entry] = {}
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.strip():
            at, entry = _entry(f"{name}:{number}", line, file)
            if at in entries:
                raise CurationError(
                    f"{name}:{number}: a second decision for line {at[1]} of {at[0]}; remove one of the two"
                )
            entries[at] = entry
    return entries, hashlib.sha256(content).hexdigest()


def _entry(where: str, line: bytes, file: str) -> tuple[tuple[str, int], Entry]:
    """Return ((file, line), entry) of a problem, parsed from ``line``. Raises ``CurationError`` naming ``where``."""
    try:
        entry = json.loads(line)
        # The json module accepts a lone surrogate, but a file cannot contain it.
        json.dumps(entry, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise CurationError(f"{where}: not JSON ({error}); write one JSON object on each line") from None
    if not isinstance(entry, dict) or type(entry.get("line")) is not int:
        raise CurationError(f'{where}: need an object with a whole number in "line"')
    if entry.get("decision", "") not in ("keep", "drop", ""):
        raise CurationError(f"{where}: need the decision 'keep', 'drop' or '', got {entry['decision']!r}")
    texts = [name for name in ("problem", "answer", "code", "level") if not isinstance(entry.get(name, ""), str)]
    if texts:
        raise CurationError(f"{where}: need text in {texts[0]!r}, got {entry[texts[0]]!r}")
    return (str(entry.get("file", file)), entry["line"]), entry


def refuse_reviewed(folder: Path, review: Path | None) -> None:
    """Raise ``CurationError`` if the import into ``folder`` would overwrite a review list that a person has edited.

    That is a list with a decision or with lines that no import wrote, or the list ``review`` itself.
    """
    path = _list(folder, "review")
    if not path.exists():
        return
    fed_back = review is not None and path.samefile(review)
    if fed_back or not all(map(_waits, path.read_bytes().splitlines())):
        raise CurationError(
            f"{path} contains review decisions and would be overwritten; rename it, and pass it under its new name "
            "with --review"
        )


def _waits(line: bytes) -> bool:
    """True if ``line`` of a review list is an entry without a decision, or empty."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return not line.strip()
    return isinstance(entry, dict) and entry.get("decision") == ""


def write_list(folder: Path, name: str, entries: Iterable[Entry]) -> None:
    """Write ``entries`` to ``<folder>-<name>.jsonl``. Raises ``ExportError`` if it cannot be written."""
    with explain_os_errors(folder):
        write_file(_list(folder, name), (f"{json.dumps(entry, ensure_ascii=False)}\n".encode() for entry in entries))


def write_page(folder: Path, dataset: str, draw: Callable[[CuratedProblem], Figure]) -> None:
    """Write ``<folder>-review.html``, the page of the review list, with pictures by ``draw``.

    It shows the first ``ON_A_PAGE`` entries; the next import, with decisions about these, shows the following ones.
    Raises ``ExportError`` if it cannot be written.
    """
    path = _list(folder, "review")
    with explain_os_errors(folder):
        with path.open("rb") as file:
            lines = list(islice(file, ON_A_PAGE))
            remaining = sum(1 for _ in file)
        entries = [_page_entry(json.loads(line), draw) for line in lines]
        page = render(
            dataset, folder.name, hashlib.sha256(b"".join(lines)).hexdigest(), entries, LEVELS, left=remaining
        )
        write_file(path.with_suffix(".html"), page)


def _page_entry(entry: dict[str, Any], draw: Callable[[CuratedProblem], Figure]) -> tuple[Entry, bytes | None, str]:
    """Return ``entry``, its picture (PNG or None), and the reason why there is no picture ("" if there is one)."""
    item = CuratedProblem(
        line=entry["line"],
        problem=entry["problem"],
        code=entry["code"],
        language=entry["language"],
        answer_latex=entry["answer"],
        level=entry["level"],
    )
    try:
        figure = draw(item)
    except UNREADABLE as error:
        figure = Figure(reason=f"it cannot be drawn: {error!r}"[:LONGEST_REASON])
    return entry, figure.png, f"{figure.reason} ({figure.detail})" if figure.detail else figure.reason


def _list(folder: Path, name: str) -> Path:
    return folder.with_name(f"{folder.name}-{name}.jsonl")
