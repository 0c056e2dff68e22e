"""Families of patterns around a centre, in polar coordinates.

- Beaded Rings: one or two rings, each a chain of bumps: a Gaussian of the radius times a wave of the angle. The wave
  varies between ``1 - depth`` and ``1 + depth``, so that clear saddles separate neighbouring beads; with a shallow wave
  a ring is a ridge, and its sampled crest has hundreds of false extrema.
- Inverted Beaded Rings: the same with hollows.
- Contained Symmetric Lobes: n raised and n sunken lobes around a centre, times a radial envelope. The envelope
  (t*exp(1 - t))**q with t = (r/R)**2 is 1 at r = R and vanishes far away and at the centre, where the angle is
  undefined. The pattern is stretched into an ellipse, and its lobes are stronger on one side.
- Spiraling Surface: one to three arms that wind around a point off the centre and fade outwards. The factor t*exp(-t)
  with t = (r/R)**2 vanishes at the centre, where the angle is undefined.
"""

from typing import Final

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import integer, rounded, signed, uniform
from planimeter.generators.marvl_qa.families._frame import BELL, Array, form, form_expression, forms, spanned
from planimeter.generators.marvl_qa.families._printing import number, scaled, shifted, total
from planimeter.generators.marvl_qa.families._sines import cos
from planimeter.generators.marvl_qa.family import Countable, Family, Parameters, upside_down
from planimeter.items import FEATURES, Domain

#: Number of beaded rings -> their radii, before the pattern is stretched and translated.
_RADII: Final = {1: (2.7,), 2: (1.7, 3.6)}


def _draw_rings(rng: np.random.Generator) -> Parameters:
    """Return random parameters of beaded rings: one ring of 2 to 12 beads, or two rings of 3 to 6 and 5 to 14 beads."""
    rings = integer(rng, 1, 2)
    beads = (integer(rng, 2, 12),) if rings == 1 else (integer(rng, 3, 6), integer(rng, 5, 14))
    room = 0.8 if rings == 1 else 0.3
    widths = (rng.uniform(0.92, 1.08), rng.uniform(0.92, 1.08))
    p: dict[str, float] = {"n": float(rings)}
    p |= forms(rng.uniform(0, np.pi), (rng.uniform(-room, room), rng.uniform(-room, room)), widths)
    p["skew"] = uniform(rng, 0.02, 0.07, 3)
    for i, (radius, count) in enumerate(zip(_RADII[rings], beads, strict=True), start=1):
        p |= {
            f"a{i}": uniform(rng, 0.75, 1.0),
            f"r{i}": rounded(radius * rng.uniform(0.94, 1.03), 2),
            f"w{i}": uniform(rng, 0.42, 0.56) if rings == 2 else uniform(rng, 0.45, 0.8),
            f"b{i}": float(count),
            f"d{i}": uniform(rng, 0.55, 0.8),
            f"f{i}": uniform(rng, 0, 2 * np.pi),
        }
    return p


def _rings(x: Array, y: Array, p: Parameters) -> Array:
    u, v = form("u", x, y, p), form("v", x, y, p)
    r, angle = np.sqrt(u * u + v * v), np.arctan2(v, u)
    z = np.zeros_like(r)
    for i in range(1, int(p["n"]) + 1):
        ring = p[f"a{i}"] * np.exp(-(((r - p[f"r{i}"]) / p[f"w{i}"]) ** 2))
        z += ring * (1 + p[f"d{i}"] * cos(p[f"b{i}"] * angle + p[f"f{i}"]))
    return (1 + p["skew"] * u) * z


def _print_rings(p: Parameters) -> str:
    u, v = form_expression("u", p), form_expression("v", p)
    rings = total(*(_print_ring(i, u, v, p) for i in range(1, int(p["n"]) + 1)))
    return f"(1 + {number(p['skew'])}*{u})*({rings})"


