"""Reads a recipe by the name of its dataset or by its path, and reports all that is wrong with it at once."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from planimeter.items.suites import SUITES, part_of
from planimeter.recipes.base import DatasetName, Recipe, Scale, Seed, Table, Version

FOLDER = Path(__file__).parent

#: A recipe as TOML or JSON holds it.
Values = Mapping[str, object]


class RecipeError(Exception):
    """A recipe cannot be read or contradicts itself; the message has one line for each fault, with its path."""

    def __init__(self, source: str, faults: list[str]) -> None:
        self.source = source
        self.faults = tuple(faults)
        listed = "".join(f"\n  {fault}" for fault in faults)
        super().__init__(f"{source}: {len(faults)} fault{'s' if len(faults) > 1 else ''}{listed}")


class Collection(Table):
    """Several datasets that are built with one command, such as ``smoke``."""

    collection: DatasetName
    summary: str
    scale: Scale = 1.0
    #: Seed and version of all its datasets; each recipe's own where they are None.
    seed: Seed | None = None
    version: Version | None = None
    datasets: tuple[DatasetName, ...]


def available() -> tuple[str, ...]:
    """Return the names of the recipes that come with Planimeter, sorted."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def load(name_or_path: str, **overrides: object) -> Recipe | Collection:
    """Return the recipe of the dataset ``name_or_path``, or the one in the TOML file at that path.

    ``overrides`` (``scale``, ``seed``, ``version``) replace top-level keys unless they are None, and are checked as if
    they stood in the file.

    Raises:
        RecipeError: for an unknown name, an unreadable file, or any value out of its range.
    """
    path = _find(name_or_path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecipeError(str(path), [f"cannot be read: {error}"]) from None
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(str(path), [f"is not TOML: {error}"]) from None
    return parse(values, source=path.name, **overrides)


def parse(values: Values, *, source: str, **overrides: object) -> Recipe | Collection:
    """Return the recipe that ``values`` (a TOML document) describe; see ``load``."""
    given = {key: value for key, value in overrides.items() if value is not None}
    model = _model_of(values, source)
    try:
        return cast("Recipe | Collection", model.model_validate({**values, **given}))
    except ValidationError as error:
        raise RecipeError(source, [_line(fault) for fault in error.errors()]) from None


def _find(name_or_path: str) -> Path:
    if name_or_path in available():
        return FOLDER / f"{name_or_path}.toml"
    path = Path(name_or_path)
    if path.suffix == ".toml":
        return path
    raise RecipeError(
        name_or_path,
        [f"no such dataset; there are: {', '.join(available())} (or give the path of a recipe that ends in .toml)"],
    )


def _model_of(values: Values, source: str) -> type[Table]:
    if "collection" in values:
        return Collection
    suite = values.get("suite")
    try:
        # A suite whose rows are imported has none.
        found: type[Table] | None = getattr(part_of("planimeter.recipes", str(suite)), "SuiteRecipe", None)
    except LookupError:
        found = None
    if found is None:
        raise RecipeError(source, [f"suite: need one of {', '.join(SUITES)}, got {suite!r}"])
    return found


def _line(fault: ErrorDetails) -> str:
    path = ".".join(str(part) for part in fault["loc"]) or "recipe"
    message = fault["msg"].removeprefix("Value error, ")
    shown = "" if fault["type"] in ("missing", "value_error") else f", got {fault['input']!r}"
    return f"{path}: {message}{shown}"
