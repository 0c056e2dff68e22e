"""manifest.json: what was built, from what, and what each check rejected; canonical: equal content, equal bytes."""

import json
import platform
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import metadata
from typing import Any

from pydantic import ValidationError

from planimeter.export.atomic import ExportError
from planimeter.export.parquet import FileRecord
from planimeter.export.sample import Sample
from planimeter.export.schema import COLUMNS

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
    "architecture",
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

#: What a data file is called.
FILE_NAME = re.compile(r"data/(?P<config>[a-z_]+)/(?P<split>[a-z]+)-(?P<part>\d{5})-of-(?P<parts>\d{5})\.parquet")

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


def architecture() -> str:
    """Return the architecture of this machine, such as x86_64. What else its processor can do decides no byte."""
    return platform.machine()


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
    sample: Sample | None = None,
) -> dict[str, Any]:
    """Return the manifest; ``files`` lists the data files of each config and split in their order.

    That of a ``sample`` says so, and keeps the recipe and the funnel of the dataset that it was drawn from.
    """
    listed = {config: {split: list(records) for split, records in splits.items()} for config, splits in files.items()}
    return {
        "dataset": dataset,
        "version": version,
        "seed": seed,
        "recipe": dict(recipe),
        "code": code_digest,
        "architecture": architecture(),
        "libraries": dict(libraries),
        "files": [record.as_dict() for splits in listed.values() for records in splits.values() for record in records],
        "configs": {
            config: {split: sum(record.rows for record in records) for split, records in splits.items()}
            for config, splits in listed.items()
        },
        "funnel": {config: dict(checks) for config, checks in funnel.items()},
        **({} if sample is None else {"sample": sample.model_dump(mode="json")}),
    }


def form_faults(manifest: Any, keys: Sequence[str] = KEYS) -> Iterator[str]:
    """Yield what keeps ``manifest``, as parsed from JSON, from being read at all: lacking ``keys`` and wrong types."""
    if not isinstance(manifest, dict):
        yield "must be a JSON object"
        return
    missing = [key for key in keys if key not in manifest]
    if missing:
        yield f"lacks the keys {', '.join(missing)}"
        return
    for key, kind, named in (("dataset", str, "a text"), ("version", str, "a text"), ("seed", int, "a whole number")):
        if type(manifest[key]) is not kind:
            yield f"{key} must be {named}, got {manifest[key]!r}"
    machine = manifest.get("architecture", "none")
    if type(machine) is not str or not machine:
        yield f"architecture must name that of a machine, such as x86_64, got {machine!r}"
    recipe, files, configs = manifest["recipe"], manifest["files"], manifest["configs"]
    if not isinstance(recipe, dict) or recipe.get("suite") not in list(COLUMNS):
        yield f"recipe.suite must be one of {', '.join(COLUMNS)}"
        return
    own = COLUMNS[recipe["suite"]]
    kinds = {"path": str, "sha256": str, "rows": int, "bytes": int}
    if not isinstance(files, list) or not all(
        isinstance(record, dict) and {key: type(value) for key, value in record.items()} == kinds for record in files
    ):
        yield "files must be a list of {path, sha256, rows, bytes}"
    if not isinstance(configs, dict) or not configs or not all(config in own for config in configs):
        yield f"configs must name some of {', '.join(own)}"
    elif not all(
        isinstance(splits, dict) and splits and all(type(rows) is int for rows in splits.values())
        for splits in configs.values()
    ):
        yield "configs must give the rows of each split"
    if not all(isinstance(manifest.get(key, {}), dict) for key in ("funnel", "libraries")):
        yield "funnel and libraries must be JSON objects"
    elif not all(isinstance(checks, dict) for checks in manifest["funnel"].values()):
        yield "funnel must give the checks of each config"
    try:
        Sample.of(manifest)
    except ValidationError as error:
        first = error.errors()[0]
        yield f"sample.{'.'.join(map(str, first['loc']))}: {first['msg']}"


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
