"""Find the modules of a package by their file names, and the families or templates that they define.

A new family or template is added by a new file; no list has to be changed. Modules are imported on demand.
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
    """Return the sorted names of the modules in ``package`` that do not begin with an underscore."""
    module = importlib.import_module(package)
    return tuple(sorted(m.name for m in pkgutil.iter_modules(module.__path__) if not m.name.startswith("_")))


def load(package: str, name: str) -> ModuleType:
    """Import and return the module ``name`` of ``package``.

    Raises:
        LookupError: if there is no such module; the message lists those that exist.
    """
    known = names(package)
    if name not in known:
        raise LookupError(f"{package} has no module {name!r}; it has: {', '.join(known)}")
    return importlib.import_module(f"{package}.{name}")


@cache
def members(package: str, kind: type[Kind]) -> Mapping[str, tuple[str, Kind]]:
    """Return all instances of the class ``kind`` that the modules of ``package`` define, such as its families.

    The mapping is from the ``name`` of each instance, in sorted order, to (full name of its module, instance).

    Raises:
        ValueError: if two instances have the same name.
    """
    listed: dict[str, tuple[str, Kind]] = {}
    for module in (load(package, name) for name in names(package)):
        for value in vars(module).values():
            if isinstance(value, kind):
                if value.name in listed:
                    raise ValueError(f"names must differ, {package} has {value.name!r} twice; rename one of the two")
                listed[value.name] = module.__name__, value
    return MappingProxyType(dict(sorted(listed.items())))
