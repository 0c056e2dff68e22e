"""Operators of Asymptote between numbers, pairs, transforms, paths, pens and strings."""

import math
import operator as operators
from collections.abc import Callable
from typing import Final

from planimeter.filters.certify.geogram.asymptote import UnreadableError
from planimeter.rendering.asymptote.names import FUNCTIONS, Ignored, Pen
from planimeter.rendering.asymptote.paths import Path, Transform, Value

_COMPARE: Final[dict[str, Callable[[Value, Value], bool]]] = {
    "==": operators.eq, "!=": operators.ne, "<": operators.lt, "<=": operators.le, ">": operators.gt,
    ">=": operators.ge,
}  # fmt: skip
_COMPUTE: Final[dict[str, Callable[[Value, Value], Value]]] = {
    "+": operators.add, "-": operators.sub, "*": operators.mul, "/": operators.truediv, "%": operators.mod,
    "^": operators.pow,
}  # fmt: skip

#: Signs in a string; figures have labels, not pages.
MAX_TEXT: Final = 2_000


def calculate(operator: str, left: Value, right: Value) -> Value:
    """Return ``left operator right``. Raises ``UnreadableError`` where Asymptote, or we, know no such operation."""
    if operator in _COMPARE:
        return _COMPARE[operator](left, right)
    if isinstance(left, Transform) and operator == "*":
        return _moved(left, right)
    if isinstance(left, Pen | Ignored) or isinstance(right, Pen | Ignored):
        return _pens(operator, left, right)
    if isinstance(left, str) and isinstance(right, str) and operator == "+" and len(left) + len(right) <= MAX_TEXT:
        return left + right
    if not isinstance(left, int | float | complex) or not isinstance(right, int | float | complex):
        raise UnreadableError(f"{operator} between values that have none")
    made = _COMPUTE[operator](left, right)
    if not abs(made) < math.inf:
        raise UnreadableError("a number that is not finite")
    return made


def converted(kind: str, value: Value) -> Value:
    """Return ``value`` as a variable of ``kind`` holds it."""
    if kind == "pair" and isinstance(value, int | float):
        return complex(value)
    if kind in ("path", "guide") and isinstance(value, complex):
        return Path(value, ())
    if kind == "int" and isinstance(value, float):
        return float(math.trunc(value))
    return value


def _moved(by: Transform, what: Value) -> Value:
    match what:
        case Transform():
            return by.after(what)
        case Path():
            return by.path(what)
        case list():
            return [_moved(by, item) for item in what]
        case int() | float() | complex():
            return by.point(complex(what))
        case str():
            return what
    raise UnreadableError("a transform of something else than a figure")


def _pens(operator: str, left: Value, right: Value) -> Value:
    match operator, left, right:
        case "+", Ignored(), Pen() | Ignored():
            return right
        case "+", Pen(), Ignored():
            return left
        case "+", Pen(), Pen():
            return left + right
        case "+", Pen(), int() | float():
            return left + FUNCTIONS["linewidth"](right)
        case "*", int() | float(), Pen():
            return Pen(right.grey * left if right.grey is not None else None, right.dashed, right.width, right.drawn)
    raise UnreadableError(f"{operator} between pens")
