"""Which tests reach the place of which fault: probes in a copy of the sources, and the plugin of pytest beside them.

A probe is a call in the place of the fault that notes the test in flight, whose name child processes inherit. What runs
on import, and what Numba compiles, has probes in the functions that mention it by name, which is more than its callers.
The copy's environment has this module as ``planimeter_reached``.
"""

import ast
import functools
import gc
import os
import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tools.planted import Fault, Module, Site

NAME = "planimeter_reached"
LOG = Path(__file__).with_name(f"{NAME}.log")
#: Cases of one test function that run, evenly spaced: others reach the same places, for most of the time of the suite.
CASES = 3
_noted: set[tuple[int, str]] = set()


def hit(number: int) -> None:
    """Note that the test in flight reaches the place of a fault."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rsplit(" (", 1)[0]
    if (number, test) in _noted or not test:
        return
    _noted.add((number, test))
    _write(f"hit\t{number}\t{test}\n")


def _write(line: str) -> None:
    try:
        handle = os.open(LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, line.encode())
        os.close(handle)
    except OSError:
        # In a sandbox without files; the test that started it reaches other places.
        return


@functools.cache
def _caches(file: str) -> list[Any]:
    """Return the caches of our functions, listed again for each file of tests: ``file``."""
    # By type: what an isinstance asks of a weak reference, or of a lazy module, is an error or an import.
    caches = [o for o in gc.get_objects() if type(o) is functools._lru_cache_wrapper]
    return [cache for cache in caches if file and str(getattr(cache, "__module__", "")).startswith("planimeter.")]


def pytest_runtest_setup(item: Any) -> None:
    """Empty our caches, so that a test reaches what an earlier one had computed too."""
    for cache in _caches(item.location[0]):
        cache.cache_clear()


def pytest_runtest_logreport(report: Any) -> None:
    """Note how long each phase of a test took."""
    _write(f"took\t{report.duration:.3f}\t{report.nodeid}\t{report.outcome}\n")


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Thin out the cases, and note which tests share what is made once a session: its maker alone reaches code."""
    cases: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for item in items:
        cases[item.location[0], getattr(item, "originalname", item.name)].append(item)
    items[:] = [item for alike in cases.values() for item in alike[:: -(-len(alike) // CASES)]]
    for item in items:
        for name in sorted({"small", "dataset", "built", "parts"} & set(item.fixturenames)):
            _write(f"shares\t{name}\t{item.nodeid}\n")


def _compiled(function: ast.AST | None) -> bool:
    return any("jit" in ast.unparse(decorator) for decorator in getattr(function, "decorator_list", ()))


def _names(node: ast.AST) -> set[str]:
    return {
        getattr(part, "id", "") or getattr(part, "attr", "")
        for part in ast.walk(node)
        if isinstance(part, ast.Name | ast.Attribute)
    }


class Probes:
    """Puts probes into sources."""

    def __init__(self, modules: Mapping[str, "Module"]) -> None:
        self.modules = modules
        self.functions = [
            (path, node, _names(node))
            for path, module in modules.items()
            for node in ast.walk(module.tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
        self.inserted: dict[str, list[tuple[int, int, str]]] = defaultdict(list)

    def put(self, fault: "Fault", site: "Site") -> None:
        """Put those of one fault."""
        module = self.modules[fault.path]
        if not _compiled(site.function):
            start, end = module.span(site.node)
            self.inserted[fault.path] += [(start, 1, f"(__import__('{NAME}').hit({fault.id}) or ("), (end, 0, "))")]
        if site.function is None:
            top = next(node for node in module.tree.body if node.lineno <= site.node.lineno <= (node.end_lineno or 0))
            names = {getattr(top, "name", "")} | {
                node.id for node in ast.walk(top) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
            self._in_users(fault, names - {""}, set())
        elif _compiled(site.function):
            self._in_users(fault, {site.function.name}, set())

    def _in_users(self, fault: "Fault", names: set[str], seen: set[str]) -> None:
        """Put a probe into each function that mentions one of ``names``, or of what is compiled and does."""
        for path, node, mentioned in self.functions:
            known = {name for name in names & mentioned if path == fault.path or not name.startswith("_")}
            if not known:
                continue
            if _compiled(node):
                if node.name not in seen:
                    self._in_users(fault, {node.name}, seen | names | {node.name})
                continue
            first = node.body[1 if ast.get_docstring(node) and len(node.body) > 1 else 0]
            first_line = min([first.lineno, *(decorator.lineno for decorator in getattr(first, "decorator_list", ()))])
            line = self.modules[path].lines[first_line - 1]
            start = sum(map(len, self.modules[path].lines[: first_line - 1]))
            indent = re.match(r"\s*", line)
            if first_line > node.lineno and indent:
                self.inserted[path].append((start, 2, f"{indent[0]}__import__('{NAME}').hit({fault.id})\n"))

    def write(self, root: Path) -> None:
        """Write the sources with their probes below ``root``."""
        for path, inserted in self.inserted.items():
            source = self.modules[path].source
            for offset, _, text in sorted(inserted, reverse=True):
                source = source[:offset] + text + source[offset:]
            (root / path).write_text(source)
