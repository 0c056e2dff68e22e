"""Hyperboloid of One Sheet: its upper (or lower) half, steeper on one side; level where the waist leaves a hole."""

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import signed
from planimeter.generators.marvl_qa.families._frame import Array, form, form_expression, forms, square
from planimeter.generators.marvl_qa.families._printing import linear, scaled
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS


def _draw(rng: np.random.Generator) -> Parameters:
    centre = (signed(rng, 0.3, 1.4), signed(rng, 0.3, 1.4))
    return forms(rng.uniform(0, np.pi), centre, (rng.uniform(0.9, 1.4), rng.uniform(1.7, 2.4))) | {
        "s": 1.0 if rng.random() < 0.5 else -1.0,
        "a": signed(rng, 0.02, 0.07, 3),
        "b": signed(rng, 0.02, 0.07, 3),
    }


def _height(x: Array, y: Array, p: Parameters) -> Array:
    r2 = form("u", x, y, p) ** 2 + form("v", x, y, p) ** 2
    return p["s"] * np.sqrt(np.maximum(0, r2 - 1)) * (1 + p["a"] * x + p["b"] * y)


def _expression(p: Parameters) -> str:
    r2 = f"{form_expression('u', p)}**2 + {form_expression('v', p)}**2"
    return scaled(p["s"], f"sqrt(Max(0, {r2} - 1))*({linear(p['a'], p['b'], 1)})")


FAMILY = Family(
    name="hyperboloid_of_one_sheet",
    title="Hyperboloid of One Sheet",
    tier=5,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(5.0),
    transformations=TRANSFORMATIONS,
)
