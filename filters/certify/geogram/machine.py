"""Compiles the statements of a drawing program to closures that run for many drawings at once.

With m drawings, a real is an array (m,), a pair (2, m), a triple (3, m). Nothing is executed as Python: a syntax node
without a meaning in a drawing raises ``UnreadableError``. Closures get literals and variables from ``Names`` when they
run, so that programs that differ only in their literals share closures.
"""

import ast
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import add, itemgetter, sub, truediv
from operator import pow as power
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from planimeter.filters.certify.geogram.asymptote import UnreadableError
from planimeter.filters.certify.geogram.modules import FUNCTIONS, GRAPH, graph, times
from planimeter.filters.certify.geogram.tape import Tape

#: The value of an expression: a number, a point (2, m) of all m drawings at once, a path or a transformation.
Value = Any
Closure = Callable[["Names"], Value]
Array = npt.NDArray[np.float64]

#: The largest whole number, and the largest exponent of one, that a figure computes with.
LARGEST: Final = 2**53
LARGEST_EXPONENT: Final = 64


def limited(compute: Callable[[Value, Value], Value]) -> Callable[[Value, Value], Value]:
    """Return a version of the binary operation ``compute`` that rejects lists and too large numbers.

    It raises ``UnreadableError`` for them. (A limit on the steps of a program alone does not prevent huge numbers.)
    """

    def computed(left: Value, right: Value) -> Value:
        if isinstance(left, list) or isinstance(right, list):
            raise UnreadableError("arithmetic with a list is not supported")
        if compute is power and isinstance(right, int) and abs(right) > LARGEST_EXPONENT:
            raise UnreadableError(f"the exponent is above {LARGEST_EXPONENT}")
        result = compute(left, right)
        if isinstance(result, int) and abs(result) > LARGEST:
            raise UnreadableError("a whole number is above 2^53")
        return result

    return computed


OPERATORS: Final[dict[type[ast.operator], Callable[[Value, Value], Value]]] = {
    ast.Add: limited(add),
    ast.Sub: limited(sub),
    ast.Mult: limited(times),
    ast.Div: limited(truediv),
    ast.Pow: limited(power),
}

#: Errors of a program without a meaning: incompatible values, or nesting without end.
MEANINGLESS: Final = (
    ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RecursionError, SyntaxError, TypeError,
    ValueError,
)  # fmt: skip

#: More steps than a figure of a problem takes; an endless loop ends here.
MAX_STEPS: Final = 20_000
#: Steps that a graph counts as: it has some thousand points.
GRAPH_STEPS: Final = 200
#: Depth of calls; an endless recursion is refused here, and not by the interpreter's own stack.
MAX_DEPTH: Final = 40

