"""Measures of a drawing: the functions that the expressions in ``givens`` may call, computed for many drawings at once.

A measure is an expression such as ``area(A, B, C) / 2`` over the names of the program and the functions below. For m
drawings, functions of the plane take points (2, m), functions of space points (3, m); they return (m,). Those in
``SLOW`` take one drawing at a time, and are allowed in the asked quantity only, not in the facts.
"""

import ast
import operator
import re
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Final, NoReturn

import numpy as np
import numpy.typing as npt
import shapely
from scipy.integrate import quad
from scipy.spatial import ConvexHull
from shapely.geometry import Polygon

from planimeter.filters.certify.geogram.arithmetic import arctan2, cos, positive, sin
from planimeter.filters.certify.geogram.asymptote import UnreadableError
from planimeter.filters.certify.geogram.boxes import surface_path
from planimeter.filters.certify.geogram.machine import OPERATORS, Trace, Value, limited
from planimeter.filters.certify.geogram.modules import ArcPiece, Flip, GraphPiece, times

Array = npt.NDArray[np.float64]

#: Turns of the longest arc.
MOST_TURNS: Final = 10


def evaluate(measure: str, trace: Trace, columns: int) -> Array:
    """Return the value of ``measure`` in each of the ``columns`` drawings of ``trace``: float64 (columns,).

    Raises:
        UnreadableError: if ``measure`` contains a name that neither the program nor this module defines.
    """
    with np.errstate(all="ignore"):
        return np.broadcast_to(np.asarray(_compiled(measure)(trace), float), (columns,)).copy()


def recorded(measure: str, trace: Trace) -> Value:
    """Return the value of ``measure`` as a ``tape.Number``, or as a float if it does not depend on a literal.

    ``trace`` is ``Program.recording``, a run of the program on such numbers, which record the operations on them.

    Raises:
        UnreadableError: for an unknown name, and for functions that take one drawing at a time.
    """
    return np.asarray(_compiled(measure)(trace)).item()


@lru_cache(maxsize=1024)
def number(text: str) -> float:
    """Return the value of a constant expression such as ``5*sqrt(3)/2`` as a float."""
    return float(text) if text.isdecimal() else float(_compiled(text)(Trace({})))


@lru_cache(maxsize=256)
def parsed(measure: str) -> ast.expr:
    """Return the syntax tree of an expression. It is cached and must not be modified."""
    return ast.parse(measure, mode="eval").body


@lru_cache(maxsize=256)
def _compiled(measure: str) -> Callable[[Trace], Value]:
    return _closure(parsed(measure))


def _closure(node: ast.expr) -> Callable[[Trace], Value]:
    match node:
        case ast.Constant(value=int() | float() as value):
            return lambda _: value
        case ast.Name(id="pi"):
            return lambda _: np.pi
        case ast.Name(id=name):
            return lambda trace: trace.values[name] if name in trace.values else _refuse(node)
        case ast.UnaryOp(op=ast.USub()):
            inner = _closure(node.operand)
            return lambda trace: -inner(trace)
        case ast.BinOp() if type(node.op) in _OPERATIONS:
            operation, left, right = _OPERATIONS[type(node.op)], _closure(node.left), _closure(node.right)
            return lambda trace: operation(left(trace), right(trace))
        case ast.Call(func=ast.Name(id=name), args=args) if name in FAST or name in SLOW:
            values = [_closure(a) for a in args]
            if name in FAST:
                function = FAST[name]
                return lambda trace: function(*(value(trace) for value in values))
            return lambda trace: _per_drawing(name, trace, [value(trace) for value in values])
    return _refuse(node)


def _refuse(node: ast.expr) -> NoReturn:
    raise UnreadableError(f"not a measure of the drawing: {ast.unparse(node)}")


_OPERATIONS: Final = {**OPERATORS, ast.Mult: limited(operator.mul)}


