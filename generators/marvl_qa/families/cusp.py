"""Cusp: r**q with q < 1 about a point off the centre, elliptic and leaning; sharper at its tip than any cone.

The exponent is at least 0.66: below, the height that a grid sees at the tip hangs on how near its nodes come.
"""

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import signed, uniform
from planimeter.generators.marvl_qa.families._frame import Array, form, form_expression, forms, square
from planimeter.generators.marvl_qa.families._printing import linear, number, scaled, total
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS


def _draw(rng: np.random.Generator) -> Parameters:
    centre = (signed(rng, 0.4, 1.6), signed(rng, 0.4, 1.6))
    return forms(rng.uniform(0, np.pi), centre, (rng.uniform(0.4, 0.6), rng.uniform(0.8, 1.3))) | {
        "s": 1.0 if rng.random() < 0.5 else -1.0,
        "q": uniform(rng, 0.66, 0.8),
        "a": signed(rng, 0.05, 0.3, 3),
        "b": signed(rng, 0.05, 0.3, 3),
    }


def _height(x: Array, y: Array, p: Parameters) -> Array:
    r2 = form("u", x, y, p) ** 2 + form("v", x, y, p) ** 2
    return p["s"] * r2 ** (p["q"] / 2) + p["a"] * x + p["b"] * y


def _expression(p: Parameters) -> str:
    r = f"sqrt({form_expression('u', p)}**2 + {form_expression('v', p)}**2)"
    return total(scaled(p["s"], f"{r}**{number(p['q'])}"), linear(p["a"], p["b"]))


FAMILY = Family(
    name="cusp",
    title="Cusp",
    tier=3,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(4.0),
    transformations=TRANSFORMATIONS,
)
