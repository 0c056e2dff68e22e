"""How the rows of a dataset fall into strata, and the rows of those that were chosen.

The strata are the combinations of a row's config and of its values in the columns asked for; a column that a config
lacks divides it no further. Rows which only make sense together are one unit: a path of traversal and the two pictures
that show it with confounders, or all drawings of a path straight and bent. The former count to the values of the path,
and are a stratum apart from plain paths.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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

#: More strata than this come of a column of measurements or texts, not of a design.
MOST_STRATA = 200

#: The name by which rows are divided by their split, which is no column of the files.
SPLIT = "split"


class Tie(NamedTuple):
    """Each row of ``config`` belongs to the row of ``owner`` whose id stands in ``column``."""

    config: str
    column: str
    owner: str


def _owners(suite: str) -> list[Tie]:
    """Return which rows of ``suite`` belong to others, as the columns say."""
    columns = ((config, column) for config, own in COLUMNS[suite].items() for column in own)
    return [Tie(config, column.name, column.owner) for config, column in columns if column.owner]


def columns_for(manifest: Manifest, configs: Iterable[str]) -> list[str]:
    """Return the columns by which rows of ``configs`` can be divided and drawn together with those that they own."""
    tied = {tie.config for tie in _owners(manifest.recipe["suite"]) if tie.config != tie.owner}
    return dividing(manifest, (config for config in configs if config not in tied))


def dividing(manifest: Manifest, configs: Iterable[str]) -> list[str]:
    """Return the columns by which rows of ``configs`` can be divided: texts, whole numbers and truth values."""
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
    """Yield of each row of a data file of ``split`` its values in the columns ``names``, as texts; empty where the file
    has no such column.
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
) -> Population:
    """Return the units of ``configs`` in the dataset in ``folder``, each with its stratum ``by`` columns.

    ``queue`` gives the id of a unit its place. Of a file only ids and columns are read; memory holds one file's, and a
    few bytes of each row.

    Raises:
        ExportError: if a column does not fit, there are too many strata, or rows lack those that they belong to.
        OSError, pa.ArrowException, ValueError: if a file cannot be read.
    """
    suite = manifest.recipe["suite"]
    owners_of = _owners(suite)
    #: Where rows belong to one of their own config, the value itself stands for all that share it.
    groups_by = {tie.config: tie.column for tie in owners_of if tie.config == tie.owner}
    known = [tie for tie in owners_of if tie.config != tie.owner]
    ties = [tie for tie in known if tie.config in configs]
    if loose := [tie for tie in ties if tie.owner not in configs]:
        raise ExportError(f"the rows of {loose[0].config} belong to those of {loose[0].owner}; name that config, too")
    fitting = columns_for(manifest, configs)
    if unfit := [name for name in by if name not in fitting]:
        raise ExportError(f"cannot divide rows by {unfit[0]!r}; the columns that fit are {', '.join(fitting)}")
    labels: dict[tuple[str, ...], int] = {}
    strata, priorities = array("q"), array("Q")
    units: dict[str, npt.NDArray[np.int64]] = {}
    owners: dict[str, int] = {}
    groups: dict[str, int] = {}
    tied = [tie.config for tie in known]
    for config in (config for config in manifest.configs if config in configs and config not in tied):
        for record, split in manifest.files_of(config):
            key, ids, of_rows = groups_by.get(config, "id"), [], []
            for name, *label in values_of(folder / record.path, schema_of(suite, config, [split]), split, [key, *by]):
                of_rows.append(groups.setdefault(name, len(strata)) if key != "id" else len(strata))
                if of_rows[-1] < len(strata):
                    continue
                ids.append(name)
                strata.append(labels.setdefault((config, *label), len(labels)))
                if len(labels) > MOST_STRATA:
                    _refuse(labels, by)
            priorities.extend(map(queue, ids))
            units[record.path] = np.array(of_rows, np.int64)
            if any(config == tie.owner for tie in ties):
                owners.update(zip(ids, of_rows, strict=True))
    # With which of the ties it owns rows, as bits: units that own others are strata apart.
    owning = np.zeros(len(strata), np.int64)
    for bit, tie in enumerate(ties):
        for record, _ in manifest.files_of(tie.config):
            units[record.path] = _owned(folder, record.path, tie.column, owners)
            owning[units[record.path]] |= 1 << bit
    owned = [
        "".join(f"+{tie.config}" for bit, tie in enumerate(ties) if bits >> bit & 1) for bits in range(1 << len(ties))
    ]
    named = [(config + others, *values) for others in owned for config, *values in labels]
    numbers = np.array(strata, np.int64) + len(labels) * owning
    try:
        return Population.of(named, numbers, np.array(priorities, np.uint64), units)
    except ValueError as error:
        raise ExportError(f"{error}; `planimeter verify` says more") from None


def _owned(folder: Path, path: str, column: str, owners: Mapping[str, int]) -> npt.NDArray[np.int64]:
    """Return the units of a file's rows, which belong to the owners named in ``column``."""
    ids = pq.read_table(folder / path, columns=[column])[column].to_pylist()
    strange = next((name for name in ids if name not in owners), None)
    if strange is not None:
        raise ExportError(f"{path}: there is no row {strange}, to which one belongs; `planimeter verify` says more")
    return np.array([owners[name] for name in ids], np.int64)


def _refuse(labels: Iterable[tuple[str, ...]], by: Sequence[str]) -> None:
    values = {name: {label[place] for label in labels} for place, name in enumerate(by, start=1)}
    worst = max(values, key=lambda name: len(values[name]))
    raise ExportError(
        f"more than {MOST_STRATA} strata; {worst} alone has {len(values[worst])} values or more. Name fewer "
        "columns, or columns of fewer values"
    )


def chosen_rows(folder: Path, path: str, wanted: npt.NDArray[np.bool_]) -> Iterator[pa.Table]:
    """Yield the rows that are ``wanted`` (rows,) of a data file as they stand, a table for each group that has some."""
    first = 0
    with pq.ParquetFile(folder / path) as file:
        for group in range(file.num_row_groups):
            last = first + file.metadata.row_group(group).num_rows
            if wanted[first:last].any():
                yield file.read_row_group(group).filter(pa.array(wanted[first:last]))
            first = last


def _texts(column: pa.ChunkedArray) -> list[str]:
    """Return the values as texts; booleans are ``true`` and ``false``, what is missing is ``none``."""
    texts: list[str] = pc.fill_null(pc.cast(column, pa.string()), "none").to_pylist()
    return texts