def _per_drawing(name: str, trace: Trace, values: Sequence[Value]) -> Array:
    if trace.tape:
        raise UnreadableError(f"{name} cannot be a given fact: it cannot be computed for many drawings at once")

    def pick(value: Value, column: int) -> Value:
        return value[..., min(column, value.shape[-1] - 1)] if isinstance(value, np.ndarray) and value.ndim else value

    picks = [partial(pick, column=column) for column in range(trace.columns)]
    return np.array([SLOW[name](trace, p, *(p(v) for v in values)) for p in picks])


# Plane and space, vectorised


def _norm(v: Value) -> Value:
    return np.sqrt((v * v).sum(axis=0))


def _angle(a: Array, b: Array, c: Array) -> Array:
    """Return the angle ABC in degrees, 0 to 180, by atan2, which is differentiable at 0 and 180 degrees unlike acos."""
    u, v = a - b, c - b
    dot = (u * v).sum(axis=0)
    return np.degrees(arctan2(np.sqrt(positive((u * u).sum(axis=0) * (v * v).sum(axis=0) - dot**2)), dot))


def _vector_area(*corners: Array) -> Array:
    points = [p if len(p) == 3 else np.concatenate([p, np.zeros_like(p[:1])]) for p in corners]
    total = np.zeros_like(points[0])
    for p, q in zip(points, points[1:] + points[:1], strict=True):
        total = total + _cross(p, q)
    return total / 2


def _cross(p: Array, q: Array) -> Array:
    return np.array([p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]])


def _area(*corners: Array) -> Array:
    return _norm(_vector_area(*corners))


def _plane_distance(p: Array, *corners: Array) -> Array:
    normal = _vector_area(*corners)
    return np.abs(((p - corners[0]) * normal).sum(axis=0)) / _norm(normal)


def _sweep(center: Array, a: Array, b: Array) -> Array:
    """Return the angle from CA to CB, counter-clockwise, in degrees, 0 to 360."""
    u, v = a - center, b - center
    return np.degrees(arctan2(u[0] * v[1] - u[1] * v[0], (u * v).sum(axis=0))) % 360


FAST: Final[dict[str, Callable[..., Value]]] = {
    "dist": lambda a, b: _norm(a - b),
    # The cosine of the angle ABC, and the sine of the turn from AB to AC.
    "facing": lambda a, b, c: ((a - b) * (c - b)).sum(axis=0) / _norm(a - b) / _norm(c - b),
    "turning": lambda a, b, c: ((b - a)[0] * (c - a)[1] - (b - a)[1] * (c - a)[0]) / _norm(b - a) / _norm(c - a),
    "angle": _angle,
    "area": _area,
    "perimeter": lambda *p: sum(_norm(a - b) for a, b in zip(p, p[1:] + p[:1], strict=True)),
    "line_distance": lambda p, a, b: 2 * _area(p, a, b) / _norm(b - a),
    "plane_distance": _plane_distance,
    "sweep": _sweep,
    "mirrored": lambda p, a, b: times(Flip(a, b), p),
    "sqrt": np.sqrt,
    "sin": lambda t: sin(np.radians(t)),
    "cos": lambda t: cos(np.radians(t)),
    "tan": lambda t: sin(np.radians(t)) / cos(np.radians(t)),
}


# One drawing at a time

_Pick = Callable[[Value], Value]


def _shaded(trace: Trace, pick: _Pick) -> float:
    """Return the area that is not white after all fills are painted in order, in the drawing that ``pick`` selects."""
    if not trace.fills:
        return 0.0
    outlines = [_outline(region.pieces, pick) for region in trace.fills]
    points, sizes = np.concatenate(outlines), [len(outline) for outline in outlines]
    starts = np.cumsum([0, *sizes[:-1]])
    extents = (np.maximum.reduceat(points, starts) - np.minimum.reduceat(points, starts)).max(axis=1)
    # The remainder of an endless process in its corner is at most a last bit of the whole.
    visible = np.flatnonzero(~(extents < 1e-9 * extents.max()))
    owner = np.repeat(np.arange(len(outlines)), sizes)
    rings = shapely.linearrings(
        points[np.isin(owner, visible)], indices=np.searchsorted(visible, owner[np.isin(owner, visible)])
    )
    pieces = shapely.buffer(shapely.polygons(rings), 0.0)
    grey, covered = 0.0, Polygon()
    # From the top layer down: the cover of a region is then one simple shape, however many rings it has.
    for i, piece in zip(visible[::-1], pieces[::-1], strict=True):
        if trace.fills[i].shade < 1.0:
            grey += float(shapely.area(shapely.difference(piece, covered)))
        if i != visible[0]:
            covered = shapely.union_all([covered, piece])
    return grey


