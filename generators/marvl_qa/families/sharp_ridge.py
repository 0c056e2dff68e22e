"""Sharp Ridge: an oblique crest with a crease, which fades along its length; the ground beside it slopes."""

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import signed
from planimeter.generators.marvl_qa.families._frame import Array, form, form_expression, forms, square
from planimeter.generators.marvl_qa.families._printing import linear, total
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS


def _draw(rng: np.random.Generator) -> Parameters:
    centre = (signed(rng, 0.4, 2), signed(rng, 0.4, 2))
    return forms(rng.uniform(0, np.pi), centre, (rng.uniform(0.7, 1.4), rng.uniform(2.2, 4))) | {
        "a": signed(rng, 0.02, 0.06, 3),
        "b": signed(rng, 0.02, 0.06, 3),
    }


def _height(x: Array, y: Array, p: Parameters) -> Array:
    return np.exp(-np.abs(form("u", x, y, p)) - form("v", x, y, p) ** 2) + p["a"] * x + p["b"] * y


def _expression(p: Parameters) -> str:
    ridge = f"exp(-Abs{form_expression('u', p)} - {form_expression('v', p)}**2)"
    return total(ridge, linear(p["a"], p["b"]))


FAMILY = Family(
    name="sharp_ridge",
    title="Sharp Ridge",
    tier=3,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(5.0),
    transformations=TRANSFORMATIONS,
)
