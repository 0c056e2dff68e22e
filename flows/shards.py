"""The unit of everything: of work, of caching, of resuming, of memory.

A shard is a range of the items of one cell. Making it yields rows (a content-addressed Arrow file) and a small record
with the file's path, hash and funnel. The record is what Prefect keeps; the bytes are what counts. A file is written
under a temporary name, flushed to the disk and renamed, so that a kill leaves either nothing or all of it.
"""

import hashlib
import io
import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from export.rejects import RejectExample
from export.schema import schema_of
from flows.errors import DiskError

#: Shards live here, below the folder of the builds.
STORE = ".planimeter"


#: One published question: its rows by config. Most have rows in one config; a path and its confounded twins in two.
Item = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Shard:
    """Items ``first`` to ``first + count - 1`` of ``cell`` in ``config``; ``modules`` are the sources of its own."""

    suite: str
    config: str
    cell: tuple[str | int, ...]
    first: int
    count: int
    modules: tuple[str, ...] = ()
    split: str = "test"
    #: Fills what equal items left open in a quota, and has none of its own.
    refill: bool = False

    def __str__(self) -> str:
        return f"{self.config}/{'/'.join(map(str, self.cell))}[{self.first}:{self.first + self.count}]"


@dataclass(kw_only=True)
class Made:
    """What a suite made of a shard; ``signatures`` tell items apart, ``missing`` counts what was not found, ``seconds``
    (CPU, by stage) say where the time went.
    """

    items: list[Item] = field(default_factory=list)
    signatures: list[bytes] = field(default_factory=list)
    funnel: dict[str, Any] = field(default_factory=dict)
    rejects: list[RejectExample] = field(default_factory=list)
    missing: int = 0
    seconds: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredTable:
    """The rows of one config: where they lie, and how many of them each item has."""

    config: str
    path: str
    sha256: str
    rows_of_items: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ShardRecord:
    """The small record of a finished shard: where its rows lie, and its account."""

    shard: str
    split: str
    tables: tuple[StoredTable, ...]
    signatures: tuple[str, ...]
    missing: int
    funnel: dict[str, Any]
    rejects_path: str
    rejects_sha256: str
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Number of rows in all configs."""
        return sum(sum(table.rows_of_items) for table in self.tables)


def store(shard: Shard, made: Made, folder: Path) -> ShardRecord:
    """Write the rows of ``made`` below ``folder`` and return the record. Raises ``DiskError`` if that fails."""
    began = time.process_time()
    tables: list[StoredTable] = []
    for config in sorted({shard.config, *(config for item in made.items for config in item)}):
        rows = [row for item in made.items for row in item.get(config, [])]
        schema = schema_of(shard.suite, config).arrow
        path, digest = _put(folder, _ipc(pa.Table.from_pylist(rows, schema=schema)))
        counts = tuple(len(item.get(config, [])) for item in made.items)
        tables.append(StoredTable(config=config, path=path, sha256=digest, rows_of_items=counts))
    rejects = pa.table(
        {
            "example": pa.array([json.dumps(_plain(e), sort_keys=True) for e in made.rejects], pa.string()),
            "picture": pa.array([e.picture for e in made.rejects], pa.binary()),
        }
    )
    rejects_path, rejects_sha256 = _put(folder, _ipc(rejects))
    return ShardRecord(
        shard=str(shard),
        split=shard.split,
        tables=tuple(tables),
        signatures=tuple(signature.hex() for signature in made.signatures),
        missing=made.missing,
        funnel=made.funnel,
        rejects_path=rejects_path,
        rejects_sha256=rejects_sha256,
        seconds={**made.seconds, "store": round(time.process_time() - began, 3)},
    )


def rows_of(table: StoredTable, folder: Path) -> pa.Table:
    """Return the rows of one config of a finished shard."""
    with pa.memory_map(str(folder / table.path)) as source:
        return pa.ipc.open_file(source).read_all()


def rejects_of(record: ShardRecord, folder: Path) -> list[RejectExample]:
    """Return the rejected examples of a finished shard."""
    with pa.memory_map(str(folder / record.rejects_path)) as source:
        table = pa.ipc.open_file(source).read_all()
    return [
        RejectExample(**json.loads(example), picture=picture)
        for example, picture in zip(table["example"].to_pylist(), table["picture"].to_pylist(), strict=True)
    ]


def is_whole(record: ShardRecord, folder: Path) -> bool:
    """Return whether both files of ``record`` exist with the bytes that were written."""
    files = [(table.path, table.sha256) for table in record.tables]
    files.append((record.rejects_path, record.rejects_sha256))
    return all(_sha256_of(folder / path) == digest for path, digest in files)


def to_json(record: ShardRecord) -> dict[str, Any]:
    """Return ``record`` as plain JSON values."""
    plain: dict[str, Any] = json.loads(json.dumps(asdict(record)))
    return plain


def from_json(values: Mapping[str, Any]) -> ShardRecord:
    """Return the record that ``to_json`` made ``values`` of. Raises ``KeyError`` or ``TypeError`` for other keys."""
    given: dict[str, Any] = dict(values)
    given["tables"] = tuple(
        StoredTable(**{**table, "rows_of_items": tuple(table["rows_of_items"])}) for table in given["tables"]
    )
    given["signatures"] = tuple(given["signatures"])
    return ShardRecord(**given)


def _plain(example: RejectExample) -> dict[str, Any]:
    return {key: value for key, value in asdict(example).items() if key != "picture"}


def _ipc(table: pa.Table) -> bytes:
    # The styles of one plot repeat each other's pixels; zstd finds that in less time than hashing all of it takes.
    options = pa.ipc.IpcWriteOptions(compression=pa.Codec("zstd", compression_level=3), use_threads=False)
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema, options=options) as writer:
        writer.write_table(table.combine_chunks())
    return sink.getvalue()


def _put(folder: Path, content: bytes) -> tuple[str, str]:
    """Write ``content`` under its own hash and return its path relative to ``folder``, and the hash."""
    digest = hashlib.sha256(content).hexdigest()
    relative = f"shards/{digest[:2]}/{digest}.arrow"
    path = folder / relative
    if _sha256_of(path) == digest:
        return relative, digest
    # The name has the process in it: two workers may make equal content (an empty list of rejects, say) at once.
    temporary = path.with_name(f".tmp-{os.getpid()}-{digest}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise DiskError(
            f"cannot write a shard below {folder}: {error.strerror}; free some space or mend the "
            "permissions, and run the same command again: finished shards are kept"
        ) from error
    return relative, digest


def _sha256_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
