"""Ring Singularity: a sharp moat or rampart on an ellipse off the centre, log((r**2 - 1)**2 + eps), on sloping ground.

eps bounds the logarithm and makes the ring several nodes of the coarsest grid wide.
"""

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import signed, uniform
from planimeter.generators.marvl_qa.families._frame import Array, form, form_expression, forms, square
from planimeter.generators.marvl_qa.families._printing import linear, number, scaled, total
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS


def _draw(rng: np.random.Generator) -> Parameters:
    centre = (signed(rng, 0.4, 1.5), signed(rng, 0.4, 1.5))
    return forms(rng.uniform(0, np.pi), centre, (rng.uniform(1.3, 1.8), rng.uniform(2.2, 2.8))) | {
        "s": 1.0 if rng.random() < 0.5 else -1.0,
        "e": uniform(rng, 0.03, 0.08, 3),
        "a": signed(rng, 0.1, 0.35, 3),
        "b": signed(rng, 0.1, 0.35, 3),
    }


def _height(x: Array, y: Array, p: Parameters) -> Array:
    r2 = form("u", x, y, p) ** 2 + form("v", x, y, p) ** 2
    return p["s"] * np.log((r2 - 1) ** 2 + p["e"]) + p["a"] * x + p["b"] * y


def _expression(p: Parameters) -> str:
    r2 = f"{form_expression('u', p)}**2 + {form_expression('v', p)}**2"
    return total(scaled(p["s"], f"log(({r2} - 1)**2 + {number(p['e'])})"), linear(p["a"], p["b"]))


FAMILY = Family(
    name="ring_singularity",
    title="Ring Singularity",
    tier=3,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(4.0),
    transformations=TRANSFORMATIONS,
)
