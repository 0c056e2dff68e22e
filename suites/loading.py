"""Reads a recipe by the name of its dataset or by its path, and reports all of its faults at once."""

import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from planimeter.items.declaration import OURS
from planimeter.items.suites import SuiteError, declared, names, working_suites
from planimeter.suites.base import COURSE, TESTS, DatasetName, Recipe, Scale, Seed, Table, Version
from planimeter.suites.errors import RecipeError as RecipeError

__all__ = ["RecipeError", "available", "load"]

FOLDER = Path(__file__).parent

#: A recipe as plain values of TOML or JSON.
Values = Mapping[str, object]


class Collection(Table):
    """Several datasets that are built with one command, such as ``smoke``."""

    collection: DatasetName
    """Name of the collection, such as smoke."""
    summary: str
    """One sentence on what is built."""
    scale: Scale = 1.0
    """Factor of the number of rows of each dataset."""
    seed: Seed | None = None
    """Seed of all its datasets; each recipe's own without it."""
    version: Version | None = None
    """Version of all its datasets; each recipe's own without it."""
    datasets: tuple[DatasetName, ...]
    """Names of the recipes that are built."""


def available() -> tuple[str, ...]:
    """Return the names of the recipes that come with Planimeter and with installed suites, sorted."""
    return tuple(sorted({path.stem for folder in _folders() for path in folder.glob("*.toml")}))


def _folders() -> Iterator[Path]:
    """Yield the folders with recipes: of collections, of our suites, then of installed ones."""
    yield FOLDER
    for suite in working_suites():
        if suite.datasets:
            with suppress(SuiteError):
                yield Path(suite.load("datasets").__path__[0])


def load(name_or_path: str, **overrides: object) -> Recipe | Collection:
    """Return the recipe of the dataset ``name_or_path``, or the one in the TOML file at that path.

    ``overrides`` (``scale``, ``seed``, ``version``) replace top-level keys unless they are None, and are checked like
    the values in the file.

    Raises:
        RecipeError: for an unknown name, an unreadable file, or any value out of its range.
    """
    path = _find(name_or_path)
    return parse(read(path), source=path.name, **overrides)


def values_of(name: str) -> Values:
    """Return the unchecked values of the recipe ``name``, one of ``available``, without loading its model."""
    return read(_find(name))


def read(path: Path) -> Values:
    """Return the values of the TOML document at ``path``. Raises ``RecipeError`` if it is unreadable or not TOML."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecipeError(str(path), [f"cannot be read: {error}"]) from None
    try:
        return _extended(tomllib.loads(text), {}, (), path)
    except ValueError as error:
        # A number of thousands of digits is a ValueError of its own.
        raise RecipeError(str(path), [f"is not TOML: {error}"]) from None
    except RecursionError:
        raise RecipeError(str(path), ["cannot be read: its arrays, tables or `extends` are nested too deep"]) from None


def _extended(values: Values, inherited: Values, place: tuple[str, ...], source: Path) -> Values:
    """Return the table ``values`` at ``place`` with its missing keys: those ``inherited``, or those of the table at the
    same place in the recipe that its key ``extends`` names.
    """
    if "extends" in values:
        base: object = values_of(str(values["extends"]))
        for step in place:
            base = base.get(step) if isinstance(base, Mapping) else None
        if not isinstance(base, Mapping):
            raise RecipeError(str(source), [f"{'.'.join(place)}.extends: {values['extends']} has no such table"])
        inherited = base
    merged = {**inherited, **values}
    merged.pop("extends", None)
    for key, value in merged.items():
        if isinstance(value, Mapping) and key in values:
            there = inherited.get(key)
            merged[key] = _extended(value, there if isinstance(there, Mapping) else {}, (*place, key), source)
    return merged


def parse(values: Values, *, source: str, **overrides: object) -> Recipe | Collection:
    """Return the recipe that ``values`` describe; see ``load``. Each fault is reported with the path of its key."""
    given = {key: value for key, value in overrides.items() if value is not None}
    model, unknown = _model_of(values)
    faults = [unknown] if unknown else []
    try:
        recipe = model.model_validate({**values, **given, **({"suite": ""} if unknown else {})})
    except ValidationError as error:
        faults += map(message, error.errors())
    else:
        if not faults:
            return cast("Recipe | Collection", recipe)
    raise RecipeError(source, faults)


def promised_cells(recipe: Values) -> Iterator[tuple[str, Mapping[str, object], int]]:
    """Yield config, values and number of items of the cells with names, in a suite of another distribution.

    Raises ``SuiteError`` if its plan fails, ``RecipeError`` if ``recipe`` belongs to another suite.
    """
    suite = declared(str(recipe["suite"]))
    if suite.distribution != OURS and suite.build:
        with suite.blamed("its plan failed"):
            yield from suite.load("build").promised(parse(recipe, source="manifest.json"))


def _find(name_or_path: str) -> Path:
    path = Path(name_or_path)
    if path.suffix == ".toml":
        return path
    # Ours first: they win over another distribution's recipe of the same name.
    for folder in _folders():
        if name_or_path in {file.stem for file in folder.glob("*.toml")}:
            return folder / f"{name_or_path}.toml"
    near = "".join(f"; did you mean {name}?" for name in get_close_matches(name_or_path, available(), n=1))
    listed = f"there are: {', '.join(available())} (or give the path of a recipe that ends in .toml)"
    raise RecipeError(name_or_path, [f"no such dataset{near or ';'} {listed}"])


def recipe_of(suite: str) -> type[Recipe] | None:
    """Return the model of the recipes of ``suite``; None for an unknown suite, or one with imported rows.

    Raises:
        SuiteError: if the suite cannot be imported.
    """
    known = declared(suite) if suite in names() else None
    return cast("type[Recipe]", known.load("recipe")) if known and known.recipe else None


def _model_of(values: Values) -> tuple[type[Table], str]:
    """Return the model that validates ``values``, and the error of their suite; ``_Identity`` for an unknown suite."""
    if "collection" in values:
        return Collection, ""
    found = recipe_of(str(values.get("suite")))
    if found is None:
        return _Identity, f"suite: need one of {', '.join(names())}, got {values.get('suite')!r}"
    return found, ""


class _Identity(Recipe, extra="ignore"):
    """The fields that all recipes share; it validates a recipe whose suite is unknown."""


def message(fault: ErrorDetails) -> str:
    """Return a fault in one line that begins with the path of its key."""
    # The tags name the model of a table; the document does not contain such keys.
    path = ".".join(str(step) for step in fault["loc"] if step not in (TESTS.tag, COURSE.tag)) or "recipe"
    wrong = fault["msg"].removeprefix("Value error, ")
    shown = "" if fault["type"] in ("missing", "value_error") else f", got {fault['input']!r}"
    return f"{path}: {wrong}{shown}"
