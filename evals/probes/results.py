"""The results of the probes, as probes.json contains them."""

import hashlib
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import pandas as pd
from pydantic import BaseModel, ValidationError

from planimeter.evals.scores.forms import records
from planimeter.export.atomic import ExportError
from planimeter.export.foreign import parse_json
from planimeter.export.manifest import Manifest, canonical_json
from planimeter.items.values import Recipe

#: The name of the file.
FILE = "probes.json"

#: A blind probe finds a shortcut if it exceeds the mean of its null by so many deviations and by such a share.
DEVIATIONS, POINTS = 3.5, 0.02

#: Decimal digits of results: machines agree on so many.
_DIGITS = 4

#: A line of a table, by column.
Line = dict[str, str | int | float | None]


def lines_of(frame: pd.DataFrame) -> tuple[Line, ...]:
    """Return the lines of a table, rounded; a NaN is None."""
    rounded = frame.round(_DIGITS).astype(object)
    return tuple(records(rounded.where(rounded.notna(), None)))


class Figure(BaseModel, frozen=True, extra="forbid"):
    """A mean with its 95% interval, clustered by question; None if it is undefined."""

    mean: float | None
    low: float | None
    high: float | None

    @classmethod
    def of(cls, mean: float, low: float, high: float) -> Self:
        """Return the figure of three numbers; a NaN is None."""
        rounded = (None if math.isnan(value) else round(value, _DIGITS) for value in (mean, low, high))
        return cls(**dict(zip(("mean", "low", "high"), rounded, strict=True)))


class Blind(BaseModel, frozen=True, extra="forbid"):
    """A blind probe: how often it guesses right, and the mean and deviation of that where answers are permuted."""

    probe: str
    guesses: str
    accuracy: Figure
    null: float
    deviation: float

    @property
    def deviations(self) -> float:
        """The excess in deviations of the null."""
        return self.excess / self.deviation if self.deviation else math.inf * (self.excess > 0) if self.excess else 0.0

    @property
    def excess(self) -> float:
        """The accuracy less the mean of the null."""
        return (self.accuracy.mean or 0.0) - self.null

    @property
    def found(self) -> bool:
        """True if it finds a shortcut."""
        return self.deviations > DEVIATIONS and self.excess > POINTS


class Probed(BaseModel, frozen=True, extra="forbid"):
    """The results of one config.

    ``readers`` are lines of a table, a reference model each: its name, its ``kind`` (floor, half-blind, certifier),
    what it ``does``, the side of the thumbnail that it sees (``pixels``), the number of rows, and its metrics with
    their intervals. ``strata`` are the mean scores of the half-blind readers in each stratum. ``silent`` are the blind
    probes whose input is the same in all rows. ``shrunk`` are the shares of ``rows`` that are readable at each ``side``
    (px).
    """

    rows: int
    questions: int
    headline: str
    blind: tuple[Blind, ...]
    silent: tuple[str, ...]
    readers: tuple[Line, ...]
    strata: tuple[Line, ...]
    shrunk: tuple[Line, ...] = ()

    def of_kind(self, kind: str) -> list[Line]:
        """Return the readers of one kind."""
        return [reader for reader in self.readers if reader["kind"] == kind]


class Probes(BaseModel, frozen=True, extra="forbid"):
    """The results of a dataset; ``data`` is the digest of its data files, as ``data_of`` makes it."""

    dataset: str
    version: str
    suite: str
    data: str
    configs: dict[str, Probed]

    def found(self) -> Iterator[tuple[str, Blind]]:
        """Yield (config, probe) of each blind probe that finds a shortcut."""
        for config, probed in self.configs.items():
            yield from ((config, blind) for blind in probed.blind if blind.found)

    def to_json(self) -> bytes:
        """Return the content of probes.json."""
        return canonical_json(self.model_dump())

    @classmethod
    def parse(cls, text: str | bytes, where: str) -> Self:
        """Return the results in the JSON ``text`` from ``where``; ``ExportError`` if it has another form."""
        try:
            return cls.model_validate(parse_json(text))
        except (ValidationError, ValueError) as error:
            first_line = str(error).splitlines()[0]
            raise ExportError(f"{where} cannot be read ({first_line}); run `planimeter probe` again") from error


def probes_folder(folder: Path) -> Path:
    """Return the folder of the results of the dataset in ``folder``: next to it, since a built folder never changes."""
    place = folder.resolve()
    return place.with_name(f"{place.name}.probes")


def data_of(manifest: Manifest) -> str:
    """Return a digest of the data files that ``manifest`` lists; equal files have equal results."""
    listed = "".join(f"{record.path} {record.sha256}\n" for record in manifest.files)
    return hashlib.sha256(listed.encode()).hexdigest()


def declared_shortcuts(recipe: Recipe) -> dict[tuple[str, str], str]:
    """Return the reason of each (config, probe) that the recipe declares as a known shortcut."""
    return {(entry["config"], entry["probe"]): entry["reason"] for entry in recipe.get("known_shortcuts", ())}


def undeclared_shortcuts(probes: Probes, recipe: Recipe) -> list[str]:
    """Return a line for each blind probe that finds a shortcut which the recipe does not declare."""
    excused = declared_shortcuts(recipe)
    return [warning(config, blind) for config, blind in probes.found() if (config, blind.probe) not in excused]


def warning(config: str, blind: Blind) -> str:
    """Return a sentence on the shortcut that a blind probe finds."""
    return (
        f"{config}: {blind.probe} predicts the {blind.guesses} in {blind.accuracy.mean or 0:.1%} of the rows, "
        f"where permuted answers give {blind.null:.1%} ± {blind.deviation:.1%}"
    )
