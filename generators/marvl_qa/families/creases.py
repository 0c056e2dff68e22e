"""Families of surfaces with points, creases or cliffs, where they are not smooth.

- Cone: an elliptic cone with its apex off the centre, upright or upside down, plus a slope.
- Cusp: r**q with q < 1 about a point off the centre, elliptic, plus a slope; its tip is sharper than that of a cone.
  The exponent is at least 0.66: with a smaller one the height at the tip depends on its distance to the nearest grid
  point.
- Sharp Ridge: an oblique crest with a crease, which fades along its length, on sloping ground.
- Astroidal Bowl: Abs(u)**q + Abs(v)**q with q near 2/3, whose level curves are astroids; or the same upside down.
- Step Function: two cliffs that cross at an oblique angle divide the window into four terraces of different heights.
- Hyperboloid of One Sheet: its upper or lower half, steeper on one side; flat inside its narrowest ellipse.
"""

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import sign, signed, slopes, uniform
from planimeter.generators.marvl_qa.families._frame import Array, form, form_expression, forms
from planimeter.generators.marvl_qa.families._printing import linear, number, scaled, total
from planimeter.generators.marvl_qa.family import Family, Parameters


def _draw_cone(rng: np.random.Generator) -> Parameters:
    centre = (signed(rng, 0.5, 2), signed(rng, 0.5, 2))
    cone = forms(rng.uniform(0, np.pi), centre, (rng.uniform(0.6, 0.9), rng.uniform(1.2, 1.9)))
    return cone | {"s": sign(rng)} | slopes(rng, 0.05, 0.25)


def _cone(x: Array, y: Array, p: Parameters) -> Array:
    u, v = form("u", x, y, p), form("v", x, y, p)
    return p["s"] * np.sqrt(u * u + v * v) + p["a"] * x + p["b"] * y


def _print_cone(p: Parameters) -> str:
    root = f"sqrt({form_expression('u', p)}**2 + {form_expression('v', p)}**2)"
    return total(scaled(p["s"], root), linear(p["a"], p["b"]))


def _draw_cusp(rng: np.random.Generator) -> Parameters:
    centre = (signed(rng, 0.4, 1.6), signed(rng, 0.4, 1.6))
    cusp = forms(rng.uniform(0, np.pi), centre, (rng.uniform(0.4, 0.6), rng.uniform(0.8, 1.3)))
    return cusp | {"s": sign(rng), "q": uniform(rng, 0.66, 0.8)} | slopes(rng, 0.05, 0.3)


def _cusp(x: Array, y: Array, p: Parameters) -> Array:
    r2 = form("u", x, y, p) ** 2 + form("v", x, y, p) ** 2
    return p["s"] * r2 ** (p["q"] / 2) + p["a"] * x + p["b"] * y


def _print_cusp(p: Parameters) -> str:
    r = f"sqrt({form_expression('u', p)}**2 + {form_expression('v', p)}**2)"
    return total(scaled(p["s"], f"{r}**{number(p['q'])}"), linear(p["a"], p["b"]))


def _draw_ridge(rng: np.random.Generator) -> Parameters:
    centre = (signed(rng, 0.4, 2), signed(rng, 0.4, 2))
    ridge = forms(rng.uniform(0, np.pi), centre, (rng.uniform(0.7, 1.4), rng.uniform(2.2, 4)))
    return ridge | slopes(rng, 0.02, 0.06)


def _ridge(x: Array, y: Array, p: Parameters) -> Array:
    return np.exp(-np.abs(form("u", x, y, p)) - form("v", x, y, p) ** 2) + p["a"] * x + p["b"] * y


def _print_ridge(p: Parameters) -> str:
    ridge = f"exp(-Abs{form_expression('u', p)} - {form_expression('v', p)}**2)"
    return total(ridge, linear(p["a"], p["b"]))


def _draw_astroid(rng: np.random.Generator) -> Parameters:
    centre = (signed(rng, 0.5, 1.8), signed(rng, 0.5, 1.8))
    bowl = forms(rng.uniform(-0.6, 0.6), centre, (rng.uniform(0.5, 1), rng.uniform(1.2, 2.5)))
    return bowl | {"s": sign(rng), "q": uniform(rng, 0.66, 0.8)}


def _astroid(x: Array, y: Array, p: Parameters) -> Array:
    return p["s"] * (np.abs(form("u", x, y, p)) ** p["q"] + np.abs(form("v", x, y, p)) ** p["q"])


def _print_astroid(p: Parameters) -> str:
    u, v = (f"Abs{form_expression(name, p)}**{number(p['q'])}" for name in "uv")
    return scaled(p["s"], f"({u} + {v})")


def _draw_steps(rng: np.random.Generator) -> Parameters:
    p: dict[str, float] = {"ux": 1.0, "uy": uniform(rng, -0.7, 0.7, 3), "uc": signed(rng, 0.3, 2, 3)}
    p |= {"vx": uniform(rng, -0.7, 0.7, 3), "vy": 1.0, "vc": signed(rng, 0.3, 2, 3)}
    return p | {"a": signed(rng, 0.8, 2), "b": signed(rng, 0.8, 2)}


def _steps(x: Array, y: Array, p: Parameters) -> Array:
    return p["a"] * np.sign(form("u", x, y, p)) + p["b"] * np.sign(form("v", x, y, p))


def _print_steps(p: Parameters) -> str:
    return total(*(scaled(p[a], f"sign{form_expression(name, p)}") for a, name in (("a", "u"), ("b", "v"))))


def _draw_hyperboloid(rng: np.random.Generator) -> Parameters:
    centre = (signed(rng, 0.3, 1.4), signed(rng, 0.3, 1.4))
    sheet = forms(rng.uniform(0, np.pi), centre, (rng.uniform(0.9, 1.4), rng.uniform(1.7, 2.4)))
    return sheet | {"s": sign(rng)} | slopes(rng, 0.02, 0.07)


def _hyperboloid(x: Array, y: Array, p: Parameters) -> Array:
    r2 = form("u", x, y, p) ** 2 + form("v", x, y, p) ** 2
    return p["s"] * np.sqrt(np.maximum(0, r2 - 1)) * (1 + p["a"] * x + p["b"] * y)


def _print_hyperboloid(p: Parameters) -> str:
    r2 = f"{form_expression('u', p)}**2 + {form_expression('v', p)}**2"
    return scaled(p["s"], f"sqrt(Max(0, {r2} - 1))*({linear(p['a'], p['b'], 1)})")


CONE = Family("Cone", 3, 5.0, _draw_cone, _cone, _print_cone)
CUSP = Family("Cusp", 3, 4.0, _draw_cusp, _cusp, _print_cusp)
SHARP_RIDGE = Family("Sharp Ridge", 3, 5.0, _draw_ridge, _ridge, _print_ridge)
ASTROIDAL_BOWL = Family("Astroidal Bowl", 3, 4.0, _draw_astroid, _astroid, _print_astroid)
STEP_FUNCTION = Family("Step Function", 3, 5.0, _draw_steps, _steps, _print_steps)
HYPERBOLOID = Family("Hyperboloid of One Sheet", 5, 5.0, _draw_hyperboloid, _hyperboloid, _print_hyperboloid)
