"""Hyperbolic Paraboloid: a saddle off the centre, up along one oblique axis and down along the other."""

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import signed, uniform
from planimeter.generators.marvl_qa.families._frame import Array, square
from planimeter.generators.marvl_qa.families._printing import scaled, shifted, total
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS


def _draw(rng: np.random.Generator) -> Parameters:
    sign = 1 if rng.random() < 0.5 else -1
    return {
        "a": sign * uniform(rng, 0.4, 1.6),
        "b": -sign * uniform(rng, 0.4, 1.6),
        "c": signed(rng, 0.1, 1.0),
        "x0": signed(rng, 0.3, 1.5),
        "y0": signed(rng, 0.3, 1.5),
    }


def _height(x: Array, y: Array, p: Parameters) -> Array:
    dx, dy = x - p["x0"], y - p["y0"]
    return p["a"] * dx**2 + p["b"] * dy**2 + p["c"] * dx * dy


def _expression(p: Parameters) -> str:
    dx, dy = shifted("x", p["x0"]), shifted("y", p["y0"])
    return total(scaled(p["a"], f"{dx}**2"), scaled(p["b"], f"{dy}**2"), scaled(p["c"], f"{dx}*{dy}"))


FAMILY = Family(
    name="hyperbolic_paraboloid",
    title="Hyperbolic Paraboloid",
    tier=1,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(4.0),
    transformations=TRANSFORMATIONS,
)