def _shaded_rim(trace: Trace, pick: _Pick) -> float:
    """Return the length of the border of the only filled region in the drawing that ``pick`` selects."""
    (region,) = trace.fills
    return float(Polygon(_outline(region.pieces, pick)).length)


def _outline(pieces: Sequence[Value], pick: _Pick) -> Array:
    """Return the vertices (n, 2) of a path, with arcs as polylines, in the drawing that ``pick`` selects."""
    points: list[Array] = []
    for piece in pieces:
        if isinstance(piece, ArcPiece):
            start, end = float(pick(piece.start)), float(pick(piece.end))
            if not abs(end - start) <= MOST_TURNS * 360:
                raise UnreadableError(f"the arc has more than {MOST_TURNS} turns")
            angles = np.radians(np.linspace(start, end, max(2, round(abs(end - start) * 12))))
            spoke = pick(piece.radius) * np.array([cos(angles), sin(angles)])
            points.append((pick(piece.center)[:, None] + spoke).T)
        elif isinstance(piece, GraphPiece):
            points.append(np.array([pick(piece.x), pick(piece.y)]).T)
        else:
            points.append(pick(piece)[None])
    return np.concatenate(points)


def _revolved(_: Trace, __: _Pick, a: Array, b: Array, *corners: Array) -> float:
    """Return the volume that a polygon on one side of the line AB sweeps when it rotates about that line."""
    unit = (b - a) / np.hypot(*(b - a))
    along = np.array([(p - a) @ unit for p in corners])
    out = np.abs([unit[0] * (p - a)[1] - unit[1] * (p - a)[0] for p in corners])
    signed = [
        np.pi * (along[j] - along[i]) * (out[i] ** 2 + out[i] * out[j] + out[j] ** 2) / 3
        for i, j in zip(range(len(corners)), [*range(1, len(corners)), 0], strict=True)
    ]
    return abs(float(sum(signed)))


def _rolled(_: Trace, __: _Pick, p: Array, *corners: Array) -> float:
    """Return the length of the curve that P, fixed to a convex polygon, traces while this rolls one full turn."""
    z = np.array([complex(*c) for c in corners])
    travelled = 0.0
    for i in range(len(z)):
        turn = abs(np.angle((z[(i + 1) % len(z)] - z[i]) / (z[i] - z[i - 1])))
        travelled += abs(complex(*p) - z[i]) * turn
    return travelled


def _tethered(_: Trace, __: _Pick, rope: float, stake: Array, *corners: Array) -> float:
    """Return the area outside a convex polygon in reach of a rope tied to ``stake``, a point of its border."""
    z, s = [complex(*c) for c in corners], complex(*stake)
    count = len(z)
    at = next((i for i in range(count) if abs(z[i] - s) < 1e-9 * abs(z[0] - z[1])), None)
    if at is None:
        at = min(
            range(count), key=lambda i: abs(z[i] - s) + abs(z[(i + 1) % count] - s) - abs(z[i] - z[(i + 1) % count])
        )
        ahead, back, free = (at + 1) % count, at, np.pi
    else:
        ahead, back = (at + 1) % count, (at - 1) % count
        free = 2 * np.pi - abs(np.angle((z[ahead] - s) / (z[back] - s)))
    total = free * rope**2 / 2
    for corner, step in ((ahead, 1), (back, -1)):
        here, left = s, rope
        while (left := left - abs(z[corner] - here)) > 0:
            following = (corner + step) % count
            total += abs(np.angle((z[following] - z[corner]) / (z[corner] - here))) * left**2 / 2
            here, corner = z[corner], following
    return total


