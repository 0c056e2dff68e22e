"""Reads the written rows back, a row group at a time, and summarises them for card and report.

It reads the files, so that the pictures in the report are the published ones. Two passes: one over all columns but the
images counts and chooses; one reads the few row groups with a chosen picture. A digest of the id, not the position,
chooses the picture of a stratum.
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

#: The most strata of one config with a picture, and the most bytes of these pictures together.
MAX_PICTURES = 144
MAX_BYTES = 5_000_000


class Place(NamedTuple):
    """The position of a row: file (relative to the folder), row group, number in the group."""

    path: str
    group: int
    number: int


@dataclass(kw_only=True, slots=True)
class Survey:
    """The contents of one config: rows by the axes of ``text``, its first row, and a place for each stratum.

    ``questions`` has the rows of each question in the split that is asked.
    """

    text: ConfigText
    rows: int = 0
    first: Row = field(default_factory=dict)
    questions: Counter[str] = field(default_factory=Counter)
    coverage: Counter[tuple[str, str]] = field(default_factory=Counter)
    distributions: list[Counter[str]] = field(default_factory=list)
    chosen: dict[tuple[str, str], tuple[bytes, Place]] = field(default_factory=dict)

    def add(self, row: Row, place: Place) -> None:
        """Add ``row`` to the counts; ``place`` is its position in the files."""
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
        """Return the names on both axes of the coverage table, in their order."""
        rows, columns = ({stratum[side] for stratum in self.coverage} for side in (0, 1))
        return sorted(rows, key=self.text.rows.place), sorted(columns, key=self.text.columns.place)

    def places(self, limit: int = MAX_PICTURES) -> list[tuple[tuple[str, str], Place]]:
        """Return at most ``limit`` strata with their places, along diagonals, so that few still cover both axes."""
        rows, columns = self.axes()
        across = {name: i for i, name in enumerate(columns)}
        down = {name: i for i, name in enumerate(rows)}
        order = sorted(self.chosen, key=lambda s: ((across[s[1]] - down[s[0]]) % len(columns), down[s[0]]))
        return [(stratum, self.chosen[stratum][1]) for stratum in order[:limit]]


@dataclass(frozen=True, slots=True)
class _RowAt(Mapping[str, Any]):
    """Row ``number`` of a row group; columns are converted on first use: few axes need the points."""

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
    """Sum up the rows of the files at ``paths``, without reading their images.

    ``asked`` are the files whose rows are counted by ``question``.
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
    """Yield (stratum, row with its image) while the pictures take at most ``budget`` bytes.

    Every row group is read once.
    """
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
