"""Verifies the report, and searches all documents for paths and names of the machine that made them."""

import base64
import platform
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from planimeter.export.foreign import ForeignError, files_below, read_file, read_text
from planimeter.export.manifest import STRAYS, Manifest
from planimeter.export.pages.pictures import picture_fault
from planimeter.export.pages.report import hero_of
from planimeter.export.promises import PRIVATE
from planimeter.export.verify.part import BAD_PARQUET
from planimeter.export.verify.problems import Problem
from planimeter.items.values import DATA_URL

_PAGE = "report/index.html"

#: The documents that are searched for paths and names of a machine.
_TEXTS = ("README.md", "croissant.json", "manifest.json", _PAGE)


class _Links(HTMLParser):
    """An HTML parser that collects the targets of links, pictures and scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        """Record the addresses that the tag links to or loads: its attributes href, src, poster and data."""
        self.targets |= {value for name, value in attrs if name in ("src", "href", "poster", "data") and value}


def verify_report(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    """Yield the problems of ``report/``: a truncated page, links out of the folder, broken pictures, unknown files."""
    home, page = folder / "report", folder / _PAGE
    if not page.is_file():
        yield Problem(_PAGE, "is missing")
        return
    try:
        text = read_text(page)
    except (OSError, ValueError, ForeignError) as error:
        yield Problem(_PAGE, f"cannot be read: {error}")
        return
    lacking = [name for name in (*manifest.configs, "funnel") if f'id="{name}"' not in text]
    if lacking or not text.endswith("</html>\n"):
        yield Problem(_PAGE, f"is cut short or lacks {', '.join(lacking) or 'its end'}")
    links = _Links()
    links.feed(text)
    for target in sorted(target for target in links.targets if not target.startswith("#")):
        if target.startswith(DATA_URL):
            if fault := _fault_of(target):
                yield Problem(_PAGE, f"contains a picture that {fault}")
        elif re.match(r"[a-z]+:|//|/|.*\.\.", target):
            yield Problem(_PAGE, f"refers to {target}, outside its folder")
        elif not (home / target).is_file():
            yield Problem(_PAGE, f"refers to {target}, which does not exist")
    # Pictures of the card are known by their names; ``verify_card`` checks that the card links to files.
    linked = {Path(hero_of(config)).name for config in manifest.configs}
    for path in files_below(home):
        name = path.relative_to(home).as_posix()
        if name in linked and (fault := picture_fault(read_file(path))):
            yield Problem(f"report/{name}", fault)
        elif path != page and name not in linked and path.name not in STRAYS:
            yield Problem(f"report/{name}", "is not part of a report", "remove it or build the dataset again")


def _fault_of(picture: str) -> str:
    """Return the fault of ``picture``, the data URL of a PNG; empty if it is valid."""
    try:
        return picture_fault(base64.b64decode(picture.removeprefix(DATA_URL), validate=True))
    except ValueError as error:
        return f"is not base64: {error}"


def verify_privacy(folder: Path) -> Iterator[Problem]:
    """Yield a problem for each document that contains the path of a home folder or ``folder``, or this machine's name.

    ``folder`` and the machine's name are allowed if a row of the dataset contains them: documents quote rows.
    """
    home, host = str(folder.resolve()), platform.node()
    # A machine name of letters only may also be a word of the texts, such as "counting".
    named = len(host) > 3 and not host.isalpha()
    for name in _TEXTS:
        try:
            text = read_text(folder / name)
        except (OSError, ValueError, ForeignError):
            continue
        for mark in PRIVATE:
            if mark in text:
                yield Problem(name, f"names the local path {mark}")
        if home in text and not _in_rows(folder, home):
            yield Problem(name, f"names the local path {home}")
        word = rf"(?<![\w-]){re.escape(host)}(?![\w-])"
        if named and re.search(word, text) and not _in_rows(folder, host):
            yield Problem(name, f"names the machine {host}")


def _in_rows(folder: Path, mark: str) -> bool:
    """True if a text in a row of the dataset contains ``mark``, so that a document with it may just quote the row."""
    for path in sorted((folder / "data").rglob("*.parquet")):
        try:
            with pq.ParquetFile(path) as file:
                names = [field.name for field in file.schema_arrow if pa.types.is_string(field.type)]
                for group in range(file.num_row_groups):
                    table = file.read_row_group(group, columns=names)
                    if any(pc.any(pc.match_substring(column, mark)).as_py() for column in table.columns):
                        return True
        except BAD_PARQUET:
            # ``verify_data`` reports this file.
            continue
    return False
