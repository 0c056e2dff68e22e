"""Summarises the written rows of a config for card and report, and chooses example pictures.

It reads the files, so that the report shows the published pictures. A first pass over all columns but the pictures
counts rows. It also chooses an example row for each stratum (cell of the report's table of counts): the one whose id
has the least digest. A second pass reads the row groups of chosen rows.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from planimeter.export.texts import ConfigText
from planimeter.items.values import Row

#: The most strata of one config with an example picture, and the most bytes of all example pictures of a report.
MAX_PICTURES = 144
MAX_BYTES = 5_000_000


class Place(NamedTuple):
    """The position of a row: path of its file within the folder, number of the row group, number in the group."""

    path: str
    group: int
    number: int


@dataclass(kw_only=True, slots=True)
class Survey:
    """The summary of the rows of one config.

    ``text``: the config's texts, with the axes of its tables and charts. ``rows``: number of rows. ``first``: the first
    row, without its picture. ``questions``: number of test rows by question. ``coverage``: number of rows by stratum,
    a cell (row heading, column heading) of the report's table of counts. ``distributions``: for each bar chart, number
    of rows by bar. ``chosen``: by stratum, the digest of the id of its example row, and that row's position.
    """

    text: ConfigText
    rows: int = 0
    first: Row = field(default_factory=dict)
    questions: Counter[str] = field(default_factory=Counter)
    coverage: Counter[tuple[str, str]] = field(default_factory=Counter)
    distributions: list[Counter[str]] = field(default_factory=list)
    chosen: dict[tuple[str, str], tuple[bytes, Place]] = field(default_factory=dict)

    def add(self, row: Row, place: Place) -> None:
        """Count ``row``, at ``place``; it becomes the example of its stratum if the digest of its id is the least."""
        text = self.text
        stratum = (text.rows.of(row), text.columns.of(row))
        self.rows += 1
        self.coverage[stratum] += 1
        for counter, axis in zip(self.distributions, text.distributions, strict=True):
            counter[axis.of(row)] += 1
        rank = blake2b(row["id"].encode(), digest_size=8).digest()
        if stratum not in self.chosen or rank < self.chosen[stratum][0]:
            self.chosen[stratum] = (rank, place)

    def axes(self) -> tuple[list[str], list[str]]:
        """Return the row headings and the column headings of the report's table of counts, in order."""
        rows, columns = ({stratum[side] for stratum in self.coverage} for side in (0, 1))
        return sorted(rows, key=self.text.rows.place), sorted(columns, key=self.text.columns.place)

    def places(self, limit: int = MAX_PICTURES) -> list[tuple[tuple[str, str], Place]]:
        """Return (stratum, position of its example row) for at most ``limit`` strata.

        They are taken along diagonals of the table of counts, so that even a few include many names of both axes.
        """
        rows, columns = self.axes()
        across = {name: i for i, name in enumerate(columns)}
        down = {name: i for i, name in enumerate(rows)}
        order = sorted(self.chosen, key=lambda s: ((across[s[1]] - down[s[0]]) % len(columns), down[s[0]]))
        return [(stratum, self.chosen[stratum][1]) for stratum in order[:limit]]


@dataclass(frozen=True, slots=True)
class _RowAt(Mapping[str, Any]):
    """Row ``number`` of a row group, as a mapping column -> value; a column is read from the file on first use."""

    names: Sequence[str]
    columns: "_Columns"
    number: int

    def __getitem__(self, name: str) -> object:
        return self.columns[name][self.number]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


class _Columns(dict[str, list[Any]]):
    """The columns of a row group, name -> values; each is read from the file on first use."""

    def __init__(self, file: pq.ParquetFile, group: int) -> None:
        self._read = partial(file.read_row_group, group)

    def __missing__(self, name: str) -> list[Any]:
        self[name] = self._read(columns=[name])[name].to_pylist()
        return self[name]


def survey(
    folder: Path,
    paths: Sequence[str],
    text: ConfigText,
    *,
    question: Callable[[Row], str] = lambda row: str(row["id"]),
    asked: Container[str] = (),
) -> Survey:
    """Return the summary of the rows in the files at ``paths`` within ``folder``; pictures are not read.

    ``asked`` are the paths of test files, whose rows are counted by question. ``question`` returns a name of the
    question that a row asks, by default the row's id.
    """
    found = Survey(text=text, distributions=[Counter() for _ in text.distributions])
    for path in paths:
        with pq.ParquetFile(folder / path) as file:
            names = [name for name in file.schema_arrow.names if name != "image"]
            for group in range(file.num_row_groups):
                columns = _Columns(file, group)
                for number in range(file.metadata.row_group(group).num_rows):
                    row = _RowAt(names, columns, number)
                    found.first = found.first or dict(row)
                    found.add(row, Place(path, group, number))
                    if path in asked:
                        found.questions[question(row)] += 1
    return found


def pictures(folder: Path, found: Survey, budget: int) -> Iterator[tuple[tuple[str, str], Row]]:
    """Yield (stratum, example row with picture) in the order of ``found.places()``, up to ``budget`` picture bytes."""
    places, rows = found.places(), dict[Place, Row]()
    for (path, group), inside in groupby(sorted(place for _, place in places), key=lambda place: place[:2]):
        with pq.ParquetFile(folder / path) as file:
            table = file.read_row_group(group)
        rows |= {place: table.slice(place.number, 1).to_pylist()[0] for place in inside}
    for stratum, place in places:
        budget -= len((rows[place]["image"] or {}).get("bytes") or b"")
        if budget < 0:
            return
        yield stratum, rows[place]
