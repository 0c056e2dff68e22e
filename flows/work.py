"""What a worker does with a shard. Needs no Prefect, so that any executor with our package can run it."""

from functools import cache
from typing import cast

from planimeter.export.manifest import architecture, library_versions
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.shards import Shard, ShardRecord
from planimeter.flows.store import shard_cache, sources
from planimeter.flows.store.storage import open_store
from planimeter.flows.store.tables import keep
from planimeter.flows.suites import suite_of
from planimeter.items.suites import declared
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import Values, parse


def make_shard(recipe: Values, shard: Shard, store: str, key: str, code: sources.Code) -> ShardRecord:
    """Make ``shard`` of ``recipe`` by ``code``, keep its rows in the store at ``store``, note under ``key`` that it is
    finished, and return its record.

    Raises ``PlanimeterError`` if the files of ``code`` were edited since the key was computed.
    """
    code.pin()
    parsed = cast("Recipe", parse(recipe, source=str(recipe["dataset"])))
    opened = open_store(store)
    with declared(parsed.suite).blamed(f"making {shard} failed"):
        made = suite_of(parsed).make(parsed, shard)
    record = keep(shard, made, opened)
    shard_cache.keep_record(opened, key, record)
    return record


def ensure_shard(recipe: Values, shard: Shard, store: str, key: str, code: sources.Code) -> ShardRecord:
    """Return the record of ``shard``, made now unless a worker finished it and died before it answered."""
    return shard_cache.finished(open_store(store), key) or make_shard(recipe, shard, store, key, code)


@cache
def environment_fingerprint(modules: tuple[str, ...]) -> dict[str, str]:
    """Return code digest (of ``modules`` and this one), architecture and library versions; equal fingerprints give
    equal bytes.

    Where the code changed while this process loaded it, the digest is "mixed", which no other process computes. Raises
    ``LookupError`` if there is no such module, ``ExportError`` if a library is missing.
    """
    named = (*modules, "planimeter.flows.work")
    code = sources.Code.of(named)
    try:
        code.pin()
        digest = code.digest
    except PlanimeterError:
        digest = "mixed"
    return {"code": digest, "architecture": architecture(), **library_versions()}
