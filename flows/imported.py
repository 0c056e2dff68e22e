"""Finds modules that both the certifier and the generator of a suite import, by parsing their sources.

A certifier must be independent of the generator: a fault in shared code would be invisible to it.
"""

import ast
from collections.abc import Collection, Iterator
from importlib.util import find_spec, resolve_name
from pathlib import Path

from planimeter.items.declaration import Suite

#: Packages of Planimeter that no certifier may import, since they know or draw the answer.
MAKERS = ("planimeter.flows", "planimeter.generators", "planimeter.rendering", "planimeter.suites")


def generating(suite: Suite) -> list[str]:
    """Return the modules that make or draw items and that the suite's certifier imports, directly or indirectly."""
    making, names = suite.build.partition(":")[0], _imported(suite.certify, suite.packages)
    # If the certifier imports the generator, the imports of the generator are not listed again.
    return [making] if making in names else sorted(name for name in names if name.startswith(MAKERS))


def shared(suite: Suite) -> list[str]:
    """Return the modules of the suite's own Python package that both its generator and its certifier import.

    Modules that ``suite.shared`` declares are left out. The list is empty if ``generating`` finds a module, which is
    then reported instead.
    """
    certifier = suite.certify.partition(":")[0]
    both = _imported(suite.certify, suite.packages) & _imported(suite.build, suite.packages, without=certifier)
    found = {name for name in both if name.partition(".")[0] in suite.packages} - {*suite.shared, certifier}
    return [] if generating(suite) else sorted(found)


def _imported(path: str, packages: Collection[str], without: str = "") -> set[str]:
    """Return all modules that the module in ``path`` ("module:name") imports, directly or indirectly.

    Imports are followed into modules of ``packages`` only, and not into the module ``without``.
    """
    found: set[str] = set()
    waiting = [path.partition(":")[0]] if path else []
    while waiting:
        for name in _imports(waiting.pop()):
            if name not in found:
                found.add(name)
                waiting += [name] if name.partition(".")[0] in packages and name != without else []
    return found


def _imports(module: str) -> Iterator[str]:
    """Yield the modules that the source of ``module`` imports, at its top or inside a function."""
    spec = find_spec(module)
    if spec is None or not spec.origin or not spec.origin.endswith(".py"):
        return
    for node in ast.walk(ast.parse(Path(spec.origin).read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parent = spec.name if spec.submodule_search_locations else spec.parent
            base = resolve_name("." * node.level + (node.module or ""), parent) if node.level else str(node.module)
            # "from ropes import words" imports the module ropes.words.
            modules = [name for name in (f"{base}.{alias.name}" for alias in node.names) if _is_module(base, name)]
            yield from modules or [base]


def _is_module(base: str, name: str) -> bool:
    try:
        spec = find_spec(base)
        return bool(spec and spec.submodule_search_locations and find_spec(name))
    except ModuleNotFoundError:
        return False
