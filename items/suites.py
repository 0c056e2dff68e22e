"""Which suites there are: ours, and those that installed distributions register.

A distribution registers a suite in the entry point group ``planimeter.suites``: ``ropes = "ropes:SUITE"``. Ours stand
in ``items.builtin_suites``, so that a checkout finds them whatever its metadata say. One that cannot be imported breaks
nothing but itself.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from planimeter.items.builtin_suites import SUITES
from planimeter.items.declaration import OURS, Suite, SuiteError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["Suite", "SuiteError", "declared", "names", "packages", "pooled", "sound"]

GROUP = "planimeter.suites"


@cache
def installed() -> Mapping[str, "EntryPoint"]:
    """Return the entry points by which other distributions register suites, by name; none of them is loaded."""
    from importlib.metadata import entry_points

    return {point.name: point for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)}


def names() -> tuple[str, ...]:
    """Return the names of all suites: ours, then those of other distributions."""
    return (*SUITES, *(name for name in installed() if name not in SUITES))


def declared(name: str) -> Suite:
    """Return the declaration of the suite ``name``.

    Raises:
        SuiteError: if there is no such suite, with those that there are, or if it cannot be imported.
    """
    return SUITES.get(name) or _registered(name)


@cache
def _registered(name: str) -> Suite:
    if name not in installed():
        raise SuiteError(f"there is no suite {name!r}; there are: {', '.join(names())}")
    point = installed()[name]
    source = f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown distribution"
    suite = Suite(name=name, distribution=source)
    with suite.blamed(f"its declaration {point.value} cannot be imported"):
        suite = point.load()
    if not isinstance(suite, Suite) or suite.name != name:
        raise SuiteError(f"the suite {name} of {source}: need a Suite called so in {point.value}, got {suite!r:.80}")
    return replace(suite, distribution=source)


def sound() -> Iterator[Suite]:
    """Yield the declarations of all suites but those that cannot be imported."""
    for name in names():
        try:
            yield declared(name)
        except SuiteError:
            continue


def broken() -> Iterator[str]:
    """Yield of each suite that cannot be imported why."""
    for name in names():
        try:
            declared(name)
        except SuiteError as error:
            yield str(error)


def packages() -> tuple[str, ...]:
    """Return the top-level packages of the suites of other distributions."""
    roots = (point.module.partition(".")[0] for point in installed().values())
    return tuple(sorted({root for root in roots if root != OURS and find_spec(root)}))


def pooled(suite: str, names: Iterable[str]) -> list[str]:
    """Return the configs of ``suite`` that are called ``names``: configs, and pools of them; each of them once."""
    pools = declared(suite).pools
    return list(dict.fromkeys(config for name in names for config in pools.get(name, (name,))))
