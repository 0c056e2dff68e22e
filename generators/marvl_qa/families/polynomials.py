"""Families of polynomials: planes, paraboloids, saddles.

- Plane: a*x + b*y + c, with many decimals, because its normalised picture depends on its direction only.
- Elliptic Paraboloid: a bowl or dome off the centre, with axes of different steepness, slightly rotated.
- Hyperbolic Paraboloid: a saddle off the centre, up along one oblique axis and down along the other.
- Parabolic Cylinder: a trough or vault along an oblique line off the centre, (a*x + b*y + c)**2.
- Monkey Saddle: three valleys and three ridges that meet off the centre, u**3 - 3*u*v**2, rotated and stretched.
"""

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import rounded, sign, signed, uniform
from planimeter.generators.marvl_qa.families._frame import Array, form, form_expression, forms
from planimeter.generators.marvl_qa.families._printing import linear, scaled, shifted, total
from planimeter.generators.marvl_qa.family import ROTATIONS, Family, Parameters


def _draw_plane(rng: np.random.Generator) -> Parameters:
    return {"a": signed(rng, 0.3, 3, 4), "b": signed(rng, 0.3, 3, 4), "c": uniform(rng, -5, 5)}


def _plane(x: Array, y: Array, p: Parameters) -> Array:
    return p["a"] * x + p["c"] + p["b"] * y


def _print_plane(p: Parameters) -> str:
    return linear(p["a"], p["b"], p["c"])


def _draw_elliptic(rng: np.random.Generator) -> Parameters:
    up = sign(rng)
    steep, flat = uniform(rng, 0.8, 2), uniform(rng, 0.25, 0.6)
    a, b = (steep, flat) if rng.random() < 0.5 else (flat, steep)
    twist = signed(rng, 0.1, 0.3)
    x0, y0 = signed(rng, 0.4, 1.8), signed(rng, 0.4, 1.8)
    return {"a": up * a, "b": up * b, "c": up * twist, "x0": x0, "y0": y0}


def _draw_hyperbolic(rng: np.random.Generator) -> Parameters:
    up = sign(rng)
    a, b = up * uniform(rng, 0.4, 1.6), -up * uniform(rng, 0.4, 1.6)
    return {"a": a, "b": b, "c": signed(rng, 0.1, 1.0), "x0": signed(rng, 0.3, 1.5), "y0": signed(rng, 0.3, 1.5)}


def _quadric(x: Array, y: Array, p: Parameters) -> Array:
    dx, dy = x - p["x0"], y - p["y0"]
    return p["a"] * dx**2 + p["b"] * dy**2 + p["c"] * dx * dy


def _print_quadric(p: Parameters) -> str:
    dx, dy = shifted("x", p["x0"]), shifted("y", p["y0"])
    return total(scaled(p["a"], f"{dx}**2"), scaled(p["b"], f"{dy}**2"), scaled(p["c"], f"{dx}*{dy}"))


def _draw_cylinder(rng: np.random.Generator) -> Parameters:
    angle = rng.uniform(0, np.pi)
    a, b = rounded(np.cos(angle), 3), rounded(np.sin(angle), 3)
    return {"s": sign(rng), "a": a, "b": b, "c": signed(rng, 0.3, 1.8, 3)}


def _cylinder(x: Array, y: Array, p: Parameters) -> Array:
    return p["s"] * _plane(x, y, p) ** 2


def _print_cylinder(p: Parameters) -> str:
    return scaled(p["s"], f"({_print_plane(p)})**2")


def _draw_monkey(rng: np.random.Generator) -> Parameters:
    centre = (signed(rng, 0.2, 0.8), signed(rng, 0.2, 0.8))
    return forms(rng.uniform(0, 2 * np.pi), centre, (rng.uniform(0.8, 1.25), rng.uniform(0.8, 1.25)))


def _monkey(x: Array, y: Array, p: Parameters) -> Array:
    u, v = form("u", x, y, p), form("v", x, y, p)
    return u * (u * u - 3 * v * v)


def _print_monkey(p: Parameters) -> str:
    u, v = form_expression("u", p), form_expression("v", p)
    return f"{u}**3 - 3*{u}*{v}**2"


PLANE = Family("Plane", 1, 5.0, _draw_plane, _plane, _print_plane, transformations=ROTATIONS)
ELLIPTIC_PARABOLOID = Family("Elliptic Paraboloid", 1, 4.0, _draw_elliptic, _quadric, _print_quadric)
HYPERBOLIC_PARABOLOID = Family("Hyperbolic Paraboloid", 1, 4.0, _draw_hyperbolic, _quadric, _print_quadric)
CYLINDER = Family("Parabolic Cylinder", 1, 4.0, _draw_cylinder, _cylinder, _print_cylinder, transformations=ROTATIONS)
MONKEY_SADDLE = Family("Monkey Saddle", 5, 3.0, _draw_monkey, _monkey, _print_monkey, transformations=ROTATIONS)
