"""Digests of our code: what the bytes of a shard depend on, and nothing else.

The digest of some modules is that of their syntax trees and of those of every module of ours that they import, however
deep. Comments, docstrings and layout do not count, so that only a change of meaning makes shards again.
"""

import ast
import hashlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from planimeter.flows.errors import PlanimeterError
from planimeter.items import suites

#: The folder of the packages: the checkout, or `planimeter/` among the installed packages.
ROOT = Path(__file__).resolve().parents[2]

PREFIX = "planimeter."

#: Packages of ours whose code decides rows, beside those of suites from other distributions. ``flows`` counts by its
#: suites only, which import what decides rows.
OURS = ("curation", "evals", "export", "filters", "flows", "generators", "items", "rendering")

#: What ``files_digest`` looks at: modules, and the templates of what is written and verified.
KINDS = (".py", ".j2", ".yaml")

#: How often a module is parsed anew. Python 3.11 counts the depth of a tree in one place for all threads and fails
#: with ``SystemError`` where two parse at once (CPython's issue 106905): Prefect's own threads parse as well as ours.
PARSES = 20

#: The content of each module's file when its digest was taken here.
_CONTENTS: dict[str, bytes] = {}

#: Modules that were imported here from a file with that content.
_PINNED: set[str] = set()


@dataclass(frozen=True, kw_only=True, slots=True)
class Code:
    """The modules that something is made by, and their ``digest`` where it was planned."""

    modules: tuple[str, ...]
    digest: str

    @classmethod
    def of(cls, modules: tuple[str, ...]) -> "Code":
        """Return the code of ``modules`` as their files are now. Raises ``LookupError`` if there is no such module."""
        return cls(modules=modules, digest=digest(modules))

    def pin(self) -> None:
        """Import all modules now; raise ``PlanimeterError`` if a file has changed since the digest was taken.

        A module that is first needed hours later would be read from a file that was edited meanwhile.
        """
        if not _pins(self):
            raise PlanimeterError(
                "the code changed while the build ran; what is finished is kept, run the same command again"
            )


@cache
def _pins(code: Code) -> bool:
    try:
        current = digest(code.modules)
        new = closure(code.modules) - _PINNED
        for name in sorted(new):
            import_module(name)
        # The files are read before the imports, for their digest, and once more behind them.
        unchanged = all(_content(name) == _CONTENTS[name] for name in new)
    except Exception:  # noqa: BLE001 - a file that is gone or half written may raise anything
        return False
    if unchanged:
        _PINNED.update(new)
    return unchanged and current == code.digest


@cache
def digest(modules: tuple[str, ...]) -> str:
    """Return a digest of ``modules`` and of everything of ours that they import, whatever the order of the names.

    A process takes it once, from the files as they then are.
    """
    combined = hashlib.sha256()
    for name in sorted(closure(modules)):
        combined.update(f"{name} {_tree_digest(name)}\n".encode())
    return combined.hexdigest()


def files_digest() -> str:
    """Return a digest of every file of ours as it is now. Where it is the same, so is ``digest`` of any modules, which
    takes a second: all that it looks at are these files.
    """
    combined = hashlib.sha256()
    for folder in (*(ROOT / name for name in OURS), *map(_folder, suites.packages())):
        for path in sorted(folder.rglob("*.*")):
            if path.suffix in KINDS:
                name = path.relative_to(folder.parent)
                combined.update(f"\n{name} ".encode() + hashlib.sha256(path.read_bytes()).digest())
    return combined.hexdigest()


def _folder(package: str) -> Path:
    """Return the folder of the top-level package of another distribution."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise PlanimeterError(f"the suites of the package {package} cannot be found: it is no folder of modules")
    return Path(spec.submodule_search_locations[0])


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
    base = (ROOT / first if name.startswith(PREFIX) else _folder(first)).joinpath(*inner)
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


@cache
def _tree(name: str) -> ast.Module:
    """Return the syntax tree of a module without its docstrings."""
    _CONTENTS[name] = content = _content(name)
    tree = _parsed(content.decode())
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return tree


def _parsed(text: str) -> ast.Module:
    for _ in range(PARSES - 1):
        with suppress(SystemError):
            return ast.parse(text)
    return ast.parse(text)


def _content(name: str) -> bytes:
    path = _path(name)
    if path is None:
        raise LookupError(f"no module of ours is called {name}")
    return path.read_bytes()


@cache
def _tree_digest(name: str) -> str:
    return hashlib.sha256(plain(_tree(name)).encode()).hexdigest()


def plain(node: object) -> str:
    """Return a syntax tree as text that is the same in every Python, unlike ``ast.dump``.

    Python 3.12 gave functions and classes a list of type parameters and 3.13 leaves out empty lists; a field that is
    empty says nothing and is left out here.
    """
    if isinstance(node, ast.AST):
        fields = ((name, getattr(node, name, None)) for name in node._fields)
        inside = ",".join(f"{name}={plain(value)}" for name, value in fields if value is not None and value != [])
        return f"{type(node).__name__}({inside})"
    if isinstance(node, list):
        return f"[{','.join(map(plain, node))}]"
    return repr(node)


@cache
def _imports(name: str) -> tuple[str, ...]:
    names: set[str] = set()
    for node in ast.walk(_tree(name)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
            # "from planimeter.x import y" may import a module y, or a name of x.
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    ours = (*(f"{PREFIX}{name}." for name in OURS), *(f"{package}." for package in suites.packages()))
    return tuple(sorted(n for n in names if f"{n}.".startswith(ours) and _path(n)))
