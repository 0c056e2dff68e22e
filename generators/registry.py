"""Finds the modules of a suite by their files, and the families, styles or templates that they list.

So adding one touches one file, and nothing is registered. Modules are loaded by name when asked for; the registry
imports none of them itself, so that a shard's cache key depends on its own family's module and not on all the others.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType, ModuleType
from typing import Any, NamedTuple


class Member(NamedTuple):
    """A family, style or template, and the module that lists it."""

    module: str
    value: Any


@cache
def names(package: str) -> tuple[str, ...]:
    """Return the names of the modules in ``package`` that are not private, sorted."""
    module = importlib.import_module(package)
    return tuple(sorted(m.name for m in pkgutil.iter_modules(module.__path__) if not m.name.startswith("_")))


def load(package: str, name: str) -> ModuleType:
    """Import and return the module ``name`` of ``package``.

    Raises:
        LookupError: if there is no such module; the message lists those that exist.
    """
    known = names(package)
    if name not in known:
        raise LookupError(f"{package} has no {name!r}; it has: {', '.join(known)}")
    return importlib.import_module(f"{package}.{name}")


@cache
def members(package: str, attribute: str) -> Mapping[str, Member]:
    """Return what the modules of ``package`` list in their tuples ``attribute``, by name, sorted.

    Raises:
        ValueError: if two have the same name.
    """
    found: dict[str, Member] = {}
    for name in names(package):
        for value in getattr(load(package, name), attribute):
            if value.name in found:
                raise ValueError(f"names must differ, {package} has {value.name!r} twice; rename one of the two")
            found[value.name] = Member(f"{package}.{name}", value)
    return MappingProxyType(dict(sorted(found.items())))


def member(package: str, attribute: str, name: str) -> Member:
    """Return the one called ``name`` of ``members``.

    Raises:
        LookupError: if there is none; the message lists those that exist.
    """
    known = members(package, attribute)
    if name not in known:
        raise LookupError(f"{package} has no {name!r}; it has: {', '.join(known)}")
    return known[name]
