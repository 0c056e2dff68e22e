"""Astroidal Bowl: Abs(u)**q + Abs(v)**q with q near 2/3, whose level curves are astroids, or the same as a spire."""

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import signed, uniform
from planimeter.generators.marvl_qa.families._frame import Array, form, form_expression, forms, square
from planimeter.generators.marvl_qa.families._printing import number, scaled
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS


def _draw(rng: np.random.Generator) -> Parameters:
    centre = (signed(rng, 0.5, 1.8), signed(rng, 0.5, 1.8))
    return forms(rng.uniform(-0.6, 0.6), centre, (rng.uniform(0.5, 1), rng.uniform(1.2, 2.5))) | {
        "s": 1.0 if rng.random() < 0.5 else -1.0,
        "q": uniform(rng, 0.66, 0.8),
    }


def _height(x: Array, y: Array, p: Parameters) -> Array:
    return p["s"] * (np.abs(form("u", x, y, p)) ** p["q"] + np.abs(form("v", x, y, p)) ** p["q"])


def _expression(p: Parameters) -> str:
    u, v = (f"Abs{form_expression(name, p)}**{number(p['q'])}" for name in "uv")
    return scaled(p["s"], f"({u} + {v})")


FAMILY = Family(
    name="astroidal_bowl",
    title="Astroidal Bowl",
    tier=3,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(4.0),
    transformations=TRANSFORMATIONS,
)
