"""Writes the first rows of a training stream to one Parquet or JSONL file, for the command `stream`.

The file has the first distinct rows of the stream in the order of the stream, whatever the number of processes.
"""

import base64
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from planimeter.export.atomic import explain_os_errors, write_file
from planimeter.export.parquet import row_table, write_part
from planimeter.filters.funnel import Funnel, FunnelTable
from planimeter.flows.display.bars import Stage, bars
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.workers.processes import Mapping, cores, mapping
from planimeter.streams import Stream, stream
from planimeter.streams.stream import SHARD

#: The suffixes of the file, which decide its format.
SUFFIXES = (".parquet", ".jsonl")


class Origin(NamedTuple):
    """A training stream: its name, difficulty level and seed."""

    ladder: str
    level: int
    seed: int

    def __str__(self) -> str:
        return f"{self.ladder} at level {self.level}"


#: A stream, and the number of a shard of it.
Task = tuple[Origin, int]


def write_stream(ladder: str, level: int, seed: int, rows: int, target: Path, workers: int | None) -> str:
    """Write the first ``rows`` distinct rows of a stream to ``target``, and the counts of its checks to a second file.

    The second file is ``<stem>.funnel.json`` next to ``target``. Returns a line for the user. ``workers`` is the number
    of processes, by default one for each core. Raises ``PlanimeterError`` for an unknown stream or suffix,
    ``ExportError`` if a file cannot be written.
    """
    origin = Origin(ladder, level, seed)
    schema = _stream(origin).schema
    if target.suffix not in SUFFIXES or target.is_dir():
        raise PlanimeterError(f"--out: name a file that ends in {' or '.join(SUFFIXES)}, got {target}")
    made = _Distinct(origin, rows)
    with explain_os_errors(target), bars() as shown, mapping(workers or cores()) as each:
        target.parent.mkdir(parents=True, exist_ok=True)
        tables = made.tables(each, shown.stage(ladder, rows))
        if target.suffix == ".parquet":
            part = target.with_name(f".{target.name}.tmp")
            write_part(part, tables, schema)
            part.replace(target)
        else:
            write_file(target, _lines(tables))
        write_file(target.with_name(f"{target.stem}.funnel.json"), json.dumps(made.account(), indent=1).encode())
    return f"{target}: {rows:,} rows of {origin}, {made.repeats:,} repeats left out"


class _Distinct:
    """The first ``wanted`` distinct rows of the stream ``origin``, with counts of shards, repeats and rejects."""

    def __init__(self, origin: Origin, wanted: int) -> None:
        self.origin, self.wanted = origin, wanted
        self.shards = self.repeats = 0
        self._seen: set[bytes] = set()
        self._funnel = Funnel()

    def tables(self, each: Mapping, stage: Stage) -> Iterator[pa.Table]:
        """Make shards by ``each``, a function like ``map``, until there are enough rows; yield each shard's new rows.

        Raises ``PlanimeterError`` if shards that are enough for all missing rows have no new row.
        """
        while lacking := self.wanted - len(self._seen):
            # Enough shards for the lacking rows; rows that checks reject or that repeat are made in the next round.
            shards = range(self.shards, self.shards - (-lacking // SHARD))
            for table, signatures, funnel in each(_shard, [(self.origin, n) for n in shards]):
                self._funnel.merge(funnel)
                self.shards += 1
                before = len(self._seen)
                yield table.filter(pa.array(map(self._is_new, signatures), pa.bool_()))
                stage.advance(len(self._seen) - before)
            if self.wanted - len(self._seen) == lacking:
                raise PlanimeterError(
                    f"{self.origin}: {SHARD * len(shards)} further attempts gave no new row; "
                    "ask for fewer rows, or for another difficulty level"
                )

    def _is_new(self, signature: bytes) -> bool:
        """True if more rows are wanted and no earlier row has ``signature``; a repeat is counted."""
        if len(self._seen) == self.wanted:
            return False
        is_new = signature not in self._seen
        self.repeats += not is_new
        self._seen.add(signature)
        return is_new

    def account(self) -> dict[str, object]:
        """Return the content of ``<stem>.funnel.json``: stream, numbers of rows, and counts of each check."""
        return {
            **self.origin._asdict(),
            "rows": self.wanted,
            "addresses": SHARD * self.shards,
            "repeats": self.repeats,
            "funnel": self._funnel.table(),
        }


def _shard(task: Task) -> tuple[pa.Table, list[bytes], FunnelTable]:
    """Return the rows of a shard of a stream, their signatures (equal for equal rows), and the counts of its checks."""
    origin, n = task
    rows = _stream(origin)
    rows.begin_account()
    items = rows.shard(n)
    table = row_table([item.row for item in items], rows.schema)
    return table, [item.signature for item in items], rows.funnel


@cache
def _stream(origin: Origin) -> Stream:
    return stream(origin.ladder, level=origin.level, seed=origin.seed)


def _lines(tables: Iterator[pa.Table]) -> Iterator[bytes]:
    """Yield each row as a line of JSON, with its picture as a data URL."""
    for table in tables:
        for row in table.to_pylist():
            picture = base64.b64encode(row["image"]["bytes"]).decode()
            yield json.dumps({**row, "image": f"data:image/png;base64,{picture}"}).encode() + b"\n"