_SILENT: Final = (
    "size", "unitsize", "defaultpen", "import", "show", "set_aspect", "axis", "subplots", "savefig", "xaxis", "yaxis",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Region:
    """A filled path: the pieces of its outline in order, and its grey from 0 (black) to 1 (white)."""

    pieces: tuple[Value, ...]
    shade: float


@dataclass(slots=True)
class Trace:
    """The state and results of a program's run for ``columns`` drawings: values of all names, and filled regions."""

    values: dict[str, Value]
    columns: int = 1
    #: The tape of the numbers among the values, if there is one.
    tape: Tape | None = None
    #: The literals of the program, (n, m); whole numbers to take instead of those of the program; its functions.
    parameters: Sequence[Value] | Array = ()
    overrides: Mapping[str, int] = field(default_factory=dict)
    functions: "Mapping[str, Function]" = field(default_factory=dict)
    fills: list[Region] = field(default_factory=list)
    steps: int = 0
    depth: int = 0

    def step(self, count: int) -> None:
        """Add ``count`` to the number of executed steps. Raises ``UnreadableError`` if it exceeds ``MAX_STEPS``."""
        self.steps += count
        if self.steps > MAX_STEPS:
            raise UnreadableError(f"the program takes more than {MAX_STEPS} steps")


class Names(dict[str, Value]):
    """The local variables of a function or of the main program; other names are looked up in the main program.

    ``first`` is the index in the program's literals at which those of the running ``Piece`` (statements) begin.
    """

    __slots__ = ("first", "trace")

    def __init__(self, trace: Trace, first: int, values: Iterable[tuple[str, Value]] = ()) -> None:
        super().__init__(values)
        self.trace, self.first = trace, first

    def __missing__(self, name: str) -> Value:
        if self is self.trace.values:
            raise UnreadableError(f"the name {name} has no value")
        return self.trace.values[name]


@dataclass(frozen=True, slots=True)
class Function:
    """A function that a ``Piece`` defines; ``first`` is the index of the piece's first literal in the whole program."""

    params: tuple[str, ...]
    body: Closure
    first: int = 0


class Piece:
    """Consecutive statements of a drawing program, compiled to ``steps``, which run one after the other.

    ``literals`` lists the numbers written with a decimal point, ``labels`` the names of labelled points, ``edges`` the
    pairs of names that a drawn line joins (each in alphabetical order), and ``functions`` the functions that the
    statements define. ``known`` names the functions of earlier pieces of the program.

    Raises:
        UnreadableError: if a statement is unsupported, or the statements are nested too deeply.
    """

    def __init__(self, body: list[ast.stmt], known: Collection[str] = ()) -> None:
        self.literals: list[float] = []
        self.labels: list[str] = []
        self.edges: list[tuple[str, str]] = []
        self.functions: dict[str, Function] = {}
        self._known = set(known)
        try:
            self.steps = self._steps(body)
        except (MemoryError, RecursionError) as error:
            raise UnreadableError("the program is nested too deeply") from error

    # Statements

    def _steps(self, body: list[ast.stmt]) -> list[Closure]:
        return [step for step in map(self._statement, body) if step is not None]

    def _block(self, body: list[ast.stmt]) -> Closure:
        steps = self._steps(body)

        def run(values: Names) -> Value:
            values.trace.step(len(steps) + 1)
            for step in steps:
                result = step(values)
                if result is not None:
                    return result
            return None

        return run

    def _statement(self, node: ast.stmt) -> Closure | None:
        match node:
            case ast.Import() | ast.ImportFrom() | ast.Pass():
                return None
            case ast.Assign(targets=[ast.Tuple()]):
                return None
            case ast.Assign(targets=[ast.Name(id=name)]):
                return self._assign(name, self._value(node.value))
            case ast.Expr(value=ast.Call() as command):
                return self._command(command)
            case ast.Return(value=ast.expr() as returned):
                return self._value(returned)
            case ast.FunctionDef():
                if node.name != "arc":
                    self._define(node)
                return None
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=bounds)):
                return self._loop(name, [self._value(b) for b in bounds], self._block(node.body))
            case ast.If(test=ast.Compare(left=left, ops=[op], comparators=[right])):
                return self._branch(self._value(left), op, self._value(right), node)
        raise UnreadableError(f"unsupported in a drawing: {ast.unparse(node)[:60]}")

    def _assign(self, name: str, value: Closure) -> Closure:
        def step(values: Names) -> None:
            computed = value(values)
            values[name] = values.trace.overrides.get(name, computed) if isinstance(computed, int) else computed

        return step

    def _define(self, node: ast.FunctionDef) -> None:
        # The name is known before the body is read, so that a procedure may call itself.
        self._known.add(node.name)
        self.functions[node.name] = Function(tuple(a.arg for a in node.args.args), self._block(node.body))

    def _loop(self, name: str, bounds: list[Closure], body: Closure) -> Closure:
        def step(values: Names) -> None:
            for i in range(*(_count(b(values)) for b in bounds)):
                values[name] = i
                body(values)

        return step

    def _branch(self, left: Closure, op: ast.cmpop, right: Closure, node: ast.If) -> Closure:
        then, otherwise = self._block(node.body), self._block(node.orelse)
        if not isinstance(op, ast.Eq):
            raise UnreadableError(f"need an equality as the test of an if, got {ast.unparse(node.test)}")
        return lambda values: (then if _count(left(values)) == _count(right(values)) else otherwise)(values)

    # Drawing commands

    def _command(self, node: ast.Call) -> Closure | None:
        name = _name(node.func)
        if name == "D" and isinstance(node.args[0], ast.Call) and _name(node.args[0].func) in ("D", "MP"):
            return self._command(node.args[0])
        if name in _SILENT or (name == "plot" and len(node.args) > 1):
            return None
        if name in ("label", "annotate", "dot", "MP"):
            match node.args[:2]:
                case [ast.Constant(value=str()), ast.Name(id=point)]:
                    self.labels.append(point)
            return None
        if name in ("draw", "plot", "filldraw", "D"):
            self._join(_piece_nodes(node.args[0]))
        if name in ("draw", "plot", "D"):
            return None
        if name in ("fill", "filldraw"):
            return self._region(node.args[0], _shade(node))
        if name == "add_patch" and isinstance(node.args[0], ast.Call):
            circle = node.args[0]
            hollow = any(k.arg == "fill" for k in circle.keywords)
            return None if hollow else self._region(circle, _shade(circle))
        if name in self._known:
            return self._value(node)
        raise UnreadableError(f"unsupported in a drawing: {ast.unparse(node)[:60]}")

    def _region(self, path: ast.expr, shade: float) -> Closure:
        nodes = _piece_nodes(path)
        if len(nodes) > 1 and _closes(nodes[-1], nodes[0]):
            nodes = nodes[:-1]
        pieces = [self._value(n) for n in nodes]

        def paint(values: Names) -> None:
            values.trace.fills.append(Region(tuple(p(values) for p in pieces), shade))

        return paint

    def _join(self, nodes: list[ast.expr]) -> None:
        names = [n.id if isinstance(n, ast.Name) else "" for n in nodes]
        if names and names[-1] == "cycle":
            names[-1] = names[0]
        for a, b in pairwise(names):
            if a and b and a != b:
                self.edges.append((min(a, b), max(a, b)))

    # Expressions

    def _value(self, node: ast.expr) -> Closure:
        match node:
            case ast.Constant(value=int(number)):
                return lambda _: number
            case ast.Constant(value=float(number)):
                index = len(self.literals)
                self.literals.append(number)
                return lambda values: values.trace.parameters[values.first + index]
            case ast.Name(id=name):
                return itemgetter(name)
            case ast.UnaryOp(op=ast.USub()):
                inner = self._value(node.operand)
                return lambda values: -inner(values)
            case ast.BinOp():
                return self._binary(node)
            case ast.Call():
                return self._call(node)
            case ast.Attribute(attr="x" | "y" | "z" as axis):
                inner, row = self._value(node.value), "xyz".index(axis)
                return lambda values: inner(values)[row]
            case ast.Subscript():
                inner, place = self._value(node.value), self._value(node.slice)
                return lambda values: inner(values)[place(values)]
            case ast.List():
                items = [self._value(e) for e in node.elts]
                return lambda values: [item(values) for item in items]
        raise UnreadableError(f"unsupported value: {ast.unparse(node)[:60]}")

    def _binary(self, node: ast.BinOp) -> Closure:
        compute = OPERATORS.get(type(node.op))
        if compute is None:
            raise UnreadableError(f"unsupported operator: {ast.unparse(node)[:60]}")
        left, right = self._value(node.left), self._value(node.right)
        return lambda values: compute(left(values), right(values))

    def _call(self, node: ast.Call) -> Closure:
        name = _name(node.func)
        if name == "graph" and _name(node.args[0]) in self._known:
            return self._graph(_name(node.args[0]), *map(self._value, node.args[1:]))
        args = [self._value(a) for a in node.args]
        if name in self._known:
            return lambda values: _apply(values, name, [a(values) for a in args])
        if name == "array":
            items = args[0]
            return lambda values: _vector(values.trace, items(values))
        if name == "_vector":
            return lambda values: _vector(values.trace, [a(values) for a in args])
        if name not in FUNCTIONS:
            raise UnreadableError(f"unknown function: {name}")
        function = FUNCTIONS[name]
        return lambda values: function(*(a(values) for a in args))

    def _graph(self, name: str, start: Closure, end: Closure) -> Closure:
        def drawn(values: Names) -> Value:
            # Its many points are not facts: one of them shows whether the graph has a meaning.
            points = 1 if values.trace.tape else GRAPH
            values.trace.step(GRAPH_STEPS)
            return graph(lambda x: _apply(values, name, [x]), start(values), end(values), points)

        return drawn


