"""What a worker does with a shard. Needs no Prefect, so that any executor with our package can run it."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar, cast

from planimeter.export.manifest import architecture, library_versions
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.shards import Shard
from planimeter.flows.store import shard_cache, sources
from planimeter.flows.store.storage import open_store
from planimeter.flows.store.tables import keep
from planimeter.flows.suites import suite_of
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import parse

Result = TypeVar("Result")

#: Drawing is not made for threads, of which a worker of somebody else's cluster may have several.
_ONE_AT_A_TIME = threading.Lock()

#: Set when the code changed under this process, which may have loaded some of it before and some after.
_MIXED = threading.Event()


class OtherWorkerError(Exception):
    """This worker has other code or libraries than the build; the message says which."""


def make_shard(recipe: Mapping[str, Any], shard: Shard, store: str, key: str, code: sources.Code) -> dict[str, Any]:
    """Make ``shard`` of ``recipe`` by ``code``, keep its rows in the store at ``store``, note under ``key`` that it is
    finished, and return its record as packed by ``caching.pack``.

    Raises ``PlanimeterError`` if the files of ``code`` were edited since the key was computed.
    """
    parsed = cast("Recipe", parse(recipe, source=str(recipe["dataset"])))
    opened = open_store(store)
    with _unchanged(code):
        made = suite_of(parsed).make(parsed, shard)
    packed = shard_cache.pack(keep(shard, made, opened))
    shard_cache.note(opened, key, packed)
    return packed


@contextmanager
def _unchanged(code: sources.Code) -> Iterator[None]:
    """Hold what happens within to ``code``: modules are imported when they are first needed, hours after the plan."""
    _refuse_change(code)
    try:
        yield
    finally:
        # Whatever an edit breaks has the edit as its reason.
        _refuse_change(code)


def _refuse_change(code: sources.Code) -> None:
    if not code.is_here():
        _MIXED.set()
        likeness.cache_clear()
    if _MIXED.is_set():
        raise PlanimeterError(
            "the code changed while the build ran; what is finished is kept, run the same command again"
        )


@cache
def likeness(modules: tuple[str, ...]) -> dict[str, str]:
    """Return what decides bytes here: the digest of ``modules`` and of the work itself, the machine's architecture,
    and the libraries' versions.

    Under a process whose code changed while it worked, the digest is nobody's. Raises ``LookupError`` if there is no
    such module, ``ExportError`` if a library is missing.
    """
    found = "mixed" if _MIXED.is_set() else sources.digest((*modules, "planimeter.flows.work"))
    return {"code": found, "architecture": architecture(), **library_versions()}


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
    with _ONE_AT_A_TIME:
        return function(*arguments)


def sees(store: str, name: str) -> bool:
    """Return whether ``name`` can be read here from the store at ``store``."""
    try:
        open_store(store).get(name)
    except FileNotFoundError:
        return False
    return True
