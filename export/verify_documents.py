"""The part of the verifier that reads what people and machines read first: Croissant, card and report."""

import fnmatch
import json
import logging
import platform
import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from export.card import card_configs, size_category
from export.manifest import STRAYS
from export.problems import Problem
from export.schema import schema_of
from export.verify_data import PRIVATE

#: What NeurIPS 2026 asks of the responsible-AI part.
RESPONSIBLE_AI = (
    "prov:wasDerivedFrom",
    "prov:wasGeneratedBy",
    "rai:dataBiases",
    "rai:dataLimitations",
    "rai:dataSocialImpact",
    "rai:dataUseCases",
    "rai:hasSyntheticData",
    "rai:personalSensitiveInformation",
)

_REBUILD = "build the dataset again"
_TEXTS = ("README.md", "croissant.json", "manifest.json", "report/index.html")


def verify_croissant(folder: Path, manifest: Mapping[str, Any]) -> Iterator[Problem]:
    """Check croissant.json against the manifest and the schema, and that mlcroissant has nothing to say about it."""
    path = folder / "croissant.json"
    if not path.is_file():
        return
    try:
        document = json.loads(path.read_bytes())
        faults = list(_croissant_faults(document, manifest))
    except (OSError, ValueError) as error:
        yield Problem(path.name, f"cannot be read as JSON: {error}", _REBUILD)
        return
    except (AttributeError, KeyError, TypeError) as error:
        yield Problem(path.name, f"does not have the form of a Croissant description: {error!r}", _REBUILD)
        return
    for fault in (*faults, *mlcroissant_says(path)):
        yield Problem(path.name, fault, _REBUILD)


def _croissant_faults(document: Mapping[str, Any], manifest: Mapping[str, Any]) -> Iterator[str]:
    for key, wanted in (
        ("name", manifest["dataset"]),
        ("version", manifest["version"]),
        ("datePublished", manifest["recipe"].get("release_date")),
    ):
        if document[key] != wanted:
            yield f"{key} is {document[key]!r}, but manifest.json says {wanted!r}"
    for key in RESPONSIBLE_AI:
        if document.get(key) in (None, "", []):
            yield f"lacks {key}, which NeurIPS asks of every dataset"
    hashes = {
        node["contentUrl"]: node["sha256"] for node in document["distribution"] if node["@type"] == "cr:FileObject"
    }
    if hashes != {record["path"]: record["sha256"] for record in manifest["files"]}:
        yield "its files and their SHA-256 are not those of manifest.json"
    fields = {node["@id"]: {field["name"] for field in node["field"]} for node in document["recordSet"]}
    if set(fields) != set(manifest["configs"]):
        yield f"its record sets are {', '.join(fields)}, the configs are {', '.join(manifest['configs'])}"
        return
    for config, names in fields.items():
        lacking = set(schema_of(manifest["recipe"]["suite"], config).by_name) - names
        if lacking:
            yield f"the record set {config} lacks the columns {', '.join(sorted(lacking))}"


def mlcroissant_says(path: Path) -> list[str]:
    """Return every error and warning that mlcroissant has about the file, those of its log included."""
    # Imported here: it takes half a second that a reader of the card alone need not spend.
    import mlcroissant

    heard = _Listener(level=logging.WARNING)
    loggers = [logging.getLogger(), logging.getLogger("absl")]
    for logger in loggers:
        logger.addHandler(heard)
    try:
        issues = mlcroissant.Dataset(jsonld=path).metadata.ctx.issues
        said = [*sorted(issues.errors), *sorted(issues.warnings)]
    except mlcroissant.ValidationError as error:
        said = [str(error)]
    except (OSError, AttributeError, AssertionError, LookupError, TypeError, ValueError) as error:
        said = [f"cannot read it: {error!r}"]
    finally:
        for logger in loggers:
            logger.removeHandler(heard)
    return [f"mlcroissant: {line}" for line in dict.fromkeys((*said, *heard.lines))]


class _Listener(logging.Handler):
    """Keeps what is logged: a term missing in ``@context`` shows in mlcroissant's log only."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message."""
        self.lines.append(record.getMessage())


