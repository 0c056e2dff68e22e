"""Digests of our own code: what the bytes of a shard depend on, and nothing else.

The digest of some modules is that of their files and of the files of every module of ours that they import, however
deep.
"""

import hashlib
import re
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from planimeter.flows.errors import PlanimeterError
from planimeter.items import suites

#: The folder of the packages: the checkout, or `planimeter/` among the installed packages.
ROOT = Path(__file__).resolve().parents[2]

PREFIX = "planimeter."

#: Packages of ours whose code decides rows, beside those of suites from other distributions. ``flows`` counts by its
#: suites only, which import what decides rows.
OURS = ("evals", "export", "filters", "flows", "generators", "items", "rendering")

#: What ``files_digest`` looks at: modules, vocabularies, and the templates of what is written and verified.
KINDS = (".py", ".j2", ".toml", ".yaml")

#: An import by its full name, wherever it stands in a file; the names may stand in brackets on lines of their own.
_IMPORT = re.compile(r"^[ \t]*(?:import ([\w.]+)|from ([\w.]+) import (?:\(([^)]*)\)|(.*)))", re.MULTILINE)


@cache
def digest(modules: tuple[str, ...]) -> str:
    """Return a digest of ``modules`` and of everything of ours that they import, whatever the order of the names.

    A process takes it once, from the files as they then are. Raises ``LookupError`` if there is no such module.
    """
    combined = hashlib.sha256()
    for name in sorted(closure(modules)):
        combined.update(f"{name} {hashlib.sha256(_content(name)).hexdigest()}\n".encode())
    return combined.hexdigest()


def files_digest() -> str:
    """Return a digest of every file of ours as it is now: of all that makes, writes and verifies a dataset."""
    combined = hashlib.sha256()
    for folder in (*(ROOT / name for name in OURS), *map(_folder, suites.packages())):
        for path in sorted(folder.rglob("*.*")):
            if path.suffix in KINDS:
                name = path.relative_to(folder.parent)
                combined.update(f"\n{name} ".encode() + hashlib.sha256(path.read_bytes()).digest())
    return combined.hexdigest()


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


def _folder(package: str) -> Path:
    """Return the folder of the top-level package of another distribution."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise PlanimeterError(f"the suites of the package {package} cannot be found: it is no folder of modules")
    return Path(spec.submodule_search_locations[0])


def _path(name: str) -> Path | None:
    first, *inner = name.removeprefix(PREFIX).split(".")
    base = (ROOT / first if name.startswith(PREFIX) else _folder(first)).joinpath(*inner)
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
    ours = (*(f"{PREFIX}{name}." for name in OURS), *(f"{package}." for package in suites.packages()))
    return tuple(sorted(n for n in names if f"{n}.".startswith(ours) and _path(n)))
