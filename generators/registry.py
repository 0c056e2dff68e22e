"""Find the modules of a suite by their file names, and the families or templates in them.

A new family or template is one new file; no list has to be changed. Modules are imported on demand.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType, ModuleType
from typing import Protocol, TypeVar


class _Named(Protocol):
    @property
    def name(self) -> str: ...


Kind = TypeVar("Kind", bound=_Named)


@cache
def names(package: str) -> tuple[str, ...]:
    """Return the sorted names of the public modules in ``package``."""
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
def members(package: str, kind: type[Kind]) -> Mapping[str, tuple[str, Kind]]:
    """Return the instances of ``kind`` in the modules of ``package``: (module name, instance) by the instance's
    ``name``, sorted.

    Raises:
        ValueError: if two have the same name.
    """
    listed: dict[str, tuple[str, Kind]] = {}
    for module in (load(package, name) for name in names(package)):
        for value in vars(module).values():
            if isinstance(value, kind):
                if value.name in listed:
                    raise ValueError(f"names must differ, {package} has {value.name!r} twice; rename one of the two")
                listed[value.name] = module.__name__, value
    return MappingProxyType(dict(sorted(listed.items())))
