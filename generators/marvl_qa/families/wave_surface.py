"""Wave Surface: the sum of a wave in x and a wave in y.

The window cuts an endless pattern, and what it cuts must not look like an extremum on the border. So one feature is
kept whole in each draw: with crests, the surface falls towards all four edges (an edge lies between a crest and the
next trough); with troughs, it rises. The other feature is then cut, and a question about it is rejected.
"""

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import integer, rounded, uniform
from planimeter.generators.marvl_qa.families._frame import Array, square
from planimeter.generators.marvl_qa.families._printing import number, scaled, shifted, total
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS

HALF_WIDTH = 6.0


def _draw(rng: np.random.Generator) -> Parameters:
    sign = 1 if rng.random() < 0.5 else -1
    counts = [integer(rng, 1, 5), integer(rng, 1, 4)]
    if rng.random() < 0.5:
        counts.reverse()
    p: dict[str, float] = {}
    for axis, count in zip("xy", counts, strict=True):
        # A lone crest with a short margin would be a ridge without end: its period is many windows long.
        before, after = rng.uniform(0.36 if count == 1 else 0.18, 0.46, 2)
        period = 2 * HALF_WIDTH / (count - 1 + before + after)
        crest = -HALF_WIDTH + period * (before + count // 2)
        p[f"a{axis}"] = sign * uniform(rng, 0.6, 1.4)
        p[f"k{axis}"] = rounded(2 * np.pi / period, 3)
        p[f"{axis}0"] = rounded(crest, 2)
    return p


def _height(x: Array, y: Array, p: Parameters) -> Array:
    return p["ax"] * np.cos(p["kx"] * (x - p["x0"])) + p["ay"] * np.cos(p["ky"] * (y - p["y0"]))


def _expression(p: Parameters) -> str:
    return total(*(scaled(p[f"a{v}"], f"cos({number(p[f'k{v}'])}*{shifted(v, p[f'{v}0'])})") for v in "xy"))


FAMILY = Family(
    name="wave_surface",
    title="Wave Surface",
    tier=2,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(HALF_WIDTH),
    counts={"maxima": (1, 20), "minima": (1, 20)},
    transformations=TRANSFORMATIONS,
    smooth=True,
)
