"""Fits the literals of a drawing program by least squares; its operations are recorded once, then run compiled.

A program runs the same statements for all values of its literals, because only whole numbers decide the counts of
loops. So one run with numbers that record the operations on them (``Number``, in object arrays) gives a list of
elementary operations. Compiled code then runs those that the wanted numbers depend on, for all starting points at once
and for the points next to them that give the derivatives. The results equal those of numpy to the last bit.
"""

import operator
from array import array
from collections.abc import Callable, Sequence
from functools import reduce

import numba
import numpy as np
import numpy.typing as npt

from planimeter.filters.certify.geogram.arithmetic import Numbers, angle_of, damped_steps, wave

Array = npt.NDArray[np.float64]

_ADD, _SUBTRACT, _MULTIPLY, _DIVIDE, _MODULO, _ARCTAN2, _NEGATE, _ABS, _SQRT, _SIN, _COS, _POSITIVE = range(12)


class Tape:
    """A record of the operations that compute a program's numbers from ``inputs``, an object array (n, 1)."""

    def __init__(self, inputs: int) -> None:
        self._inputs = inputs
        #: For each number the operation that computes it, -1 for an input or a constant, and its two operands (twice
        #: the same one).
        self._steps = array("q", [-1, 0, 0] * inputs)
        self._constants: dict[int, float] = {}
        self._known: dict[tuple[object, ...], Number] = {(place,): Number(self, place) for place in range(inputs)}
        self.inputs = np.array(list(self._known.values()), object).reshape(inputs, 1)

    def apply(self, operation: int, a: Numbers, b: Numbers) -> "Number":
        """Record ``operation(a, b)`` and return its result; if ``b`` is an array, numpy loops over its elements."""
        if type(a) is not Number:
            a = self.number(a)
        if type(b) is not Number:
            if isinstance(b, np.ndarray):
                return NotImplemented
            b = self.number(b)
        step = operation, a.place, b.place
        number = self._known.get(step)
        if number is None:
            number = self._known[step] = Number(self, len(self._known))
            self._steps.extend(step)
        return number

    def number(self, value: Numbers) -> "Number":
        """Return ``value`` as a ``Number`` of this tape; it may be one already, or a constant."""
        if isinstance(value, Number):
            return value
        constant = float(value)
        # A zero has a sign.
        key = constant, str(constant)
        number = self._known.get(key)
        if number is None:
            number = self._known[key] = Number(self, len(self._known))
            self._steps.extend((-1, 0, 0))
            self._constants[number.place] = constant
        return number

    def vector(self, parts: Sequence[Numbers]) -> Numbers:
        """Return ``parts``, each a number or an array with one number, as a column (parts, 1).

        The dtype is object, or float64 if no part is a number of the tape.
        """
        terms: list[Numbers] = [part if isinstance(part, Number) else np.asarray(part).item() for part in parts]
        recorded = any(isinstance(term, Number) for term in terms)
        return np.array([[self.number(term) if recorded else float(term)] for term in terms])

    def values(self, wanted: Sequence[Numbers], inputs: Array) -> Array:
        """Return the values of the ``wanted`` numbers for each column of ``inputs`` (n, m): float64 (wanted, m)."""
        values: Array = _results(*self._code(wanted), np.ascontiguousarray(inputs))
        return values

    def solved(self, residuals: Sequence[Numbers], starts: Array, iterations: int, solved: float) -> Array:
        """Return the solutions (n, at most m) that least squares reach from the columns of ``starts`` (n, m).

        In a solution all ``residuals`` are below ``solved``. Least squares stop after ``iterations`` steps.
        """
        rounds = iterations if residuals and self._inputs else 0
        p, f = _least_squares(*self._code(residuals), np.ascontiguousarray(starts), rounds, solved)
        solutions: Array = p[:, (np.abs(f) < solved).all(axis=0)]
        return solutions

    def _code(self, wanted: Sequence[Numbers]) -> tuple[Array, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return (constants by position, operations needed for the ``wanted`` numbers, positions of these numbers)."""
        places = [self.number(term).place for term in wanted]
        constants = np.zeros(len(self._known))
        constants[list(self._constants)] = list(self._constants.values())
        needed, code = set(places), []
        for place in range(len(self._known) - 1, -1, -1):
            operation, a, b = self._steps[3 * place : 3 * place + 3]
            if place in needed and operation >= 0:
                needed |= {a, b}
                code.append((operation, place, a, b))
        return constants, np.array(code[::-1], np.int64).reshape(-1, 4), np.array(places, np.int64)


def _of_two(operation: int) -> tuple[Callable[["Number", Numbers], "Number"], Callable[["Number", Numbers], "Number"]]:
    """Return two methods that record a binary ``operation``: one with the number as left operand, one as right."""
    return lambda a, b: a.tape.apply(operation, a, b), lambda a, b: a.tape.apply(operation, b, a)


def _of_one(operation: int) -> Callable[["Number"], "Number"]:
    return lambda a: a.tape.apply(operation, a, a)


class Number:
    """A number, the entry ``place`` of ``tape``; operations on it are recorded there, also in object arrays."""

    __slots__ = ("place", "tape")

    def __init__(self, tape: Tape, place: int) -> None:
        self.tape, self.place = tape, place

    __add__, __radd__ = _of_two(_ADD)
    __sub__, __rsub__ = _of_two(_SUBTRACT)
    __mul__, __rmul__ = _of_two(_MULTIPLY)
    __truediv__, __rtruediv__ = _of_two(_DIVIDE)
    __mod__, _ = _of_two(_MODULO)
    #: The angle of (the other number, this) in radians.
    arctan2, _ = _of_two(_ARCTAN2)
    __neg__, __abs__, sqrt = map(_of_one, (_NEGATE, _ABS, _SQRT))
    #: Of radians; and the larger of the number and 0.
    sin, cos, positive = map(_of_one, (_SIN, _COS, _POSITIVE))

    def __pow__(self, power: int) -> "Number":
        return reduce(operator.mul, [self] * power)

    def radians(self) -> "Number":
        """Return this number of degrees in radians."""
        return self * (np.pi / 180)

    def degrees(self) -> "Number":
        """Return this number of radians in degrees."""
        return self * (180 / np.pi)


# Compiled. Loops rather than expressions of arrays: these take numba seconds to compile.


@numba.njit(cache=True, error_model="numpy")
def _results(constants, code, wanted, inputs):  # type: ignore[no-untyped-def]
    """Return the numbers at the positions ``wanted`` after running ``code`` on ``inputs``: float64 (wanted, m)."""
    columns = inputs.shape[1]
    values = np.empty((len(constants), columns))
    for place in range(len(constants)):
        for k in range(columns):
            values[place, k] = inputs[place, k] if place < len(inputs) else constants[place]
    _execute(code, values)
    results = np.empty((len(wanted), columns))
    for row in range(len(wanted)):
        for k in range(columns):
            results[row, k] = values[wanted[row], k]
    return results


@numba.njit(cache=True, error_model="numpy")
def _execute(code, values):  # type: ignore[no-untyped-def]
    """Run the operations ``code``: each fills, in place, the row of ``values`` (positions, m) that holds its result."""
    columns = values.shape[1]
    for step in range(len(code)):
        operation, target, a, b = code[step, 0], values[code[step, 1]], values[code[step, 2]], values[code[step, 3]]
        if operation == _ADD:
            for k in range(columns):
                target[k] = a[k] + b[k]
        elif operation == _SUBTRACT:
            for k in range(columns):
                target[k] = a[k] - b[k]
        elif operation == _MULTIPLY:
            for k in range(columns):
                target[k] = a[k] * b[k]
        elif operation == _DIVIDE:
            for k in range(columns):
                target[k] = a[k] / b[k]
        else:
            for k in range(columns):
                target[k] = _other(operation, a[k], b[k])


@numba.njit(cache=True, error_model="numpy")
def _other(operation, a, b):  # type: ignore[no-untyped-def]
    result = -a
    if operation == _SQRT:
        result = np.sqrt(a)
    elif operation == _ABS:
        result = np.abs(a)
    elif operation == _SIN:
        result = wave(a, 0.0)
    elif operation == _COS:
        result = wave(a, 1.0)
    elif operation == _ARCTAN2:
        result = angle_of(a, b)
    elif operation == _POSITIVE:
        result = 0.0 if a <= 0 else a
    elif operation == _MODULO:
        result = np.mod(a, b)
    return result


@numba.njit(cache=True, error_model="numpy")
def _least_squares(constants, code, wanted, p, iterations, solved):  # type: ignore[no-untyped-def]
    """Return the points (n, m) that the Levenberg-Marquardt method reaches from ``p`` (n, m), and residuals (k, m)."""
    n, starts = p.shape
    p, trial, damping, moving = p.copy(), p.copy(), np.full(starts, 1e-3), np.arange(starts)
    f, jacobian, cost = _linearised(constants, code, wanted, p, moving)
    for _ in range(iterations):
        if cost.max() < solved**2 / 100:
            break
        steps = damped_steps(jacobian, f, damping)
        count = 0
        for start in range(starts):
            # A residual of 0 cannot improve.
            if cost[start] != 0:
                moving[count] = start
                count += 1
            for j in range(n):
                trial[j, start] = p[j, start] - steps[start, j]
        trial_f, trial_jacobian, trial_cost = _linearised(constants, code, wanted, trial, moving[:count])
        for r in range(count):
            start = moving[r]
            better = trial_cost[r] < cost[start]
            damping[start] = min(max(damping[start] / 8 if better else damping[start] * 6, 1e-14), 1e8)
            if better:
                cost[start] = trial_cost[r]
                for j in range(n):
                    p[j, start] = trial[j, start]
                for k in range(len(wanted)):
                    f[k, start] = trial_f[k, r]
                    for j in range(n):
                        jacobian[start, k, j] = trial_jacobian[r, k, j]
    return p, f


@numba.njit(cache=True, error_model="numpy")
def _linearised(constants, code, wanted, p, chosen):  # type: ignore[no-untyped-def]
    """Return the residuals (k, m), Jacobians (m, k, n) and sums of squares (m,) at the m ``chosen`` columns of ``p``.

    A sum of squares is infinite if a residual is not finite.
    """
    n, count, rows = len(p), len(chosen), len(wanted)
    inputs, h = np.empty((n, count * (n + 1))), np.empty((count, n))
    for r in range(count):
        for j in range(n):
            start = p[j, chosen[r]]
            # NaN stays NaN.
            h[r, j] = 1e-7 * (0.1 if np.abs(start) < 0.1 else np.abs(start))
            for column in range(n + 1):
                inputs[j, r * (n + 1) + column] = start + h[r, j] if column == j + 1 else start
    results = _results(constants, code, wanted, inputs)
    f, jacobian, cost = np.empty((rows, count)), np.empty((count, rows, n)), np.zeros(count)
    for r in range(count):
        for k in range(rows):
            f[k, r] = results[k, r * (n + 1)]
            cost[r] += f[k, r] * f[k, r] if np.isfinite(f[k, r]) else np.inf
            for j in range(n):
                jacobian[r, k, j] = (results[k, r * (n + 1) + 1 + j] - f[k, r]) / h[r, j]
    return f, jacobian, cost
