"""Parabolic Cylinder: a trough or a vault along an oblique line off the centre, (a*x + b*y + c)**2."""

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import rounded, signed
from planimeter.generators.marvl_qa.families._frame import Array, square
from planimeter.generators.marvl_qa.families._printing import linear, scaled
from planimeter.generators.marvl_qa.family import Family, Parameters


def _draw(rng: np.random.Generator) -> Parameters:
    angle = rng.uniform(0, np.pi)
    return {
        "s": 1.0 if rng.random() < 0.5 else -1.0,
        "a": rounded(np.cos(angle), 3),
        "b": rounded(np.sin(angle), 3),
        "c": signed(rng, 0.3, 1.8, 3),
    }


def _height(x: Array, y: Array, p: Parameters) -> Array:
    return p["s"] * (p["a"] * x + p["c"] + p["b"] * y) ** 2


def _expression(p: Parameters) -> str:
    return scaled(p["s"], f"({linear(p['a'], p['b'], p['c'])})**2")


FAMILY = Family(
    name="parabolic_cylinder",
    title="Parabolic Cylinder",
    tier=1,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(4.0),
    transformations=("rotate_90_clockwise", "rotate_180"),
)
