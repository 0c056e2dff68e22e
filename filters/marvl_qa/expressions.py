"""Evaluates a printed expression as a function of arrays, as a second way to compute the heights of a surface.

The generator computes the heights of a family from its parameters, in the family's own code. Here they come from the
expression in the row (Python arithmetic over ``x`` and ``y`` and a few functions), so that printed, plotted and stored
surface can be compared with one another.
"""

import ast
from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Heights = Callable[[Array, Array], Array]
Value = Array | np.float64

#: Cells of a grid whose heights are computed at once, so that intermediate values stay in the processor's cache.
_STRIP = 16_000

_FUNCTIONS: dict[str, Callable[..., Value]] = {
    "Abs": np.abs,
    "Max": np.maximum,
    "atan2": np.arctan2,
    "cos": np.cos,
    "exp": np.exp,
    "log": np.log,
    "sign": np.sign,
    "sin": np.sin,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
}
_OPERATORS: dict[type[ast.operator], Callable[..., Value]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.Pow: np.power,
}


def surface(expression: str) -> Heights:
    """Return the function f(x, y) that ``expression`` describes, of arrays x and y in axis units that broadcast.

    Raises:
        ValueError: if ``expression`` contains anything but arithmetic, numbers, x, y and the known functions.
    """
    program = _Program()
    try:
        result = program.add(ast.parse(expression, mode="eval").body)
    except (SyntaxError, RecursionError) as error:
        raise ValueError(f"not an expression: {expression[:80]!r}") from error

    def strip(x: Array, y: Array) -> Array:
        values: list[Value] = [x, y]
        for function, arguments in program.steps:
            values.append(function(*(values[number] for number in arguments)))
        return np.broadcast_to(values[result], np.broadcast_shapes(x.shape, y.shape))

    def heights(x: Array, y: Array) -> Array:
        shape = np.broadcast_shapes(x.shape, y.shape)
        rows = max(_STRIP // max(shape[-1], 1), 1) if x.ndim == y.ndim == 2 else 0
        if not rows or shape[0] <= rows:
            return strip(x, y)
        tops = range(0, shape[0], rows)
        return np.vstack([strip(*(v[top : top + rows] if len(v) > 1 else v for v in (x, y))) for top in tops])

    return heights


class _Program:
    """An expression as a sequence of steps, each a function and the indices of its arguments among all values.

    The first two values are x and y; the result of each step is the next one.
    """

    def __init__(self) -> None:
        self.steps: list[tuple[Callable[..., Value], tuple[int, ...]]] = []
        self._number: dict[tuple[object, ...], int] = {("x",): 0, ("y",): 1}
        #: Of each value, whether it changes with x and with y.
        self._uses: list[frozenset[str]] = [frozenset("x"), frozenset("y")]

    def add(self, node: ast.expr) -> int:
        """Append the steps of ``node`` and return the index of its value."""
        match node:
            case ast.Name(id="x" | "y"):
                return "xy".index(node.id)
            case ast.Constant(value=int() | float() as number):
                return self._step(partial(np.float64, number), float(number))
            case ast.UnaryOp(op=ast.USub()):
                return self._step(np.negative, "-", self.add(node.operand))
            case ast.BinOp(op=ast.Pow(), right=ast.Constant(value=int(exponent))) if 1 <= exponent <= 8:
                return self._power(self.add(node.left), exponent)
            case ast.BinOp() if type(node.op) in _OPERATORS:
                kind = type(node.op)
                return self._step(_OPERATORS[kind], kind, self.add(node.left), self.add(node.right))
            case ast.Call(func=ast.Name(id="exp"), args=[ast.BinOp(op=ast.Add() | ast.Sub()) as sum_]):
                return self._exponential(sum_)
            case ast.Call(func=ast.Name(id=name)) if name in _FUNCTIONS and not node.keywords:
                return self._step(_FUNCTIONS[name], name, *map(self.add, node.args))
        allowed = f"arithmetic, x, y and {', '.join(_FUNCTIONS)}"
        raise ValueError(f"need an expression of {allowed}, got {ast.unparse(node)}")

    def _step(self, function: Callable[..., Value], key: object, *arguments: int) -> int:
        known = (key, *arguments)
        if known not in self._number:
            self._number[known] = len(self._uses)
            self.steps.append((function, arguments))
            self._uses.append(frozenset().union(*(self._uses[number] for number in arguments)))
        return self._number[known]

    def _power(self, base: int, exponent: int) -> int:
        """Append the multiplications for ``base ** exponent``, and return the index of the result.

        np.power with a whole exponent is some thirty times slower.
        """
        result = base
        for bit in f"{exponent:b}"[1:]:
            result = self._step(np.multiply, ast.Mult, result, result)
            result = self._step(np.multiply, ast.Mult, result, base) if bit == "1" else result
        return result

    def _exponential(self, node: ast.BinOp) -> int:
        """Append the steps of exp(f(x) + g(y)) as exp(f(x)) * exp(g(y)), and return the index of the result.

        So exponentials are computed for one row and one column instead of a grid.
        """
        left, right = self.add(node.left), self.add(node.right)
        if self._uses[left] & self._uses[right]:
            kind = type(node.op)
            return self._step(np.exp, "exp", self._step(_OPERATORS[kind], kind, left, right))
        right = self._step(np.negative, "-", right) if isinstance(node.op, ast.Sub) else right
        return self._step(np.multiply, ast.Mult, self._step(np.exp, "exp", left), self._step(np.exp, "exp", right))
