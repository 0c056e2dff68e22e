"""What a worker does with a shard. Needs no Prefect, so that any executor with our package can run it."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import TypeVar, cast

from planimeter.export.manifest import architecture, library_versions
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.shards import Shard, ShardRecord
from planimeter.flows.store import shard_cache, sources
from planimeter.flows.store.storage import open_store
from planimeter.flows.store.tables import keep
from planimeter.flows.suites import suite_of
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import Values, parse

Result = TypeVar("Result")


class OtherWorkerError(Exception):
    """This worker has other code or libraries than the build; the message says which."""


def make_shard(recipe: Values, shard: Shard, store: str, key: str, code: sources.Code) -> ShardRecord:
    """Make ``shard`` of ``recipe`` by ``code``, keep its rows in the store at ``store``, note under ``key`` that it is
    finished, and return its record.

    Raises ``PlanimeterError`` if the files of ``code`` were edited since the key was computed.
    """
    code.hold()
    parsed = cast("Recipe", parse(recipe, source=str(recipe["dataset"])))
    opened = open_store(store)
    record = keep(shard, suite_of(parsed).make(parsed, shard), opened)
    shard_cache.keep_record(opened, key, record)
    return record


def ensure_shard(recipe: Values, shard: Shard, store: str, key: str, code: sources.Code) -> ShardRecord:
    """Return the record of ``shard``, made by ``make_shard`` unless a worker has done so that died with its answer."""
    return shard_cache.finished(open_store(store), key) or make_shard(recipe, shard, store, key, code)


@cache
def likeness(modules: tuple[str, ...]) -> dict[str, str]:
    """Return what decides bytes here: the digest of ``modules`` and of the work itself, the machine's architecture,
    and the libraries' versions.

    Where the code changed while this process loaded it, the digest is nobody's. Raises ``LookupError`` if there is no
    such module, ``ExportError`` if a library is missing.
    """
    named = (*modules, "planimeter.flows.work")
    code = sources.Code(modules=named, digest=sources.digest(named))
    try:
        code.hold()
        digest = code.digest
    except PlanimeterError:
        digest = "mixed"
    return {"code": digest, "architecture": architecture(), **library_versions()}


def differences(found: Mapping[str, str], wanted: Mapping[str, str]) -> str:
    """Say which of our code and the libraries are not those that are ``wanted``."""
    return ", ".join(
        "other code of Planimeter" if name == "code" else f"{name} {found.get(name)} (here {wanted[name]})"
        for name in sorted(wanted)
        if found.get(name) != wanted[name]
    )


def run_alike(
    wanted: Mapping[str, str], modules: tuple[str, ...], function: Callable[..., Result], *arguments: object
) -> Result:
    """Return ``function(*arguments)``. Raises ``OtherWorkerError`` where ``likeness`` is not what is ``wanted``."""
    unlike = differences(likeness(modules), wanted)
    if unlike:
        raise OtherWorkerError(unlike)
    return function(*arguments)


def sees(store: str, name: str) -> bool:
    """Return whether ``name`` can be read here from the store at ``store``."""
    try:
        open_store(store).get(name)
    except FileNotFoundError:
        return False
    return True
