"""The registry of suites: ours, and those that other installed Python packages (distributions) register.

A distribution registers a suite in the entry point group ``planimeter.suites``: ``ropes = "ropes:SUITE"``. Ours are
listed in ``items.builtin_suites`` instead, so that they work without installation. A suite that cannot be imported does
not affect the others.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from planimeter.items.builtin_suites import SUITES
from planimeter.items.declaration import Suite, SuiteError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["Suite", "SuiteError", "declared", "distribution_of", "names", "pooled", "working_suites"]

GROUP = "planimeter.suites"


@cache
def installed() -> Mapping[str, tuple["EntryPoint", ...]]:
    """Return the entry points of the suites of other installed packages by suite name, without loading them."""
    from importlib.metadata import entry_points

    points = sorted(entry_points(group=GROUP), key=lambda point: (point.name, source_of(point)))
    return {name: tuple(same) for name, same in groupby(points, key=attrgetter("name"))}


def source_of(point: "EntryPoint") -> str:
    """Return the name and version of the installed package that declares the entry point ``point``."""
    return f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown distribution"


def names() -> tuple[str, ...]:
    """Return the names of all suites: ours, then those of other installed packages."""
    return (*SUITES, *(name for name in installed() if name not in SUITES))


def declared(name: str) -> Suite:
    """Return the declaration of the suite ``name``.

    Raises:
        SuiteError: if there is no such suite, with a list of all suites, or if it cannot be imported.
    """
    return SUITES.get(name) or _registered(name)


@cache
def _registered(name: str) -> Suite:
    if name not in installed():
        raise SuiteError(f"there is no suite {name!r}; there are: {', '.join(names())}")
    point, *others = installed()[name]
    source = source_of(point)
    if others:
        raise SuiteError(
            f"the suite {name} is registered by {', '.join(map(source_of, (point, *others)))}: uninstall all but one"
        )
    suite = Suite(name=name, distribution=source)
    with suite.blamed(f"its declaration {point.value} cannot be imported"):
        suite = point.load()
    if not isinstance(suite, Suite) or suite.name != name:
        raise SuiteError(f"the suite {name} of {source}: {point.value} must be a Suite of this name, got {suite!r:.80}")
    return replace(suite, distribution=source)


def distribution_of(suite: str) -> str:
    """Return the name by which pip knows the package that contains ``suite``."""
    return declared(suite).distribution.partition(" ")[0]


def working_suites() -> Iterator[Suite]:
    """Yield the declarations of all suites except those that cannot be imported."""
    yield from SUITES.values()
    for name in installed():
        if name not in SUITES:
            with suppress(SuiteError):
                yield declared(name)


def suite_errors() -> Iterator[str]:
    """Yield an error message for each unusable suite that another installed package provides."""
    for name, points in installed().items():
        if name in SUITES:
            yield f"the suite {name} of {source_of(points[0])} is ignored: Planimeter has its own suite of this name"
            continue
        try:
            declared(name)
        except SuiteError as error:
            yield str(error)


def pooled(suite: str, names: Iterable[str]) -> list[str]:
    """Return the configs ``names``, each once; the name of a pool (group of configs) is replaced by its configs."""
    pools = declared(suite).pools
    return list(dict.fromkeys(config for name in names for config in pools.get(name, (name,))))