def _rod_area(_: Trace, __: _Pick, foot: Array, top: Array, p: Array) -> float:
    """Return the area between two perpendicular walls and the curve that P traces on a rod that slides down them."""
    rod, share = float(np.linalg.norm(foot - top)), float(np.linalg.norm(p - foot) / np.linalg.norm(top - foot))

    def slice_area(t: float) -> float:
        return share * rod * np.sin(t) * (1 - share) * rod * np.sin(t)

    return float(quad(slice_area, 0, np.pi / 2)[0])


def _folded(trace: Trace, pick: _Pick, u: Array, v: Array) -> float:
    """Return the distance of U and V after the net, whose faces are the filled regions, is folded at right angles."""
    faces = [np.array([pick(p) for p in region.pieces]) for region in trace.fills]
    slack = 1e-6 * float(np.ptp(faces[0], axis=0).max())
    flat = np.eye(3)[:, :2]
    placed: dict[int, tuple[Array, Array]] = {0: (np.zeros(3), flat)}
    waiting = [0]
    while waiting:
        here = waiting.pop()
        origin, axes = placed[here]
        for other, face in enumerate(faces):
            if other in placed:
                continue
            shared = faces[here][(np.abs(faces[here][:, None] - face).max(axis=2) < slack).any(axis=1)]
            if len(shared) == 2:
                placed[other] = _hinge(origin, axes, shared[0], shared[1], face.mean(axis=0))
                waiting.append(other)
    ends = []
    for point in (u, v):
        holder = next(f for f in placed if (np.abs(faces[f] - point).max(axis=1) < slack).any())
        origin, axes = placed[holder]
        ends.append(origin + axes @ point)
    return float(np.linalg.norm(ends[0] - ends[1]))


def _hinge(origin: Array, axes: Array, p: Array, q: Array, center: Array) -> tuple[Array, Array]:
    """Return the placement (origin, axes) in space of a net's face, folded up by 90 degrees at its edge PQ.

    ``origin`` and ``axes`` place the face on the other side of PQ; ``center`` is the middle of the face to fold.
    """
    along = (q - p) / np.linalg.norm(q - p)
    outward = (center - p) - ((center - p) @ along) * along
    outward = outward / np.linalg.norm(outward)
    up = np.cross(axes[:, 0], axes[:, 1])
    bent = np.outer(axes @ along, along) + np.outer(up, outward)
    return origin + axes @ p - bent @ p, bent


def _blocks(_: Trace, __: _Pick, heights: list[list[int]], a: float, b: float, c: float) -> float:
    """Return the surface area, bottom included, of stacks of a x b x c blocks; ``heights`` counts them in a grid."""
    grid = np.pad(np.array(heights, float), 1)
    rows = np.abs(np.diff(grid, axis=0)).sum() * a * c
    columns = np.abs(np.diff(grid, axis=1)).sum() * b * c
    return float(rows + columns + 2 * np.count_nonzero(grid) * a * b)


SLOW: Final[dict[str, Callable[..., float]]] = {
    "shaded": _shaded,
    "shaded_rim": _shaded_rim,
    "hull": lambda _, __, *points: float(ConvexHull(np.array(points)).volume),
    "hull_surface": lambda _, __, *points: float(ConvexHull(np.array(points)).area),
    "revolved": _revolved,
    "surface_path": lambda _, __, *points: surface_path(*points),
    "rolled": _rolled,
    "tethered": _tethered,
    "rod_area": _rod_area,
    "folded": _folded,
    "block_surface": _blocks,
    "block_volume": lambda _, __, heights, a, b, c: float(np.sum(heights) * a * b * c),
}

#: In a measure: operations that the tape does not support or does not compute like numpy to the last bit, such as
#: powers other than squares.
NOT_ON_TAPE: Final = re.compile(rf"\*\*(?!2\b)|\b(?:{'|'.join(SLOW)})\(")
