"""The part of the verifier that reads the report, and looks in all texts for what names a person's machine."""

import platform
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from planimeter.export.manifest import STRAYS, Manifest
from planimeter.export.pages.pictures import picture_fault
from planimeter.export.promises import PRIVATE
from planimeter.export.verify.part import BAD_PARQUET
from planimeter.export.verify.problems import Problem

_TEXTS = ("README.md", "croissant.json", "manifest.json", "report/index.html")


class _Links(HTMLParser):
    """Collects what a page refers to."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        """Collect the targets of one tag."""
        self.targets |= {value for name, value in attrs if name in ("src", "href", "poster", "data") and value}


def verify_report(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    """Check that the report stands on its own: every file that it refers to exists, and nothing else lies there, and
    that its pictures, which the card shows too, are sound.
    """
    home = folder / "report"
    page = home / "index.html"
    if not page.is_file():
        yield Problem("report/index.html", "is missing")
        return
    links = _Links()
    try:
        text = page.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        yield Problem("report/index.html", f"cannot be read: {error}")
        return
    links.feed(text)
    lacking = [name for name in (*manifest.configs, "funnel") if f'id="{name}"' not in text]
    if lacking or not text.endswith("</html>\n"):
        yield Problem("report/index.html", f"is cut short or lacks {', '.join(lacking) or 'its end'}")
    targets = {target for target in links.targets if not target.startswith("#")}
    for target in sorted(targets):
        if re.match(r"[a-z]+:|//|/|.*\.\.", target):
            yield Problem("report/index.html", f"refers to {target}, outside its folder")
        elif not (home / target).is_file():
            yield Problem("report/index.html", f"refers to {target}, which does not exist")
    for path in sorted(home.rglob("*")):
        name = path.relative_to(home).as_posix()
        if path.is_file() and path != page and name not in targets and path.name not in STRAYS:
            yield Problem(f"report/{name}", "is shown nowhere", "remove it or build the dataset again")
        elif path.is_file() and path.suffix == ".png" and (fault := picture_fault(path.read_bytes())):
            yield Problem(f"report/{name}", fault)


def verify_privacy(folder: Path) -> Iterator[Problem]:
    """Check that no text names a user's folder or the machine that the verifier runs on."""
    home, host = str(folder.resolve()), platform.node()
    # A name of letters only may be a word of the prose ("counting"); it is no evidence.
    named = len(host) > 3 and not host.isalpha()
    for name in _TEXTS:
        try:
            text = (folder / name).read_text(encoding="utf-8")
        except (OSError, ValueError):
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
    """Return whether a row holds ``mark``: then it is a word of the data, which the report shows, and no trace."""
    for path in sorted((folder / "data").rglob("*.parquet")):
        try:
            with pq.ParquetFile(path) as file:
                names = [field.name for field in file.schema_arrow if pa.types.is_string(field.type)]
                for group in range(file.num_row_groups):
                    table = file.read_row_group(group, columns=names)
                    if any(pc.any(pc.match_substring(column, mark)).as_py() for column in table.columns):
                        return True
        except BAD_PARQUET:
            # Told where the file is checked.
            continue
    return False
