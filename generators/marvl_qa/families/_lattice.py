"""A lattice of Gaussians as a product of two combs: m + n exponentials in one variable instead of m * n in two.

The teeth have their own heights and jittered places, so that the lattice is regular to the eye and yet like its own
rotation or mirror image in hardly any draw. Peaks are 4.2 widths (in units of sigma) apart or more, so that the saddle
between two of them lies deep below both.
"""

import numpy as np
import numpy.typing as npt

from planimeter.generators.marvl_qa.families._drawing import integer, rounded, uniform
from planimeter.generators.marvl_qa.families._frame import BELL, around
from planimeter.generators.marvl_qa.families._printing import bell, scaled, total
from planimeter.generators.marvl_qa.family import Parameters
from planimeter.items import Domain

HALF_WIDTH = 5.0
#: The teeth lie within this distance of the centre of the window.
REACH = 4.1


def draw(rng: np.random.Generator) -> Parameters:
    """Return the parameters of a lattice of 1 x 1 to 5 x 4 or 4 x 5 peaks."""
    sides = [integer(rng, 1, 5), integer(rng, 1, 4)]
    if rng.random() < 0.5:
        sides.reverse()
    return _comb(rng, "x", sides[0]) | _comb(rng, "y", sides[1])


def comb(v: npt.NDArray[np.float64], axis: str, p: Parameters) -> npt.NDArray[np.float64]:
    """Return the sum of the Gaussians of one axis at the coordinates ``v``."""
    teeth = range(1, int(p[f"n{axis}"]) + 1)
    return sum(
        (p[f"a{axis}{i}"] * np.exp(-(((v - p[f"{axis}{i}"]) / p[f"w{axis}"]) ** 2)) for i in teeth),
        start=np.zeros_like(v),
    )


def outline(p: Parameters) -> Domain:
    """Return the box of the peaks, down to a twentieth of their heights."""
    return around(*([(p[f"{v}{i}"], BELL * p[f"w{v}"]) for i in range(1, int(p[f"n{v}"]) + 1)] for v in "xy"))


def expression(p: Parameters) -> str:
    """Return the product of the two combs."""
    return "*".join(f"({_comb_expression(axis, p)})" for axis in "xy")


def _comb(rng: np.random.Generator, axis: str, count: int) -> dict[str, float]:
    spacing = rng.uniform(0.86, 1.0) * min(2 * REACH / (count - 0.5), 3.8)
    slack = REACH - spacing * (count - 1) / 2 - 0.08 * spacing
    shift = rng.uniform(-0.8, 0.8) * min(slack, 1.6)
    p: dict[str, float] = {f"n{axis}": float(count), f"w{axis}": rounded(rng.uniform(0.22, 0.31) * spacing, 3)}
    for i in range(count):
        place = shift + spacing * (i - (count - 1) / 2 + rng.uniform(-0.08, 0.08))
        p[f"{axis}{i + 1}"] = rounded(place, 2)
        p[f"a{axis}{i + 1}"] = uniform(rng, 0.7, 1.0)
    return p


def _comb_expression(axis: str, p: Parameters) -> str:
    teeth = range(1, int(p[f"n{axis}"]) + 1)
    return total(*(scaled(p[f"a{axis}{i}"], f"exp({bell(axis, p[f'{axis}{i}'], p[f'w{axis}'])})") for i in teeth))
