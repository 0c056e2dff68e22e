"""How the rows of a dataset fall into strata, and the rows of those that were chosen.

The strata are the combinations of a row's config and of its values in the columns asked for; a column that a config
lacks divides it no further. Rows which only make sense together are one unit: a path of traversal and the two pictures
that show it with confounders. Such a unit counts to the values of the path, and is a stratum apart from plain paths.
"""

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from planimeter.export.atomic import ExportError
from planimeter.export.columns import COMMON
from planimeter.export.manifest import Manifest
from planimeter.export.schema import schema_of

#: More strata than this come of a column of measurements or texts, not of a design.
MOST_STRATA = 200

#: The name by which rows are divided by their split, which is no column of the files.
SPLIT = "split"


class Tie(NamedTuple):
    """Each row of ``config`` belongs to the row of ``owner`` whose id stands in ``column``."""

    config: str
    column: str
    owner: str


#: Suite -> the rows that belong together.
TIES: Mapping[str, Tie] = {"traversal": Tie("confounded", "source_id", "base")}


@dataclass(frozen=True, kw_only=True)
class Population:
    """The rows of a dataset in units. ``labels`` names the strata, ``sizes`` tells the rows of each unit in them.

    ``strata`` (units,) holds the number of each unit's stratum, ``priorities`` (units,) its place in the queue, and
    ``units`` for each file the number of each row's unit (rows,).
    """

    labels: tuple[tuple[str, ...], ...]
    sizes: tuple[int, ...]
    strata: npt.NDArray[np.int64]
    priorities: npt.NDArray[np.uint64]
    units: Mapping[str, npt.NDArray[np.int64]]

    @property
    def counts(self) -> tuple[int, ...]:
        """How many units each stratum has."""
        return tuple(np.bincount(self.strata, minlength=len(self.labels)).tolist())


def columns_for(suite: str, configs: Iterable[str]) -> list[str]:
    """Return the columns by which rows of ``configs`` can be divided: texts, whole numbers and truth values."""
    tie, common = TIES.get(suite), {column.name for column in COMMON} - {"answer"}
    fit = (
        column.name
        for config in configs
        if tie is None or config != tie.config
        for column in schema_of(suite, config).columns
        if column.name not in common
        and any(is_kind(column.type) for is_kind in (pa.types.is_string, pa.types.is_integer, pa.types.is_boolean))
    )
    return [*dict.fromkeys(fit), SPLIT]


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
    tie = TIES.get(suite)
    if tie and tie.config in configs and tie.owner not in configs:
        raise ExportError(f"the rows of {tie.config} belong to those of {tie.owner}; name that config, too")
    fitting = columns_for(suite, configs)
    if unfit := [name for name in by if name not in fitting]:
        raise ExportError(f"cannot divide rows by {unfit[0]!r}; the columns that fit are {', '.join(fitting)}")
    units = _Units(by, tie, queue)
    for config in (config for config in manifest.configs if config in configs and not (tie and config == tie.config)):
        own = [name for name in by if name in schema_of(suite, config).by_name]
        for record, split in manifest.files_of(config):
            units.add(record.path, config, split, pq.read_table(folder / record.path, columns=["id", *own]))
    if tie and tie.config in configs:
        for record, _ in manifest.files_of(tie.config):
            owners = pq.read_table(folder / record.path, columns=[tie.column])[tie.column]
            units.attach(record.path, owners.to_pylist())
    return units.population()


def chosen_rows(folder: Path, path: str, wanted: npt.NDArray[np.bool_]) -> Iterator[pa.Table]:
    """Yield the ``wanted`` rows of a data file as they stand there, a table for each row group that has some."""
    first = 0
    with pq.ParquetFile(folder / path) as file:
        for group in range(file.num_row_groups):
            last = first + file.metadata.row_group(group).num_rows
            if wanted[first:last].any():
                yield file.read_row_group(group).filter(pa.array(wanted[first:last]))
            first = last