def _print_ring(i: int, u: str, v: str, p: Parameters) -> str:
    profile = f"exp(-((sqrt({u}**2 + {v}**2) - {number(p[f'r{i}'])})/{number(p[f'w{i}'])})**2)"
    wave = f"cos({number(p[f'b{i}'])}*atan2({v}, {u}) + {number(p[f'f{i}'])})"
    return f"{scaled(p[f'a{i}'], profile)}*(1 + {number(p[f'd{i}'])}*{wave})"


def _around_rings(p: Parameters) -> Domain:
    """Return the bounding box of beaded rings: of the outer ring, out to a twentieth of its height."""
    outer = int(p["n"])
    return spanned(p, p[f"r{outer}"] + BELL * p[f"w{outer}"])


def _draw_lobes(rng: np.random.Generator) -> Parameters:
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


def _lobes(x: Array, y: Array, p: Parameters) -> Array:
    u, v = form("u", x, y, p), form("v", x, y, p)
    t = u * u + v * v
    base = t * np.exp(1 - t)
    height = (1 + p["skew"] * u) * cos(p["n"] * np.arctan2(v, u) + p["phase"])
    for _ in range(int(p["q"])):
        height *= base  # products: np.power with an integer exponent is some thirty times slower
    return height


def _print_lobes(p: Parameters) -> str:
    u, v = form_expression("u", p), form_expression("v", p)
    t = f"({u}**2 + {v}**2)"
    angle = total(scaled(p["n"], f"atan2({v}, {u})"), number(p["phase"]))
    return f"({t}*exp(1 - {t}))**{number(p['q'])}*(1 + {number(p['skew'])}*{u})*cos({angle})"


def _around_lobes(p: Parameters) -> Domain:
    """Return the bounding box of contained lobes: of the ellipse on which their envelope is a twentieth of its
    maximum.
    """
    return spanned(p, 1 + 1.37 / p["q"] ** 0.5)


def _draw_spiral(rng: np.random.Generator) -> Parameters:
    p = {"n": float(integer(rng, 1, 3)), "x0": signed(rng, 0.3, 1.2), "y0": signed(rng, 0.3, 1.2)}
    return p | {"k": signed(rng, 1.0, 2.2), "phase": uniform(rng, 0.01, 6.28), "w": uniform(rng, 2.2, 3.0)}


def _spiral(x: Array, y: Array, p: Parameters) -> Array:
    dx, dy = x - p["x0"], y - p["y0"]
    r2 = dx**2 + dy**2
    t = r2 / p["w"] ** 2
    return t * np.exp(1 - t) * cos(p["n"] * np.arctan2(dy, dx) + p["k"] * np.sqrt(r2) + p["phase"])


def _print_spiral(p: Parameters) -> str:
    dx, dy = shifted("x", p["x0"]), shifted("y", p["y0"])
    r2 = f"({dx}**2 + {dy}**2)"
    t = f"{r2}/{number(p['w'])}**2"
    angle = total(scaled(p["n"], f"atan2({dy}, {dx})"), scaled(p["k"], f"sqrt{r2}"), number(p["phase"]))
    return f"{t}*exp(1 - {t})*cos({angle})"


_BEADS: Countable = {"maxima": (2, 20)}, _around_rings
_LOBES: Countable = dict.fromkeys(FEATURES, (1, 15)), _around_lobes

BEADED_RINGS = Family("Beaded Rings", 5, 5.0, _draw_rings, _rings, _print_rings, *_BEADS)
INVERTED_BEADED_RINGS = upside_down(BEADED_RINGS, "Inverted Beaded Rings")
CONTAINED_SYMMETRIC_LOBES = Family(
    "Contained Symmetric Lobes", 5, 5.0, _draw_lobes, _lobes, _print_lobes, *_LOBES, floor=0.0
)
SPIRALING_SURFACE = Family("Spiraling Surface", 5, 5.0, _draw_spiral, _spiral, _print_spiral)