def _apply(values: Names, name: str, args: list[Value]) -> Value:
    trace = values.trace
    function = trace.functions[name]
    trace.depth += 1
    if trace.depth > MAX_DEPTH:
        raise UnreadableError(f"calls of functions such as {name} are nested more than {MAX_DEPTH} deep")
    value = function.body(Names(trace, function.first, zip(function.params, args, strict=True)))
    trace.depth -= 1
    return value


def _vector(trace: Trace, parts: list[Value]) -> Array:
    if trace.tape:
        return trace.tape.vector(parts)
    rows = np.empty((len(parts), trace.columns))
    for row, part in zip(rows, parts, strict=True):
        row[:] = part
    return rows


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _count(value: Value) -> int:
    if not isinstance(value, int):
        raise UnreadableError("need a whole number in a loop or a test, got a value that differs between drawings")
    return value


def _piece_nodes(path: ast.expr) -> list[ast.expr]:
    """Return the syntax nodes of the points that a path joins; a closed path has one more node at its end."""
    match path:
        case ast.Starred(value=ast.Call(func=ast.Name(id="zip"), args=args)):
            return [a.value if isinstance(a, ast.Starred) else a for a in args]
        case ast.Call(func=ast.Name(id="_path"), args=args):
            return list(args)
    return [path]


def _closes(last: ast.expr, first: ast.expr) -> bool:
    if isinstance(last, ast.Subscript) and isinstance(last.value, ast.Call):
        last = last.value
    return (isinstance(last, ast.Name) and last.id == "cycle") or ast.dump(last) == ast.dump(first)


def _shade(node: ast.Call) -> float:
    """Return the grey value, 0 to 1, of a fill's pen: ``gray(0.8)``, ``white``, ``color="0.8"``."""
    pens: list[ast.expr] = [k.value for k in node.keywords if k.arg == "color"] or node.args[1:2]
    match pens:
        case [ast.Constant(value=str(grey))]:
            return 1.0 if grey == "white" else float(grey)
        case [ast.Name(id="white")]:
            return 1.0
        case [ast.Call(func=ast.Name(id="gray"), args=[ast.Constant(value=float(grey))])]:
            return grey
    raise UnreadableError(f"not a grey value: {ast.unparse(node)[:60]}")
