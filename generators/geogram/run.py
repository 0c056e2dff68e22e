"""Interpret a drawing program (a ``Scene``): compute its drawing and the values of its variables."""

import cmath
import math
import operator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from planimeter.generators.geogram import scene as sc
from planimeter.items import Area, Caption, Dot, Drawing, Point, Stroke

#: The value of a name: int, float, complex (a pair), an array of three (a triple), or rows of ints (a table).
Value = Any

#: Degrees between two points of a sampled arc.
ARC_STEP: Final = 3.0

#: Points of a sampled graph, the same number as Asymptote's.
GRAPH_POINTS: Final = 101

COMPASS: Final[dict[str, Point]] = {
    name: (math.sin(math.radians(45 * i)), math.cos(math.radians(45 * i)))
    for i, name in enumerate(("N", "NE", "E", "SE", "S", "SW", "W", "NW"))
} | {"": (0.0, 0.0)}


@dataclass(slots=True)
class Outcome:
    """The result of running a scene: ``values`` of the variables of its main program by name, and ``marks`` (strokes,
    areas, dots, captions) in the order of drawing.

    A value is an int, a float, a complex (a point of the plane), an array of three (a point of space) or rows of ints.
    """

    values: dict[str, Value] = field(default_factory=dict)
    marks: list[Stroke | Area | Dot | Caption] = field(default_factory=list)

    def drawing(self) -> Drawing:
        """Return the marks as a ``Drawing``."""
        return Drawing(marks=tuple(self.marks))


def run(scene: sc.Scene) -> Outcome:
    """Run the drawing program ``scene``; return the values of its variables and its marks.

    Raises:
        ValueError: if a value is not finite (the intersection of parallel lines, the root of a negative number).
    """
    machine = _Machine({h.name: h for h in scene.helpers})
    machine.execute(scene.statements, machine.outcome.values)
    return machine.outcome


class _Machine:
    """An interpreter of drawing programs; ``names`` in its methods maps the variables in scope to their values."""

    def __init__(self, helpers: dict[str, sc.Helper]) -> None:
        self.helpers = helpers
        self.procedures: dict[str, sc.Procedure] = {}
        self.outcome = Outcome()

    def execute(self, statements: tuple[sc.Statement, ...], names: dict[str, Value]) -> None:
        for s in statements:
            match s:
                case sc.Let():
                    names[s.name] = _finite(self.value(s.expr, names), s.name)
                case sc.Table():
                    names[s.name] = s.rows
                case sc.Draw():
                    points = self.path(s.path, names)
                    self.outcome.marks.append(Stroke(points=points, dashed=s.dashed, width=s.width))
                case sc.Fill():
                    self.outcome.marks.append(Area(points=self.path(s.path, names), shade=s.shade))
                case sc.Spot():
                    self.outcome.marks.append(Dot(point=self.point(s.at, names)))
                case sc.Label():
                    text = s.text if s.number is None else str(self.value(s.number, names))
                    at = self.point(s.at, names)
                    self.outcome.marks.append(Caption(text=text, point=at, direction=COMPASS[s.compass]))
                case sc.Loop():
                    self.repeat(s, names)
                case sc.Procedure():
                    self.procedures[s.name] = s
                case sc.Run():
                    procedure = self.procedures[s.name]
                    args = [self.value(a, names) for a in s.args]
                    params = [name for name, _ in procedure.params]
                    self.execute(procedure.body, names | dict(zip(params, args, strict=True)))
                case sc.IfZero():
                    self.execute(s.then if self.value(s.test, names) == 0 else s.otherwise, names)

    def repeat(self, loop: sc.Loop, names: dict[str, Value]) -> None:
        for i in range(self.value(loop.start, names), self.value(loop.stop, names)):
            names[loop.variable] = i
            self.execute(loop.body, names)
        names.pop(loop.variable, None)

    def point(self, expr: sc.Expr, names: dict[str, Value]) -> Point:
        z = _finite(self.value(expr, names), "a point")
        return (float(z.real), float(z.imag))

    def path(self, path: sc.Path | sc.Circle, names: dict[str, Value]) -> tuple[Point, ...]:
        if isinstance(path, sc.Circle):
            center = self.value(path.center, names)
            return _arc(center, self.value(path.radius, names), 0.0, 360.0)
        points: list[Point] = []
        for piece in path.pieces:
            if isinstance(piece, sc.Arc):
                center, radius, start, end = (
                    self.value(e, names) for e in (piece.center, piece.radius, piece.start, piece.end)
                )
                points += _arc(center, radius, start, end)
            elif piece.name == "graph":
                function, start, end = piece.args[0].name, *(self.value(e, names) for e in piece.args[1:])
                points += [(float(x), float(self.call(function, [x]))) for x in np.linspace(start, end, GRAPH_POINTS)]
            else:
                points.append(self.point(piece, names))
        return (*points, points[0]) if path.closed else tuple(points)

    def value(self, expr: sc.Expr, names: dict[str, Value]) -> Value:
        match expr.op:
            case "int":
                return int(expr.value)
            case "lit":
                return expr.value
            case "var":
                return names[expr.name] if expr.name in names else self.outcome.values[expr.name]
        args = [self.value(a, names) for a in expr.args]
        match expr.op:
            case "+" | "-" | "*" | "/":
                return _ARITHMETIC[expr.op](*args)
            case "neg":
                return -args[0]
            case "pair":
                return complex(args[0], args[1])
            case "triple":
                return np.array(args, float)
            case "part":
                z = args[0]
                return (z.real if expr.name == "x" else z.imag) if isinstance(z, complex) else z["xyz".index(expr.name)]
            case "cell":
                return names[expr.name][args[0]][args[1]]
        return self.call(expr.name, args)

    def call(self, name: str, args: list[Value]) -> Value:
        if name in _BUILTINS:
            return _BUILTINS[name](*args)
        declared = self.procedures.get(name)
        helper = (declared.helper if declared else None) or self.helpers[name]
        body = helper.base if helper.base is not None and args[-1] == 0 else helper.body
        return self.value(body, {p: a for (p, _), a in zip(helper.params, args, strict=True)})


def _dot(u: Value, v: Value) -> float:
    return float((u.conjugate() * v).real) if isinstance(u, complex) else float(np.dot(u, v))


_ARITHMETIC: Final[dict[str, Value]] = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}

_BUILTINS: Final[dict[str, Value]] = {
    "dot": _dot,
    "abs": lambda v: abs(v) if isinstance(v, complex | float | int) else float(np.linalg.norm(v)),
    "sqrt": math.sqrt,
    "sin": lambda t: math.sin(math.radians(t)),
    "cos": lambda t: math.cos(math.radians(t)),
}


def _arc(center: complex, radius: float, start: float, end: float) -> tuple[Point, ...]:
    steps = max(2, math.ceil(abs(end - start) / ARC_STEP))
    angles = np.radians(np.linspace(start, end, steps + 1))
    return tuple((center.real + radius * math.cos(a), center.imag + radius * math.sin(a)) for a in angles)


def _finite(value: Value, name: str) -> Value:
    if not (cmath.isfinite(value) if isinstance(value, int | float | complex) else np.isfinite(value).all()):
        raise ValueError(f"need finite values in a drawing, got {name} = {value}")
    return value
