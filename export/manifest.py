"""Reads and writes manifest.json: dataset, recipe, files, counts of each check. Equal contents give equal bytes."""

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

#: The packages whose version can change a byte of a dataset: numerical libraries, drawing, PNG, Parquet.
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

#: The pattern of the path of a data file.
FILE_NAME = re.compile(r"data/(?P<config>[a-z_]+)/(?P<split>[a-z]+)-(?P<part>[0-9]{5})-of-(?P<parts>[0-9]{5})\.parquet")

#: The files and folders of a dataset; other entries of its folder do not belong to it.
FILES = ("README.md", "croissant.json", "manifest.json")
FOLDERS = ("data", "report")

#: The files that `planimeter publish` adds: the results of `planimeter probe`, and their figure.
ADDED = ("probes.json", "probes.svg")

#: The file that macOS writes into folders; it is ignored and never published.
STRAYS = frozenset({".DS_Store"})


class NoDatasetError(ExportError):
    """The folder, or the revision on the Hub, contains no readable dataset."""


class FormError(ExportError):
    """A manifest.json lacks keys or has invalid values; ``faults`` lists them."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


class Stratum(BaseModel, frozen=True, use_attribute_docstrings=True):
    """The counts of one check for some of the items (a stratum), such as those of one family of functions."""

    seen: Count
    """Items that reached the check."""
    kept: Count
    """Items that passed it."""
    rejected: Count | dict[str, Count]
    """Items that it rejected, by reason or in one number."""

    @property
    def rejections(self) -> int:
        """The number of rejections, for any reason."""
        return self.rejected if isinstance(self.rejected, int) else sum(self.rejected.values())


class Check(Stratum, frozen=True, use_attribute_docstrings=True):
    """The counts of a check: items seen, kept, and rejected by reason."""

    rejected: dict[str, Count]
    """Items that it rejected, by reason."""
    strata: dict[str, Stratum]
    """The same by stratum, such as a family of functions."""


#: The data files of each config and split, in their order.
Files = Mapping[str, Mapping[str, tuple[FileRecord, ...]]]

#: Config -> its checks.
Funnel = dict[str, dict[str, Check]]


class Manifest(BaseModel, frozen=True, use_attribute_docstrings=True):
    """The content of manifest.json, which describes a dataset: recipe, files, rows, and counts of the checks.

    Only old versions may lack ``code``, ``architecture`` and ``libraries``.
    """

    dataset: DatasetName
    """Name of the dataset."""
    version: Version
    """Version of the dataset, such as 1.2.2."""
    canary: str = ""
    """The string by which copies of its files are found in other data; a sample has that of its parent dataset."""
    seed: Annotated[StrictInt, Field(ge=0, lt=2**256)] | None = None
    """Root seed of all items, as in the recipe. Absent in a sealed edition."""
    seal: str = Field(default="", pattern="^([0-9a-f]{64})?$")
    """SHA-256 of the seed file of a sealed edition. Absent in others."""
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
    """Counts of each check, by config and check."""
    sample: Sample | None = None
    """The dataset from which the rows of a sample were drawn; absent or null in a whole dataset."""

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        if (self.seed is None) != bool(self.seal):
            raise ValueError("need either seed or seal: a sealed edition has its seal in place of the seed")
        suite = self.recipe.get("suite")
        if suite not in list(COLUMNS):
            raise ValueError(f"recipe.suite must be one of {', '.join(COLUMNS)}")
        if not self.configs or not set(self.configs) <= set(COLUMNS[suite]):
            raise ValueError(f"configs must be one or more of {', '.join(COLUMNS[suite])}")
        if not all(self.configs.values()):
            raise ValueError("configs must give the number of rows of each split")
        paths = [record.path for record in self.files]
        for path in paths:
            match = FILE_NAME.fullmatch(path)
            if match is None or match["split"] not in self.configs.get(match["config"], {}):
                raise ValueError(
                    f"files must be data/<config>/<split>-00000-of-0000N.parquet of a config and split in configs, got "
                    f"{path[:80]!r}"
                )
        if len(set(paths)) < len(paths):
            raise ValueError("files must not name a file twice")
        return self

    @classmethod
    def of(cls, document: object) -> Self:
        """Return the manifest whose parsed JSON is ``document``.

        Raises:
            FormError: for a missing key or a misshapen value.
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
        """Return the manifest in the JSON ``text``, read from ``where``. Raises ``NoDatasetError`` if it is invalid."""
        try:
            return cls.of(parse_json(text))
        except (FormError, ValueError) as error:
            raise NoDatasetError(f"{where} cannot be read ({error}); `planimeter verify` shows the details") from error

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Return the manifest of the dataset in ``folder``, after a check that the dataset contains no link or pipe.

        Raises:
            NoDatasetError: if there is no readable manifest.
            ForeignError: if an entry of the dataset is a link, pipe or device.
        """
        path = folder / "manifest.json"
        require_plain(folder, (*FILES, *FOLDERS, *ADDED))
        try:
            return cls.parse(read_text(path), str(path))
        except FileNotFoundError:
            raise NoDatasetError(f"{folder} is not a dataset: {path} is missing") from None
        except (OSError, ValueError) as error:
            verify = command("planimeter", "verify", folder)
            raise ExportError(f"{path} cannot be read ({error}); `{verify}` shows the details") from error

    @property
    def expected_canary(self) -> str:
        """The canary that all files must contain, by which copies of them are found in other data."""
        return canary_of(*((self.dataset, self.version) if self.sample is None else self.sample.parent.named))

    @property
    def lacking(self) -> list[str]:
        """The names of the keys ``architecture``, ``code`` and ``libraries`` that this manifest lacks."""
        return [key for key in ("architecture", "code", "libraries") if key not in self.model_fields_set]

    def files_of(self, config: str) -> list[tuple[FileRecord, str]]:
        """Return (data file, split) for each data file of ``config``, in order."""
        named = ((record, FILE_NAME.fullmatch(record.path)) for record in self.files)
        return [(record, match["split"]) for record, match in named if match and match["config"] == config]

    @property
    def tests(self) -> dict[str, str]:
        """Config -> the split on which models are tested: `test`, or its first split if it has no `test`."""
        return {config: "test" if "test" in splits else next(iter(splits)) for config, splits in self.configs.items()}

    def to_json(self) -> bytes:
        """Return the bytes of manifest.json."""
        unset = [key for key in ("sample", "canary", "seal") if not getattr(self, key)]
        unset += ["seed"] if self.seal else []
        return canonical_json(self.model_dump(exclude={*self.lacking, *unset}))


def _described(error: ErrorDetails) -> str:
    """Return one line about ``error``: the path of the key in the manifest, and pydantic's message."""
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
            f"the package {error.name} decides the bytes of a dataset and is not installed; in a checkout run make dev"
        ) from error


