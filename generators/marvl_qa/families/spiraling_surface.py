"""Spiraling Surface: one to three arms that wind around a point off the centre and fade outwards.

The factor t*exp(-t) with t = (r/R)**2 vanishes at the centre, where the angle has no value.
"""

import numpy as np

from planimeter.generators.marvl_qa.families import _waves
from planimeter.generators.marvl_qa.families._drawing import integer, signed, uniform
from planimeter.generators.marvl_qa.families._frame import Array, square
from planimeter.generators.marvl_qa.families._printing import number, scaled, shifted, total
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS


def _draw(rng: np.random.Generator) -> Parameters:
    return {
        "n": float(integer(rng, 1, 3)),
        "x0": signed(rng, 0.3, 1.2),
        "y0": signed(rng, 0.3, 1.2),
        "k": signed(rng, 1.0, 2.2),
        "phase": uniform(rng, 0.01, 6.28),
        "w": uniform(rng, 2.2, 3.0),
    }


def _height(x: Array, y: Array, p: Parameters) -> Array:
    dx, dy = x - p["x0"], y - p["y0"]
    r2 = dx**2 + dy**2
    t = r2 / p["w"] ** 2
    return t * np.exp(1 - t) * _waves.cos(p["n"] * np.arctan2(dy, dx) + p["k"] * np.sqrt(r2) + p["phase"])


def _expression(p: Parameters) -> str:
    dx, dy = shifted("x", p["x0"]), shifted("y", p["y0"])
    r2 = f"({dx}**2 + {dy}**2)"
    t = f"{r2}/{number(p['w'])}**2"
    angle = total(scaled(p["n"], f"atan2({dy}, {dx})"), scaled(p["k"], f"sqrt{r2}"), number(p["phase"]))
    return f"{t}*exp(1 - {t})*cos({angle})"


FAMILY = Family(
    name="spiraling_surface",
    title="Spiraling Surface",
    tier=5,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(5.0),
    transformations=TRANSFORMATIONS,
)
