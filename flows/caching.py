"""The cache key of a shard is content: what decides its bytes, and nothing else.

Not in the key: the number of workers, paths, the version and title of the dataset, its quotas. So a build of twice the
scale starts from the shards of the smaller one where their ranges agree, and a new release without new code makes none.
"""

import hashlib
import json
from functools import cache
from typing import Any

from export.manifest import library_versions
from flows import sources
from flows.keeping import is_whole
from flows.shards import Shard, ShardRecord, from_json
from flows.storage import Store
from flows.suites import SHARED_SOURCES, suite_of
from recipes.base import Recipe

#: Where a store keeps the records of finished shards, which Prefect writes and reads as its cache.
RECORDS = "records"


def key_of(recipe: Recipe, shard: Shard) -> str:
    """Return the cache key of ``shard``: hex, safe as a file name."""
    content = {
        "code": sources.digest(suite_of(recipe).SOURCES + SHARED_SOURCES + shard.modules),
        "libraries": _libraries(),
        "recipe": slice_of(recipe, shard.config),
        "config": shard.config,
        "split": shard.split,
        "cell": list(shard.cell),
        "range": [shard.first, shard.count],
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


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


def finished(store: Store, key: str) -> ShardRecord | None:
    """Return the record kept under ``key`` in ``store`` if its files are whole; else forget it and return None.

    A record that a kill cut short, a shard that was truncated, and a bit that flipped all end here: made again.
    """
    name = f"{RECORDS}/{key}"
    try:
        record = from_json(json.loads(json.loads(store.get(name))["result"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        store.delete(name)
        return None
    if not is_whole(record, store):
        store.delete(name)
        return None
    return record
