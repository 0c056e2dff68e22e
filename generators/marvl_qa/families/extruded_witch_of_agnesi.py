"""Extruded Witch of Agnesi: the curve 8*a**3/(t**2 + 4*a**2) drawn out along an oblique line off the centre."""

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import rounded, signed, uniform
from planimeter.generators.marvl_qa.families._frame import Array, square
from planimeter.generators.marvl_qa.families._printing import linear, number, scaled
from planimeter.generators.marvl_qa.family import Family, Parameters


def _draw(rng: np.random.Generator) -> Parameters:
    angle = rng.uniform(0, np.pi)
    return {
        "s": 1.0 if rng.random() < 0.5 else -1.0,
        "a": uniform(rng, 0.3, 1.0),
        "tx": rounded(np.cos(angle), 3),
        "ty": rounded(np.sin(angle), 3),
        "tc": signed(rng, 0.4, 2.4, 3),
    }


def _height(x: Array, y: Array, p: Parameters) -> Array:
    t = p["tx"] * x + p["tc"] + p["ty"] * y
    return p["s"] * 8 * p["a"] ** 3 / (t**2 + 4 * p["a"] ** 2)


def _expression(p: Parameters) -> str:
    a, t = number(p["a"]), linear(p["tx"], p["ty"], p["tc"])
    return scaled(p["s"], f"8*{a}**3/(({t})**2 + 4*{a}**2)")


FAMILY = Family(
    name="extruded_witch_of_agnesi",
    title="Extruded Witch of Agnesi",
    tier=5,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(5.0),
    transformations=("rotate_90_clockwise", "rotate_180"),
)
