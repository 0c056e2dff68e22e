"""Reads and writes seal.json, the commitment to a sealed edition that is published before any of its rows.

A sealed edition is a dataset whose seed is secret at first. The file contains digests of the recipe, the code and each
data file, versions of libraries, numbers of rows and strata, but no row. Its ``seal`` is the SHA-256 of the seed file,
which is published last, as ``seed.txt``.
"""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from planimeter.export.atomic import ExportError
from planimeter.export.design import strata_of
from planimeter.export.foreign import parse_json, read_file
from planimeter.export.manifest import Manifest, canonical_json
from planimeter.items.values import Record

#: The names of the file with the seal, and of the seed file in the folder of an opened edition.
SEAL_FILE, SEED_FILE = "seal.json", "seed.txt"


def seal_of(folder: Path, manifest: Manifest) -> Record:
    """Return the content of seal.json for the dataset in ``folder``: digests of recipe, code and files, but no row."""
    return {
        "dataset": manifest.dataset,
        "version": manifest.version,
        "seal": manifest.seal,
        "recipe": hashlib.sha256(canonical_json(manifest.recipe)).hexdigest(),
        "code": manifest.code,
        "architecture": manifest.architecture,
        "libraries": dict(manifest.libraries),
        "files": {record.path: record.sha256 for record in manifest.files},
        "rows": manifest.configs,
        "strata": strata_of(folder, manifest),
    }


def is_due(manifest: Manifest) -> bool:
    """True if the dataset must have a seal.json: it is a sealed edition, even with a published seed, but no sample."""
    return bool(manifest.seal) and manifest.sample is None


def read_seal(path: Path) -> Record:
    """Return the content of the seal.json at ``path``. Raises ``ExportError`` if it cannot be read."""
    try:
        document = parse_json(read_file(path))
    except (OSError, ValueError) as error:
        raise ExportError(f"{path} cannot be read as a seal: {error}") from error
    if not isinstance(document, dict):
        raise ExportError(f"{path} is not a seal: need a JSON object, as the build writes it to {SEAL_FILE}")
    return document


def differences(seal: Mapping[str, object], edition: Mapping[str, object], place: str = "") -> Iterator[str]:
    """Yield a line for each value in which two seals differ: the published ``seal``, and that of a built ``edition``.

    ``place`` is put before each key in a line.
    """
    for key in sorted({*seal, *edition}):
        name, sealed, found = f"{place}{key}", seal.get(key), edition.get(key)
        if isinstance(sealed, dict) and isinstance(found, dict):
            yield from differences(sealed, found, f"{name}: ")
        elif sealed != found:
            yield f"{name} is {found!r}, the seal says {sealed!r}"
