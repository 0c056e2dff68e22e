"""Checkerboard: fields of unequal sides with soft borders, on a board that tilts a little.

A board of two exact heights has no contour lines but its borders and is its own shift by two fields; soft borders give
the lines room, and the tilt gives every field its own height.
"""

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import signed, uniform
from planimeter.generators.marvl_qa.families._frame import Array, square
from planimeter.generators.marvl_qa.families._printing import linear, number, shifted, total
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS


def _draw(rng: np.random.Generator) -> Parameters:
    sides = [uniform(rng, 0.55, 0.9, 3), uniform(rng, 1.0, 1.6, 3)]
    if rng.random() < 0.5:
        sides.reverse()
    return {
        "kx": sides[0],
        "ky": sides[1],
        "x0": uniform(rng, -2, 2),
        "y0": uniform(rng, -2, 2),
        "s": uniform(rng, 1.6, 2.6),
        "a": signed(rng, 0.03, 0.12, 3),
        "b": signed(rng, 0.03, 0.12, 3),
    }


def _height(x: Array, y: Array, p: Parameters) -> Array:
    fields = p["s"] * np.sin(p["kx"] * (x - p["x0"])) * np.sin(p["ky"] * (y - p["y0"]))
    return np.tanh(fields) + p["a"] * x + p["b"] * y


def _expression(p: Parameters) -> str:
    waves = "*".join(f"sin({number(p[f'k{v}'])}*{shifted(v, p[f'{v}0'])})" for v in "xy")
    return total(f"tanh({number(p['s'])}*{waves})", linear(p["a"], p["b"]))


FAMILY = Family(
    name="checkerboard",
    title="Checkerboard",
    tier=2,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(6.0),
    transformations=TRANSFORMATIONS,
)
