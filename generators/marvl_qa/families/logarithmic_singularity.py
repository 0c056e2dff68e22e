"""Logarithmic Singularity: a well and a weaker spire, log(r**2 + eps), like a source and a sink in a plane.

eps rounds the tips off over several nodes of the coarsest grid (250 points): the sampled range of a bare logarithm
grows with the resolution, and with it the colours.
"""

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import signed, uniform
from planimeter.generators.marvl_qa.families._frame import Array, square
from planimeter.generators.marvl_qa.families._printing import number, scaled, shifted, total
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS


def _draw(rng: np.random.Generator) -> Parameters:
    side_x, side_y = signed(rng, 1, 1), signed(rng, 1, 1)
    sign = signed(rng, 1, 1)
    return {
        "x1": side_x * uniform(rng, 0.4, 2.2),
        "y1": side_y * uniform(rng, 0.4, 2.2),
        "e1": uniform(rng, 0.08, 0.15, 3),
        "a1": sign,
        "x2": -side_x * uniform(rng, 0.4, 2.4),
        "y2": -side_y * uniform(rng, 0.4, 2.4),
        "e2": uniform(rng, 0.08, 0.15, 3),
        "a2": -sign * uniform(rng, 0.3, 0.7),
    }


def _height(x: Array, y: Array, p: Parameters) -> Array:
    r2, s2 = ((x - p[f"x{i}"]) ** 2 + (y - p[f"y{i}"]) ** 2 + p[f"e{i}"] for i in (1, 2))
    return p["a1"] * np.log(r2) + p["a2"] * np.log(s2)


def _expression(p: Parameters) -> str:
    return total(*(scaled(p[f"a{i}"], _pole(i, p)) for i in (1, 2)))


def _pole(i: int, p: Parameters) -> str:
    return f"log({shifted('x', p[f'x{i}'])}**2 + {shifted('y', p[f'y{i}'])}**2 + {number(p[f'e{i}'])})"


FAMILY = Family(
    name="logarithmic_singularity",
    title="Logarithmic Singularity",
    tier=3,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(4.0),
    transformations=TRANSFORMATIONS,
)
