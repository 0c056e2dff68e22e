"""manifest.json: what was built, from what, and what each check rejected; canonical: equal content, equal bytes."""

import json
from collections.abc import Iterable, Mapping
from importlib import metadata
from typing import Any

from export.atomic import ExportError
from export.parquet import FileRecord

#: The packages whose version can change a byte of a dataset: numerics, drawing, PNG, Parquet.
DECIDING_LIBRARIES: tuple[str, ...] = (
    "contourpy",
    "deflate",
    "matplotlib",
    "numba",
    "numpy",
    "opencv-python-headless",
    "pyarrow",
    "scikit-image",
    "scipy",
    "shapely",
    "sympy",
)

KEYS: tuple[str, ...] = (
    "code",
    "configs",
    "dataset",
    "files",
    "funnel",
    "libraries",
    "recipe",
    "seed",
    "version",
)

#: What macOS leaves in any folder that somebody looks at: no part of a dataset, no fault either, and never published.
STRAYS = frozenset({".DS_Store"})

#: Per config and check: {"seen", "kept", "rejected": {reason: n}, "strata": {stratum: {"seen", "kept", "rejected"}}};
#: the "rejected" of a stratum may be one number.
Funnel = Mapping[str, Mapping[str, Mapping[str, Any]]]


def library_versions(names: Iterable[str] = DECIDING_LIBRARIES) -> dict[str, str]:
    """Return the installed version of each of ``names``.

    Raises:
        ExportError: if one is not installed.
    """
    try:
        return {name: metadata.version(name) for name in names}
    except metadata.PackageNotFoundError as error:
        raise ExportError(f"the package {error.name} decides bytes and is not installed; run make .venv") from error


def build(
    *,
    recipe: Mapping[str, Any],
    dataset: str,
    version: str,
    seed: int,
    code_digest: str,
    libraries: Mapping[str, str],
    files: Mapping[str, Mapping[str, Iterable[FileRecord]]],
    funnel: Funnel,
) -> dict[str, Any]:
    """Return the manifest; ``files`` lists the data files of each config and split in their order."""
    listed = {config: {split: list(records) for split, records in splits.items()} for config, splits in files.items()}
    return {
        "dataset": dataset,
        "version": version,
        "seed": seed,
        "recipe": dict(recipe),
        "code": code_digest,
        "libraries": dict(libraries),
        "files": [record.as_dict() for splits in listed.values() for records in splits.values() for record in records],
        "configs": {
            config: {split: sum(record.rows for record in records) for split, records in splits.items()}
            for config, splits in listed.items()
        },
        "funnel": {config: dict(checks) for config, checks in funnel.items()},
    }


def in_order(splits: Iterable[str]) -> list[str]:
    """Return the names of splits as people list them, whatever the order in which a file holds them."""
    known = ("train", "validation", "test")
    return sorted(splits, key=lambda split: (known.index(split) if split in known else len(known), split))


def canonical_json(value: Any) -> bytes:
    """Return ``value`` as UTF-8 JSON with sorted keys, two blanks of indentation and a newline at the end.

    Raises:
        ExportError: if ``value`` holds what JSON cannot say the same way everywhere: NaN, infinity, a date, a set.
    """
    try:
        text = json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ExportError(f"cannot be written as JSON: {error}; give plain numbers, strings and lists") from error
    return f"{text}\n".encode()
