"""Geometric constructions for drawing programs (foot, intersection, incentre ...), each as an expression of points.

A printed program uses the function of its language where there is one (Asymptote's ``extension``, ``reflect``,
``unit``, ``dir``) and otherwise contains the definition from this module.
"""

import math
from functools import partial
from typing import Final

from planimeter.generators.geogram.scene import Expr, Helper, View, call, fine, lit, pair, var

A, B, C, D, P = (var(name, "pair") for name in "ABCDP")
_V: Final = var("v", "pair")
_DEGREES: Final = var("t", "real")


#: The scalar product of two vectors, and the length of one; a square root; sine and cosine of an angle in degrees.
dot, length, root, sine, cosine = (partial(call, name, "real") for name in ("dot", "abs", "sqrt", "sin", "cos"))


def mid(a: Expr, b: Expr) -> Expr:
    """Return the expression for the midpoint of two points."""
    return (a + b) / 2


def cross(u: Expr, v: Expr) -> Expr:
    """Return the expression for the cross product of two plane vectors, the signed area of their parallelogram."""
    return u.part("x") * v.part("y") - u.part("y") * v.part("x")


TURN: Final = Helper(
    name="turn",
    params=(("v", "pair"), ("t", "real")),
    body=pair(
        _V.part("x") * cosine(_DEGREES) - _V.part("y") * sine(_DEGREES),
        _V.part("x") * sine(_DEGREES) + _V.part("y") * cosine(_DEGREES),
    ),
)
HEADING: Final = Helper(name="heading", params=(("t", "real"),), body=pair(cosine(_DEGREES), sine(_DEGREES)))
UNIT: Final = Helper(name="unit", params=(("v", "pair"),), body=_V / length(_V))
FOOT: Final = Helper(
    name="foot",
    params=(("P", "pair"), ("A", "pair"), ("B", "pair")),
    body=A + dot(P - A, B - A) / dot(B - A, B - A) * (B - A),
)
MEET: Final = Helper(
    name="meet",
    params=(("A", "pair"), ("B", "pair"), ("C", "pair"), ("D", "pair")),
    body=A + cross(C - A, D - C) / cross(B - A, D - C) * (B - A),
)
MIRROR: Final = Helper(
    name="mirror",
    params=(("P", "pair"), ("A", "pair"), ("B", "pair")),
    body=2 * (A + dot(P - A, B - A) / dot(B - A, B - A) * (B - A)) - P,
)
INCENTER: Final = Helper(
    name="incenter",
    params=(("A", "pair"), ("B", "pair"), ("C", "pair")),
    body=(length(B - C) * A + length(C - A) * B + length(A - B) * C) / (length(B - C) + length(C - A) + length(A - B)),
)

HELPERS: Final[dict[str, Helper]] = {h.name: h for h in (TURN, HEADING, UNIT, FOOT, MEET, MIRROR, INCENTER)}


def oblique(right: float, up: float) -> Helper:
    """Return the function ``show`` of a drawing program, an oblique projection of space onto the plane.

    x is drawn to the right and z up; a unit along y, away from the viewer, is drawn as (``right``, ``up``).
    """
    p = var("P", "triple")
    body = pair(p.part("x") + lit(right) * p.part("y"), p.part("z") + lit(up) * p.part("y"))
    return Helper(name="show", params=(("P", "triple"),), body=body)


def orthographic(right: int, front: int, up: int) -> View:
    """Return the function ``show`` of a drawing program, an orthographic projection of space onto the plane.

    z is drawn up, and the viewer is in the direction (``right``, -``front``, ``up``) from the origin.
    """
    n = math.hypot(right, front)
    far = n * math.hypot(n, up)
    p = var("P", "triple")
    x, y, z = (p.part(axis) for axis in ("x", "y", "z"))
    across = fine(front / n) * x + fine(right / n) * y
    upwards = fine(up * front / far) * y - fine(up * right / far) * x + fine(n * n / far) * z
    written = f"orthographic({right}, {-front}, {up})"
    return View(name="show", params=(("P", "triple"),), body=pair(across, upwards), written=written)
