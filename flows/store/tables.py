"""Keeps the rows of finished shards as content-addressed files in a store, and reads them back.

A file's name is its own hash, so that a kill, a repetition or two workers at once leave the same bytes under it. It
holds the rows of one item after the other, each a compressed Arrow message: a dataset is written in another order than
it is made, and a reader of some items reads only these.
"""

import hashlib
import json
import time
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import asdict

import pyarrow as pa

from planimeter.export.rejects import RejectExample
from planimeter.export.rows import Row
from planimeter.export.schema import schema_of
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.shards import Block, Made, Shard, ShardRecord, StoredTable
from planimeter.flows.store.storage import Store
from planimeter.generators.seeding import without_variant

#: The styles of one plot repeat each other's pixels; zstd finds that in less time than hashing all of it takes.
_CODEC = pa.Codec("zstd", compression_level=1)


def keep(shard: Shard, made: Made, store: Store) -> ShardRecord:
    """Put the rows of ``made`` into ``store`` and return the record. Raises ``PlanimeterError`` if that fails."""
    began = time.process_time()
    tables: list[StoredTable] = []
    for config in sorted({shard.config, *(config for item in made.items for config in item)}):
        schema = schema_of(shard.suite, config, [shard.split]).arrow
        content, blocks = bytearray(), []
        for item in made.items:
            rows = item.get(config, [])
            packed = _packed(rows, schema)
            seed = without_variant(rows[0]["seed"]) if rows else 0
            blocks.append(Block(seed, len(rows), len(content), len(packed), hashlib.sha256(packed).hexdigest()))
            content += packed
        path, digest = _put(store, bytes(content), "arrow")
        tables.append(StoredTable(config=config, path=path, sha256=digest, blocks=tuple(blocks)))
    rejects = [asdict(example) | {"picture": b64encode(example.picture).decode()} for example in made.rejects]
    rejects_path, rejects_sha256 = _put(store, json.dumps(rejects).encode(), "json")
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


def rows_of(blocks: Sequence[tuple[str, Block]], schema: pa.Schema, store: Store) -> list[pa.RecordBatch]:
    """Return the rows of each of ``blocks`` in the files named with them. ``PlanimeterError`` if damaged or gone."""
    try:
        contents = store.slices([(path, block.start, block.size) for path, block in blocks])
    except FileNotFoundError as error:
        raise _damaged(str(error.filename or error), store) from None
    for content, (path, block) in zip(contents, blocks, strict=True):
        if hashlib.sha256(content).hexdigest() != block.sha256:
            raise _damaged(path, store)
    return [_unpacked(content, schema) for content in contents]


def rejects_of(record: ShardRecord, store: Store) -> list[RejectExample]:
    """Return the rejected examples of a finished shard. ``PlanimeterError`` if damaged or gone."""
    try:
        content = store.get(record.rejects_path)
    except FileNotFoundError:
        content = b""
    # A shard was whole when it was made or found, which may be hours ago.
    if hashlib.sha256(content).hexdigest() != record.rejects_sha256:
        raise _damaged(record.rejects_path, store)
    return [RejectExample(**kept | {"picture": b64decode(kept["picture"])}) for kept in json.loads(content)]


def is_whole(record: ShardRecord, store: Store) -> bool:
    """Return whether all files of ``record`` are kept with the bytes that were written."""
    files = [(table.path, table.sha256) for table in record.tables]
    files.append((record.rejects_path, record.rejects_sha256))
    return all(store.holds(path, digest) for path, digest in files)


def _packed(rows: Sequence[Row], schema: pa.Schema) -> bytes:
    """Return ``rows`` as one compressed message: each buffer compressed by itself takes ten times as long."""
    if not rows:
        return b""
    packed: bytes = _CODEC.compress(pa.RecordBatch.from_pylist(rows, schema=schema).serialize(), asbytes=True)
    return packed


def _unpacked(content: bytes, schema: pa.Schema) -> pa.RecordBatch:
    with pa.CompressedInputStream(pa.BufferReader(content), "zstd") as stream:
        return pa.ipc.read_record_batch(pa.ipc.read_message(stream.read_buffer()), schema)


def _put(store: Store, content: bytes, suffix: str) -> tuple[str, str]:
    """Keep ``content`` under its own hash; return its name, which ends in ``suffix``, and the hash."""
    digest = hashlib.sha256(content).hexdigest()
    name = f"shards/{digest[:2]}/{digest}.{suffix}"
    if not store.holds(name, digest):
        store.put(name, content)
    return name, digest


def _damaged(name: str, store: Store) -> PlanimeterError:
    return PlanimeterError(
        f"{name} in {store.url} was damaged or removed while the build was at work; run the same command again: "
        "that shard is made anew, the others are kept"
    )
