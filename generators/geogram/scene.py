"""A drawing program as data (a scene): expressions and statements that every printer can write and ``run`` can execute.

A scene has one picture, and one program text in each language. Its vocabulary is that of a person who draws a textbook
figure: points, a few vector operations, named constructions (``Helper``: a function that the printed program defines,
whose body is one expression), paths of segments and arcs, loops, recursive procedures, and solids drawn by a projection
of their corners.

One convention carries meaning: **a literal with a decimal point is a measure of this drawing only** (the figure is not
to scale, and the statement has other numbers), **an integer is structure** (the 2 of a midpoint, the 90 of a right
angle, the count of a loop). A person who reads a figure that is not to scale makes the same distinction, and so does
the certifier.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Literal

Kind = Literal["int", "real", "pair", "triple"]
Params = tuple[tuple[str, Kind], ...]


_Operation = Callable[["Expr", "Expr | int"], "Expr"]


def _operator(op: str) -> tuple[_Operation, _Operation]:
    """Return the two methods by which ``Expr`` overloads an operator: for ``self op other`` and ``other op self``."""
    return lambda a, b: binary(op, a, wrap(b)), lambda a, b: binary(op, wrap(b), a)


@dataclass(frozen=True, slots=True)
class Expr:
    """A node of an expression tree.

    ``op``: lit (a decimal number), int, var, pair, triple, part (a coordinate), cell (of a table), call, neg, + - * or
    /; ``kind``: the type of its value; ``args``: the operands; ``name``: the variable, coordinate, table or function;
    ``value``: the number of a literal.
    """

    op: str
    kind: Kind
    args: "tuple[Expr, ...]" = ()
    name: str = ""
    value: float = 0.0

    __add__, __radd__ = _operator("+")
    __sub__, __rsub__ = _operator("-")
    __mul__, __rmul__ = _operator("*")
    __truediv__, _ = _operator("/")

    def __neg__(self) -> "Expr":
        return Expr("neg", self.kind, (self,))

    def part(self, axis: Literal["x", "y", "z"]) -> "Expr":
        """Return the expression for one coordinate of this pair or triple."""
        return Expr("part", "real", (self,), axis)


_RANK: dict[Kind, int] = {"int": 0, "real": 1, "pair": 2, "triple": 3}


def binary(op: str, left: Expr, right: Expr) -> Expr:
    """Return the expression ``left op right``, with the type of its value.

    Raises:
        ValueError: for a product of two vectors or a division by a vector, which languages interpret differently.
    """
    if op in "*/" and _RANK[right.kind] >= 2 and (op == "/" or _RANK[left.kind] >= 2):
        raise ValueError(f"need a scalar factor or divisor, got {left.kind} {op} {right.kind}; use dot or turn")
    kind = max(left.kind, right.kind, key=lambda k: _RANK[k])
    return Expr(op, "real" if op == "/" and kind == "int" else kind, (left, right))


def wrap(value: "Expr | int") -> Expr:
    """Return ``value`` as an expression: an integer as a literal, an expression unchanged."""
    return value if isinstance(value, Expr) else Expr("int", "int", value=value)


def lit(value: float) -> Expr:
    """Return a decimal literal, rounded to the two digits after the point that programs print."""
    return Expr("lit", "real", value=round(float(value), 2) + 0.0)


def fine(value: float) -> Expr:
    """Return a decimal literal with four digits after the point, for ratios, where an error of 0.005 is visible."""
    return Expr("lit", "real", value=round(float(value), 4) + 0.0)


def var(name: str, kind: Kind) -> Expr:
    """Return the expression for the variable ``name``; ``kind``: the type of its value."""
    return Expr("var", kind, name=name)


def pair(x: Expr | int, y: Expr | int) -> Expr:
    """Return the expression for the point or vector (x, y) of the plane."""
    return Expr("pair", "pair", (wrap(x), wrap(y)))


def triple(x: Expr | int, y: Expr | int, z: Expr | int) -> Expr:
    """Return the expression for the point or vector (x, y, z) of space."""
    return Expr("triple", "triple", (wrap(x), wrap(y), wrap(z)))


def call(name: str, kind: Kind, *args: Expr | int) -> Expr:
    """Return the expression that calls a built-in function (see ``run``) or a helper; ``kind``: the result's type."""
    return Expr("call", kind, tuple(wrap(a) for a in args), name)


