"""The functions that drawing programs may call, of Asymptote, of the modules `olympiad` and `graph`, and of numpy.

They compute many drawings at once: for m drawings, a number is (m,) and a point (2, m).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from planimeter.filters.certify.geogram.arithmetic import Numbers, cos, sin
from planimeter.filters.certify.geogram.asymptote import UnreadableError

Array = npt.NDArray[np.float64]

#: Points of a graph: the area under it equals that under the curve to three parts in ten million.
GRAPH: Final = 2_001


@dataclass(frozen=True, slots=True)
class ArcPiece:
    """A circular arc from ``start`` to ``end`` degrees: ``center`` (2, m), the others (m,)."""

    center: Array
    radius: Array
    start: Array | int
    end: Array | int


@dataclass(frozen=True, slots=True)
class Turn:
    """A rotation by ``degrees`` about the point ``about``, by default the origin."""

    degrees: Numbers
    about: Array | None = None


@dataclass(frozen=True, slots=True)
class Flip:
    """A reflection in the line through the points ``a`` and ``b``."""

    a: Array
    b: Array


@dataclass(frozen=True, slots=True)
class GraphPiece:
    """The graph of a function as part of a path: the coordinates ``x`` and ``y`` of its points, each (points, m)."""

    x: Array
    y: Array


def graph(function: Callable[[Array], Array], start: Numbers, end: Numbers, points: int) -> GraphPiece:
    """Return the graph of ``function`` from ``start`` to ``end``, numbers or (m,), sampled at ``points`` places."""
    x = start + np.arange(points)[:, None] / (GRAPH - 1) * (end - start)
    return GraphPiece(x, function(x))


def _extension(a: Array, b: Array, c: Array, d: Array) -> Array:
    u, v, w = b - a, d - c, c - a
    return a + (w[0] * v[1] - w[1] * v[0]) / (u[0] * v[1] - u[1] * v[0]) * u


def _heading(degrees: Numbers) -> Array:
    unit = np.array([cos(np.radians(degrees)), sin(np.radians(degrees))])
    return unit if unit.ndim == 2 else unit[:, None]


def times(left: object, right: Numbers) -> Numbers:
    """Return the product of two numbers, or the image of the point ``right`` under the transformation ``left``."""
    if not isinstance(left, Turn | Flip):
        return left * right
    if isinstance(left, Turn):
        if left.about is not None:
            return left.about + times(Turn(left.degrees), right - left.about)
        c, s = cos(np.radians(left.degrees)), sin(np.radians(left.degrees))
        return np.array([right[0] * c - right[1] * s, right[0] * s + right[1] * c])
    return 2 * _foot(right, left.a, left.b) - right


def _dot(u: Numbers, v: Numbers) -> Numbers:
    return (u * v).sum(axis=0)


def _length(v: Numbers) -> Numbers:
    return np.sqrt((v * v).sum(axis=0)) if np.ndim(v) == 2 else np.abs(v)


def _foot(point: Array, a: Array, b: Array) -> Array:
    u = b - a
    return a + _dot(point - a, u) / _dot(u, u) * u


def _incenter(a: Array, b: Array, c: Array) -> Array:
    u, v, w = _length(b - c), _length(c - a), _length(a - b)
    return (u * a + v * b + w * c) / (u + v + w)


def _on_segment(path: list[Array], share: Numbers) -> Array:
    if len(path) != 2:
        raise UnreadableError(f"need a path of two points, got {len(path)}")
    return path[0] + share * (path[1] - path[0])


FUNCTIONS: Final[dict[str, Callable[..., object]]] = {
    "dir": _heading,
    "extension": _extension,
    # Of segments, the only paths that programs cross: the intersection of their lines.
    "intersectionpoint": lambda first, second: _extension(*first, *second),
    "_path": lambda *points: list(points),
    "midpoint": lambda path: _on_segment(path, 1 / 2),
    "waypoint": _on_segment,
    "interp": lambda a, b, share: a + share * (b - a),
    "foot": _foot,
    "incenter": _incenter,
    "dot": _dot,
    "abs": _length,
    "norm": _length,
    "sqrt": np.sqrt,
    "radians": np.radians,
    "sin": sin,
    "cos": cos,
    "Sin": lambda t: sin(np.radians(t)),
    "Cos": lambda t: cos(np.radians(t)),
    "unit": lambda v: v / _length(v),
    "rotate": Turn,
    "reflect": Flip,
    "arc": ArcPiece,
    "circle": lambda center, radius: ArcPiece(center, radius, 0, 360),
    "Circle": lambda center, radius: ArcPiece(center, radius, 0, 360),
}
