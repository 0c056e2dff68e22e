"""The records of ``probes.json``, which has the results of the probes on a dataset."""

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

#: A blind probe finds a shortcut if its accuracy exceeds the null mean by these standard deviations and by this share.
DEVIATIONS, POINTS = 3.5, 0.02

#: The number of decimals of results: on so many all machines agree.
_DIGITS = 4

#: A line of a table, by column.
Line = dict[str, str | int | float | None]


def lines_of(frame: pd.DataFrame) -> tuple[Line, ...]:
    """Return the rows of a table as mappings, with rounded numbers; NaN becomes None."""
    rounded = frame.round(_DIGITS).astype(object)
    return tuple(records(rounded.where(rounded.notna(), None)))


class Figure(BaseModel, frozen=True, extra="forbid"):
    """A mean with the bounds of its 95% interval, clustered by question; a number that is undefined is None."""

    mean: float | None
    low: float | None
    high: float | None

    @classmethod
    def of(cls, mean: float, low: float, high: float) -> Self:
        """Return a ``Figure`` of the mean and its bounds, rounded to four decimals; NaN becomes None."""
        rounded = (None if math.isnan(value) else round(value, _DIGITS) for value in (mean, low, high))
        return cls(**dict(zip(("mean", "low", "high"), rounded, strict=True)))


class Blind(BaseModel, frozen=True, extra="forbid"):
    """The result of a blind probe, which sees no picture: its accuracy on the true and on permuted answers.

    ``null`` and ``deviation`` are the mean and standard deviation of the accuracy on permuted answers; ``guesses``
    describes the predicted text.
    """

    probe: str
    guesses: str
    accuracy: Figure
    null: float
    deviation: float

    @property
    def deviations(self) -> float:
        """The ``excess`` divided by the standard deviation of the accuracy on permuted answers."""
        return self.excess / self.deviation if self.deviation else math.inf * (self.excess > 0) if self.excess else 0.0

    @property
    def excess(self) -> float:
        """The accuracy minus its mean on permuted answers."""
        return (self.accuracy.mean or 0.0) - self.null

    @property
    def found(self) -> bool:
        """True if the probe finds a shortcut: its accuracy is far above its mean on permuted answers.

        The difference is more than ``POINTS``, and more than ``DEVIATIONS`` standard deviations.
        """
        return self.deviations > DEVIATIONS and self.excess > POINTS


class Probed(BaseModel, frozen=True, extra="forbid"):
    """The results of all probes on one config.

    ``readers`` has a mapping for each reference model: its name, its ``kind`` ("floor" without a picture, "half-blind"
    with little of it, "certifier"), what it ``does``, the side of the thumbnail that it sees (``pixels``), the number
    of rows, and its metrics with their intervals. ``strata`` has the mean scores of the half-blind models in each
    stratum, ``shrunk`` the share of rows that are readable in pictures with a longer side of ``side`` px. ``silent``
    names the blind probes that cannot learn, as their input is constant.
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
        """Return those of ``readers`` with this ``kind``: "floor", "half-blind" or "certifier"."""
        return [reader for reader in self.readers if reader["kind"] == kind]


class Probes(BaseModel, frozen=True, extra="forbid"):
    """The results of all probes on a dataset, by config; ``data`` is a digest of its data files, see ``data_of``."""

    dataset: str
    version: str
    suite: str
    data: str
    configs: dict[str, Probed]

    def found(self) -> Iterator[tuple[str, Blind]]:
        """Yield the config and the result of each blind probe that finds a shortcut."""
        for config, probed in self.configs.items():
            yield from ((config, blind) for blind in probed.blind if blind.found)

    def to_json(self) -> bytes:
        """Return the results as canonical JSON, the content of probes.json."""
        return canonical_json(self.model_dump())

    @classmethod
    def parse(cls, text: str | bytes, where: str) -> Self:
        """Return the results in the JSON ``text``, the content of the file ``where``.

        Raises:
            ExportError: if it is not JSON, or has other fields.
        """
        try:
            return cls.model_validate(parse_json(text))
        except (ValidationError, ValueError) as error:
            first_line = str(error).splitlines()[0]
            raise ExportError(f"{where} cannot be read ({first_line}); run `planimeter probe` again") from error


def probes_folder(folder: Path) -> Path:
    """Return the folder for the results on the dataset in ``folder``: next to it, as a built folder never changes."""
    place = folder.resolve()
    return place.with_name(f"{place.name}.probes")


def data_of(manifest: Manifest) -> str:
    """Return a digest of the data files that ``manifest`` lists: probes of equal files have equal results."""
    listed = "".join(f"{record.path} {record.sha256}\n" for record in manifest.files)
    return hashlib.sha256(listed.encode()).hexdigest()


def declared_shortcuts(recipe: Recipe) -> dict[tuple[str, str], str]:
    """Return {(config, name of the probe): reason} for the shortcuts that the recipe declares as known."""
    return {(entry["config"], entry["probe"]): entry["reason"] for entry in recipe.get("known_shortcuts", ())}


def undeclared_shortcuts(probes: Probes, recipe: Recipe) -> list[str]:
    """Return a sentence for each blind probe that finds a shortcut which the recipe does not declare."""
    excused = declared_shortcuts(recipe)
    return [warning(config, blind) for config, blind in probes.found() if (config, blind.probe) not in excused]


def warning(config: str, blind: Blind) -> str:
    """Return a sentence on the shortcut that a blind probe finds: its accuracy on true and on permuted answers."""
    return (
        f"{config}: {blind.probe} predicts the {blind.guesses} in {blind.accuracy.mean or 0:.1%} of the rows, "
        f"where permuted answers give {blind.null:.1%} ± {blind.deviation:.1%}"
    )