class _Units:
    """Gathers the units of a dataset, file by file."""

    def __init__(self, by: Sequence[str], tie: Tie | None, queue: Callable[[str], int]) -> None:
        self._by, self._tie, self._queue = by, tie, queue
        self._labels: dict[tuple[str, ...], int] = {}
        self._strata, self._priorities = array("q"), array("Q")
        self._units: dict[str, npt.NDArray[np.int64]] = {}
        #: The unit of each row that others may belong to, by its id.
        self._owners: dict[str, int] = {}
        #: The files of the rows that belong to others.
        self._attached: list[str] = []

    def add(self, path: str, config: str, split: str, table: pa.Table) -> None:
        """Take each row of the file at ``path`` as a unit; ``table`` has its ids, and the columns that it has."""
        ids, first = table["id"].to_pylist(), len(self._strata)
        lacking = {name: [split if name == SPLIT else ""] * len(ids) for name in self._by}
        values = [_texts(table[name]) if name in table.column_names else lacking[name] for name in self._by]
        for label in zip([config] * len(ids), *values, strict=True):
            self._strata.append(self._labels.setdefault(label, len(self._labels)))
            if len(self._labels) > MOST_STRATA:
                self._refuse()
        self._priorities.extend(map(self._queue, ids))
        self._units[path] = np.arange(first, len(self._strata), dtype=np.int64)
        if self._tie and config == self._tie.owner:
            self._owners.update(zip(ids, range(first, len(self._strata)), strict=True))

    def attach(self, path: str, owners: Sequence[str]) -> None:
        """Put each row of the file at ``path`` to the unit of the row with its id in ``owners``."""
        strange = next((owner for owner in owners if owner not in self._owners), None)
        if strange is not None:
            raise ExportError(f"{path}: there is no row {strange}, to which one belongs; `planimeter verify` says more")
        self._units[path] = np.array([self._owners[owner] for owner in owners], np.int64)
        self._attached.append(path)

    def population(self) -> Population:
        """Return what was gathered, with the strata in the order of their names."""
        strata = np.array(self._strata, np.int64)
        owning = np.zeros(len(strata), np.bool_)
        for path in self._attached:
            owning[self._units[path]] = True
        labels = list(self._labels)
        if self._tie:
            labels += [(f"{config}+{self._tie.config}", *values) for config, *values in self._labels]
        used, inverse = np.unique(strata + len(self._labels) * owning, return_inverse=True)
        order = sorted(range(len(used)), key=lambda index: _natural(labels[used[index]]))
        ranks = np.empty(len(used), np.int64)
        ranks[order] = np.arange(len(used))
        strata = ranks[inverse]
        rows = np.bincount(np.concatenate([*self._units.values(), np.zeros(0, np.int64)]), minlength=len(strata))
        sizes = np.zeros(len(used), np.int64)
        sizes[strata] = rows
        odd = np.flatnonzero(sizes[strata] != rows)
        named = tuple(labels[used[index]] for index in order)
        if len(odd):
            stratum = "/".join(named[strata[odd[0]]])
            raise ExportError(f"as many rows must belong to each one of {stratum}; `planimeter verify` says more")
        return Population(
            labels=named,
            sizes=tuple(sizes.tolist()),
            strata=strata,
            priorities=np.array(self._priorities, np.uint64),
            units=self._units,
        )

    def _refuse(self) -> None:
        values = {name: {label[place] for label in self._labels} for place, name in enumerate(self._by, start=1)}
        worst = max(values, key=lambda name: len(values[name]))
        raise ExportError(
            f"more than {MOST_STRATA} strata; {worst} alone has {len(values[worst])} values or more. Name fewer "
            "columns, or columns of fewer values"
        )


def _texts(column: pa.ChunkedArray) -> list[str]:
    """Return the values as texts; booleans are ``true`` and ``false``, what is missing is ``none``."""
    texts: list[str] = pc.fill_null(pc.cast(column, pa.string()), "none").to_pylist()
    return texts


def _natural(label: Sequence[str]) -> tuple[tuple[bool, int, str], ...]:
    """Return by what strata are sorted: whole numbers by their size, before texts."""
    numbers = [text if re.fullmatch(r"-?\d{1,18}", text) else "" for text in label]
    return tuple((not number, int(number or 0), text) for number, text in zip(numbers, label, strict=True))
