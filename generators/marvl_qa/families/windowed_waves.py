"""Windowed Waves: the product of two standing waves inside a smooth window of compact support.

The window vanishes where the waves do, so that it holds whole lobes only: a Gaussian window would leave a fringe of
lobes too faint to count. A skew across the window makes one side of the pattern stronger than the other.
"""

import numpy as np

from planimeter.generators.marvl_qa.families import _waves
from planimeter.generators.marvl_qa.families._drawing import integer, rounded, signed
from planimeter.generators.marvl_qa.families._frame import Array, form, form_expression, forms, spanned, square
from planimeter.generators.marvl_qa.families._printing import number, scaled, total
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS, Domain

HALF_WIDTH = 5.0


def _draw(rng: np.random.Generator) -> Parameters:
    lobes_u, lobes_v = integer(rng, 1, 6), integer(rng, 2, 6)
    if rng.random() < 0.5:
        lobes_u, lobes_v = lobes_v, lobes_u
    angle = float(rng.uniform(-0.7, 0.7))
    reach = 4.85 / (np.cos(angle) + abs(np.sin(angle)))
    widths = (reach * rng.uniform(0.85, 1.0), reach * rng.uniform(0.85, 1.0))
    room = (4.85 - max(widths) * reach**-1 * 4.85) * 0.9
    centre = (rng.uniform(-room, room), rng.uniform(-room, room))
    return forms(angle, centre, widths) | {
        "ku": rounded(lobes_u * np.pi / 2, 4),
        "kv": rounded(lobes_v * np.pi / 2, 4),
        "pu": rounded((1 - lobes_u % 2) * np.pi / 2, 4),
        "pv": rounded((1 - lobes_v % 2) * np.pi / 2, 4),
        "power": 4.0 if max(lobes_u, lobes_v) < 4 else 6.0,
        "skew": signed(rng, 0.1, 0.3),
        "sign": 1.0 if rng.random() < 0.5 else -1.0,
    }


def _height(x: Array, y: Array, p: Parameters) -> Array:
    u, v = form("u", x, y, p), form("v", x, y, p)
    skew = p["sign"] + p["sign"] * p["skew"] * (u + v)
    return skew * _window(u, p) * _window(v, p) * _waves.cos(p["ku"] * u - p["pu"]) * _waves.cos(p["kv"] * v - p["pv"])


def _outline(p: Parameters) -> Domain:
    return spanned(p, 1.0, corners=True)


def _window(w: Array, p: Parameters) -> Array:
    square_ = w * w  # products: np.power with an integer exponent is some thirty times slower
    return np.maximum(0, 1 - square_ * square_ * (square_ if p["power"] == 6 else 1))


def _expression(p: Parameters) -> str:
    u, v = form_expression("u", p), form_expression("v", p)
    windows = "*".join(f"Max(0, 1 - {w}**{number(p['power'])})" for w in (u, v))
    waves = "*".join(_wave(name, w, p) for name, w in (("u", u), ("v", v)))
    skew = f"({total('1', scaled(p['skew'], f'({u} + {v})'))})"
    return scaled(p["sign"], f"{skew}*{windows}*{waves}")


def _wave(name: str, form_: str, p: Parameters) -> str:
    phase = p[f"p{name}"]
    return f"cos({total(number(p[f'k{name}']) + '*' + form_, *([number(-phase)] if phase else []))})"


FAMILY = Family(
    name="windowed_waves",
    title="Windowed Waves",
    tier=4,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(HALF_WIDTH),
    counts={"maxima": (1, 18), "minima": (1, 18)},
    transformations=TRANSFORMATIONS,
    smooth=True,
    outline=_outline,
)
