"""Plane: a*x + b*y + c. Its normalised picture depends on its direction only, hence the many decimals."""

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import signed, uniform
from planimeter.generators.marvl_qa.families._frame import Array, square
from planimeter.generators.marvl_qa.families._printing import linear
from planimeter.generators.marvl_qa.family import Family, Parameters


def _draw(rng: np.random.Generator) -> Parameters:
    return {"a": signed(rng, 0.3, 3, 4), "b": signed(rng, 0.3, 3, 4), "c": uniform(rng, -5, 5)}


def _height(x: Array, y: Array, p: Parameters) -> Array:
    return p["a"] * x + p["c"] + p["b"] * y


def _expression(p: Parameters) -> str:
    return linear(p["a"], p["b"], p["c"])


FAMILY = Family(
    name="plane",
    title="Plane",
    tier=1,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(5.0),
    transformations=("rotate_90_clockwise", "rotate_180"),
)
