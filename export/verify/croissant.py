"""Verifies croissant.json: it must equal the file that a build writes from manifest.json and the columns."""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from planimeter.export import croissant
from planimeter.export.foreign import ForeignError, parse_json, read_text
from planimeter.export.manifest import Manifest, canonical_json
from planimeter.export.verify.problems import Problem, first_difference

#: The address of a dataset on the Hub, or on another server with its API.
_URL = re.compile(r"https?://[^\s/]+/datasets/([\w.-]+/[\w.-]+)")


def verify_croissant(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    """Yield the problems of croissant.json: its first difference from the file of a build, or errors of mlcroissant.

    The address and publisher that `planimeter publish` adds are allowed.
    """
    path = folder / "croissant.json"
    if not path.is_file():
        return
    try:
        text = read_text(path)
        document = parse_json(text)
    except (OSError, ValueError, ForeignError) as error:
        yield Problem(path.name, f"cannot be read as JSON: {error}")
        return
    try:
        expected = croissant.build(manifest)
    except (LookupError, TypeError, ValueError) as error:
        yield Problem("manifest.json", f"recipe lacks a value that croissant.json needs: {error!r}")
        return
    if isinstance(document, dict) and "url" in document:
        expected |= croissant.publication(str(document["url"]))
        if not _is_loaded(str(document["url"]), folder):
            what = f"url is {str(document['url'])[:80]!r}, which is not a dataset on the Hub that README.md loads"
            yield Problem(path.name, what)
    differing = list(first_difference(path.name, text, canonical_json(expected).decode()))
    yield from differing or (Problem(path.name, fault) for fault in mlcroissant_says(path))


def _is_loaded(url: str, folder: Path) -> bool:
    """True if the Python code in the card loads the dataset at ``url``, or if the card cannot be read.

    ``verify_card`` reports a card that cannot be read.
    """
    with suppress(OSError, ValueError, ForeignError):
        address = _URL.fullmatch(url)
        return address is not None and f'load_dataset("{address[1]}", ' in read_text(folder / "README.md")
    return True


def mlcroissant_says(path: Path) -> list[str]:
    """Return the errors and warnings of mlcroissant, the reference library of Croissant, about the file at ``path``."""
    # Imported here, since it takes half a second, and not every user of this module needs it.
    import mlcroissant

    try:
        issues = mlcroissant.Dataset(jsonld=path).metadata.ctx.issues
        return [f"mlcroissant: {line}" for line in (*sorted(issues.errors), *sorted(issues.warnings))]
    except mlcroissant.ValidationError as error:
        return [f"mlcroissant: {error}"]
