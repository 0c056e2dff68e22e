"""Contained Symmetric Lobes: n rising and n sunken lobes around a centre, contained by a radial envelope.

The envelope (t*exp(1 - t))**q with t = (r/R)**2 is 1 at r = R, vanishes at the centre (where the angle has no value)
and far away. It is stretched into an ellipse, and one side of the rosette is stronger than the other.
"""

import numpy as np

from planimeter.generators.marvl_qa.families import _waves
from planimeter.generators.marvl_qa.families._drawing import integer, uniform
from planimeter.generators.marvl_qa.families._frame import Array, form, form_expression, forms, spanned, square
from planimeter.generators.marvl_qa.families._printing import number, scaled, total
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS, Domain


def _draw(rng: np.random.Generator) -> Parameters:
    lobes = integer(rng, 1, 15)
    radius = rng.uniform(2.1, 2.6) if lobes < 7 else rng.uniform(2.8, 3.3)
    room = 4.4 - 1.4 * radius if lobes < 7 else 0.25
    widths = (radius * rng.uniform(0.92, 1.08), radius * rng.uniform(0.92, 1.08))
    centre = (rng.uniform(-room, room), rng.uniform(-room, room))
    return forms(rng.uniform(0, np.pi), centre, widths) | {
        "n": float(lobes),
        "q": float(integer(rng, 2, 3) if lobes < 7 else integer(rng, 4, 7)),
        "phase": uniform(rng, 0, 2 * np.pi),
        "skew": uniform(rng, 0.1, 0.25),
    }


def _height(x: Array, y: Array, p: Parameters) -> Array:
    u, v = form("u", x, y, p), form("v", x, y, p)
    t = u * u + v * v
    base = t * np.exp(1 - t)
    height = (1 + p["skew"] * u) * _waves.cos(p["n"] * np.arctan2(v, u) + p["phase"])
    for _ in range(int(p["q"])):
        height *= base  # products: np.power with an integer exponent is some thirty times slower
    return height


def _outline(p: Parameters) -> Domain:
    return spanned(p, 1 + 1.37 / p["q"] ** 0.5)  # where the envelope is down to a twentieth


def _expression(p: Parameters) -> str:
    u, v = form_expression("u", p), form_expression("v", p)
    t = f"({u}**2 + {v}**2)"
    angle = total(scaled(p["n"], f"atan2({v}, {u})"), number(p["phase"]))
    return f"({t}*exp(1 - {t}))**{number(p['q'])}*(1 + {number(p['skew'])}*{u})*cos({angle})"


FAMILY = Family(
    name="contained_symmetric_lobes",
    title="Contained Symmetric Lobes",
    tier=5,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(5.0),
    counts={"maxima": (1, 15), "minima": (1, 15)},
    transformations=TRANSFORMATIONS,
    smooth=True,
    outline=_outline,
)
