"""The command `stream`: the first rows of a stream, as one Parquet or JSONL file.

Shards are kept as they are made, in a hidden file beside the one that is asked for, which a killed run leaves: the same
command goes on behind its last whole shard. The rows of the file are the first ``count`` of the stream that equal no
earlier one, in the order of their addresses, whatever process made which.
"""

import base64
import hashlib
import io
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
from rich.console import Console

from planimeter.export.atomic import clear_errors, fsync, write_file
from planimeter.export.columns import STRING, Column, Schema
from planimeter.export.parquet import row_table, write_part
from planimeter.filters.funnel import Funnel
from planimeter.flows.display.bars import bars
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.work import environment_fingerprint
from planimeter.flows.workers.processes import cores, mapping
from planimeter.streams import stream
from planimeter.streams.stream import SHARD, Stream

#: What the file may be, by its suffix.
SUFFIXES = (".parquet", ".jsonl")

#: A shard in the hidden file: the length of what follows, and an Arrow stream of its rows.
_LENGTH = 8

#: Identifies equal rows; only in the hidden file.
_SIGNATURE = Column("signature", STRING, "Equal items have equal ones.")

Task = tuple[str, int, int, int]


def run(ladder: str, level: int, seed: int, rows: int, target: Path, out: Console, *, workers: int | None) -> None:
    """Write the first ``rows`` distinct rows of a stream to ``target``, and the account of their checks beside it.

    Raises ``PlanimeterError`` if there is no such stream or the file has another suffix, ``ExportError`` if it cannot
    be written.
    """
    origin = stream(ladder, level=level, seed=seed)
    if target.suffix not in SUFFIXES or target.is_dir():
        raise PlanimeterError(f"--out: name a file that ends in {' or '.join(SUFFIXES)}, got {target}")
    begun = target.with_name(f".{target.name}.{_key(origin)}")
    with clear_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        begun.touch()
        with begun.open("r+b") as file:
            gathered = _Gathered(rows)
            file.truncate(gathered.take_all(file))
            file.seek(0, io.SEEK_END)
            _make(origin, gathered, file, workers or cores())
        if target.suffix == ".parquet":
            part = target.with_name(f".{target.name}.tmp")
            write_part(part, _tables(begun, origin.schema, gathered.new), origin.schema)
            part.replace(target)
        else:
            _write_lines(target, _tables(begun, origin.schema, gathered.new))
        write_file(_account(target), json.dumps(gathered.account(origin), indent=1).encode())
        fsync(target.parent)
        begun.unlink()
    out.print(
        f"{target}: {rows:,} rows of {ladder} at level {level}, {gathered.repeats:,} repeats left out", markup=False
    )


def _account(target: Path) -> Path:
    return target.with_name(f"{target.stem}.funnel.json")


class _Gathered:
    """What the shards so far amount to, until ``wanted`` distinct rows are there."""

    def __init__(self, wanted: int) -> None:
        self.wanted, self.repeats = wanted, 0
        #: Of each shard, which rows are wanted and equal none before.
        self.new: list[list[bool]] = []
        self._seen: set[str] = set()
        self._funnel = Funnel()

    @property
    def lacking(self) -> int:
        """How many rows are still to be made."""
        return max(self.wanted - len(self._seen), 0)

    def take(self, table: pa.Table) -> None:
        """Count the rows of the next shard."""
        self._funnel.merge(json.loads(table.schema.metadata[b"funnel"]))
        new: list[bool] = []
        for signature in table["signature"].to_pylist():
            is_lacking, repeat = self.lacking > 0, signature in self._seen
            self.repeats += is_lacking and repeat
            new.append(is_lacking and not repeat)
            if is_lacking:
                self._seen.add(signature)
        self.new.append(new)

    def take_all(self, file: io.BufferedRandom) -> int:
        """Count the whole shards in the file and return how many bytes they take."""
        size = 0
        for table, end in _frames(file):
            self.take(table)
            size = end
        return size

    def account(self, stream: Stream) -> dict[str, Any]:
        """Return what was made of what, and what each check kept and rejected."""
        source = stream.source
        return {
            "ladder": source.ladder,
            "level": source.level,
            "seed": source.seed,
            "rows": self.wanted,
            "addresses": SHARD * len(self.new),
            "repeats": self.repeats,
            "funnel": self._funnel.table(),
        }


