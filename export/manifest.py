"""manifest.json: what was built, from what, and what each check rejected; canonical: equal content, equal bytes."""

import json
import platform
import re
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, Field, StrictInt, ValidationError, model_validator
from pydantic_core import ErrorDetails

from planimeter.export.atomic import ExportError
from planimeter.export.canary import canary_of
from planimeter.export.foreign import parse_json, read_text, require_plain
from planimeter.export.parquet import Count, FileRecord
from planimeter.export.sample import Sample
from planimeter.export.schema import COLUMNS
from planimeter.items.printing import command
from planimeter.items.values import Recipe
from planimeter.suites.base import DatasetName, Version

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

#: What a data file is called.
FILE_NAME = re.compile(r"data/(?P<config>[a-z_]+)/(?P<split>[a-z]+)-(?P<part>[0-9]{5})-of-(?P<parts>[0-9]{5})\.parquet")

#: What belongs to a dataset; whatever else lies in its folder does not.
FILES = ("README.md", "croissant.json", "manifest.json")
FOLDERS = ("data", "report")

#: What publishing adds: what `planimeter probe` measured, and its figure.
ADDED = ("probes.json", "probes.svg")

#: What macOS leaves in any folder that somebody looks at: no part of a dataset, no fault either, and never published.
STRAYS = frozenset({".DS_Store"})


class NoDatasetError(ExportError):
    """The folder or revision holds no dataset, or none that can be read."""


class FormError(ExportError):
    """A manifest that cannot be read at all; ``faults`` says what keeps it from that."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


class Stratum(BaseModel, frozen=True, use_attribute_docstrings=True):
    """What a check did in one stratum."""

    seen: Count
    """Items that reached the check."""
    kept: Count
    """Items that passed it."""
    rejected: Count | dict[str, Count]
    """Items that it rejected, by reason or in one number."""

    @property
    def rejections(self) -> int:
        """How many were rejected, for whatever reason."""
        return self.rejected if isinstance(self.rejected, int) else sum(self.rejected.values())


class Check(Stratum, frozen=True, use_attribute_docstrings=True):
    """What a check saw, kept and rejected, by reason."""

    rejected: dict[str, Count]
    """Items that it rejected, by reason."""
    strata: dict[str, Stratum]
    """The same by stratum, such as a family of functions."""


#: The data files of each config and split, in their order.
Files = Mapping[str, Mapping[str, tuple[FileRecord, ...]]]

#: Of each config, its checks.
Funnel = dict[str, dict[str, Check]]


class Manifest(BaseModel, frozen=True, use_attribute_docstrings=True):
    """What manifest.json says. What is only compared may lack ``code``, ``architecture`` and ``libraries``."""

    dataset: DatasetName
    """Name of the dataset."""
    version: Version
    """Version of the dataset, such as 1.2.2."""
    canary: str = ""
    """The string by which copies of its files are found in other data; a sample has that of its dataset."""
    seed: Annotated[StrictInt, Field(ge=0, lt=2**64)]
    """Root seed of all items; that of the recipe."""
    recipe: Recipe
    """The recipe in full, with the scale, seed and version of this build."""
    code: str = ""
    """Digest of the code that made the rows."""
    architecture: str = Field(default="", min_length=1)
    """Architecture of the machine that made the rows, such as x86_64."""
    libraries: dict[str, str] = {}
    """Versions of the libraries that decide bytes, by package."""
    files: tuple[FileRecord, ...]
    """The data files, in the order of configs and splits."""
    configs: dict[str, dict[str, Count]]
    """Rows by config and split."""
    funnel: Funnel
    """What each check did, by config and check."""
    sample: Sample | None = None
    """From which dataset the rows were drawn; absent or null in a whole dataset."""

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        suite = self.recipe.get("suite")
        if suite not in list(COLUMNS):
            raise ValueError(f"recipe.suite must be one of {', '.join(COLUMNS)}")
        if not self.configs or not set(self.configs) <= set(COLUMNS[suite]):
            raise ValueError(f"configs must name some of {', '.join(COLUMNS[suite])}")
        if not all(self.configs.values()):
            raise ValueError("configs must give the rows of each split")
        paths = [record.path for record in self.files]
        for path in paths:
            match = FILE_NAME.fullmatch(path)
            if match is None or match["split"] not in self.configs.get(match["config"], {}):
                raise ValueError(
                    f"files must be data/<config>/<split>-00000-of-0000N.parquet of a config and split in configs, got "
                    f"{path[:80]!r}"
                )
        if len(set(paths)) < len(paths):
            raise ValueError("files must name each file once")
        return self

    @classmethod
    def of(cls, document: object) -> Self:
        """Return the manifest whose parsed JSON is ``document``.

        Raises:
            FormError: if it lacks a key or holds a value of another form.
        """
        if not isinstance(document, dict):
            raise FormError(["must be a JSON object"])
        try:
            return cls.model_validate(document)
        except ValidationError as error:
            found = error.errors()
        missing = [str(one["loc"][0]) for one in found if one["type"] == "missing" and len(one["loc"]) == 1]
        said = [f"lacks the keys {', '.join(missing)}"] if missing else list(dict.fromkeys(map(_described, found)))
        raise FormError(said)

    @classmethod
    def parse(cls, text: str, where: str) -> Self:
        """Return the manifest whose JSON is ``text``, found at ``where``; ``NoDatasetError`` if it is none."""
        try:
            return cls.of(parse_json(text))
        except (FormError, ValueError) as error:
            raise NoDatasetError(f"{where} cannot be read ({error}); `planimeter verify` says more") from error

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Return the manifest of the dataset in ``folder``, which may be foreign: from here on it is safe to read.

        Raises:
            NoDatasetError: if there is none that can be read.
            ForeignError: if there is a link, pipe or device among what belongs to a dataset.
        """
        path = folder / "manifest.json"
        require_plain(folder, (*FILES, *FOLDERS, *ADDED))
        try:
            return cls.parse(read_text(path), str(path))
        except FileNotFoundError:
            raise NoDatasetError(f"{folder} holds no dataset: {path} is missing") from None
        except (OSError, ValueError) as error:
            verify = command("planimeter", "verify", folder)
            raise ExportError(f"{path} cannot be read ({error}); `{verify}` says more") from error

    @property
    def expected_canary(self) -> str:
        """The canary that all files of the dataset have."""
        return canary_of(*((self.dataset, self.version) if self.sample is None else self.sample.parent.named))

    @property
    def lacking(self) -> list[str]:
        """The keys that what is only compared may lack, and this manifest does."""
        return [key for key in ("architecture", "code", "libraries") if key not in self.model_fields_set]

    def files_of(self, config: str) -> list[tuple[FileRecord, str]]:
        """Return the data files of ``config`` and the split of each."""
        named = ((record, FILE_NAME.fullmatch(record.path)) for record in self.files)
        return [(record, match["split"]) for record, match in named if match and match["config"] == config]

    @property
    def tests(self) -> dict[str, str]:
        """For each config the split that models are asked: `test`, or its only one where there is none of this name."""
        return {config: "test" if "test" in splits else next(iter(splits)) for config, splits in self.configs.items()}

    def to_json(self) -> bytes:
        """Return the content of manifest.json."""
        unset = [key for key, value in (("sample", self.sample), ("canary", self.canary)) if not value]
        return canonical_json(self.model_dump(exclude={*self.lacking, *unset}))


