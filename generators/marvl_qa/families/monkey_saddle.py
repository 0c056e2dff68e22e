"""Monkey Saddle: three valleys and three ridges meet off the centre, u**3 - 3*u*v**2, turned and stretched."""

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import signed
from planimeter.generators.marvl_qa.families._frame import Array, form, form_expression, forms, square
from planimeter.generators.marvl_qa.family import Family, Parameters


def _draw(rng: np.random.Generator) -> Parameters:
    centre = (signed(rng, 0.2, 0.8), signed(rng, 0.2, 0.8))
    return forms(rng.uniform(0, 2 * np.pi), centre, (rng.uniform(0.8, 1.25), rng.uniform(0.8, 1.25)))


def _height(x: Array, y: Array, p: Parameters) -> Array:
    u, v = form("u", x, y, p), form("v", x, y, p)
    return u * (u * u - 3 * v * v)


def _expression(p: Parameters) -> str:
    u, v = form_expression("u", p), form_expression("v", p)
    return f"{u}**3 - 3*{u}*{v}**2"


FAMILY = Family(
    name="monkey_saddle",
    title="Monkey Saddle",
    tier=5,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(3.0),
    transformations=("rotate_90_clockwise", "rotate_180"),
)
