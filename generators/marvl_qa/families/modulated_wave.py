"""Modulated Wave: an oblique carrier whose amplitude swells and fades along another oblique direction."""

import numpy as np

from planimeter.generators.marvl_qa.families import _waves
from planimeter.generators.marvl_qa.families._drawing import rounded, uniform
from planimeter.generators.marvl_qa.families._frame import Array, form, form_expression, square
from planimeter.generators.marvl_qa.families._printing import number
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS


def _draw(rng: np.random.Generator) -> Parameters:
    p: dict[str, float] = {"m": uniform(rng, 0.6, 0.9)}
    angle = rng.uniform(0, np.pi)
    lean = angle + rng.uniform(0.5, 2.6)
    for name, direction, k in (("u", angle, rng.uniform(1.3, 2.4)), ("v", lean, rng.uniform(0.4, 0.75))):
        p |= {f"{name}x": rounded(k * np.cos(direction), 3), f"{name}y": rounded(k * np.sin(direction), 3)}
        p[f"{name}c"] = uniform(rng, -3.1, 3.1)
    return p


def _height(x: Array, y: Array, p: Parameters) -> Array:
    return (1 + p["m"] * _waves.cos(form("v", x, y, p))) * _waves.sin(form("u", x, y, p))


def _expression(p: Parameters) -> str:
    return f"(1 + {number(p['m'])}*cos{form_expression('v', p)})*sin{form_expression('u', p)}"


FAMILY = Family(
    name="modulated_wave",
    title="Modulated Wave",
    tier=4,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(6.0),
    transformations=TRANSFORMATIONS,
)
