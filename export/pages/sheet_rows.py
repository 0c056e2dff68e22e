"""Draws the rows of a sheet for people: a few of one stratum, or of several evenly, in random order."""

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

#: Values of a column that are listed where one is asked for that does not occur.
_LISTED = 12


class Picked(NamedTuple):
    """A row of ``config``, and its values in the columns by which rows were asked for."""

    config: str
    values: tuple[str, ...]
    row: dict[str, Any]


def pick(
    folder: Path, manifest: Manifest, configs: Sequence[str], by: Mapping[str, str | None], rows: int, seed: int
) -> list[Picked]:
    """Return ``rows`` rows of the dataset in ``folder``, config by config, within each in random order.

    ``by`` names columns (or ``split``): one with a value keeps only the rows that have it; each value of the others
    gives as many rows as any other, as far as it has them. Another ``seed`` draws other rows; with the same one a
    smaller sheet is a part of a larger one.

    Raises:
        CurationError: if a column or value does not occur, or there are not so many rows.
    """
    chosen_configs = [config for config in manifest.configs if config in configs or not configs]
    if strange := [config for config in configs if config not in manifest.configs]:
        raise CurationError(f"{folder} has no config {strange[0]!r}; it has {', '.join(manifest.configs)}")
    fitting = dividing(manifest, chosen_configs)
    if unfit := [name for name in by if name not in fitting]:
        raise CurationError(f"there is no column {unfit[0]!r} to choose by; there are {', '.join(fitting)}")
    try:
        return _pick(folder, manifest, chosen_configs, by, rows, seed)
    except (pa.ArrowException, OSError, *MISSHAPEN) as error:
        raise CurationError(f"{folder} cannot be read ({error!r}); `planimeter verify {folder}` says more") from error


def _pick(
    folder: Path, manifest: Manifest, configs: Sequence[str], by: Mapping[str, str | None], rows: int, seed: int
) -> list[Picked]:
    labels: dict[tuple[str, ...], int] = {}
    strata: list[int] = []
    keys: list[int] = []
    occurring: dict[str, set[str]] = {name: set() for name in by}
    for config in configs:
        for record, split in manifest.files_of(config):
            schema = schema_of(manifest.recipe["suite"], config, [split])
            values = values_of(folder / record.path, schema, split, ["id", *by])
            for name, *label in values:
                for column, value in zip(by, label, strict=True):
                    occurring[column].add(value)
                fits = all(choice in (None, value) for choice, value in zip(by.values(), label, strict=True))
                strata.append(labels.setdefault((config, *label), len(labels)) if fits else -1)
                keys.append(priority(seed, name))
    numbers, priorities = np.array(strata, np.int64), np.array(keys, np.uint64)
    (fitting,) = np.nonzero(numbers >= 0)
    if not 1 <= rows <= min(len(fitting), MOST_ROWS):
        raise CurationError(_refused(rows, len(fitting), by, occurring))
    counts = np.bincount(numbers[fitting], minlength=len(labels)).tolist()
    taken = shares(rows, [Stratum(count) for count in counts], equal=True)
    is_picked = np.zeros(len(numbers), np.bool_)
    is_picked[fitting] = chosen(numbers[fitting], priorities[fitting], taken)
    named, rows_picked, first = list(labels), [], 0
    for config in configs:
        drawn: list[tuple[int, Picked]] = []
        for record, _ in manifest.files_of(config):
            places = np.flatnonzero(is_picked[first : first + record.rows]) + first
            tables = chosen_rows(folder, record.path, is_picked[first : first + record.rows])
            read = (row for table in tables for row in table.to_pylist())
            drawn += [(keys[k], Picked(config, named[strata[k]][1:], row)) for k, row in zip(places, read, strict=True)]
            first += record.rows
        rows_picked += [rows_picked for _, rows_picked in sorted(drawn, key=lambda one: one[0])]
    return rows_picked


def _refused(rows: int, fitting: int, by: Mapping[str, str | None], occurring: Mapping[str, set[str]]) -> str:
    for column, value in by.items():
        if value is not None and value not in occurring[column]:
            known = sorted(occurring[column])
            more = ", ..." if len(known) > _LISTED else ""
            return f"no row has {column} = {value}; there are {', '.join(known[:_LISTED])}{more}"
    return f"--rows: need 1 to {min(fitting, MOST_ROWS)} (of {fitting:,} that fit), got {rows}"