def _described(error: ErrorDetails) -> str:
    """Return what is wrong at one place of a manifest, in pydantic's words behind its path."""
    path, fault = ".".join(map(str, error["loc"])), error["msg"].removeprefix("Value error, ")
    return f"{path}: {fault}, got {repr(error['input'])[:80]}" if path else fault


@cache
def library_versions(names: tuple[str, ...] = DECIDING_LIBRARIES) -> dict[str, str]:
    """Return the installed version of each of ``names``.

    Raises:
        ExportError: if one is not installed.
    """
    try:
        return {name: metadata.version(name) for name in names}
    except metadata.PackageNotFoundError as error:
        raise ExportError(
            f"the package {error.name} decides bytes and is not installed; in a checkout run make dev"
        ) from error


def architecture() -> str:
    """Return the architecture of this machine, such as x86_64. What else its processor can do decides no byte."""
    return platform.machine()


def build(
    *,
    recipe: Recipe,
    dataset: str,
    version: str,
    seed: int,
    code_digest: str,
    files: Files,
    funnel: Mapping[str, Mapping[str, object]],
    libraries: Mapping[str, str] | None = None,
    sample: Sample | None = None,
) -> Manifest:
    """Return the manifest of a dataset that this machine writes.

    ``recipe`` is the recipe as plain JSON values; it names the same dataset, version and seed as are given, but in a
    ``sample``, which keeps the recipe and the funnel of the dataset that it was drawn from. ``libraries`` defaults to
    the installed versions of what decides bytes.

    Raises:
        FormError: if a value has another form than that of a manifest.
    """
    dataset_and_version = (dataset, version) if sample is None else sample.parent.named
    return Manifest.of(
        {
            "dataset": dataset,
            "version": version,
            "canary": canary_of(*dataset_and_version),
            "seed": seed,
            "recipe": dict(recipe),
            "code": code_digest,
            "architecture": architecture(),
            "libraries": library_versions() if libraries is None else dict(libraries),
            "files": [record for splits in files.values() for records in splits.values() for record in records],
            # In the order in which a reader of the file gets them, so that the pages are the same for both.
            "configs": {
                config: {split: sum(record.rows for record in records) for split, records in splits.items()}
                for config, splits in sorted(files.items())
            },
            "funnel": {config: dict(checks) for config, checks in funnel.items()},
            "sample": sample,
        }
    )


def canonical_json(value: object) -> bytes:
    """Return ``value`` as UTF-8 JSON with sorted keys, two blanks of indentation and a newline at the end.

    Raises:
        ExportError: if ``value`` holds what JSON cannot say the same way everywhere: NaN, infinity, a date, a set.
    """
    try:
        text = json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ExportError(f"cannot be written as JSON: {error}; give plain numbers, strings and lists") from error
    return f"{text}\n".encode()
