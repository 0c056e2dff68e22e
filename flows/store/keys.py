"""The keys of cached results: each is a digest of all inputs that decide the bytes of the result, and of nothing else.

The key of a shard is independent of the number of workers, of paths, of version and title of the dataset, and of
quotas. So a build at twice the scale reuses the shards that it shares with the smaller build, and a new version without
new code makes no shard. Keys are hexadecimal, safe as names of files. Keys of a sealed edition (with a secret seed)
depend on a digest of the seed file in place of the seed, so that nobody can find the seed by trial.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING

from pydantic import BaseModel

from planimeter.export.manifest import architecture, library_versions
from planimeter.flows.secret import Sealed
from planimeter.flows.shards import Planned, Shard
from planimeter.flows.store.sources import WRITING, code_digest
from planimeter.items.suites import declared
from planimeter.suites import editions
from planimeter.suites.base import Recipe
from planimeter.suites.pipeline import suite_of

if TYPE_CHECKING:
    from planimeter.export.verify.part import Job


def digest(content: object) -> str:
    """Return the hexadecimal SHA-256 of ``content``, which consists of JSON values."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def plan(recipe: Recipe, sealed: Sealed | None = None) -> tuple[Planned, ...]:
    """Return the planned shards of ``recipe`` with their keys. Raises ``PlanimeterError`` if its suite fails."""
    with declared(recipe.suite).blamed("its plan failed"):
        return keyed(recipe, suite_of(recipe).plan(recipe), sealed)


def keyed(recipe: Recipe, shards: Iterable[Shard], sealed: Sealed | None = None) -> tuple[Planned, ...]:
    """Return ``shards`` of ``recipe``, each with its cache key."""
    secret = sealed.open().store_key if sealed else ""
    return tuple(Planned(shard, shard_key(recipe, shard, secret)) for shard in shards)


def shard_key(recipe: Recipe, shard: Shard, secret: str = "") -> str:
    """Return the key of ``shard``: a digest of its fields, its part of the recipe, code, libraries and architecture.

    For training shards, it also depends on the published test items, which they must not repeat. ``secret`` replaces
    the seed of a sealed edition (``Secret.store_key``).
    """
    tests = _tests(shard.suite) if suite_of(recipe).exclude_test_items and shard.split == "train" else []
    address = [shard.config, shard.split, *shard.cell, shard.first, shard.count]
    content = slice_of(recipe, shard.config) | ({"seed": secret} if secret else {})
    return _key([content, address, tests], code_digest(recipe.suite))


def part_key(part: BaseModel) -> str:
    """Return the cache key of the planned Parquet file ``part`` (a ``Part``), independent of all file names."""
    values = part.model_dump(mode="json")
    pieces = [piece[1:] for piece in values["pieces"]]
    suite: str = values["suite"]
    content = [suite, values["canary"], values["config"], values["split"], values["sealed"], pieces]
    return _key(content, code_digest(suite, *WRITING))


def check_key(job: "Job", kind: str = "verify") -> str:
    """Return the cache key of the result of checking ``job``'s file; ``kind`` is "verify" or "certify"."""
    return _key([kind, asdict(job.record), job.recipe, job.canary], code_digest(job.suite, *WRITING))


def slice_of(recipe: Recipe, config: str) -> dict[str, object]:
    """Return the part of ``recipe`` that decides the content of items of ``config``, but not their number.

    It has the seed, the suite, and the tables on which ``config`` depends; quotas in the tables are left out.
    """
    values = recipe.model_dump(mode="json")
    tables = {
        name: {key: value for key, value in values[name].items() if not recipe.is_quota(name, key)}
        for name in recipe.tables_of(config)
    }
    return {"seed": values["seed"], "suite": values["suite"], **tables}


def _key(content: object, code: str) -> str:
    return digest([content, code, library_versions(), architecture()])


@cache
def _tests(suite: str) -> list[str]:
    """Return the SHA-256 of each file of fingerprints by which new items are compared with published test items."""
    files = [editions.file_of(name, suite) for name in declared(suite).editions]
    return [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]
