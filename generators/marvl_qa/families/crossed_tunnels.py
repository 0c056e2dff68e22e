"""Crossed Tunnels: tunnels along x and along y; where two cross, the bottom is deepest.

The profile of a tunnel is Lorentzian, not Gaussian: its heavy tails tilt every bottom towards the nearest crossing, so
that none is level. A Gaussian's bottom is level to the last bit between crossings, and its ties count as minima.
"""

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import integer, rounded, uniform
from planimeter.generators.marvl_qa.families._frame import Array, around, square
from planimeter.generators.marvl_qa.families._printing import number, shifted, total
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS, Domain

HALF_WIDTH = 6.0


def _draw(rng: np.random.Generator) -> Parameters:
    counts = [integer(rng, 1, 5), integer(rng, 1, 4)]
    if rng.random() < 0.5:
        counts.reverse()
    p: dict[str, float] = {}
    for axis, count in zip("xy", counts, strict=True):
        pitch = rng.uniform(0.85, 1.0) * min(10.4 / count, 4.0)
        slack = 5.4 - pitch * (count - 1) / 2
        shift = rng.uniform(-0.7, 0.7) * min(slack, 3.0)
        p[f"n{axis}"] = float(count)
        for i in range(count):
            place = shift + pitch * (i - (count - 1) / 2 + rng.uniform(-0.08, 0.08))
            p[f"{axis}{i + 1}"] = rounded(place, 2)
            p[f"w{axis}{i + 1}"] = rounded(rng.uniform(0.15, 0.23) * pitch, 2)
            p[f"d{axis}{i + 1}"] = uniform(rng, 0.7, 1.2)
    return p


def _height(x: Array, y: Array, p: Parameters) -> Array:
    return -(_tunnels(x, "x", p) + _tunnels(y, "y", p))


def _tunnels(v: Array, axis: str, p: Parameters) -> Array:
    z = np.zeros_like(v)
    for i in range(1, int(p[f"n{axis}"]) + 1):
        z += p[f"d{axis}{i}"] / (1 + ((v - p[f"{axis}{i}"]) / p[f"w{axis}{i}"]) ** 2)
    return z


def _outline(p: Parameters) -> Domain:
    return around(*([(p[f"{v}{i}"], 2 * p[f"w{v}{i}"]) for i in range(1, int(p[f"n{v}"]) + 1)] for v in "xy"))


def _expression(p: Parameters) -> str:
    return total(*(_term(axis, i, p) for axis in "xy" for i in range(1, int(p[f"n{axis}"]) + 1)))


def _term(axis: str, i: int, p: Parameters) -> str:
    square_ = f"({shifted(axis, p[f'{axis}{i}'])}/{number(p[f'w{axis}{i}'])})**2"
    return f"-{number(p[f'd{axis}{i}'])}/(1 + {square_})"


FAMILY = Family(
    name="crossed_tunnels",
    title="Crossed Tunnels",
    tier=4,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(HALF_WIDTH),
    counts={"minima": (1, 20)},
    transformations=TRANSFORMATIONS,
    smooth=True,
    outline=_outline,
)
