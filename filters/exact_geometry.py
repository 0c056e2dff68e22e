"""Exact predicates on float64 coordinates: a float filter first, rational arithmetic where it cannot decide.

Written independently of the generator's kernels on purpose, as a check of their results. They take any
finite float64 coordinates, such as those of released data, and treat them as the rationals that they are. Each
comparison with a limit is exact: ``at_least`` falls back to ``fractions.Fraction`` where the float value lies within
1e-6 of the limit, a thousand times the error of its evaluation on pictures of up to 2,048 px.
"""

from collections.abc import Callable
from fractions import Fraction

Point = tuple[float, float]
Rational = tuple[Fraction, Fraction]

#: Float values this near to a limit, px, are decided by rational arithmetic.
DOUBT = 1e-6
#: Error bound of the orientation filter (Shewchuk, 1997: 3 + 16 eps, times eps, rounded up).
_ORIENTATION_ERROR = 3.4e-16


def rational(point: Point) -> Rational:
    """Return the exact value of ``point``."""
    return Fraction(point[0]), Fraction(point[1])


def orientation(a: Point, b: Point, c: Point) -> int:
    """Return 1, -1 or 0: on which side of the line through ``a`` and ``b`` the point ``c`` lies, exactly."""
    left, right = (a[0] - c[0]) * (b[1] - c[1]), (a[1] - c[1]) * (b[0] - c[0])
    value = left - right
    if abs(value) > _ORIENTATION_ERROR * (abs(left) + abs(right)):
        return 1 if value > 0 else -1
    (ax, ay), (bx, by), (cx, cy) = rational(a), rational(b), rational(c)
    exact = (ax - cx) * (by - cy) - (ay - cy) * (bx - cx)
    return (exact > 0) - (exact < 0)


def crosses(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Return whether the open segments ab and cd meet in one interior point of both."""
    return orientation(a, b, c) * orientation(a, b, d) < 0 and orientation(c, d, a) * orientation(c, d, b) < 0


def touches(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Return whether the segments ab and cd share a point without crossing properly."""
    sides = (orientation(a, b, c), orientation(a, b, d), orientation(c, d, a), orientation(c, d, b))
    if 0 not in sides:
        return False
    checks = ((sides[0], c, a, b), (sides[1], d, a, b), (sides[2], a, c, d), (sides[3], b, c, d))
    return any(side == 0 and _in_box(p, q, r) for side, p, q, r in checks)


def at_least(value: float, limit: float, exact_square: Callable[[], Fraction]) -> bool:
    """Return whether a length is at least ``limit``: by its float ``value``, or by its exact square near the limit."""
    if abs(value - limit) > DOUBT:
        return value > limit
    return limit <= 0 or exact_square() >= Fraction(limit) ** 2


def square_gap(a: Rational, b: Rational) -> Fraction:
    """Return the squared distance of two points."""
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def square_to_segment(p: Rational, a: Rational, b: Rational) -> Fraction:
    """Return the squared distance of ``p`` from the segment ab."""
    dx, dy, wx, wy = b[0] - a[0], b[1] - a[1], p[0] - a[0], p[1] - a[1]
    square = dx * dx + dy * dy
    if square == 0:
        return square_gap(p, a)
    share = min(Fraction(1), max(Fraction(0), (wx * dx + wy * dy) / square))
    return (wx - share * dx) ** 2 + (wy - share * dy) ** 2


def crossing_point(a: Rational, b: Rational, c: Rational, d: Rational) -> Rational:
    """Return where the lines ab and cd meet; they must not be parallel."""
    ux, uy, vx, vy = b[0] - a[0], b[1] - a[1], d[0] - c[0], d[1] - c[1]
    along = ((c[0] - a[0]) * vy - (c[1] - a[1]) * vx) / (ux * vy - uy * vx)
    return a[0] + along * ux, a[1] + along * uy


def square_cosine(u: Rational, v: Rational) -> tuple[int, Fraction]:
    """Return the sign and the square of the cosine of the angle between ``u`` and ``v``, neither of them zero."""
    dot = u[0] * v[0] + u[1] * v[1]
    sizes = (u[0] ** 2 + u[1] ** 2) * (v[0] ** 2 + v[1] ** 2)
    return (dot > 0) - (dot < 0), dot**2 / sizes


def _in_box(p: Point, a: Point, b: Point) -> bool:
    return min(a[0], b[0]) <= p[0] <= max(a[0], b[0]) and min(a[1], b[1]) <= p[1] <= max(a[1], b[1])
