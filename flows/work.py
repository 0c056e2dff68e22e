"""What a worker does with a shard. Needs no Prefect, so that any executor with our package can run it."""

from functools import cache
from typing import cast

from planimeter.export.manifest import architecture, library_versions
from planimeter.flows.shards import Shard, ShardRecord
from planimeter.flows.store import sources
from planimeter.flows.store.storage import open_store
from planimeter.flows.store.tables import keep
from planimeter.flows.suites import suite_of
from planimeter.items.suites import declared
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import Values, parse


def make_shard(recipe: Values, shard: Shard, store: str) -> ShardRecord:
    """Make ``shard`` of ``recipe``, keep its rows in the store at ``store``, and return its record."""
    parsed = cast("Recipe", parse(recipe, source=str(recipe["dataset"])))
    with declared(parsed.suite).blamed(f"making {shard} failed"):
        made = suite_of(parsed).make(parsed, shard)
    return keep(shard, made, open_store(store))


@cache
def environment_fingerprint(modules: tuple[str, ...]) -> dict[str, str]:
    """Return code digest (of ``modules`` and this one), architecture and library versions; equal fingerprints give
    equal bytes.

    Raises ``LookupError`` if there is no such module, ``ExportError`` if a library is missing.
    """
    code = sources.digest((*modules, "planimeter.flows.work"))
    return {"code": code, "architecture": architecture(), **library_versions()}
