"""Stores finished shards, and reads their rows back, item by item.

A shard has an Arrow file for each config (one record batch for each item, so that
``pa.ipc.open_file(...).get_batch(i)`` is item ``i``) and one for its rejects. Its ``ShardRecord`` contains their
SHA-256 and is stored last, as the result of a task (``flows/blocks.py``): a kill before that leaves files that nobody
reads. Few batches are compressed (``LARGE``), since PNGs are. Items are written to a dataset in another order than they
are made, so the record contains the offset of each batch: a reader of some items reads only their bytes.
Rows are read with the columns that the suite declares; the schema in a file is ignored.
"""

import hashlib
import time
from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise

import pyarrow as pa

from planimeter.export.rejects import RejectExample
from planimeter.export.schema import schema_of
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.shards import Block, Kept, Made, Shard, ShardRecord, StoredTable
from planimeter.flows.store.storage import Store, is_name
from planimeter.generators.seeding import without_variant

#: The folder of shards in a store.
SHARDS = "shards"

#: A file with an item of more than this many bytes is compressed. Only an item with many pictures is so large, and the
#: styles of one plot repeat each other's pixels: a file of `marvl-qa` shrinks to a sixth, and takes less time to write.
LARGE = 1 << 20

#: The length of the beginning of an Arrow file, which the schema and the batches follow.
MAGIC = len(b"ARROW1\0\0")

#: Errors that reading a damaged or forged file may raise.
UNREADABLE = (pa.ArrowException, EOFError, OSError, TypeError, ValueError)

#: The columns of rejects, which are the fields of ``RejectExample``.
REJECTS = pa.schema(
    [
        *((name, pa.string()) for name in ("config", "stratum", "check", "reason")),
        *((name, pa.float64()) for name in ("measured", "limit")),
        *(("picture", pa.binary()), ("answer", pa.string()), ("fits", pa.string())),
    ]
)


def stem_of(key: str) -> str:
    """Return the beginning of the names of all files of the shard with this key."""
    return f"{SHARDS}/{key[:2]}/{key}"


def write_shard(store: Store, key: str, shard: Shard, made: Made) -> ShardRecord:
    """Store the rows and rejected examples that a suite ``made`` for ``shard``; return the record of their files."""
    began = time.process_time()
    stem = stem_of(key)
    tables = []
    for config in sorted({shard.config, *(config for item in made.items for config in item)}):
        schema = schema_of(shard.suite, config, [shard.split]).arrow
        items = [item.get(config, []) for item in made.items]
        content, spans = _arrow(schema, [pa.RecordBatch.from_pylist(rows, schema=schema) for rows in items])
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
    return ShardRecord(
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


def is_whole(record: ShardRecord, store: Store) -> bool:
    """True if all files of ``record`` are in the store, belong to its shard, and have unchanged bytes."""
    return all(
        file.path.startswith(stem_of(record.key)) and is_name(file.path) and store.sha256(file.path) == file.sha256
        for file in record.files
    )


def read_items(store: Store, items: Sequence[tuple[str, Block]], schema: pa.Schema) -> list[pa.RecordBatch]:
    """Return one record batch with the columns of ``schema`` for each of ``items``: (file name, block in the file).

    Raises ``PlanimeterError`` if a file is damaged or missing, or its name would be outside of the store.
    """
    try:
        contents = store.slices([(path, block.start, block.size) for path, block in items])
    except FileNotFoundError as error:
        raise _damaged(str(error.filename or error), store) from None
    batches = []
    for content, (path, block) in zip(contents, items, strict=True):
        # The whole file was checked at the start of the build, which may be hours ago.
        if _hash(content) != block.sha256:
            raise _damaged(path, store)
        try:
            batches.append(pa.ipc.read_record_batch(pa.ipc.read_message(content), schema))
            # Arrow does not check the offsets in a file by itself.
            batches[-1].validate(full=True)
        except UNREADABLE:
            raise _damaged(path, store) from None
    return batches


def read_rejects(store: Store, record: ShardRecord) -> list[RejectExample]:
    """Return the rejected examples of the shard of ``record``. Raises ``PlanimeterError`` if they are damaged."""
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


def _arrow(schema: pa.Schema, batches: Sequence[pa.RecordBatch]) -> tuple[memoryview, list[tuple[int, int]]]:
    """Return the content of an Arrow file of ``batches``, and the (start, end) offset of each batch in it."""
    codec = "zstd" if max((batch.nbytes for batch in batches), default=0) > LARGE else None
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, schema, options=pa.ipc.IpcWriteOptions(compression=codec, use_threads=False)) as file:
        for batch in batches:
            file.write_batch(batch)
    content = sink.getvalue()
    reader = pa.BufferReader(content)
    reader.seek(MAGIC)
    pa.ipc.read_message(reader)  # the schema
    ends = [reader.tell()]
    for _ in batches:
        pa.ipc.read_message(reader)
        ends.append(reader.tell())
    return memoryview(content), list(pairwise(ends))


def _keep(store: Store, name: str, content: memoryview) -> Kept:
    store.write(name, content)
    return Kept(path=name, sha256=_hash(content))


def _hash(content: bytes | memoryview) -> str:
    return hashlib.sha256(content).hexdigest()


def _damaged(name: str, store: Store) -> PlanimeterError:
    return PlanimeterError(
        f"{name} in {store.url} was damaged or removed during the build; run the same command again: "
        "it makes this shard again and keeps the others"
    )
