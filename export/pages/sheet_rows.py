"""Draws the rows of a sheet for people: a few of one stratum, or of several evenly, in an order drawn by lot."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from planimeter.export.errors import CurationError
from planimeter.export.manifest import Manifest
from planimeter.export.promises import MISSHAPEN
from planimeter.export.schema import schema_of
from planimeter.export.strata import chosen_rows, dividing, values_of
from planimeter.filters.strata import Stratum, chosen, priority, shares

#: More rows than a person answers; all their pictures are held in memory.
MOST_ROWS = 200

#: Values of a column that are told where one is asked for that does not occur.
_TOLD = 12


class Picked(NamedTuple):
    """A row of ``config``, and its values in the columns by which rows were asked for."""

    config: str
    values: tuple[str, ...]
    row: dict[str, Any]


def pick(
    folder: Path, manifest: Manifest, configs: Sequence[str], by: Mapping[str, str | None], rows: int, seed: int
) -> list[Picked]:
    """Return ``rows`` rows of the dataset in ``folder``, config by config, within each in an order drawn by lot.

    ``by`` names columns (or ``split``): one with a value keeps only the rows that have it; each value of the others
    gives as many rows as any other, as far as it has them. Another ``seed`` draws other rows; with the same one a
    smaller sheet is a part of a larger one.

    Raises:
        CurationError: if a column or value does not occur, or there are not so many rows.
    """
    asked = [config for config in manifest.configs if config in configs or not configs]
    if strange := [config for config in configs if config not in manifest.configs]:
        raise CurationError(f"{folder} has no config {strange[0]!r}; it has {', '.join(manifest.configs)}")
    fitting = dividing(manifest, asked)
    if unfit := [name for name in by if name not in fitting]:
        raise CurationError(f"there is no column {unfit[0]!r} to choose by; there are {', '.join(fitting)}")
    try:
        return _pick(folder, manifest, asked, by, rows, seed)
    except (pa.ArrowException, OSError, *MISSHAPEN) as error:
        raise CurationError(f"{folder} cannot be read ({error!r}); `planimeter verify {folder}` says more") from error


def _pick(
    folder: Path, manifest: Manifest, configs: Sequence[str], by: Mapping[str, str | None], rows: int, seed: int
) -> list[Picked]:
    labels: dict[tuple[str, ...], int] = {}
    strata: list[int] = []
    lots: list[int] = []
    met: dict[str, set[str]] = {name: set() for name in by}
    for config in configs:
        for record, split in manifest.files_of(config):
            schema = schema_of(manifest.recipe["suite"], config, [split])
            values = values_of(folder / record.path, schema, split, ["id", *by])
            for name, *label in values:
                for column, value in zip(by, label, strict=True):
                    met[column].add(value)
                fits = all(wanted in (None, value) for wanted, value in zip(by.values(), label, strict=True))
                strata.append(labels.setdefault((config, *label), len(labels)) if fits else -1)
                lots.append(priority(seed, name))
    numbers, priorities = np.array(strata, np.int64), np.array(lots, np.uint64)
    (there,) = np.nonzero(numbers >= 0)
    if not 1 <= rows <= min(len(there), MOST_ROWS):
        raise CurationError(_refused(rows, len(there), by, met))
    counts = np.bincount(numbers[there], minlength=len(labels)).tolist()
    taken = shares(rows, [Stratum(count) for count in counts], equal=True)
    wanted = np.zeros(len(numbers), np.bool_)
    wanted[there] = chosen(numbers[there], priorities[there], taken)
    named, found, first = list(labels), [], 0
    for config in configs:
        drawn: list[tuple[int, Picked]] = []
        for record, _ in manifest.files_of(config):
            places = np.flatnonzero(wanted[first : first + record.rows]) + first
            tables = chosen_rows(folder, record.path, wanted[first : first + record.rows])
            read = (row for table in tables for row in table.to_pylist())
            drawn += [(lots[k], Picked(config, named[strata[k]][1:], row)) for k, row in zip(places, read, strict=True)]
            first += record.rows
        found += [picked for _, picked in sorted(drawn, key=lambda one: one[0])]
    return found


def _refused(rows: int, there: int, by: Mapping[str, str | None], met: Mapping[str, set[str]]) -> str:
    for column, value in by.items():
        if value is not None and value not in met[column]:
            known = sorted(met[column])
            more = ", ..." if len(known) > _TOLD else ""
            return f"no row has {column} = {value}; there are {', '.join(known[:_TOLD])}{more}"
    return f"--rows: need 1 to {min(there, MOST_ROWS)} (of {there:,} that fit), got {rows}"
