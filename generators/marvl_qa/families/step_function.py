"""Step Function: two cliffs that cross at an oblique angle part the window into four terraces of their own heights."""

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import signed, uniform
from planimeter.generators.marvl_qa.families._frame import Array, form, form_expression, square
from planimeter.generators.marvl_qa.families._printing import scaled, total
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS


def _draw(rng: np.random.Generator) -> Parameters:
    p: dict[str, float] = {"ux": 1.0, "uy": uniform(rng, -0.7, 0.7, 3), "uc": signed(rng, 0.3, 2, 3)}
    p |= {"vx": uniform(rng, -0.7, 0.7, 3), "vy": 1.0, "vc": signed(rng, 0.3, 2, 3)}
    return p | {"a": signed(rng, 0.8, 2), "b": signed(rng, 0.8, 2)}


def _height(x: Array, y: Array, p: Parameters) -> Array:
    return p["a"] * np.sign(form("u", x, y, p)) + p["b"] * np.sign(form("v", x, y, p))


def _expression(p: Parameters) -> str:
    return total(*(scaled(p[a], f"sign{form_expression(name, p)}") for a, name in (("a", "u"), ("b", "v"))))


FAMILY = Family(
    name="step_function",
    title="Step Function",
    tier=3,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(5.0),
    transformations=TRANSFORMATIONS,
)
