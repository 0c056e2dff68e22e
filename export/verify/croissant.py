"""The part of the verifier that reads croissant.json."""

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from logging.handlers import BufferingHandler
from pathlib import Path

from planimeter.export import croissant
from planimeter.export.foreign import ForeignError, parse_json, read_file, read_text
from planimeter.export.manifest import Manifest
from planimeter.export.verify.problems import Problem

#: Differences that are listed; a description of another dataset differs in every file and column.
_SHOWN = 20

#: The address of a dataset on the Hub, or on a server like it.
_URL = re.compile(r"https?://[^\s/]+/datasets/([\w.-]+/[\w.-]+)")


def verify_croissant(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    """Check croissant.json against the manifest and the schema, and that mlcroissant reports nothing."""
    path = folder / "croissant.json"
    if not path.is_file():
        return
    try:
        document = parse_json(read_file(path))
    except (OSError, ValueError, ForeignError) as error:
        yield Problem(path.name, f"cannot be read as JSON: {error}")
        return
    if not isinstance(document, dict):
        yield Problem(path.name, "must be a JSON object")
        return
    try:
        expected = croissant.build(manifest)
    except (LookupError, TypeError, ValueError) as error:
        yield Problem("manifest.json", f"recipe lacks what croissant.json says: {error!r}")
        return
    url = document.pop("url", None)
    for fault in (*_faults(document, expected), *_url_faults(url, folder), *mlcroissant_says(path)):
        yield Problem(path.name, fault)


def _faults(document: Mapping[str, object], expected: Mapping[str, object]) -> Iterator[str]:
    differences = [*_differences(document, expected, "")]
    yield from differences[:_SHOWN]
    if len(differences) > _SHOWN:
        yield f"differs in {len(differences) - _SHOWN} more places from what manifest.json and the columns make it"


def _url_faults(url: object, folder: Path) -> Iterator[str]:
    """Yield what is wrong with the address that publishing has put there; a dataset without one is not published."""
    with suppress(
        OSError, ValueError, ForeignError
    ):  # of a card that cannot be read, which is reported where it is checked
        address = _URL.fullmatch(str(url))
        loaded = address and f'load_dataset("{address[1]}", ' in read_text(folder / "README.md")
        if url is not None and not loaded:
            yield f"url is {_short(url)}, which is no dataset on the Hub that README.md loads"


def _differences(actual: object, expected: object, path: str) -> Iterator[str]:
    """Yield where ``actual`` is not ``expected``."""
    if isinstance(actual, dict) and isinstance(expected, dict):
        for key in sorted({*actual, *expected}):
            yield from _differences(actual.get(key), expected.get(key), f"{path}.{key}" if path else key)
    elif isinstance(actual, list) and isinstance(expected, list) and len(actual) == len(expected):
        for number, (mine, other) in enumerate(zip(actual, expected, strict=True)):
            name = other.get("@id", number) if isinstance(other, dict) else number
            yield from _differences(mine, other, f"{path}[{name}]")
    elif actual is None:
        yield f"lacks {path}"
    elif type(actual) is not type(expected) or actual != expected:
        yield f"{path} is {_short(actual)}, but manifest.json and the columns make it {_short(expected)}"


def _short(value: object) -> str:
    if isinstance(value, list | dict):
        return f"a {'list' if isinstance(value, list) else 'table'} of {len(value)}"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def mlcroissant_says(path: Path) -> list[str]:
    """Return every error and warning that mlcroissant has about the file, those of its log included."""
    # Imported here: it takes half a second that a reader of the card alone need not spend.
    import mlcroissant

    # A term that is missing in ``@context`` shows in mlcroissant's log only.
    heard = BufferingHandler(capacity=100_000)
    heard.setLevel(logging.WARNING)
    loggers = {logger: (logger.level, logger.disabled) for logger in (logging.getLogger(), logging.getLogger("absl"))}
    for logger in loggers:
        logger.addHandler(heard)
        # Whatever a program that verifies has set for itself.
        logger.setLevel(logging.WARNING)
        logger.disabled = False
    try:
        issues = mlcroissant.Dataset(jsonld=path).metadata.ctx.issues
        faults = [*sorted(issues.errors), *sorted(issues.warnings)]
    except mlcroissant.ValidationError as error:
        faults = [str(error)]
    except Exception as error:  # noqa: BLE001 - whatever a library raises of a document that it was not made for
        faults = [f"cannot read it: {error!r}"]
    finally:
        for logger, (level, disabled) in loggers.items():
            logger.removeHandler(heard)
            logger.setLevel(level)
            logger.disabled = disabled
    return [
        f"mlcroissant: {line}" for line in dict.fromkeys((*faults, *(record.getMessage() for record in heard.buffer)))
    ]