def verify_card(folder: Path, manifest: Mapping[str, Any]) -> Iterator[Problem]:
    """Check that the card's front matter parses and finds each file once, and that what it links to exists."""
    path = folder / "README.md"
    if not path.is_file():
        return
    try:
        text = path.read_text(encoding="utf-8")
        _, front, body = re.split(r"^---\n", text, maxsplit=2, flags=re.MULTILINE)
        data = yaml.safe_load(front)
        faults = list(_front_matter_faults(data, manifest))
    except (OSError, ValueError, yaml.YAMLError) as error:
        yield Problem(path.name, f"its front matter cannot be read: {error}", _REBUILD)
        return
    except (AttributeError, KeyError, TypeError) as error:
        yield Problem(path.name, f"its front matter does not have the Hub's form: {error!r}", _REBUILD)
        return
    for fault in faults:
        yield Problem(path.name, fault, _REBUILD)
    for fault in _body_faults(body, manifest):
        yield Problem(path.name, fault, _REBUILD)
    for target in re.findall(r"\]\((?![a-z]+:|#)([^)\s]+)\)", body):
        if not (folder / target).is_file():
            yield Problem(path.name, f"links to {target}, which does not exist", _REBUILD)


def _front_matter_faults(data: Mapping[str, Any], manifest: Mapping[str, Any]) -> Iterator[str]:
    recipe = manifest["recipe"]
    rows = sum(record["rows"] for record in manifest["files"])
    for key, wanted in (
        ("license", str(recipe.get("license")).lower()),
        ("pretty_name", recipe.get("title")),
        ("size_categories", [size_category(rows)]),
    ):
        if data.get(key) != wanted:
            yield f"{key} is {data.get(key)!r}, but manifest.json makes it {wanted!r}"
    for config in card_configs(manifest):
        if config not in data["configs"]:
            yield f"its front matter does not list the config {config['config_name']} with all its splits"
    globs = [part["path"] for config in data["configs"] for part in config["data_files"]]
    for record in manifest["files"]:
        hits = sum(fnmatch.fnmatch(record["path"], pattern) for pattern in globs)
        if hits != 1:
            yield f"{record['path']} is matched by {hits} of the front matter's patterns, not by one"


def _body_faults(body: str, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the text lacks; a card that was cut short lacks its columns or its citation, which come last."""
    for config in manifest["configs"]:
        names = schema_of(manifest["recipe"]["suite"], config).by_name
        lacking = [name for name in names if f"| `{name}` |" not in body]
        if lacking:
            yield f"does not explain the columns {', '.join(lacking)} of {config}"
    if not re.search(r"^```bibtex\n@.+?^```$", body, flags=re.MULTILINE | re.DOTALL):
        yield "lacks the citation"


class _Links(HTMLParser):
    """Collects what a page refers to."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        """Collect the targets of one tag."""
        self.targets |= {value for name, value in attrs if name in ("src", "href", "poster", "data") and value}


def verify_report(folder: Path, manifest: Mapping[str, Any]) -> Iterator[Problem]:
    """Check that the report stands on its own: every file that it refers to exists, and nothing else lies there."""
    home = folder / "report"
    page = home / "index.html"
    if not page.is_file():
        yield Problem("report/index.html", "is missing", _REBUILD)
        return
    links = _Links()
    try:
        text = page.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        yield Problem("report/index.html", f"cannot be read: {error}", _REBUILD)
        return
    links.feed(text)
    lacking = [name for name in (*manifest["configs"], "funnel") if f'id="{name}"' not in text]
    if lacking or not text.endswith("</html>\n"):
        yield Problem("report/index.html", f"is cut short or lacks {', '.join(lacking) or 'its end'}", _REBUILD)
    targets = {target for target in links.targets if not target.startswith("#")}
    for target in sorted(targets):
        if re.match(r"[a-z]+:|//|/|.*\.\.", target):
            yield Problem("report/index.html", f"refers to {target}, outside its folder", _REBUILD)
        elif not (home / target).is_file():
            yield Problem("report/index.html", f"refers to {target}, which does not exist", _REBUILD)
    for path in sorted(home.rglob("*")):
        name = path.relative_to(home).as_posix()
        if path.is_file() and path != page and name not in targets and path.name not in STRAYS:
            yield Problem(f"report/{name}", "is shown nowhere", "remove it or build the dataset again")


def verify_privacy(folder: Path) -> Iterator[Problem]:
    """Check that no text names a user's folder or the machine that the verifier runs on."""
    marks = [*PRIVATE, str(folder.resolve())]
    host = platform.node()
    # A name of letters only may be a word of the prose ("counting"); it is no evidence.
    named = len(host) > 3 and not host.isalpha()
    for name in _TEXTS:
        try:
            text = (folder / name).read_text(encoding="utf-8")
        except (OSError, ValueError):
            continue
        for mark in marks:
            if mark in text:
                yield Problem(name, f"names the local path {mark}", _REBUILD)
        if named and re.search(rf"(?<![\w-]){re.escape(host)}(?![\w-])", text):
            yield Problem(name, f"names the machine {host}", _REBUILD)
