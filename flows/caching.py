"""The cache key of a shard is content: what decides its bytes, and nothing else.

Not in the key: the number of workers, paths, the version and title of the dataset, its quotas. So a build of twice the
scale starts from the shards of the smaller one where their ranges agree, and a new release without new code makes none.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from export.manifest import library_versions
from flows import sources
from flows.shards import Shard, ShardRecord, from_json, is_whole
from flows.suites import suite_of
from recipes.base import Recipe

#: Keys of a config's table that no item depends on.
QUOTAS = frozenset({"questions", "pairs", "maxima_share", "questions_per_shard", "pairs_per_shard"})


def key_of(recipe: Recipe, shard: Shard) -> str:
    """Return the cache key of ``shard``: hex, safe as a file name."""
    content = {
        "code": sources.digest(suite_of(recipe).SOURCES + shard.modules),
        "libraries": library_versions(),
        "recipe": slice_of(recipe, shard.config),
        "config": shard.config,
        "split": shard.split,
        "cell": list(shard.cell),
        "range": [shard.first, shard.count],
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def slice_of(recipe: Recipe, config: str) -> dict[str, Any]:
    """Return what the items of ``config`` depend on in ``recipe``: its seed, and the config's table without quotas."""
    values = recipe.model_dump(mode="json")
    table = {key: value for key, value in values[config].items() if key not in QUOTAS}
    return {"seed": values["seed"], "suite": values["suite"], config: table}


def finished(folder: Path, key: str) -> ShardRecord | None:
    """Return the record kept under ``key`` below ``folder`` if its files are whole; else forget it and return None.

    A record that a kill cut short, a shard that was truncated, and a bit that flipped all end here: made again.
    """
    path = records_of(folder) / key
    try:
        record = from_json(json.loads(json.loads(path.read_bytes())["result"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        path.unlink(missing_ok=True)
        return None
    if not is_whole(record, folder):
        path.unlink(missing_ok=True)
        return None
    return record


def records_of(folder: Path) -> Path:
    """Return where Prefect keeps the records of finished shards."""
    return folder / "records"