def _key(stream: Stream) -> str:
    """Return a digest of what decides the rows: the stream, the code and the libraries."""
    source = stream.source
    modules = sorted({name for shard in source.cells[0] for name in shard.modules} | set(source.suite.sources))
    recipe = source.recipe.model_dump(mode="json")
    parts = [source.ladder, source.level, source.seed, recipe, environment_fingerprint((*modules,))]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]


def _make(stream: Stream, gathered: _Gathered, file: io.BufferedRandom, workers: int) -> None:
    """Make shards until there are rows enough, and keep each in the file."""
    source = stream.source
    with bars() as shown, mapping(workers) as each:
        stage = shown.stage(source.ladder, gathered.wanted)
        stage.advance(gathered.wanted - gathered.lacking, worked=False)
        while gathered.lacking:
            before = gathered.lacking
            # As many as are lacking, rounded up; what checks or repeats leave open comes in the next round.
            shards = range(len(gathered.new), len(gathered.new) - (-gathered.lacking // SHARD))
            tasks = [(source.ladder, source.level, source.seed, n) for n in shards]
            for frame in each(_shard, tasks):
                file.write(len(frame).to_bytes(_LENGTH, "little") + frame)
                file.flush()
                lacking = gathered.lacking
                gathered.take(_table(frame))
                stage.advance(lacking - gathered.lacking)
            if gathered.lacking == before:
                raise PlanimeterError(
                    f"{source.ladder}, level {source.level}: {SHARD * len(shards)} addresses in turn gave no new row; "
                    "its items are used up: ask for fewer rows, or for another level"
                )


def _shard(task: Task) -> bytes:
    """Return the shard as an Arrow stream, with its funnel. Runs in a worker."""
    *address, n = task
    stream = _stream(*address)
    stream.items.begin_account()
    items = stream.shard(n)
    schema = Schema(config=stream.schema.config, columns=(*stream.schema.columns, _SIGNATURE))
    table = row_table([{**item.row, "signature": item.signature.hex()} for item in items], schema)
    memory = io.BytesIO()
    described = table.replace_schema_metadata({"funnel": json.dumps(stream.funnel)})
    with pa.ipc.new_stream(memory, described.schema) as writer:
        writer.write_table(described)
    return memory.getvalue()


@cache
def _stream(ladder: str, level: int, seed: int) -> Stream:
    return stream(ladder, level=level, seed=seed)


def _table(frame: bytes) -> pa.Table:
    with pa.ipc.open_stream(frame) as reader:
        return reader.read_all()


def _frames(file: io.BufferedIOBase) -> Iterator[tuple[pa.Table, int]]:
    """Yield each whole shard in the file and where it ends."""
    while len(head := file.read(_LENGTH)) == _LENGTH:
        frame = file.read(length := int.from_bytes(head, "little"))
        if len(frame) < length:
            return
        yield _table(frame), file.tell()


def _tables(begun: Path, schema: Schema, new: list[list[bool]]) -> Iterator[pa.Table]:
    """Yield of each shard in the file the rows that are ``new``."""
    with begun.open("rb") as file:
        for (table, _), is_new in zip(_frames(file), new, strict=True):
            yield table.drop_columns(["signature"]).filter(pa.array(is_new, pa.bool_())).cast(schema.arrow)


def _write_lines(target: Path, tables: Iterator[pa.Table]) -> None:
    """Write rows as JSON, each on a line, with the picture as a data URL."""
    temporary = target.with_name(f".{target.name}.tmp")
    with temporary.open("w", encoding="utf-8") as file:
        for table in tables:
            for row in table.to_pylist():
                picture = base64.b64encode(row["image"]["bytes"]).decode()
                file.write(json.dumps({**row, "image": f"data:image/png;base64,{picture}"}) + "\n")
    fsync(temporary)
    temporary.replace(target)
