"""Circular Ripples: rings that run out from a point off the centre, on water that slopes a little.

The slope distinguishes the surface from its rotations: without it, a half turn is a shift.
"""

import numpy as np

from planimeter.generators.marvl_qa.families import _waves
from planimeter.generators.marvl_qa.families._drawing import signed, uniform
from planimeter.generators.marvl_qa.families._frame import Array, square
from planimeter.generators.marvl_qa.families._printing import linear, number, shifted, total
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS


def _draw(rng: np.random.Generator) -> Parameters:
    return {
        "x0": signed(rng, 0.8, 3.2),
        "y0": signed(rng, 0.8, 3.2),
        "k": uniform(rng, 1.4, 3.0, 3),
        "a": signed(rng, 0.05, 0.16, 3),
        "b": signed(rng, 0.05, 0.16, 3),
    }


def _height(x: Array, y: Array, p: Parameters) -> Array:
    dx, dy = x - p["x0"], y - p["y0"]
    return _waves.cos(p["k"] * np.sqrt(dx * dx + dy * dy)) + p["a"] * x + p["b"] * y


def _expression(p: Parameters) -> str:
    r = f"sqrt({shifted('x', p['x0'])}**2 + {shifted('y', p['y0'])}**2)"
    return total(f"cos({number(p['k'])}*{r})", linear(p["a"], p["b"]))


FAMILY = Family(
    name="circular_ripples",
    title="Circular Ripples",
    tier=2,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(6.0),
    transformations=TRANSFORMATIONS,
)
