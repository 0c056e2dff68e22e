"""A drawing program as data: expressions and statements that every printer can write and ``run`` can execute.

A program is data, so that one scene has one picture and a text in each language. The vocabulary is that of a person who
draws a textbook figure: points, a few vector operations, named constructions (``Helper``: a one-line function that the
printed program defines for itself), paths of segments and arcs, loops, recursive procedures, solids drawn through a
projection of their corners.

One convention carries meaning: **a literal with a decimal point is a measure of this drawing** (a decoy, good for the
picture only), **an integer is structure** (a midpoint's 2, a right angle's 90, the count of a loop). The reader of a
figure that is not to scale makes the same distinction, and so does the certifier.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Literal

Kind = Literal["int", "real", "pair", "triple"]
Params = tuple[tuple[str, Kind], ...]


_Operation = Callable[["Expr", "Expr | int"], "Expr"]


def _operator(op: str) -> tuple[_Operation, _Operation]:
    """Return the method of ``op`` with another expression on the right, and with it on the left."""
    return lambda a, b: binary(op, a, wrap(b)), lambda a, b: binary(op, wrap(b), a)


@dataclass(frozen=True, slots=True)
class Expr:
    """A node: ``op`` is lit, int, var, pair, triple, part, cell, call, neg, or one of + - * and /.

    ``args`` contains sub-expressions, or the plain value of a leaf; ``name`` the variable, part or function.
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
        """Return one coordinate of a pair or triple."""
        return Expr("part", "real", (self,), axis)


_RANK: dict[Kind, int] = {"int": 0, "real": 1, "pair": 2, "triple": 3}


def binary(op: str, left: Expr, right: Expr) -> Expr:
    """Return ``left op right``; ``ValueError`` for a product or quotient of vectors, which languages interpret
    differently.
    """
    if op in "*/" and _RANK[right.kind] >= 2 and (op == "/" or _RANK[left.kind] >= 2):
        raise ValueError(f"need a scalar factor or divisor, got {left.kind} {op} {right.kind}; use dot or turn")
    kind = max(left.kind, right.kind, key=lambda k: _RANK[k])
    return Expr(op, "real" if op == "/" and kind == "int" else kind, (left, right))


def wrap(value: "Expr | int") -> Expr:
    """Return an integer as a node."""
    return value if isinstance(value, Expr) else Expr("int", "int", value=value)


def lit(value: float) -> Expr:
    """Return a decimal literal, rounded to the two digits that are printed."""
    return Expr("lit", "real", value=round(float(value), 2) + 0.0)


def fine(value: float) -> Expr:
    """Return a decimal literal of four digits, for values where two would be visibly off (a ratio, a place
    on a curve).
    """
    return Expr("lit", "real", value=round(float(value), 4) + 0.0)


def var(name: str, kind: Kind) -> Expr:
    """Return the variable ``name``."""
    return Expr("var", kind, name=name)


def pair(x: Expr | int, y: Expr | int) -> Expr:
    """Return the point (x, y)."""
    return Expr("pair", "pair", (wrap(x), wrap(y)))


def triple(x: Expr | int, y: Expr | int, z: Expr | int) -> Expr:
    """Return the point (x, y, z)."""
    return Expr("triple", "triple", (wrap(x), wrap(y), wrap(z)))


def call(name: str, kind: Kind, *args: Expr | int) -> Expr:
    """Return a call of a built-in function (see ``run``) or of a helper."""
    return Expr("call", kind, tuple(wrap(a) for a in args), name)


@dataclass(frozen=True, kw_only=True, slots=True)
class Helper:
    """A construction: a function of one expression that the program defines before it is used.

    With a ``base`` it is recursive: ``body`` calls it, until its last parameter, a whole number, is 0.
    """

    name: str
    params: Params
    body: Expr
    base: Expr | None = None

    def __call__(self, *args: Expr | int) -> Expr:
        return call(self.name, self.body.kind, *args)


@dataclass(frozen=True, kw_only=True, slots=True)
class View(Helper):
    """A projection of space; ``written`` is the same for Asymptote's module ``three``."""

    written: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Arc:
    """A circular arc counter-clockwise from ``start`` to ``end`` degrees (clockwise if ``end`` is smaller)."""

    center: Expr
    radius: Expr
    start: Expr
    end: Expr


@dataclass(frozen=True, kw_only=True, slots=True)
class Path:
    """Points and arcs joined by segments."""

    pieces: tuple[Expr | Arc, ...]
    closed: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Circle:
    """A whole circle."""

    center: Expr
    radius: Expr


@dataclass(frozen=True, kw_only=True, slots=True)
class Let:
    """Declares ``name``; ``again`` gives a declared name a new value."""

    name: str
    expr: Expr
    again: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """Declares a table of whole numbers."""

    name: str
    rows: tuple[tuple[int, ...], ...]


def graph(function: Helper, start: Expr, end: Expr) -> Expr:
    """Return the piece of a path that is the graph of a function of one number."""
    return call("graph", "pair", function(var("x", "real")), start, end)


@dataclass(frozen=True, kw_only=True, slots=True)
class Draw:
    """Strokes a path; ``right`` names the angle that a mark of that size marks, ``axis`` the axis that it is."""

    path: Path | Circle
    dashed: bool = False
    width: float = 1.0
    right: tuple[Expr, Expr, Expr, Expr] | None = None
    axis: Literal["", "x", "y"] = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fill:
    """Fills a closed path with a grey from 0 (black) to 1 (white)."""

    path: Path | Circle
    shade: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Spot:
    """Marks a point."""

    at: Expr


@dataclass(frozen=True, kw_only=True, slots=True)
class Label:
    """Writes a text next to a point; ``compass`` is N, NE, ... or empty for centred, ``number`` an int to print."""

    text: str
    at: Expr
    compass: str = ""
    number: Expr | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Loop:
    """Runs ``body`` for ``variable`` = start, ..., stop - 1."""

    variable: str
    start: Expr
    stop: Expr
    body: "tuple[Statement, ...]"


@dataclass(frozen=True, kw_only=True, slots=True)
class Procedure:
    """Declares a procedure, which may call itself; in place of a body ``helper`` is its result, an expression that may
    use the names that were declared before.
    """

    name: str
    params: Params
    body: "tuple[Statement, ...]" = ()
    helper: Helper | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """Calls a procedure."""

    name: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class IfZero:
    """Runs ``then`` if the integer ``test`` is 0, and ``otherwise`` if not."""

    test: Expr
    then: "tuple[Statement, ...]"
    otherwise: "tuple[Statement, ...]" = ()


Statement = Let | Table | Draw | Fill | Spot | Label | Loop | Procedure | Run | IfZero


@dataclass(frozen=True, kw_only=True, slots=True)
class Scene:
    """A drawing program: its own constructions and its statements in order."""

    helpers: tuple[Helper, ...]
    statements: tuple[Statement, ...]


def called(part: object) -> Iterator[str]:
    """Yield the names of the functions that an expression, a statement or several call: inner ones first."""
    if isinstance(part, Expr | Arc | Path | Circle | Statement):
        for slot in fields(part):
            yield from called(getattr(part, slot.name))
        if isinstance(part, Expr) and part.op == "call":
            yield part.name
    elif isinstance(part, tuple | list):
        for item in part:
            yield from called(item)
