"""Where faults can be planted, which of these places are drawn, and where a drawn fault is today.

A fault is one line of one function: a comparison swapped, a sign, a constant by one, a ``not`` dropped, ``min`` for
``max``, ``and`` for ``or``. It is looked up by the qualified name of the function and by the line, so that it is found
again wherever the function moves.
"""

import ast
import bisect
import dataclasses
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import numpy as np

#: The packages, at the top of the repository.
PACKAGES: Final = (
    *("evals", "export", "filters", "flows", "generators", "items", "rendering", "streams", "suites"),
    "distributions/evals/planimeter_env",
)
KINDS: Final = ("comparison", "sign", "constant", "not", "min for max", "and for or")
_PAIRS: Final = (
    *(("<", "<="), (">", ">="), ("==", "!="), ("is", "is not"), ("in", "not in"), ("+", "-")),
    *(("and", "or"), ("min", "max"), ("minimum", "maximum")),
)
SWAPPED: Final = dict(_PAIRS) | {second: first for first, second in _PAIRS}
COMPARISONS: Final[dict[type[ast.AST], str]] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}


@dataclasses.dataclass
class Fault:
    """One line of one function, changed; and the tests that find it."""

    id: int
    kind: str
    path: str
    #: Qualified name of the function or class around it; empty at the top of the module.
    where: str
    line: str
    #: The line as it is planted.
    planted: str
    #: Which of the equal lines of the function, from 0.
    nth: int = 0
    #: ``test``, ``slow``, ``none`` or ``equivalent``; empty before it was measured.
    tier: str = ""
    tests: list[str] = dataclasses.field(default_factory=list)
    #: Why no test can find it, of an equivalent one.
    why: str = ""


@dataclasses.dataclass(frozen=True)
class Site:
    """A place at which a fault can be planted: ``source[start:end]`` of a module becomes ``text``."""

    kind: str
    where: str
    start: int
    end: int
    text: str
    node: ast.expr
    #: The function whose call runs it; None for what runs when the module is imported.
    function: ast.FunctionDef | ast.AsyncFunctionDef | None


