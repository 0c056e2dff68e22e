"""Finds the modules of a suite: each module of a package is one family (or style, or template), nothing to register.

A module is found by its file, so adding a family touches one file. Modules are loaded by name when asked for; the
registry imports none of them itself, so that a shard's cache key depends on its own family and not on all the others.
"""

import importlib
import pkgutil
from functools import cache
from types import ModuleType


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
