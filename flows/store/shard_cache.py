"""The cache key of a shard is content: what decides its bytes, and nothing else.

Not in the key: the number of workers, paths, the version and title of the dataset, its quotas. So a build of twice the
scale starts from the shards of the smaller one where their ranges agree, and a new release without new code makes none.
"""

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from planimeter.export.manifest import architecture, library_versions
from planimeter.flows.shards import Shard, ShardRecord, from_json, to_json
from planimeter.flows.store import sources
from planimeter.flows.store.storage import Store
from planimeter.flows.store.tables import is_whole
from planimeter.flows.suites import SHARED_SOURCES, suite_of
from planimeter.recipes.base import Recipe

#: Where a store keeps the records of finished shards, which Prefect writes and reads as its cache.
RECORDS = "records"

#: Where the workers note the same themselves. Prefect writes its records in the parent, some time later: a kill in
#: between would cost a shard that is finished, beside the one that is under way.
NOTES = "made"


def key_of(recipe: Recipe, shard: Shard) -> str:
    """Return the cache key of ``shard``: hex, safe as a file name."""
    content = {
        "code": code_of(recipe, shard).digest,
        "libraries": _libraries(),
        "architecture": architecture(),
        "recipe": slice_of(recipe, shard.config),
        "config": shard.config,
        "split": shard.split,
        "cell": list(shard.cell),
        "range": [shard.first, shard.count],
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def code_of(recipe: Recipe, shard: Shard) -> sources.Code:
    """Return the code that ``shard`` is made by."""
    modules = suite_of(recipe).SOURCES + SHARED_SOURCES + shard.modules
    return sources.Code(modules=modules, digest=sources.digest(modules))


@cache
def _libraries() -> dict[str, str]:
    # Reading them takes 7 ms, which adds up over thousands of shards.
    return library_versions()


def slice_of(recipe: Recipe, config: str) -> dict[str, Any]:
    """Return what the items of ``config`` depend on in ``recipe``: its seed, and the config's tables without quotas."""
    values = recipe.model_dump(mode="json")
    tables = {
        name: {key: value for key, value in values[name].items() if key not in recipe.QUOTAS}
        for name in recipe.tables_of(config)
    }
    return {"seed": values["seed"], "suite": values["suite"], **tables}


def pack(record: ShardRecord) -> dict[str, Any]:
    """Return ``record`` as JSON values with their SHA-256: nothing else would tell a flipped digit from a count."""
    values = to_json(record)
    return {"record": values, "sha256": _checksum(values)}


def unpack(packed: Mapping[str, Any]) -> ShardRecord:
    """Return the record that ``pack`` packed. Raises ``ValueError``, ``KeyError`` or ``TypeError`` for other values."""
    if _checksum(packed["record"]) != packed["sha256"]:
        raise ValueError("need a record that has its SHA-256, got another one")
    return from_json(packed["record"])


def _checksum(values: Any) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def finished(store: Store, key: str) -> ShardRecord | None:
    """Return the record kept under ``key`` in ``store`` if it and its files are whole; else forget it and return None.

    A record that a kill cut short, a shard that was truncated, and a bit that flipped in either end here: made again.
    """
    name = f"{RECORDS}/{key}"
    try:
        record = unpack(json.loads(json.loads(store.get(name))["result"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        store.delete(name)
        return None
    if not is_whole(record, store):
        store.delete(name)
        return None
    return record


def note(store: Store, key: str, packed: Mapping[str, Any]) -> None:
    """Note in ``store``, for a worker, that the shard of ``key`` is finished: its record as ``pack`` packed it."""
    store.put(f"{NOTES}/{key}", json.dumps(packed).encode())


def noted(store: Store, key: str) -> dict[str, Any] | None:
    """Return what ``note`` noted under ``key``, if it and the files of that record are whole."""
    try:
        record = unpack(json.loads(store.get(f"{NOTES}/{key}")))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return pack(record) if is_whole(record, store) else None
