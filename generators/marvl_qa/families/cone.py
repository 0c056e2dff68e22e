"""Cone: an elliptic cone with its apex off the centre, up or down, its axis leaning."""

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import signed
from planimeter.generators.marvl_qa.families._frame import Array, form, form_expression, forms, square
from planimeter.generators.marvl_qa.families._printing import linear, scaled, total
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS


def _draw(rng: np.random.Generator) -> Parameters:
    centre = (signed(rng, 0.5, 2), signed(rng, 0.5, 2))
    return forms(rng.uniform(0, np.pi), centre, (rng.uniform(0.6, 0.9), rng.uniform(1.2, 1.9))) | {
        "s": 1.0 if rng.random() < 0.5 else -1.0,
        "a": signed(rng, 0.05, 0.25, 3),
        "b": signed(rng, 0.05, 0.25, 3),
    }


def _height(x: Array, y: Array, p: Parameters) -> Array:
    u, v = form("u", x, y, p), form("v", x, y, p)
    return p["s"] * np.sqrt(u * u + v * v) + p["a"] * x + p["b"] * y


def _expression(p: Parameters) -> str:
    root = f"sqrt({form_expression('u', p)}**2 + {form_expression('v', p)}**2)"
    return total(scaled(p["s"], root), linear(p["a"], p["b"]))


FAMILY = Family(
    name="cone",
    title="Cone",
    tier=3,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(5.0),
    transformations=TRANSFORMATIONS,
)
