"""Gabor Function: a wave along one direction under a Gaussian that is long along the wave and narrow across it.

An unbounded Gabor function has ever fainter lobes without end. Here the window ends them: the wave runs nearly along
one axis from edge to edge and, as in ``wave_surface``, meets both edges on the way from an asked extremum to the next
one of the other kind; the envelope is wide enough that the outermost lobe still stands out.
"""

import numpy as np

from planimeter.generators.marvl_qa.families import _waves
from planimeter.generators.marvl_qa.families._drawing import integer, rounded, uniform
from planimeter.generators.marvl_qa.families._frame import Array, square
from planimeter.generators.marvl_qa.families._printing import bell, linear, scaled
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS

HALF_WIDTH = 4.0


def _draw(rng: np.random.Generator) -> Parameters:
    count = integer(rng, 1, 8)
    before, after = rng.uniform(0.2, 0.44, 2)
    period = 2 * HALF_WIDTH / (count - 1 + before + after)
    k = 2 * np.pi / period
    across = rng.uniform(-1.0, 1.0)
    along, width = ("x", "y") if rng.random() < 0.5 else ("y", "x")
    crest = -HALF_WIDTH + period * (before + count // 2)
    slant = rng.uniform(-0.8, 0.8) / HALF_WIDTH
    return {
        "a": 1.0 if rng.random() < 0.5 else -1.0,
        f"k{along}": rounded(k, 3),
        f"k{width}": rounded(slant, 3),
        "phase": rounded(-k * crest - slant * across, 3),
        f"{along}0": uniform(rng, -0.5, 0.5),
        f"w{along}": uniform(rng, 3.6, 5.0),
        f"{width}0": rounded(across, 2),
        f"w{width}": uniform(rng, 1.0, 1.7),
    }


def _height(x: Array, y: Array, p: Parameters) -> Array:
    envelope = p["a"] * np.exp(-(((x - p["x0"]) / p["wx"]) ** 2)) * np.exp(-(((y - p["y0"]) / p["wy"]) ** 2))
    return envelope * _waves.cos((p["kx"] * x + p["phase"]) + p["ky"] * y)


def _expression(p: Parameters) -> str:
    wave = f"cos({linear(p['kx'], p['ky'], p['phase'])})"
    exponent = f"{bell('x', p['x0'], p['wx'])} - {bell('y', p['y0'], p['wy'])[1:]}"
    return scaled(p["a"], f"exp({exponent})*{wave}")


FAMILY = Family(
    name="gabor_function",
    title="Gabor Function",
    tier=2,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(HALF_WIDTH),
    counts={"maxima": (1, 8), "minima": (1, 8)},
    transformations=TRANSFORMATIONS,
    smooth=True,
)