def architecture() -> str:
    """Return the architecture of this machine, such as x86_64. Machines of one architecture make equal bytes."""
    return platform.machine()


def build(
    *,
    recipe: Recipe,
    dataset: str,
    version: str,
    seed: int | None,
    seal: str = "",
    code_digest: str,
    files: Files,
    funnel: Mapping[str, Mapping[str, object]],
    libraries: Mapping[str, str] | None = None,
    sample: Sample | None = None,
) -> Manifest:
    """Return the manifest of a dataset that this machine writes; parameters are fields of ``Manifest``.

    ``recipe`` is the recipe as plain JSON values, with the same dataset, version and seed (None if there is a
    ``seal``); for a ``sample``, recipe and funnel are those of the parent dataset. ``code_digest`` is the field
    ``code``. ``libraries`` defaults to the installed versions of ``DECIDING_LIBRARIES``.

    Raises:
        FormError: if a value is not valid in a manifest.
    """
    dataset_and_version = (dataset, version) if sample is None else sample.parent.named
    return Manifest.of(
        {
            "dataset": dataset,
            "version": version,
            "canary": canary_of(*dataset_and_version),
            "seed": seed,
            "seal": seal,
            "recipe": dict(recipe),
            "code": code_digest,
            "architecture": architecture(),
            "libraries": library_versions() if libraries is None else dict(libraries),
            "files": [record for splits in files.values() for records in splits.values() for record in records],
            # Sorted like the keys in the file, so that pages are the same if written from the file.
            "configs": {
                config: {split: sum(record.rows for record in records) for split, records in splits.items()}
                for config, splits in sorted(files.items())
            },
            "funnel": {config: dict(checks) for config, checks in funnel.items()},
            "sample": sample,
        }
    )


def canonical_json(value: object) -> bytes:
    """Return ``value`` as UTF-8 JSON with sorted keys, an indentation of two spaces, and a final newline.

    Raises:
        ExportError: if ``value`` contains something that JSON cannot represent: NaN, infinity, a date, a set.
    """
    try:
        text = json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ExportError(f"cannot be written as JSON: {error}; give plain numbers, strings and lists") from error
    return f"{text}\n".encode()
