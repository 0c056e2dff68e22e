"""Loads recipes, the settings of datasets, by name or by path, and reports all faults of a recipe at once."""

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
    """Several datasets that one command builds, such as ``smoke``."""

    collection: DatasetName
    """Name of the collection, such as smoke."""
    summary: str
    """One sentence that describes it."""
    scale: Scale = 1.0
    """Factor on the number of rows of each dataset."""
    seed: Seed | None = None
    """Seed of all its datasets, in place of those of their recipes."""
    version: Version | None = None
    """Version of all its datasets, in place of those of their recipes."""
    datasets: tuple[DatasetName, ...]
    """Names of the recipes to build."""


def available() -> tuple[str, ...]:
    """Return the sorted names of the recipes that come with Planimeter and with installed suites."""
    return tuple(sorted({path.stem for folder in _folders() for path in folder.glob("*.toml")}))


def _folders() -> Iterator[Path]:
    """Yield the folders with recipes: of collections, then of Planimeter's suites, then of installed suites."""
    yield FOLDER
    for suite in working_suites():
        if suite.datasets:
            with suppress(SuiteError):
                yield Path(suite.load("datasets").__path__[0])


def load(name_or_path: str, **overrides: object) -> Recipe | Collection:
    """Return the recipe or collection that is named ``name_or_path``, or is in the TOML file at that path.

    ``overrides`` (``scale``, ``seed``, ``version``) replace top-level keys unless they are None, and are validated like
    the values in the file.

    Raises:
        RecipeError: for an unknown name, an unreadable file, or an invalid value.
    """
    path = _find(name_or_path)
    return parse(read(path), source=path.name, **overrides)


def values_of(name: str) -> Values:
    """Return the values of the recipe ``name``, one of ``available``, without loading its model or validating them."""
    return read(_find(name))


def read(path: Path) -> Values:
    """Return the values of the TOML file at ``path``; raises RecipeError if it is unreadable or not TOML."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecipeError(str(path), [f"cannot be read: {error}"]) from None
    try:
        return _extended(tomllib.loads(text), {}, (), path)
    except ValueError as error:
        raise RecipeError(str(path), [f"is not TOML: {error}"]) from None
    except RecursionError:
        raise RecipeError(str(path), ["cannot be read: arrays, tables or `extends` are nested too deeply"]) from None


def _extended(values: Values, inherited: Values, place: tuple[str, ...], source: Path) -> Values:
    """Return ``values``, a table of the file ``source`` at the key path ``place``, with inherited keys added.

    If ``values`` has the key ``extends``, they come from the same table of the recipe that it names, otherwise from
    ``inherited``.
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
    """Return the recipe or collection with ``values`` after validation; ``source`` is its name in messages.

    ``overrides`` replace top-level keys unless they are None.

    Raises:
        RecipeError: if a value is invalid; the message has each fault with the path of its key.
    """
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
    """Yield (config, {column: value}, number of items) for each kind of test items that ``recipe`` requires.

    `planimeter verify` derives from these triples the quotas that it checks. Nothing is yielded for the suites that
    come with Planimeter, whose checkers define the quotas, nor for configs that are not in ``Maker.cells``.

    Raises:
        SuiteError: if the suite's plan fails.
        RecipeError: if ``recipe`` is invalid.
    """
    suite = declared(str(recipe["suite"]))
    if suite.distribution != OURS and suite.build:
        with suite.blamed("its plan failed"):
            yield from suite.load("build").promised(parse(recipe, source="manifest.json"))


def _find(name_or_path: str) -> Path:
    """Return the path of the recipe ``name_or_path``; raises RecipeError for an unknown name."""
    path = Path(name_or_path)
    if path.suffix == ".toml":
        return path
    # Our folders come first: a recipe of another distribution cannot replace one of ours.
    for folder in _folders():
        if name_or_path in {file.stem for file in folder.glob("*.toml")}:
            return folder / f"{name_or_path}.toml"
    near = "".join(f"; did you mean {name}?" for name in get_close_matches(name_or_path, available(), n=1))
    listed = f"there are: {', '.join(available())} (or give the path of a recipe that ends in .toml)"
    raise RecipeError(name_or_path, [f"no such dataset{near or ';'} {listed}"])


def recipe_of(suite: str) -> type[Recipe] | None:
    """Return the pydantic model of the recipes of ``suite``; None for an unknown suite, or one without recipes.

    Raises:
        SuiteError: if the suite cannot be imported.
    """
    known = declared(suite) if suite in names() else None
    return cast("type[Recipe]", known.load("recipe")) if known and known.recipe else None


def _model_of(values: Values) -> tuple[type[Table], str]:
    """Return the model that validates ``values``, and an error message if their suite is unknown, otherwise "".

    The model for an unknown suite is ``_Identity``.
    """
    if "collection" in values:
        return Collection, ""
    found = recipe_of(str(values.get("suite")))
    if found is None:
        return _Identity, f"suite: need one of {', '.join(names())}, got {values.get('suite')!r}"
    return found, ""


class _Identity(Recipe, extra="ignore"):
    """The model of recipes of unknown suites: validates the fields that all recipes share, and ignores others."""


def message(fault: ErrorDetails) -> str:
    """Return a line on ``fault``, an error of pydantic, that begins with the path of the faulty key."""
    # pydantic adds the tag of a table's model to the path; the file does not contain it.
    path = ".".join(str(step) for step in fault["loc"] if step not in (TESTS.tag, COURSE.tag)) or "recipe"
    wrong = fault["msg"].removeprefix("Value error, ")
    shown = "" if fault["type"] in ("missing", "value_error") else f", got {fault['input']!r}"
    return f"{path}: {wrong}{shown}"
