"""Carries out a drawing program for many drawings at once, with its decimal literals as unknowns.

A literal with a decimal point is a measure of the drawing, which is not to scale, so it is a parameter; an integer is
structure (a midpoint's 2, a right angle's 90, how often a loop runs) and stays. The program is thereby a construction
with n parameters, and the machine runs it for m parameter sets in one pass: a real is an array (m,), a pair (2, m), a
triple (3, m). Nothing is executed as Python: the syntax tree is turned into closures, and a node without a meaning in
a drawing is refused.
"""

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from planimeter.filters.certify.geogram.arithmetic import cos, sin
from planimeter.filters.certify.geogram.asymptote import UnreadableError, to_python
from planimeter.filters.certify.geogram.modules import FUNCTIONS, graph
from planimeter.filters.certify.geogram.tape import Tape

#: What an expression stands for: a number, a point (2, m) of all m drawings at once, a path or a transformation.
Value = Any
Values = dict[str, Value]
Closure = Callable[[Values], Value]
Array = npt.NDArray[np.float64]

#: More steps than a figure of a problem takes; an endless loop ends here.
MAX_STEPS: Final = 20_000
#: Calls within calls; one that never ends is refused here, and not by the interpreter's own stack.
MAX_DEPTH: Final = 40

_SILENT: Final = (
    "size", "unitsize", "defaultpen", "import", "show", "set_aspect", "axis", "subplots", "savefig", "xaxis", "yaxis",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ArcPiece:
    """An arc from ``start`` to ``end`` degrees, each (m,); ``center`` (2, m)."""

    center: Array
    radius: Array
    start: Array | int
    end: Array | int


@dataclass(frozen=True, slots=True)
class Turn:
    """A rotation in degrees, about the origin where ``about`` names no other point."""

    degrees: Value
    about: Array | None = None


@dataclass(frozen=True, slots=True)
class Flip:
    """A reflection in the line through two points."""

    a: Array
    b: Array


@dataclass(frozen=True, slots=True)
class Region:
    """A filled path: its pieces in order, and its grey from 0 (black) to 1 (white)."""

    pieces: tuple[Value, ...]
    shade: float


@dataclass(slots=True)
class Trace:
    """What one pass left for ``columns`` drawings: the values of all names, and regions in the order of painting."""

    values: Values
    columns: int = 1
    #: What the values are numbers of, if they are; regions are left out then, as no fact is about them.
    tape: Tape | None = None
    fills: list[Region] = field(default_factory=list)
    steps: int = 0
    depth: int = 0


class Program:
    """A compiled drawing program.

    ``start`` holds the literals of the drawing, float64 (n,); ``labels`` the names of points that carry a label;
    ``edges`` pairs of names that a drawn line joins, in alphabetical order.
    """

    def __init__(self, code: str, language: str) -> None:
        try:
            tree = ast.parse(code) if language == "matplotlib" else to_python(code)
        except SyntaxError as error:
            raise UnreadableError(f"the program is no {language}: {error.msg}, line {error.lineno}") from error
        self.literals: list[float] = []
        self.labels: list[str] = []
        self.edges: list[tuple[str, str]] = []
        self.overrides: dict[str, int] = {}
        self._functions: dict[str, tuple[list[str], Callable[[Values], Value]]] = {}
        self._trace = Trace({})
        self._parameters: Array = np.zeros((0, 1))
        self._body = self._block(tree.body)
        self.start: Array = np.array(self.literals, float)

    def trace(self, parameters: Array, overrides: dict[str, int] | None = None) -> Trace:
        """Run with ``parameters`` (n, m); ``overrides`` replaces whole numbers by name (how often a loop runs)."""
        return self._run(Trace({}, parameters.shape[1]), parameters, overrides)

    def record(self, tape: Tape) -> Trace:
        """Run on the inputs of ``tape``, which are as many as the literals: what numbers there are is on it then."""
        return self._run(Trace({}, 1, tape), tape.inputs, None)

    def _run(self, trace: Trace, parameters: Array, overrides: dict[str, int] | None) -> Trace:
        self._trace, self._parameters, self.overrides = trace, parameters, overrides or {}
        with np.errstate(all="ignore"):
            self._body(self._trace.values)
        return self._trace

    # Statements

    def _block(self, body: list[ast.stmt]) -> Closure:
        steps = [step for step in map(self._statement, body) if step is not None]

        def run(values: Values) -> Value:
            self._step(len(steps) + 1)
            for step in steps:
                result = step(values)
                if result is not None:
                    return result
            return None

        return run

    def _step(self, count: int) -> None:
        self._trace.steps += count
        if self._trace.steps > MAX_STEPS:
            raise UnreadableError(f"the program takes more than {MAX_STEPS} steps")

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
        raise UnreadableError(f"no meaning in a drawing: {ast.unparse(node)[:60]}")

    def _assign(self, name: str, value: Closure) -> Closure:
        def step(values: Values) -> None:
            made = value(values)
            values[name] = self.overrides.get(name, made) if isinstance(made, int) else made

        return step

    def _define(self, node: ast.FunctionDef) -> None:
        params = [a.arg for a in node.args.args]
        # The name is known before the body is read, so that a procedure may call itself.
        self._functions[node.name] = (params, lambda _: None)
        self._functions[node.name] = (params, self._block(node.body))

    def _loop(self, name: str, bounds: list[Closure], body: Closure) -> Closure:
        def step(values: Values) -> None:
            for i in range(*(_count(b(values)) for b in bounds)):
                values[name] = i
                body(values)

        return step

    def _branch(self, left: Closure, op: ast.cmpop, right: Closure, node: ast.If) -> Closure:
        then, otherwise = self._block(node.body), self._block(node.orelse)
        if not isinstance(op, ast.Eq):
            raise UnreadableError(f"need a test for equality, got {ast.unparse(node.test)}")
        return lambda values: (then if _count(left(values)) == _count(right(values)) else otherwise)(values)

    # What is drawn

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
        if name in self._functions:
            return self._value(node)
        raise UnreadableError(f"no meaning in a drawing: {ast.unparse(node)[:60]}")

    def _region(self, path: ast.expr, shade: float) -> Closure:
        nodes = _piece_nodes(path)
        if len(nodes) > 1 and _closes(nodes[-1], nodes[0]):
            nodes = nodes[:-1]
        pieces = [self._value(n) for n in nodes]

        def paint(values: Values) -> None:
            if not self._trace.tape:
                self._trace.fills.append(Region(tuple(p(values) for p in pieces), shade))

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
                return lambda _: self._parameters[index]
            case ast.Name(id=name):
                return lambda values: values[name] if name in values else self._trace.values[name]
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
        raise UnreadableError(f"no value in a drawing: {ast.unparse(node)[:60]}")

    def _binary(self, node: ast.BinOp) -> Closure:
        left, right = self._value(node.left), self._value(node.right)
        match node.op:
            case ast.Add():
                return lambda values: left(values) + right(values)
            case ast.Sub():
                return lambda values: left(values) - right(values)
            case ast.Mult():
                return lambda values: _times(left(values), right(values))
            case ast.Div():
                return lambda values: left(values) / right(values)
        raise UnreadableError(f"no operator of a drawing: {ast.unparse(node)[:60]}")

    def _call(self, node: ast.Call) -> Closure:
        name = _name(node.func)
        if name == "graph" and _name(node.args[0]) in self._functions:
            return self._graph(_name(node.args[0]), *map(self._value, node.args[1:]))
        args = [self._value(a) for a in node.args]
        if name in self._functions:
            return lambda values: self._apply(name, [a(values) for a in args])
        if name == "array":
            items = args[0]
            return lambda values: self._vector(items(values))
        if name == "_vector":
            return lambda values: self._vector([a(values) for a in args])
        if name not in _BUILTINS:
            raise UnreadableError(f"no function of a drawing: {name}")
        function = _BUILTINS[name]
        return lambda values: function(*(a(values) for a in args))

    def _apply(self, name: str, args: list[Value]) -> Value:
        params, body = self._functions[name]
        self._trace.depth += 1
        if self._trace.depth > MAX_DEPTH:
            raise UnreadableError(f"{name} calls itself more than {MAX_DEPTH} times over")
        found = body(dict(zip(params, args, strict=True)))
        self._trace.depth -= 1
        return found

    def _graph(self, name: str, start: Closure, end: Closure) -> Closure:
        return lambda values: graph(lambda x: self._apply(name, [x]), start(values), end(values))

    def _vector(self, parts: list[Value]) -> Array:
        if self._trace.tape:
            return self._trace.tape.vector(parts)
        made = np.empty((len(parts), self._parameters.shape[1]))
        for row, part in zip(made, parts, strict=True):
            row[:] = part
        return made


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _count(value: Value) -> int:
    if not isinstance(value, int):
        raise UnreadableError("need a whole number to count with, got a measure of the drawing")
    return value


def _piece_nodes(path: ast.expr) -> list[ast.expr]:
    """Return what a path is made of, with the point that closes it."""
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
    """Return the grey of a fill: ``gray(0.8)``, ``white``, ``color="0.8"``."""
    pens: list[ast.expr] = [k.value for k in node.keywords if k.arg == "color"] or node.args[1:2]
    match pens:
        case [ast.Constant(value=str(grey))]:
            return 1.0 if grey == "white" else float(grey)
        case [ast.Name(id="white")]:
            return 1.0
        case [ast.Call(func=ast.Name(id="gray"), args=[ast.Constant(value=float(grey))])]:
            return grey
    raise UnreadableError(f"no grey in {ast.unparse(node)[:60]}")


def _times(left: Value, right: Value) -> Value:
    if isinstance(left, Turn):
        if left.about is not None:
            return left.about + _times(Turn(left.degrees), right - left.about)
        c, s = cos(np.radians(left.degrees)), sin(np.radians(left.degrees))
        return np.stack([right[0] * c - right[1] * s, right[0] * s + right[1] * c])
    if isinstance(left, Flip):
        return _flip(left, right)
    return left * right


def _flip(flip: Flip, point: Array) -> Array:
    u = flip.b - flip.a
    foot = flip.a + _dot(point - flip.a, u) / _dot(u, u) * u
    return 2 * foot - point


def _dot(u: Value, v: Value) -> Value:
    return (u * v).sum(axis=0)


def _norm(v: Value) -> Value:
    return np.sqrt((v * v).sum(axis=0)) if np.ndim(v) == 2 else np.abs(v)


_BUILTINS: Final[dict[str, Callable[..., Value]]] = FUNCTIONS | {
    "dot": _dot,
    "abs": _norm,
    "norm": _norm,
    "sqrt": np.sqrt,
    "radians": np.radians,
    "sin": sin,
    "cos": cos,
    "Sin": lambda t: sin(np.radians(t)),
    "Cos": lambda t: cos(np.radians(t)),
    "unit": lambda v: v / _norm(v),
    "rotate": Turn,
    "reflect": Flip,
    "arc": ArcPiece,
    "circle": lambda center, radius: ArcPiece(center, radius, 0, 360),
    "Circle": lambda center, radius: ArcPiece(center, radius, 0, 360),
}
