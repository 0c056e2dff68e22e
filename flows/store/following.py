"""Follows the imports of modules of ours, and of suites from other distributions, by their sources."""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from planimeter.flows.store.sources import EVERYTHING, ROOT, home
from planimeter.items import suites

PREFIX = "planimeter."

#: An import by its full name, wherever it stands in a file; the names may stand in brackets on lines of their own.
_IMPORT = re.compile(r"^[ \t]*(?:import ([\w.]+)|from ([\w.]+) import (?:\(([^)]*)\)|(.*)))", re.MULTILINE)


def closure(modules: Iterable[str]) -> frozenset[str]:
    """Return ``modules`` and the names of all modules of ours that they import, directly or not."""
    names: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in names:
            names.add(name)
            waiting += _imports(name)
    return frozenset(names)


def _path(name: str) -> Path | None:
    first, *inner = name.removeprefix(PREFIX).split(".")
    base = (ROOT / first if name.startswith(PREFIX) else home(first)).joinpath(*inner)
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)


@cache
def _content(name: str) -> bytes:
    path = _path(name)
    if path is None:
        raise LookupError(f"no module of ours is called {name}")
    return path.read_bytes()


@cache
def _imports(name: str) -> tuple[str, ...]:
    names: set[str] = set()
    for module, package, *listed in _IMPORT.findall(_content(name).decode()):
        # "from planimeter.x import y" may import a module y, or a name of x.
        names |= {module or package, *(f"{package}.{part}" for part in re.findall(r"\w+", "".join(listed)))}
    ours = (*(f"{PREFIX}{name}." for name in EVERYTHING), *(f"{package}." for package in suites.packages()))
    return tuple(sorted(n for n in names if f"{n}.".startswith(ours) and _path(n)))
