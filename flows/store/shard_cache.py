"""The one cache of a build: notes of what is finished, each under a key that is content.

The key of a shard holds what decides its bytes and nothing else: not the number of workers, paths, the version and
title of the dataset, its quotas. So a build of twice the scale starts from the shards of the smaller one where their
ranges agree, and a new release without new code makes none.

A worker notes what it has finished at once, so that a kill costs only what is under way. A note begins with the hash of
the rest, since nothing else would distinguish a flipped digit from a count.
"""

import hashlib
import json
from functools import cache

from planimeter.export.manifest import architecture, library_versions
from planimeter.flows.shards import Shard, ShardRecord
from planimeter.flows.store import sources
from planimeter.flows.store.storage import Store
from planimeter.flows.store.tables import is_whole
from planimeter.flows.suites import suite_of
from planimeter.items.suites import declared
from planimeter.recipes import editions
from planimeter.recipes.base import Recipe

#: Where a store keeps the records of finished shards.
RECORDS = "made"


def key_of(recipe: Recipe, shard: Shard) -> str:
    """Return the cache key of ``shard``: hex, safe as a file name."""
    content: dict[str, object] = {
        "code": code_of(recipe, shard).digest,
        "libraries": _libraries(),
        "architecture": architecture(),
        "recipe": slice_of(recipe, shard.config),
        "config": shard.config,
        "split": shard.split,
        "cell": list(shard.cell),
        "range": [shard.first, shard.count],
    }
    if suite_of(recipe).apart and shard.split == "train":
        content["tests"] = _tests(shard.suite)
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def code_of(recipe: Recipe, shard: Shard) -> sources.Code:
    """Return the code that ``shard`` is made by."""
    modules = suite_of(recipe).sources + shard.modules
    return sources.Code.of(modules)


@cache
def _tests(suite: str) -> list[str]:
    """Return the digests of the published test items of ``suite``."""
    files = [editions.FOLDER / f"{name}.parquet" for name in declared(suite).editions]
    return [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]


@cache
def _libraries() -> dict[str, str]:
    # Reading them takes 7 ms, which adds up over thousands of shards.
    return library_versions()


def slice_of(recipe: Recipe, config: str) -> dict[str, object]:
    """Return what the items of ``config`` depend on in ``recipe``: its seed, and the config's tables without quotas."""
    values = recipe.model_dump(mode="json")
    tables = {
        name: {key: value for key, value in values[name].items() if key not in recipe.QUOTAS}
        for name in recipe.tables_of(config)
    }
    return {"seed": values["seed"], "suite": values["suite"], **tables}


def note(store: Store, name: str, content: bytes) -> None:
    """Note ``content`` in ``store`` under ``name``."""
    store.put(name, hashlib.sha256(content).hexdigest().encode() + b"\n" + content)


def noted(store: Store, name: str) -> bytes | None:
    """Return what was noted under ``name``, or None if nothing is, or if a kill or a disk has spoilt it."""
    try:
        digest, _, content = store.get(name).partition(b"\n")
    except OSError:
        return None
    return content if hashlib.sha256(content).hexdigest().encode() == digest else None


def keep_record(store: Store, key: str, record: ShardRecord) -> None:
    """Note in ``store`` that the shard of ``key`` is finished."""
    note(store, f"{RECORDS}/{key}", record.model_dump_json().encode())


def finished(store: Store, key: str) -> ShardRecord | None:
    """Return the record kept under ``key`` in ``store`` if it and its files are whole.

    A record that a kill cut short, a shard that was truncated, and a bit that flipped in either end here: made again.
    """
    content = noted(store, f"{RECORDS}/{key}")
    record = None if content is None else ShardRecord.model_validate_json(content)
    return record if record and is_whole(record, store) else None
