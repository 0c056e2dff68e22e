"""Families of quotients and logarithms, which rise or fall towards a point or line and flatten slowly away from it.

- Logarithmic Singularity: a well and a weaker spire, log(r**2 + eps), like a source and a sink in a plane. eps rounds
  their tips over several points of the coarsest grid (250 points): without it the sampled range of heights,
  and therefore the colours, would depend on the resolution.
- Ring Singularity: a sharp moat or rampart on an ellipse off the centre, log((r**2 - 1)**2 + eps), on sloping ground.
  eps bounds the logarithm and makes the ring several points of the coarsest grid wide.
- Extruded Witch of Agnesi: the curve 8*a**3/(t**2 + 4*a**2), extruded along an oblique line off the centre.
- Crossed Tunnels: tunnels along x and along y; the bottom is deepest where two cross. The profile of a tunnel is
  Lorentzian: its heavy tails tilt every bottom towards the nearest crossing, so that none is flat. The bottom of a
  Gaussian would be flat to the last bit between crossings, and equal heights would count as minima.
"""

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import integer, rounded, sign, signed, slopes, uniform
from planimeter.generators.marvl_qa.families._frame import Array, around, form, form_expression, forms
from planimeter.generators.marvl_qa.families._printing import linear, number, scaled, shifted, total
from planimeter.generators.marvl_qa.family import ROTATIONS, Family, Parameters
from planimeter.items import Domain


def _draw_logarithm(rng: np.random.Generator) -> Parameters:
    side_x, side_y = signed(rng, 1, 1), signed(rng, 1, 1)
    up = signed(rng, 1, 1)
    return {
        "x1": side_x * uniform(rng, 0.4, 2.2),
        "y1": side_y * uniform(rng, 0.4, 2.2),
        "e1": uniform(rng, 0.08, 0.15, 3),
        "a1": up,
        "x2": -side_x * uniform(rng, 0.4, 2.4),
        "y2": -side_y * uniform(rng, 0.4, 2.4),
        "e2": uniform(rng, 0.08, 0.15, 3),
        "a2": -up * uniform(rng, 0.3, 0.7),
    }


def _logarithm(x: Array, y: Array, p: Parameters) -> Array:
    r2, s2 = ((x - p[f"x{i}"]) ** 2 + (y - p[f"y{i}"]) ** 2 + p[f"e{i}"] for i in (1, 2))
    return p["a1"] * np.log(r2) + p["a2"] * np.log(s2)


def _print_logarithm(p: Parameters) -> str:
    return total(*(scaled(p[f"a{i}"], _pole(i, p)) for i in (1, 2)))


def _pole(i: int, p: Parameters) -> str:
    return f"log({shifted('x', p[f'x{i}'])}**2 + {shifted('y', p[f'y{i}'])}**2 + {number(p[f'e{i}'])})"


def _draw_ring(rng: np.random.Generator) -> Parameters:
    centre = (signed(rng, 0.4, 1.5), signed(rng, 0.4, 1.5))
    ring = forms(rng.uniform(0, np.pi), centre, (rng.uniform(1.3, 1.8), rng.uniform(2.2, 2.8)))
    return ring | {"s": sign(rng), "e": uniform(rng, 0.03, 0.08, 3)} | slopes(rng, 0.1, 0.35)


def _ring(x: Array, y: Array, p: Parameters) -> Array:
    r2 = form("u", x, y, p) ** 2 + form("v", x, y, p) ** 2
    return p["s"] * np.log((r2 - 1) ** 2 + p["e"]) + p["a"] * x + p["b"] * y


def _print_ring(p: Parameters) -> str:
    r2 = f"{form_expression('u', p)}**2 + {form_expression('v', p)}**2"
    return total(scaled(p["s"], f"log(({r2} - 1)**2 + {number(p['e'])})"), linear(p["a"], p["b"]))


def _draw_witch(rng: np.random.Generator) -> Parameters:
    angle = rng.uniform(0, np.pi)
    p = {"s": sign(rng), "a": uniform(rng, 0.3, 1.0), "tx": rounded(np.cos(angle), 3), "ty": rounded(np.sin(angle), 3)}
    return p | {"tc": signed(rng, 0.4, 2.4, 3)}


def _witch(x: Array, y: Array, p: Parameters) -> Array:
    return p["s"] * 8 * p["a"] ** 3 / (form("t", x, y, p) ** 2 + 4 * p["a"] ** 2)


def _print_witch(p: Parameters) -> str:
    a = number(p["a"])
    return scaled(p["s"], f"8*{a}**3/({form_expression('t', p)}**2 + 4*{a}**2)")


def _draw_tunnels(rng: np.random.Generator) -> Parameters:
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


def _tunnels(x: Array, y: Array, p: Parameters) -> Array:
    return -(_along(x, "x", p) + _along(y, "y", p))


def _along(v: Array, axis: str, p: Parameters) -> Array:
    z = np.zeros_like(v)
    for i in range(1, int(p[f"n{axis}"]) + 1):
        z += p[f"d{axis}{i}"] / (1 + ((v - p[f"{axis}{i}"]) / p[f"w{axis}{i}"]) ** 2)
    return z


def _outline(p: Parameters) -> Domain:
    return around(*([(p[f"{v}{i}"], 2 * p[f"w{v}{i}"]) for i in range(1, int(p[f"n{v}"]) + 1)] for v in "xy"))


def _print_tunnels(p: Parameters) -> str:
    return total(*(_print_tunnel(axis, i, p) for axis in "xy" for i in range(1, int(p[f"n{axis}"]) + 1)))


def _print_tunnel(axis: str, i: int, p: Parameters) -> str:
    distance = f"{shifted(axis, p[f'{axis}{i}'])}/{number(p[f'w{axis}{i}'])}"
    return f"-{number(p[f'd{axis}{i}'])}/(1 + ({distance})**2)"


LOGARITHMIC_SINGULARITY = Family("Logarithmic Singularity", 3, 4.0, _draw_logarithm, _logarithm, _print_logarithm)
RING_SINGULARITY = Family("Ring Singularity", 3, 4.0, _draw_ring, _ring, _print_ring)
WITCH = Family("Extruded Witch of Agnesi", 5, 5.0, _draw_witch, _witch, _print_witch, transformations=ROTATIONS)
TUNNELS = Family("Crossed Tunnels", 4, 6.0, _draw_tunnels, _tunnels, _print_tunnels, {"minima": (1, 20)}, _outline)