@dataclass(frozen=True, kw_only=True, slots=True)
class Helper:
    """A function whose result is one expression ``body``, such as a construction; the program defines it before use.

    With a ``base`` it is recursive: ``body`` calls it again, and ``base`` is the result when its last parameter, an
    int, is 0.
    """

    name: str
    params: Params
    body: Expr
    base: Expr | None = None

    def __call__(self, *args: Expr | int) -> Expr:
        return call(self.name, self.body.kind, *args)


@dataclass(frozen=True, kw_only=True, slots=True)
class View(Helper):
    """A projection of space onto the plane; ``written``: the same projection, as written with Asymptote's ``three``."""

    written: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Arc:
    """A piece of a path: a circular arc from ``start`` to ``end`` degrees, clockwise if ``end`` is the smaller one."""

    center: Expr
    radius: Expr
    start: Expr
    end: Expr


@dataclass(frozen=True, kw_only=True, slots=True)
class Path:
    """A path through points and arcs, joined by segments in order; if ``closed``, it returns to its start."""

    pieces: tuple[Expr | Arc, ...]
    closed: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Circle:
    """A path that is a whole circle."""

    center: Expr
    radius: Expr


@dataclass(frozen=True, kw_only=True, slots=True)
class Let:
    """A statement that declares the variable ``name`` with the value of ``expr``; with ``again``, one that assigns a
    new value to a declared variable.
    """

    name: str
    expr: Expr
    again: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """A statement that declares the variable ``name`` as a table of integers, given by rows."""

    name: str
    rows: tuple[tuple[int, ...], ...]


def graph(function: Helper, start: Expr, end: Expr) -> Expr:
    """Return a piece of a path: the graph of ``function``, which has one argument, from x = ``start`` to ``end``."""
    return call("graph", "pair", function(var("x", "real")), start, end)


@dataclass(frozen=True, kw_only=True, slots=True)
class Draw:
    """A statement that strokes a path with a line ``width`` in units of the default pen.

    ``right``: for the mark of a right angle ABC, the points A, B, C and the size of the mark; ``axis``: x or y if the
    path is this coordinate axis.
    """

    path: Path | Circle
    dashed: bool = False
    width: float = 1.0
    right: tuple[Expr, Expr, Expr, Expr] | None = None
    axis: Literal["", "x", "y"] = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fill:
    """A statement that fills a closed path with the grey ``shade``, from 0 (black) to 1 (white)."""

    path: Path | Circle
    shade: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Spot:
    """A statement that draws a dot at a point."""

    at: Expr


@dataclass(frozen=True, kw_only=True, slots=True)
class Label:
    """A statement that writes a text next to a point.

    ``compass``: the side of the point, N, NE, ..., or empty for centred; ``number``: an integer expression that is
    written instead of ``text``.
    """

    text: str
    at: Expr
    compass: str = ""
    number: Expr | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Loop:
    """A statement that repeats ``body`` for ``variable`` = start, ..., stop - 1."""

    variable: str
    start: Expr
    stop: Expr
    body: "tuple[Statement, ...]"


@dataclass(frozen=True, kw_only=True, slots=True)
class Procedure:
    """A statement that declares a procedure, which may call itself, or, if ``helper`` is given, this function.

    With a ``helper``, ``body`` is empty; the function's expression may use all variables declared before.
    """

    name: str
    params: Params
    body: "tuple[Statement, ...]" = ()
    helper: Helper | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """A statement that calls the procedure ``name``."""

    name: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class IfZero:
    """A statement that runs ``then`` if the integer ``test`` is 0, and ``otherwise`` if not."""

    test: Expr
    then: "tuple[Statement, ...]"
    otherwise: "tuple[Statement, ...]" = ()


Statement = Let | Table | Draw | Fill | Spot | Label | Loop | Procedure | Run | IfZero


@dataclass(frozen=True, kw_only=True, slots=True)
class Scene:
    """A drawing program: the functions that it defines first (``helpers``), and its statements in order."""

    helpers: tuple[Helper, ...]
    statements: tuple[Statement, ...]


def called(part: object) -> Iterator[str]:
    """Yield the name of the function of each call in ``part`` (an expression or statement); inner calls come first."""
    if isinstance(part, Expr | Arc | Path | Circle | Statement):
        for slot in fields(part):
            yield from called(getattr(part, slot.name))
        if isinstance(part, Expr) and part.op == "call":
            yield part.name
    elif isinstance(part, tuple | list):
        for item in part:
            yield from called(item)
