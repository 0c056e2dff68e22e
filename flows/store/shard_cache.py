"""The key under which a shard is kept: what decides its bytes and nothing else.

That is not the number of workers, paths, the version and title of the dataset, its quotas. So a build of twice the
scale starts from the shards of the smaller one where their ranges agree, and a new release without new code makes none.
"""

import hashlib
from collections.abc import Iterable
from functools import cache

from planimeter.export.manifest import architecture, library_versions
from planimeter.flows.shards import Planned, Shard, ShardRecord
from planimeter.flows.store import sources
from planimeter.flows.store.cached import digest, model_kind
from planimeter.flows.suites import modules_of, suite_of
from planimeter.items.suites import declared
from planimeter.recipes import editions
from planimeter.recipes.base import Recipe

#: The records of finished shards, and the folder of a store in which they lie.
RECORDS = "made"
MADE = model_kind(RECORDS, ShardRecord)


def plan(recipe: Recipe) -> tuple[Planned, ...]:
    """Return the shards of a build of ``recipe``; ``PlanimeterError`` if its suite fails to list them."""
    with declared(recipe.suite).blamed("its plan failed"):
        return keyed(recipe, suite_of(recipe).plan(recipe))


def keyed(recipe: Recipe, shards: Iterable[Shard]) -> tuple[Planned, ...]:
    """Return ``shards``, each with its cache key."""
    return tuple(Planned(shard, key_of(recipe, shard)) for shard in shards)


def key_of(recipe: Recipe, shard: Shard) -> str:
    """Return the cache key of ``shard``: hex, safe as a file name."""
    content: dict[str, object] = {
        "code": sources.digest(modules_of(recipe)),
        "libraries": library_versions(),
        "architecture": architecture(),
        "recipe": slice_of(recipe, shard.config),
        "config": shard.config,
        "split": shard.split,
        "cell": list(shard.cell),
        "range": [shard.first, shard.count],
    }
    if suite_of(recipe).apart and shard.split == "train":
        content["tests"] = _tests(shard.suite)
    return digest(content)


@cache
def _tests(suite: str) -> list[str]:
    """Return the digests of the published test items of ``suite``."""
    files = [editions.file_of(name, suite) for name in declared(suite).editions]
    return [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]


def slice_of(recipe: Recipe, config: str) -> dict[str, object]:
    """Return what the items of ``config`` depend on in ``recipe``: its seed, and the config's tables without quotas."""
    values = recipe.model_dump(mode="json")
    tables = {
        name: {key: value for key, value in values[name].items() if not recipe.is_quota(name, key)}
        for name in recipe.tables_of(config)
    }
    return {"seed": values["seed"], "suite": values["suite"], **tables}
