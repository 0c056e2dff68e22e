"""Rings of beads around a common centre: in each ring a Gaussian of the radius times a wave of the angle.

The wave runs from ``1 - depth`` to ``1 + depth``, so that neighbouring beads are parted by clear saddles; with a
shallow wave a ring is a ridge, whose sampled crest breaks into hundreds of false extrema.
"""

import numpy as np

from planimeter.generators.marvl_qa.families import _waves
from planimeter.generators.marvl_qa.families._drawing import integer, rounded, uniform
from planimeter.generators.marvl_qa.families._frame import BELL, Array, form, form_expression, forms, spanned
from planimeter.generators.marvl_qa.families._printing import number, scaled, total
from planimeter.generators.marvl_qa.family import Parameters
from planimeter.items import Domain

HALF_WIDTH = 5.0
#: Radii of the rings by their number, before the stretch and shift of the whole.
RADII = {1: (2.7,), 2: (1.7, 3.6)}


def draw(rng: np.random.Generator) -> Parameters:
    """Return the parameters of one ring of 2 to 12 beads or two rings of 3 to 6 and 5 to 14."""
    rings = integer(rng, 1, 2)
    beads = (integer(rng, 2, 12),) if rings == 1 else (integer(rng, 3, 6), integer(rng, 5, 14))
    room = 0.8 if rings == 1 else 0.3
    widths = (rng.uniform(0.92, 1.08), rng.uniform(0.92, 1.08))
    p: dict[str, float] = {"n": float(rings)}
    p |= forms(rng.uniform(0, np.pi), (rng.uniform(-room, room), rng.uniform(-room, room)), widths)
    p["skew"] = uniform(rng, 0.02, 0.07, 3)
    for i, (radius, count) in enumerate(zip(RADII[rings], beads, strict=True), start=1):
        p |= {
            f"a{i}": uniform(rng, 0.75, 1.0),
            f"r{i}": rounded(radius * rng.uniform(0.94, 1.03), 2),
            f"w{i}": uniform(rng, 0.42, 0.56) if rings == 2 else uniform(rng, 0.45, 0.8),
            f"b{i}": float(count),
            f"d{i}": uniform(rng, 0.55, 0.8),
            f"f{i}": uniform(rng, 0, 2 * np.pi),
        }
    return p


def outline(p: Parameters) -> Domain:
    """Return the box of the outer ring, down to a twentieth of its height."""
    outer = int(p["n"])
    return spanned(p, p[f"r{outer}"] + BELL * p[f"w{outer}"])


def height(x: Array, y: Array, p: Parameters) -> Array:
    """Return the sum of the rings, as bumps."""
    u, v = form("u", x, y, p), form("v", x, y, p)
    r, angle = np.sqrt(u * u + v * v), np.arctan2(v, u)
    z = np.zeros_like(r)
    for i in range(1, int(p["n"]) + 1):
        ring = p[f"a{i}"] * np.exp(-(((r - p[f"r{i}"]) / p[f"w{i}"]) ** 2))
        z += ring * (1 + p[f"d{i}"] * _waves.cos(p[f"b{i}"] * angle + p[f"f{i}"]))
    return (1 + p["skew"] * u) * z


def expression(p: Parameters) -> str:
    """Return the sum of the rings, as bumps."""
    u, v = form_expression("u", p), form_expression("v", p)
    rings = total(*(_ring(i, u, v, p) for i in range(1, int(p["n"]) + 1)))
    return f"(1 + {number(p['skew'])}*{u})*({rings})"


def _ring(i: int, u: str, v: str, p: Parameters) -> str:
    profile = f"exp(-((sqrt({u}**2 + {v}**2) - {number(p[f'r{i}'])})/{number(p[f'w{i}'])})**2)"
    wave = f"cos({number(p[f'b{i}'])}*atan2({v}, {u}) + {number(p[f'f{i}'])})"
    return f"{scaled(p[f'a{i}'], profile)}*(1 + {number(p[f'd{i}'])}*{wave})"
