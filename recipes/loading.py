"""Reads a recipe by the name of its dataset or by its path, and reports all that is wrong with it at once."""

import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from planimeter.items.suites import SuiteError, declared, names, sound
from planimeter.recipes.base import COURSE, TESTS, DatasetName, Recipe, Scale, Seed, Table, Version
from planimeter.recipes.errors import RecipeError as RecipeError
from planimeter.recipes.lines import Place, lines_of

__all__ = ["RecipeError", "available", "load"]

FOLDER = Path(__file__).parent

#: A recipe as TOML or JSON holds it.
Values = Mapping[str, object]


class Collection(Table):
    """Several datasets that are built with one command, such as ``smoke``."""

    collection: DatasetName
    """Name of the collection, such as smoke."""
    summary: str
    """One sentence on what is built."""
    scale: Scale = 1.0
    """Share of the quotas of each dataset."""
    seed: Seed | None = None
    """Seed of all its datasets; each recipe's own without it."""
    version: Version | None = None
    """Version of all its datasets; each recipe's own without it."""
    datasets: tuple[DatasetName, ...]
    """Names of the recipes that are built."""


def available() -> tuple[str, ...]:
    """Return the names of the recipes that come with Planimeter and with installed suites, sorted."""
    return tuple(sorted({path.stem for folder in (FOLDER, *_folders()) for path in folder.glob("*.toml")}))


def _folders() -> Iterator[Path]:
    """Yield the folders with the recipes of installed suites."""
    for suite in sound():
        if suite.datasets:
            with suppress(SuiteError):
                yield Path(suite.load("datasets").__path__[0])


def load(name_or_path: str, **overrides: object) -> Recipe | Collection:
    """Return the recipe of the dataset ``name_or_path``, or the one in the TOML file at that path.

    ``overrides`` (``scale``, ``seed``, ``version``) replace top-level keys unless they are None, and are checked as if
    they stood in the file.

    Raises:
        RecipeError: for an unknown name, an unreadable file, or any value out of its range.
    """
    path = _find(name_or_path)
    text, values = _read(path)
    return parse(values, source=path.name, text=text, **overrides)


def values_of(name: str) -> Values:
    """Return what the recipe called ``name``, one of ``available``, says, unchecked, without loading its model."""
    return _read(_find(name))[1]


def _read(path: Path) -> tuple[str, Values]:
    """Return the TOML document at ``path`` and its values. Raises ``RecipeError`` if it is none."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecipeError(str(path), [f"cannot be read: {error}"]) from None
    try:
        return text, tomllib.loads(text)
    except ValueError as error:
        # A number of thousands of digits is a ValueError of its own.
        raise RecipeError(str(path), [f"is not TOML: {error}"]) from None
    except RecursionError:
        raise RecipeError(str(path), ["cannot be read: its arrays or tables are nested too deep"]) from None


def parse(values: Values, *, source: str, text: str = "", **overrides: object) -> Recipe | Collection:
    """Return the recipe that ``values`` describe; see ``load``. Faults are told with their lines in ``text``, the TOML
    document, where there is one.
    """
    given = {key: value for key, value in overrides.items() if value is not None}
    model, unknown = _model_of(values)
    faults: list[tuple[Place, str]] = [(("suite",), unknown)] if unknown else []
    try:
        recipe = model.model_validate({**values, **given, **({"suite": ""} if unknown else {})})
    except ValidationError as error:
        faults += [(place := _place(fault), _said(fault, place)) for fault in error.errors()]
    else:
        if not faults:
            return cast("Recipe | Collection", recipe)
    # What was given beside the document does not stand in it.
    lines = lines_of(text, [() if not place or place[0] in given else place for place, _ in faults])
    told = sorted(
        ((line or 0, said) for line, (_, said) in zip(lines, faults, strict=True)), key=lambda fault: fault[0]
    )
    raise RecipeError(source, [f"line {line}: {said}" if line else said for line, said in told])


def _find(name_or_path: str) -> Path:
    path = Path(name_or_path)
    if path.suffix == ".toml":
        return path
    # Ours first: another distribution's recipe of the same name is not taken for it.
    for folder in chain((FOLDER,), _folders()):
        if name_or_path in {file.stem for file in folder.glob("*.toml")}:
            return folder / f"{name_or_path}.toml"
    near = "".join(f"; did you mean {name}?" for name in get_close_matches(name_or_path, available(), n=1))
    listed = f"there are: {', '.join(available())} (or give the path of a recipe that ends in .toml)"
    raise RecipeError(name_or_path, [f"no such dataset{near or ';'} {listed}"])


def recipe_of(suite: str) -> type[Recipe] | None:
    """Return the model of the recipes of ``suite``; None if there is no such suite, or if its rows are imported.

    Raises:
        SuiteError: if the suite cannot be imported.
    """
    known = declared(suite) if suite in names() else None
    return cast("type[Recipe]", known.load("recipe")) if known and known.recipe else None


def _model_of(values: Values) -> tuple[type[Table], str]:
    """Return what ``values`` have to obey, and what is wrong with their suite: then that is what all recipes share."""
    if "collection" in values:
        return Collection, ""
    found = recipe_of(str(values.get("suite")))
    if found is None:
        return _Identity, f"suite: need one of {', '.join(names())}, got {values.get('suite')!r}"
    return found, ""


class _Identity(Recipe, extra="ignore"):
    """What is checked of a recipe whose suite nobody knows."""


def _place(fault: ErrorDetails) -> Place:
    """Return the keys that lead to what is wrong, without the kind of a table."""
    return tuple(step for step in fault["loc"] if step not in (TESTS.tag, COURSE.tag))


def _said(fault: ErrorDetails, place: Place) -> str:
    path = ".".join(map(str, place)) or "recipe"
    message = fault["msg"].removeprefix("Value error, ")
    shown = "" if fault["type"] in ("missing", "value_error") else f", got {fault['input']!r}"
    return f"{path}: {message}{shown}"
