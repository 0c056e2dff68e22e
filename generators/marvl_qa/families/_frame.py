"""Bounding boxes, and the rotated coordinates (u, v) in which the formulas of many families are written.

u and v are linear forms of x and y: ``u = ux*x + uy*y + uc``, and the same for v. They rotate, stretch and translate a
pattern. Their six coefficients are rounded as printed, so that no formula contains the cosine or sine of an angle.
"""

from collections.abc import Sequence
from math import hypot

import numpy as np
import numpy.typing as npt

from planimeter.generators.marvl_qa.families._drawing import rounded
from planimeter.generators.marvl_qa.families._printing import linear
from planimeter.generators.marvl_qa.family import Parameters
from planimeter.items import Domain

Array = npt.NDArray[np.float64]

#: The distance, in widths, at which a Gaussian has a twentieth of its height.
BELL = 1.73


def forms(angle: float, centre: tuple[float, float], widths: tuple[float, float]) -> dict[str, float]:
    """Return the six coefficients of the linear forms u and v, by their names in ``Parameters``, to 3 decimals.

    Both forms are 0 at ``centre``. u is 1 at the distance ``widths[0]`` from it along an axis rotated by ``angle``
    (radians, counter-clockwise) from the x axis, and v at ``widths[1]`` along the perpendicular axis.
    """
    p: dict[str, float] = {}
    for name, direction, width in (("u", angle, widths[0]), ("v", angle + np.pi / 2, widths[1])):
        a, b = rounded(np.cos(direction) / width, 3), rounded(np.sin(direction) / width, 3)
        p |= {f"{name}x": a, f"{name}y": b, f"{name}c": rounded(-a * centre[0] - b * centre[1], 3)}
    return p


def around(across: Sequence[tuple[float, float]], up: Sequence[tuple[float, float]]) -> Domain:
    """Return the bounding box of intervals along x (``across``) and along y (``up``), each (centre, half width)."""
    (left, right), (low, high) = ((min(c - r for c, r in v), max(c + r for c, r in v)) for v in (across, up))
    return Domain(x_min=left, x_max=right, y_min=low, y_max=high)


def spanned(p: Parameters, radius: float, *, corners: bool = False) -> Domain:
    """Return the bounding box in x and y of the ellipse hypot(u, v) <= radius; with ``corners``, of the parallelogram
    in which both abs(u) and abs(v) are <= radius.

    ``p``: contains the coefficients of u and v; see ``forms``.
    """
    area = p["ux"] * p["vy"] - p["uy"] * p["vx"]
    x, y = (p["uy"] * p["vc"] - p["vy"] * p["uc"]) / area, (p["vx"] * p["uc"] - p["ux"] * p["vc"]) / area
    sides = [(abs(p[f"v{axis}"] / area), abs(p[f"u{axis}"] / area)) for axis in "yx"]
    across, up = (radius * (sum(side) if corners else hypot(*side)) for side in sides)
    return Domain(x_min=x - across, x_max=x + across, y_min=y - up, y_max=y + up)


def form(name: str, x: Array, y: Array, p: Parameters) -> Array:
    """Return the values at x and y of the linear form ``name`` (u, v or t), whose coefficients are in ``p``."""
    return (p[f"{name}x"] * x + p[f"{name}c"]) + p[f"{name}y"] * y


def form_expression(name: str, p: Parameters) -> str:
    """Return the formula of the linear form ``name`` (u, v or t) in x and y, in brackets."""
    return f"({linear(p[f'{name}x'], p[f'{name}y'], p[f'{name}c'])})"
