"""Keeps the rows of finished shards as content-addressed Arrow files in a store, and reads them back.

A file's name is its own hash, so that a kill, a repetition or two workers at once leave the same bytes under it.
"""

import hashlib
import io
import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict

import pyarrow as pa

from planimeter.export.rejects import RejectExample
from planimeter.export.schema import schema_of
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.shards import Made, Shard, ShardRecord, StoredTable
from planimeter.flows.store.storage import Store

#: Rows that are packed, and read again, at once: their pictures take a dozen times the room of the file.
BATCH_ROWS = 128


def keep(shard: Shard, made: Made, store: Store) -> ShardRecord:
    """Put the rows of ``made`` into ``store`` and return the record. Raises ``PlanimeterError`` if that fails."""
    began = time.process_time()
    tables: list[StoredTable] = []
    for config in sorted({shard.config, *(config for item in made.items for config in item)}):
        rows = [row for item in made.items for row in item.get(config, [])]
        schema = schema_of(shard.suite, config, [shard.split]).arrow
        pieces = (rows[i : i + BATCH_ROWS] for i in range(0, len(rows), BATCH_ROWS))
        batches = (pa.RecordBatch.from_pylist(piece, schema=schema) for piece in pieces)
        path, digest = _put(store, _ipc(schema, batches))
        counts = tuple(len(item.get(config, [])) for item in made.items)
        tables.append(StoredTable(config=config, path=path, sha256=digest, rows_of_items=counts))
    rejects = pa.record_batch(
        {
            "example": pa.array([json.dumps(asdict(e) | {"picture": ""}) for e in made.rejects], pa.string()),
            "picture": pa.array([e.picture for e in made.rejects], pa.binary()),
        }
    )
    rejects_path, rejects_sha256 = _put(store, _ipc(rejects.schema, [rejects]))
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


def rows_of(table: StoredTable, store: Store) -> Iterator[pa.Table]:
    """Yield the rows of one config of a finished shard, some at a time. ``PlanimeterError`` if damaged or gone."""
    file = _open(store, table.path, table.sha256)
    for i in range(file.num_record_batches):
        yield pa.Table.from_batches([file.get_batch(i)])


def rejects_of(record: ShardRecord, store: Store) -> list[RejectExample]:
    """Return the rejected examples of a finished shard. ``PlanimeterError`` if damaged or gone."""
    table = _open(store, record.rejects_path, record.rejects_sha256).read_all()
    return [
        RejectExample(**json.loads(example) | {"picture": picture})
        for example, picture in zip(table["example"].to_pylist(), table["picture"].to_pylist(), strict=True)
    ]


def is_whole(record: ShardRecord, store: Store) -> bool:
    """Return whether all files of ``record`` are kept with the bytes that were written."""
    files = [(table.path, table.sha256) for table in record.tables]
    files.append((record.rejects_path, record.rejects_sha256))
    return all(store.holds(path, digest) for path, digest in files)


def _ipc(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> bytes:
    # The styles of one plot repeat each other's pixels; zstd finds that in less time than hashing all of it takes.
    options = pa.ipc.IpcWriteOptions(compression=pa.Codec("zstd", compression_level=3), use_threads=False)
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, schema, options=options) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return sink.getvalue()


def _put(store: Store, content: bytes) -> tuple[str, str]:
    """Keep ``content`` under its own hash; return its name and the hash."""
    digest = hashlib.sha256(content).hexdigest()
    name = f"shards/{digest[:2]}/{digest}.arrow"
    if not store.holds(name, digest):
        store.put(name, content)
    return name, digest


def _open(store: Store, name: str, digest: str) -> pa.ipc.RecordBatchFileReader:
    # A shard was whole when it was made or found, which may be hours ago; Arrow itself checks nothing. Not mapped into
    # memory: a file that is cut short under a map, or a disk that fails, would kill the process.
    try:
        content = store.get(name)
    except FileNotFoundError:
        content = b""
    if hashlib.sha256(content).hexdigest() != digest:
        raise PlanimeterError(
            f"{name} in {store.url} was damaged or removed while the build was at work; run the same command again: "
            "that shard is made anew, the others are kept"
        )
    return pa.ipc.open_file(pa.py_buffer(content))