class Module:
    """The source of a module, its tree, and the offsets of its nodes."""

    def __init__(self, source: str) -> None:
        self.source, self.tree = source, ast.parse(source)
        self.lines = source.splitlines(keepends=True)
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line))

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return where ``node`` starts and ends in the source; the columns of nodes count bytes."""
        positions = ((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset))  # type: ignore[attr-defined]
        first, last = (
            self._starts[row - 1] + len(self.lines[row - 1].encode()[:column].decode()) for row, column in positions
        )
        return first, last

    def place(self, offset: int) -> tuple[int, int]:
        """Return the row, from 0, and the column of ``offset``."""
        row = bisect.bisect_right(self._starts, offset) - 1
        return row, offset - self._starts[row]

    def scopes(self) -> Iterator[tuple[str, range]]:
        """Yield the qualified name and rows of each function and class, inner ones first, and of the module last."""

        def inside(node: ast.AST, name: str) -> Iterator[tuple[str, range]]:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    qualified = f"{name}.{child.name}".lstrip(".")
                    first = min(child.lineno, *(decorator.lineno for decorator in child.decorator_list), child.lineno)
                    yield from inside(child, qualified)
                    yield qualified, range(first - 1, child.end_lineno or first)
                else:
                    yield from inside(child, name)

        yield from inside(self.tree, "")
        yield "", range(len(self.lines))


class _Sites(ast.NodeVisitor):
    """Collects the sites of a module. No annotation, pattern or f-string: their changes do nothing or have no place."""

    def __init__(self, module: Module) -> None:
        self.module, self.sites = module, list[Site]()
        self._functions: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
        self._names: list[str] = []

    def _add(self, kind: str, node: ast.expr, start: int, end: int, text: str) -> None:
        function = self._functions[-1] if self._functions else None
        self.sites.append(Site(kind, ".".join(self._names), start, end, text, node, function))

    def _operator(self, kind: str, node: ast.expr, left: ast.AST, right: ast.AST, operator: str) -> None:
        start, end = self.module.span(left)[1], self.module.span(right)[0]
        match = re.search(re.escape(operator).replace(r"\ ", r"\s+"), self.module.source[start:end])
        if match and "\n" not in match[0] and "#" not in self.module.source[start:end]:
            self._add(kind, node, start + match.start(), start + match.end(), SWAPPED[operator])

    def _scope(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        self._names.append(node.name)
        for child in ast.iter_child_nodes(node):
            if child not in node.body:
                self.visit(child)
        if not isinstance(node, ast.ClassDef):
            self._functions.append(node)
        for child in node.body:
            self.visit(child)
        if not isinstance(node, ast.ClassDef):
            self._functions.pop()
        self._names.pop()

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _scope  # noqa: N815

    def visit_arg(self, node: ast.arg) -> None:
        pass

    visit_JoinedStr = visit_match_case = visit_arg  # type: ignore[assignment]  # noqa: N815

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value:
            self.visit(node.value)

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test) not in ("__name__ == '__main__'", "TYPE_CHECKING"):
            self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        operands = [node.left, *node.comparators]
        for left, operator, right in zip(operands, node.ops, operands[1:], strict=False):
            self._operator("comparison", node, left, right, COMPARISONS[type(operator)])
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        sides = (node.left, node.right)
        # Of texts and lists a minus is an error at once, which says nothing of the tests.
        plain = not any(isinstance(side, ast.JoinedStr | ast.List | ast.Tuple) for side in sides) and not any(
            isinstance(side, ast.Constant) and isinstance(side.value, str) for side in sides
        )
        if plain and isinstance(node.op, ast.Add | ast.Sub):
            self._operator("sign", node, *sides, "+" if isinstance(node.op, ast.Add) else "-")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        start = self.module.span(node)[0]
        if isinstance(node.op, ast.USub):
            self._add("sign", node, start, start + 1, "")
        elif isinstance(node.op, ast.Not):
            self._add("not", node, start, start + len("not ") - (self.module.source[start + 3] == "("), "")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for left, right in zip(node.values, node.values[1:], strict=False):
            self._operator("and for or", node, left, right, "and" if isinstance(node.op, ast.And) else "or")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in ("min", "max", "minimum", "maximum"):
            end = self.module.span(node.func)[1]
            self._add("min for max", node, end - len(name), end, SWAPPED[name])
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if type(node.value) in (int, float):
            self._add("constant", node, *self.module.span(node), repr(node.value + 1))  # type: ignore[operator]


def sites(module: Module) -> list[Site]:
    """Return the places of ``module`` at which a fault can be planted."""
    visitor = _Sites(module)
    visitor.visit(module.tree)
    return visitor.sites


def fault_at(number: int, path: str, module: Module, site: Site) -> Fault:
    """Return the fault at ``site``."""
    row, column = module.place(site.start)
    line = module.lines[row]
    planted = line[:column] + site.text + line[column + site.end - site.start :]
    rows = next(rows for name, rows in module.scopes() if name == site.where and row in rows)
    nth = sum(module.lines[other].strip() == line.strip() for other in rows if other < row)
    return Fault(number, site.kind, path, site.where, line.strip(), planted.strip(), nth)


def sources(root: Path) -> dict[str, Module]:
    """Return the modules of all packages below ``root`` by their paths."""
    paths = sorted(path for name in PACKAGES for path in (root / name).rglob("*.py"))
    return {path.relative_to(root).as_posix(): Module(path.read_text()) for path in paths}


def draw(modules: Mapping[str, Module], count: int, seed: int = 26) -> list[Fault]:
    """Draw ``count`` faults: packages by their lines, in each the kinds in turn, and of a kind each site alike."""
    rng = np.random.default_rng(seed)
    lines = Counter[str]()
    for path, module in modules.items():
        lines[path.split("/")[0]] += len(module.lines)
    shares = {name: count * lines[name] / lines.total() for name in sorted(lines)}
    quotas = {name: int(share) for name, share in shares.items()}
    for name in sorted(shares, key=lambda name: quotas[name] - shares[name])[: count - sum(quotas.values())]:
        quotas[name] += 1
    faults = list[Fault]()
    for name, quota in quotas.items():
        inside = [(path, site) for path in modules if path.split("/")[0] == name for site in sites(modules[path])]
        by_kind = [[place for place in inside if place[1].kind == kind] for kind in rng.permutation(KINDS)]
        for turn in range(quota):
            choices = [places for places in by_kind[turn % 6 :] + by_kind[: turn % 6] if places]
            path, site = choices[0].pop(int(rng.integers(len(choices[0]))))
            faults.append(fault_at(len(faults), path, modules[path], site))
    return faults


def find(fault: Fault, modules: Mapping[str, Module]) -> tuple[str, int] | None:
    """Return the module and the row, from 0, of the line that ``fault`` changes; None if it exists no longer.

    The module that it was in comes first, then those of its name, then the others; a line whose function has another
    name now is taken where it stands only once.
    """
    name = fault.path.rsplit("/", 1)[1]
    for path in sorted(modules, key=lambda path: (path != fault.path, not path.endswith(f"/{name}"), path)):
        lines = [line.strip() for line in modules[path].lines]
        if fault.line not in lines:
            continue
        for where, rows in modules[path].scopes():
            equal = [row for row in rows if where == fault.where and lines[row] == fault.line]
            if equal:
                return path, equal[min(fault.nth, len(equal) - 1)]
    alike = [
        (path, row) for path in modules for row, line in enumerate(modules[path].lines) if line.strip() == fault.line
    ]
    return alike[0] if len(alike) == 1 else None


def planted(fault: Fault, module: Module, row: int) -> str:
    """Return the source of ``module`` with ``fault`` in ``row``."""
    line = module.lines[row].replace(fault.line, fault.planted)
    return "".join([*module.lines[:row], line, *module.lines[row + 1 :]])
