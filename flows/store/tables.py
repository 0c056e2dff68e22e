"""Stores finished shards, and reads their rows back, item by item.

A shard is a small JSON record, named by the shard's key, with an Arrow file for each config (a record batch an item, so
that ``pa.ipc.open_file(...).get_batch(i)`` is item ``i``) and one of its rejects. The record is written last and has
their SHA-256: a kill before that leaves files that nobody reads. Batches are not compressed, since PNGs are. A dataset
is written in another order than it is made: the record has the offset of each batch, and a reader of some items reads
only these, many at once from a bucket. It takes the columns from the suite, never from a file.
"""

import hashlib
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import PurePosixPath

import pyarrow as pa
from pydantic import ValidationError

from planimeter.export.rejects import RejectExample
from planimeter.export.schema import schema_of
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.shards import Block, Kept, Made, Shard, ShardRecord, StoredTable
from planimeter.flows.store.storage import Store, is_name
from planimeter.generators.seeding import without_variant

#: The folder of shards in a store.
SHARDS = "shards"

#: Errors of reading a forged file.
UNREADABLE = (pa.ArrowException, EOFError, OSError, TypeError, ValueError)

#: The columns of rejects, which are the fields of ``RejectExample``.
REJECTS = pa.schema(
    [
        *((name, pa.string()) for name in ("config", "stratum", "check", "reason")),
        *((name, pa.float64()) for name in ("measured", "limit")),
        *(("picture", pa.binary()), ("answer", pa.string()), ("fits", pa.string())),
    ]
)


def record_name(key: str) -> str:
    """Return the name of the record of the shard with this key."""
    return f"{SHARDS}/{key[:2]}/{key}.json"


def write_shard(store: Store, key: str, shard: Shard, made: Made) -> ShardRecord:
    """Store the rows that were ``made`` of ``shard`` under its key, then the record, which is returned."""
    began = time.process_time()
    stem = record_name(key).removesuffix(".json")
    tables = []
    for config in sorted({shard.config, *(config for item in made.items for config in item)}):
        schema = schema_of(shard.suite, config, [shard.split]).arrow
        items = [item.get(config, []) for item in made.items]
        content, spans = _arrow(schema, (pa.RecordBatch.from_pylist(rows, schema=schema) for rows in items))
        blocks = tuple(
            Block(
                without_variant(rows[0]["seed"]) if rows else 0,
                len(rows),
                start,
                end - start,
                _hash(content[start:end]),
            )
            for rows, (start, end) in zip(items, spans, strict=True)
        )
        file = _keep(store, f"{stem}.{config}.arrow", content)
        tables.append(StoredTable(**file.model_dump(), config=config, blocks=blocks))
    rejects, _ = _arrow(REJECTS, [pa.RecordBatch.from_pylist([asdict(e) for e in made.rejects], schema=REJECTS)])
    record = ShardRecord.sealed(
        key=key,
        shard=str(shard),
        split=shard.split,
        tables=tuple(tables),
        rejects=_keep(store, f"{stem}-rejects.arrow", rejects),
        signatures=tuple(signature.hex() for signature in made.signatures),
        missing=made.missing,
        funnel=made.funnel,
        seconds={**made.seconds, "store": round(time.process_time() - began, 3)},
    )
    store.write(record_name(key), record.model_dump_json().encode())
    return record


def find_shard(store: Store, key: str) -> ShardRecord | None:
    """Return the record under ``key`` if it and its files are whole; None otherwise."""
    try:
        record = ShardRecord.model_validate_json(store.read(record_name(key)))
    except (FileNotFoundError, ValidationError):
        return None
    return record if record.key == key and is_whole(record, store) else None


def finished_keys(store: Store) -> frozenset[str]:
    """Return the keys of all stored records, whole or not."""
    names = (PurePosixPath(name) for name in store.sizes(SHARDS))
    return frozenset(name.stem for name in names if name.suffix == ".json")


def is_whole(record: ShardRecord, store: Store) -> bool:
    """True if all files of ``record`` belong to its shard, with unchanged bytes."""
    stem = record_name(record.key).removesuffix(".json")
    return all(
        file.path.startswith(stem) and is_name(file.path) and store.sha256(file.path) == file.sha256
        for file in record.files
    )


def read_items(store: Store, items: Sequence[tuple[str, Block]], schema: pa.Schema) -> list[pa.RecordBatch]:
    """Return the rows of each of ``items`` (file name, block in it), with the columns of ``schema``.

    Raises ``PlanimeterError`` if the file is damaged or gone, or its name leads out of the store.
    """
    try:
        contents = store.slices([(path, block.start, block.size) for path, block in items])
    except FileNotFoundError as error:
        raise _damaged(str(error.filename or error), store) from None
    batches = []
    for content, (path, block) in zip(contents, items, strict=True):
        # The last check of the shard may be hours ago.
        if _hash(content) != block.sha256:
            raise _damaged(path, store)
        try:
            batches.append(pa.ipc.read_record_batch(pa.ipc.read_message(content), schema))
            # Arrow itself trusts the offsets in a file.
            batches[-1].validate(full=True)
        except UNREADABLE:
            raise _damaged(path, store) from None
    return batches


def read_rejects(store: Store, record: ShardRecord) -> list[RejectExample]:
    """Return the rejected examples of a finished shard. Raises ``PlanimeterError`` if damaged or missing."""
    try:
        content = store.read(record.rejects.path)
    except FileNotFoundError:
        content = b""
    if _hash(content) != record.rejects.sha256:
        raise _damaged(record.rejects.path, store)
    try:
        batch = pa.ipc.open_file(content).get_batch(0)
        batch.validate(full=True)
        return [RejectExample(**row) for row in batch.to_pylist()]
    except UNREADABLE:
        raise _damaged(record.rejects.path, store) from None


def _arrow(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> tuple[bytes, list[tuple[int, int]]]:
    """Return an Arrow file of ``batches``, and the first and last offset of each of them."""
    sink, spans = pa.BufferOutputStream(), []
    with pa.ipc.new_file(sink, schema) as file:
        for batch in batches:
            file.write_batch(batch)
            # The bytes before the first one are the header.
            spans.append((sink.tell() - pa.ipc.get_record_batch_size(batch), sink.tell()))
    return sink.getvalue().to_pybytes(), spans


def _keep(store: Store, name: str, content: bytes) -> Kept:
    store.write(name, content)
    return Kept(path=name, sha256=_hash(content))


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _damaged(name: str, store: Store) -> PlanimeterError:
    return PlanimeterError(
        f"{name} in {store.url} was damaged or removed during the build; run the same command again: "
        "that shard is made again, the others are kept"
    )
