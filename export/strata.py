"""Divides the rows of a dataset into strata for sampling, and reads chosen rows.

A stratum is a combination of a config and values in given columns; columns that a config lacks do not divide it. Rows
that belong together are drawn together, as one unit: for example the row of a path and the rows of this path with
confounders. The stratum depends on the values of the first row, and on the configs whose rows the unit has.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from planimeter.export.atomic import ExportError
from planimeter.export.columns import COMMON, Schema
from planimeter.export.manifest import Manifest
from planimeter.export.schema import COLUMNS, schema_of
from planimeter.filters.strata import Population

#: The most strata; more arise only if a column contains measurements or free texts.
MOST_STRATA = 200

#: The name by which rows are divided by split, as if it were a column of the files.
SPLIT = "split"


class Unit(NamedTuple):
    """The rule by which rows of a config are drawn together: those that share a value of ``column``.

    The value is the id of a row of the config ``owner``, which is drawn with them.
    """

    owner: str
    column: str


def units_of(suite: str) -> dict[str, Unit]:
    """Return config -> rule by which its rows are drawn together.

    The rule uses the column with ids of rows of another config; without such a column, rows are drawn one by one.
    """
    alone = {config: Unit(config, "id") for config in COLUMNS[suite]}
    return alone | {
        config: Unit(column.owner, column.name)
        for config, columns in COLUMNS[suite].items()
        for column in columns
        if column.owner
    }


def dividing(manifest: Manifest, configs: Iterable[str]) -> list[str]:
    """Return the names of the columns by which rows of ``configs`` can be divided: texts, integers and booleans."""
    common = {column.name for column in COMMON} - {"answer"}
    fit = (
        column.name
        for config in configs
        for column in schema_of(manifest.recipe["suite"], config, manifest.configs[config]).columns
        if column.name not in common
        and any(is_kind(column.type) for is_kind in (pa.types.is_string, pa.types.is_integer, pa.types.is_boolean))
    )
    return [*dict.fromkeys(fit), SPLIT]


def values_of(path: Path, schema: Schema, split: str, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the values of each row of a data file of ``split`` in the columns ``names``, as texts.

    The value of a column that the file lacks is an empty text.
    """
    own = [name for name in names if name in schema.by_name]
    table = pq.read_table(path, columns=own)
    lacking = {name: [split if name == SPLIT else ""] * table.num_rows for name in names}
    return zip(*(_texts(table[name]) if name in own else lacking[name] for name in names), strict=True)


def population(
    folder: Path,
    manifest: Manifest,
    configs: Sequence[str],
    by: Sequence[str],
    queue: Callable[[str], int] = lambda _: 0,
    *,
    alone: bool = False,
) -> Population:
    """Return the units of ``configs`` (rows that are drawn together) and their strata by the columns ``by``.

    ``queue`` returns the position of a unit in the order of drawing, given its id. With ``alone``, each row is its own
    unit. Only ids and the columns ``by`` are read; those of one file, and some 200 bytes of each row, are in memory.

    Raises:
        ExportError: if a column cannot divide rows, there are too many strata, or a row's owner (``Unit``) is missing.
        OSError, pa.ArrowException, ValueError: if a file cannot be read.
    """
    suite = manifest.recipe["suite"]
    keys = {config: Unit(config, "id") if alone else units_of(suite)[config] for config in configs}
    if loose := [(config, unit.owner) for config, unit in keys.items() if unit.owner not in configs]:
        raise ExportError("the rows of {} belong to those of {}; name that config, too".format(*loose[0]))
    fitting = dividing(manifest, (config for config in configs if keys[config].owner == config))
    if unfit := [name for name in by if name not in fitting]:
        raise ExportError(f"cannot divide rows by {unfit[0]!r}; the possible columns are {', '.join(fitting)}")
    labels: dict[tuple[str, ...], int] = {}
    numbers: dict[tuple[str, str], int] = {}
    strata, priorities = array("q"), array("Q")
    units: dict[str, npt.NDArray[np.int64]] = {}
    # Of each unit, the other configs that have rows of it, as "+a+b"; units with such rows are in separate strata.
    others: list[str] = []
    for config in sorted(keys, key=lambda config: keys[config].owner != config):
        owner, column = keys[config]
        for record, split in manifest.files_of(config):
            schema, of_rows = schema_of(suite, config, [split]), []
            for name, *label in values_of(folder / record.path, schema, split, [column, *by]):
                if (owner, name) not in numbers:
                    if owner != config:
                        what = f"a row belongs to the row {name}, which is missing"
                        raise ExportError(f"{record.path}: {what}; `planimeter verify` shows the details")
                    numbers[owner, name] = len(strata)
                    strata.append(labels.setdefault((config, *label), len(labels)))
                    priorities.append(queue(name))
                    others.append("")
                    if len(labels) > MOST_STRATA:
                        _refuse(labels, by)
                of_rows.append(unit := numbers[owner, name])
                if owner != config and not others[unit].endswith(f"+{config}"):
                    others[unit] += f"+{config}"
            units[record.path] = np.array(of_rows, np.int64)
    known, apart = list(labels), dict[tuple[str, ...], int]()
    for unit, (config, *values) in enumerate(known[number] for number in tuple(strata)):
        strata[unit] = apart.setdefault((config + others[unit], *values), len(apart))
    try:
        return Population.of(list(apart), np.array(strata, np.int64), np.array(priorities, np.uint64), units)
    except ValueError as error:
        raise ExportError(f"{error}; `planimeter verify` shows the details") from None


def _refuse(labels: Iterable[tuple[str, ...]], by: Sequence[str]) -> None:
    """Raise ``ExportError`` about too many strata; it names the column of ``by`` that has most values in ``labels``."""
    values = {name: {label[place] for label in labels} for place, name in enumerate(by, start=1)}
    worst = max(values, key=lambda name: len(values[name]))
    raise ExportError(
        f"more than {MOST_STRATA} strata; {worst} alone has {len(values[worst])} values or more. Name fewer "
        "columns, or columns with fewer values"
    )


def chosen_rows(folder: Path, path: str, wanted: npt.NDArray[np.bool_]) -> Iterator[pa.Table]:
    """Yield the rows of a data file for which ``wanted``, of shape (rows,), is true; a table for each row group."""
    first = 0
    with pq.ParquetFile(folder / path) as file:
        for group in range(file.num_row_groups):
            last = first + file.metadata.row_group(group).num_rows
            if wanted[first:last].any():
                yield file.read_row_group(group).filter(pa.array(wanted[first:last]))
            first = last


def _texts(column: pa.ChunkedArray) -> list[str]:
    texts: list[str] = pc.fill_null(pc.cast(column, pa.string()), "none").to_pylist()
    return texts
