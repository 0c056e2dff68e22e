"""Plans the shards of a build and has them made: one cached Prefect task a shard, the work in our own processes."""

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from prefect import task
from prefect.filesystems import RemoteFileSystem
from prefect.futures import PrefectFuture
from prefect.tasks import Task

from planimeter.flows.display import artifacts
from planimeter.flows.display.bars import Bars
from planimeter.flows.display.throughput import Tally
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.selection import Selection
from planimeter.flows.shards import Shard, ShardRecord
from planimeter.flows.store import journal, shard_cache
from planimeter.flows.store.place import Place
from planimeter.flows.store.storage import FolderStore, Store
from planimeter.flows.suites import suite_of
from planimeter.flows.work import make_shard
from planimeter.flows.workers.runners import Workers

#: Records that are checked at once against their files: hashing and a bucket's answers both wait outside Python.
CHECKS = 16


def plan(place: Place, command: str) -> list[Shard]:
    """Return the shards of the build, and note them down so that ``planimeter status`` can tell how far it is."""
    shards = list(suite_of(place.recipe).plan(place.recipe))
    journal.Journal(
        dataset=place.recipe.dataset,
        version=place.recipe.version,
        command=command,
        keys=tuple(shard_cache.key_of(place.recipe, shard) for shard in shards),
    ).write(place.store)
    return shards


def make(place: Place, pool: Workers, shards: Sequence[Shard], shown: Bars) -> list[ShardRecord]:
    """Return the record of each shard, in order; those that are finished and whole are not made again."""
    stage = shown.stage("generate", len(shards))
    tally = Tally()
    make_one = _task(place, pool, tally)
    keys = [shard_cache.key_of(place.recipe, shard) for shard in shards]
    with ThreadPoolExecutor(CHECKS) as checks:
        # Prefect takes any record that it finds for a hit; this forgets those whose files are damaged.
        list(checks.map(lambda key: shard_cache.finished(place.store, key), keys))
    futures = {make_one.submit(key, shard): i for i, (key, shard) in enumerate(zip(keys, shards, strict=True))}
    # Not Prefect's as_completed: Ctrl-C that strikes while it waits can leave its lock released under a shard's thread,
    # which then ends with a traceback. A SimpleQueue waits in C.
    done: SimpleQueue[PrefectFuture[Any]] = SimpleQueue()
    for future in futures:
        future.add_done_callback(done.put)
    records: dict[int, ShardRecord] = {}
    with artifacts.progress(place.recipe.dataset, len(shards)) as reported:
        for _ in shards:
            future = done.get()
            record = _unpacked(future.result(), place)
            records[futures[future]] = record
            worked = tally.add(keys[futures[future]], record)
            if worked:
                stage.worked(record.seconds)
            stage.advance(note=str(tally), worked=worked)
            reported(len(records))
    return [records[i] for i in range(len(shards))]


def shortfall(shards: Sequence[Shard], records: Sequence[ShardRecord], selection: Selection) -> list[str]:
    """Return a line for each cell whose quota is not filled."""
    lines = [
        f"{shard.config}/{'/'.join(map(str, shard.cell))}: {record.missing} of {shard.count} items not found"
        for shard, record in zip(shards, records, strict=True)
        if record.missing
    ]
    lines += [f"{shard}: only equal items found" for shard in selection.open_shards]
    return lines


def finish(place: Place) -> None:
    """Forget the journal: nothing is left to go on with."""
    journal.close(place.store, place.recipe.dataset, place.recipe.version)


def _unpacked(packed: dict[str, Any], place: Place) -> ShardRecord:
    try:
        return shard_cache.unpack(packed)
    except (ValueError, KeyError, TypeError) as error:
        raise PlanimeterError(
            f"the record of a finished shard in {place.store.url} was damaged while the build was at work; run the "
            "same command again: the others are kept"
        ) from error


def _task(place: Place, pool: Workers, tally: Tally) -> Task[[str, Shard], dict[str, Any]]:
    recipe = place.recipe.model_dump(mode="json")

    @task(
        name="make-shard",
        task_run_name="{shard}",
        cache_key_fn=_key,
        persist_result=True,
        result_serializer="json",
        result_storage=_records_of(place.store),
    )
    def make_one(key: str, shard: Shard) -> dict[str, Any]:
        noted = shard_cache.noted(place.store, key)
        if noted:
            return noted
        tally.begin(key)
        return pool.run(make_shard, recipe, shard, place.store.url, key, shard_cache.code_of(place.recipe, shard))

    return make_one


def _records_of(store: Store) -> Path | RemoteFileSystem:
    """Return where Prefect keeps the records of finished shards, its cache.

    For a bucket that is a block of the Prefect server's, which holds the address and no credentials.
    """
    if isinstance(store, FolderStore):
        return store.folder / shard_cache.RECORDS
    block = RemoteFileSystem(basepath=f"{store.url}/{shard_cache.RECORDS}")
    block.save(f"planimeter-{hashlib.sha256(store.url.encode()).hexdigest()[:16]}", overwrite=True)
    return block


def _key(_: Any, arguments: dict[str, Any]) -> str:
    return str(arguments["key"])
