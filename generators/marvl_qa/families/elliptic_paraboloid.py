"""Elliptic Paraboloid: a bowl or a dome off the centre, its axes of unequal steepness and slightly turned."""

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import signed, uniform
from planimeter.generators.marvl_qa.families._frame import Array, square
from planimeter.generators.marvl_qa.families._printing import scaled, shifted, total
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS


def _draw(rng: np.random.Generator) -> Parameters:
    sign = 1 if rng.random() < 0.5 else -1
    steep, flat = uniform(rng, 0.8, 2), uniform(rng, 0.25, 0.6)
    a, b = (steep, flat) if rng.random() < 0.5 else (flat, steep)
    twist = signed(rng, 0.1, 0.3)
    x0, y0 = signed(rng, 0.4, 1.8), signed(rng, 0.4, 1.8)
    return {"a": sign * a, "b": sign * b, "c": sign * twist, "x0": x0, "y0": y0}


def _height(x: Array, y: Array, p: Parameters) -> Array:
    dx, dy = x - p["x0"], y - p["y0"]
    return p["a"] * dx**2 + p["b"] * dy**2 + p["c"] * dx * dy


def _expression(p: Parameters) -> str:
    dx, dy = shifted("x", p["x0"]), shifted("y", p["y0"])
    return total(scaled(p["a"], f"{dx}**2"), scaled(p["b"], f"{dy}**2"), scaled(p["c"], f"{dx}*{dy}"))


FAMILY = Family(
    name="elliptic_paraboloid",
    title="Elliptic Paraboloid",
    tier=1,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(4.0),
    transformations=TRANSFORMATIONS,
)
