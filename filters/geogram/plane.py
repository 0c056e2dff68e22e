"""Computes with points, paths and maps of the plane as imported drawing programs do, with limits on their size.

A real is a number or an array (1,) or (n,), a point an array (2, 1), a path a list of points or an arc, and several
paths a tuple.
"""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from planimeter.filters.certify.geogram.arithmetic import cos, sin
from planimeter.filters.certify.geogram.asymptote import UnreadableError
from planimeter.filters.certify.geogram.machine import OPERATORS
from planimeter.filters.certify.geogram.measures import _outline
from planimeter.filters.certify.geogram.modules import FUNCTIONS, ArcPiece, GraphPiece

Array = npt.NDArray[np.float64]
Value = Any

#: Limits of points of a path, and of characters of a text.
MOST_POINTS, MOST_CHARACTERS = 20_000, 1_000

#: Closes a path.
CYCLE: Final = object()

_COMPASS: Final = {
    "N": (0, 1), "S": (0, -1), "E": (1, 0), "W": (-1, 0), "NE": (0.7, 0.7), "NW": (-0.7, 0.7), "SE": (0.7, -0.7),
    "SW": (-0.7, -0.7), "NNE": (0.4, 0.9), "ENE": (0.9, 0.4), "ESE": (0.9, -0.4), "SSE": (0.4, -0.9),
    "SSW": (-0.4, -0.9), "WSW": (-0.9, -0.4), "WNW": (-0.9, 0.4), "NNW": (-0.4, 0.9), "up": (0, 1), "down": (0, -1),
    "left": (-1, 0), "right": (1, 0),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Affine:
    """The affine map p -> ``matrix`` p + ``offset`` of the plane."""

    matrix: Array
    offset: Array

    def of(self, value: Value) -> Value:
        """Return the image of a point, a path or paths; for another map, the composition of both."""
        if isinstance(value, Affine):
            return Affine(self.matrix @ value.matrix, self.matrix @ value.offset + self.offset)
        if isinstance(value, tuple):
            return tuple(self.of(path) for path in value)
        if isinstance(value, list | ArcPiece):
            return [self.of(point) for point in points_of(value)]
        return self.matrix @ _pair(value) + self.offset


def is_pair(value: Value) -> bool:
    """Return True if ``value`` is a point, an array of shape (2, 1)."""
    return isinstance(value, np.ndarray) and value.shape == (2, 1)


def is_real(value: Value) -> bool:
    """Return True if ``value`` is a number or an array of one number."""
    return isinstance(value, int | float) or (isinstance(value, np.ndarray) and value.shape in ((), (1,)))


def real(value: Value) -> float:
    """Return ``value`` as a float. Raises ``UnreadableError`` if it is not a number."""
    if not is_real(value):
        raise UnreadableError(f"need a number, got {type(value).__name__}")
    return float(np.asarray(value, float).reshape(-1)[0])


def _pair(value: Value) -> Array:
    if is_pair(value):
        return np.asarray(value, float)
    return vector(value, 0.0)


def vector(*parts: Value) -> Array:
    """Return the numbers ``parts`` as a column, float64 (n, 1)."""
    return np.array([[real(part)] for part in parts])


def place_of(value: Value) -> tuple[float, float]:
    """Return (x, y) of a point, or of a number as (x, 0), rounded to nine decimals."""
    x, y = _pair(value)[:, 0].round(9).tolist()
    return x, y


def text_of(value: Value) -> str:
    """Return ``value`` if it is a text of at most ``MOST_CHARACTERS``; raise ``UnreadableError`` otherwise."""
    if not isinstance(value, str) or len(value) > MOST_CHARACTERS:
        raise UnreadableError(f"need a text of at most {MOST_CHARACTERS} characters")
    return value


def combined(kind: type[ast.operator], left: Value, right: Value) -> Value:
    """Return the result of the operator ``kind`` on two values, as Asymptote computes it.

    Pairs multiply as complex numbers, and a real added to a pair counts as a pair.
    """
    if isinstance(left, Affine) and kind is ast.Mult:
        return right if isinstance(right, str) else left.of(right)
    if isinstance(left, str) and isinstance(right, str) and kind is ast.Add:
        return text_of(left + right)
    if is_pair(left) or is_pair(right):
        if kind in (ast.Add, ast.Sub):
            left, right = _pair(left), _pair(right)
        elif is_pair(left) and is_pair(right):
            a, b = complex(*place_of(left)), complex(*place_of(right))
            result = {ast.Mult: a * b, ast.Div: a / b if b else np.nan}[kind]
            return np.array([[complex(result).real], [complex(result).imag]])
    return OPERATORS[kind](left, right)


def path_of(*parts: Value) -> list[Array]:
    """Return the points of the path that joins ``parts``, which are points and paths; ``CYCLE`` closes it."""
    points: list[Array] = []
    for part in parts:
        points += points[:1] if part is CYCLE else points_of(part)
        if len(points) > MOST_POINTS:
            raise UnreadableError(f"the path has more than {MOST_POINTS} points")
    return points


def points_of(value: Value) -> list[Array]:
    """Return the points of ``value``: a point, a path, or an arc or graph as about 360 points."""
    if isinstance(value, ArcPiece | GraphPiece):
        flat = _outline([value], lambda part: np.asarray(part, float)[..., 0] if np.ndim(part) else part)
        return [point[:, None] for point in flat[:: max(1, len(flat) // 360)]] + [flat[-1][:, None]]
    if isinstance(value, list):
        return [point for part in value for point in points_of(part)]
    if not is_pair(value):
        raise UnreadableError(f"need a point or a path in the plane, got {type(value).__name__}")
    return [value]


def _several(left: Value, right: Value) -> tuple[Value, ...]:
    paths = tuple(chain(*(value if isinstance(value, tuple) else (value,) for value in (left, right))))
    if sum(len(path) if isinstance(path, list) else 1 for path in paths) > MOST_POINTS:
        raise UnreadableError(f"the paths have more than {MOST_POINTS} points")
    return paths


def middle(value: Value) -> Array:
    """Return the middle one of a path's points; if there are only two, their mean."""
    points = points_of(value)
    return (points[0] + points[-1]) / 2 if len(points) == 2 else points[len(points) // 2]


def _crossings(first: Value, second: Value) -> list[Array]:
    """Return the crossings of two paths, in the order of the first one."""
    a, b = (np.hstack(points_of(path)).T for path in (first, second))
    if min(len(a), len(b)) < 2 or len(a) * len(b) > MOST_POINTS**2 // 400:
        raise UnreadableError(f"cannot intersect paths of {len(a)} and {len(b)} points")
    start, u = a[:-1, None], np.diff(a, axis=0)[:, None]
    other, v = b[None, :-1], np.diff(b, axis=0)[None]
    gap, across = other - start, u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]
    s = (gap[..., 0] * v[..., 1] - gap[..., 1] * v[..., 0]) / across
    t = (gap[..., 0] * u[..., 1] - gap[..., 1] * u[..., 0]) / across
    slack = 1e-9
    met = (s > -slack) & (s < 1 + slack) & (t > -slack) & (t < 1 + slack)
    places = (start + s[..., None] * u)[met]
    distinct = [p for i, p in enumerate(places) if i == 0 or not (abs(places[:i] - p) < 1e-6).all(axis=1).any()]
    return [place[:, None] for place in distinct]


def _linspace(start: Value, end: Value, count: Value = 50) -> Array:
    if not 0 < (number := int(real(count))) <= MOST_POINTS:
        raise UnreadableError(f"need 1 to {MOST_POINTS} numbers in linspace, got {number}")
    return np.linspace(real(start), real(end), number)


def _turned(degrees: Value, about: Value = 0.0) -> Affine:
    c, s = float(cos(np.radians(real(degrees)))), float(sin(np.radians(real(degrees))))
    matrix, centre = np.array([[c, -s], [s, c]]), _pair(about)
    return Affine(matrix, centre - matrix @ centre)


def _reflected(a: Value, b: Value) -> Affine:
    (x, y), start = (_pair(b) - _pair(a))[:, 0] / np.linalg.norm(_pair(b) - _pair(a)), _pair(a)
    matrix = np.array([[x * x - y * y, 2 * x * y], [2 * x * y, y * y - x * x]])
    return Affine(matrix, start - matrix @ start)


def _scaled(x: Value, y: Value | None = None) -> Affine:
    return Affine(np.diag([real(x), real(x if y is None else y)]), np.zeros((2, 1)))


def _arc(centre: Value, radius: Value, start: Value, end: Value) -> ArcPiece:
    if is_pair(radius):
        u, v = _pair(radius) - _pair(centre), _pair(start) - _pair(centre)
        begin = float(np.degrees(np.arctan2(u[1, 0], u[0, 0])))
        sweep = (float(np.degrees(np.arctan2(v[1, 0], v[0, 0]))) - begin) % 360
        return ArcPiece(_pair(centre), float(np.hypot(*u[:, 0])), begin, begin + sweep)  # type: ignore[arg-type]
    return ArcPiece(_pair(centre), real(radius), real(start), real(end))  # type: ignore[arg-type]


def _circle(centre: Value, radius: Value) -> ArcPiece:
    return _arc(centre, radius, 0, 360)


def _ellipse(centre: Value, across: Value, up: Value) -> list[Array]:
    return list(Affine(np.diag([real(across), real(up)]), _pair(centre)).of(_circle(vector(0, 0), 1)))


def _box(a: Value, b: Value, c: Value | None = None) -> list[Array]:
    x, y = place_of(a)
    right, top = place_of(b) if c is None else (x + real(b), y + real(c))
    return path_of(*(vector(*at) for at in ((x, y), (right, y), (right, top), (x, top))), CYCLE)


def _incircle(a: Array, b: Array, c: Array) -> ArcPiece:
    centre: Any = FUNCTIONS["incenter"](a, b, c)
    return _circle(centre, np.linalg.norm(centre - FUNCTIONS["foot"](centre, a, b)))


def _heading(way: Value) -> Array:
    if isinstance(way, list):
        way = way[-1] - way[0]
    if is_pair(way):
        return np.asarray(way / np.linalg.norm(way))
    return vector(cos(np.radians(real(way))), sin(np.radians(real(way))))


def _regular(n: Value) -> list[Array]:
    if not 3 <= (count := int(real(n))) <= MOST_POINTS:
        raise UnreadableError(f"need 3 to {MOST_POINTS} corners of a polygon, got {count}")
    turns = np.radians(-90 + 180 / count + 360 * np.arange(count) / count)
    return path_of(*(vector(cos(float(t)), sin(float(t))) for t in turns), CYCLE)


VALUES: Final = {
    **{name: np.array([[x], [y]], float) for name, (x, y) in _COMPASS.items()},
    "origin": np.zeros((2, 1)), "pi": np.pi, "cm": 28.35, "inch": 72.0, "inches": 72.0, "mm": 2.835, "pt": 1.0,
}  # fmt: skip

#: Functions of one drawing, beyond those of the certifier, and those that it supports for segments only.
PLANE_FUNCTIONS: Final[dict[str, Callable[..., Value]]] = {
    "_path": path_of, "_several": _several, "_vector": vector, "array": lambda value: value, "midpoint": middle,
    "rotate": _turned, "reflect": _reflected, "scale": _scaled, "xscale": lambda x: _scaled(x, 1),
    "yscale": lambda y: _scaled(1, y), "identity": lambda: _scaled(1),
    "shift": lambda *by: Affine(np.eye(2), vector(*by) if len(by) == 2 else _pair(*by)),
    "arc": _arc, "Arc": _arc, "circle": _circle, "Circle": _circle, "CR": _circle, "box": _box, "Rectangle": _box,
    "incircle": _incircle,
    "Polygon": lambda points: path_of(points, CYCLE), "polygon": _regular, "linspace": _linspace,
    "unitcircle": lambda: _circle(vector(0, 0), 1), "conj": lambda z: z * [[1], [-1]], "xpart": lambda z: z[0],
    "ypart": lambda z: z[1], "length": lambda z: np.linalg.norm(_pair(z)), "tan": lambda t: sin(t) / cos(t),
    "deg2rad": np.radians, "Label": lambda text, *_: text, "string": lambda x: f"{real(x):g}",
    "dir": _heading, "abs": lambda z: np.linalg.norm(_pair(z)), "norm": lambda z: np.linalg.norm(z),
    "point": lambda path, t: points_of(path)[int(real(t))], "degrees": lambda z: np.degrees(np.arctan2(z[1], z[0])),
    "MP": lambda _, at, *__: at, "D": lambda at, *_: at, "IP": lambda a, b, *_: _crossings(a, b)[0],
    "intersectionpoint": lambda a, b, *_: _crossings(a, b)[0], "intersectionpoints": _crossings, "IPs": _crossings,
    "unitsquare": lambda: _box(vector(0, 0), vector(1, 1)), "ellipse": _ellipse,
    "expi": lambda t: _heading(np.degrees(real(t))), "acos": lambda x: np.arccos(real(x)),
    "asin": lambda x: np.arcsin(real(x)), "atan": lambda x: np.arctan(real(x)),
    "aCos": lambda x: np.degrees(np.arccos(real(x))), "Tan": lambda t: np.tan(np.radians(real(t))),
}  # fmt: skip
