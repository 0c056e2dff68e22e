"""Makes a shard, a range of items, in a worker. Needs no Prefect, so that any process with our package can run it."""

import json
from functools import cache, lru_cache
from typing import cast

from planimeter.export.manifest import architecture, library_versions
from planimeter.flows.secret import Sealed, kept_from_messages
from planimeter.flows.shards import Shard, ShardRecord
from planimeter.flows.store.keys import shard_key
from planimeter.flows.store.sources import code_digest
from planimeter.flows.store.storage import Store
from planimeter.flows.store.tables import write_shard
from planimeter.items.suites import declared
from planimeter.suites.base import Recipe
from planimeter.suites.loading import Values, parse
from planimeter.suites.pipeline import suite_of


def make_shard(recipe: Values, shard: Shard, store: str, sealed: Sealed | None = None) -> ShardRecord:
    """Make ``shard`` of ``recipe`` (JSON values), store its files in the store at ``store``, and return its record.

    The seed of a ``sealed`` edition is read from its file in this process, so that no caller passes the seed itself.
    Raises ``PlanimeterError`` for a fault of the suite, the store or the seed file.
    """
    parsed = _parsed(json.dumps(recipe))
    secret = sealed.open() if sealed else None
    opened = secret.opened(parsed) if secret else parsed
    with kept_from_messages(secret, f"making {shard}"), declared(parsed.suite).blamed(f"making {shard} failed"):
        made = suite_of(opened).make(opened, shard)
    return write_shard(Store(store), shard_key(parsed, shard, secret.store_key if secret else ""), shard, made)


@cache
def environment_fingerprint(suite: str) -> dict[str, str]:
    """Return name -> value: a digest of the code of ``suite``, the architecture, and the version of each library.

    Processes with equal fingerprints make equal bytes. Raises ``LookupError`` for an unknown suite, ``ExportError`` for
    a missing library.
    """
    return {"code": code_digest(suite), "architecture": architecture(), **library_versions()}


@lru_cache(maxsize=1)
def _parsed(recipe: str) -> Recipe:
    """Return the recipe of a JSON text, whose validation takes as long as making a simple row."""
    values: Values = json.loads(recipe)
    return cast("Recipe", parse(values, source=str(values["dataset"])))
