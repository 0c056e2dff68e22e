"""Damped Oscillator: a wave that starts strong on one side and dies away across the window, held in a Gaussian lane."""

import numpy as np

from planimeter.generators.marvl_qa.families import _waves
from planimeter.generators.marvl_qa.families._drawing import rounded, uniform
from planimeter.generators.marvl_qa.families._frame import Array, form, form_expression, square
from planimeter.generators.marvl_qa.families._printing import number, scaled, total
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS


def _draw(rng: np.random.Generator) -> Parameters:
    angle, start, aside = rng.uniform(0, 2 * np.pi), rng.uniform(3, 4.5), rng.uniform(-1.2, 1.2)
    width = rng.uniform(2.0, 3.4)
    return {
        "ux": rounded(np.cos(angle), 3),
        "uy": rounded(np.sin(angle), 3),
        "uc": rounded(start, 3),
        "vx": rounded(-np.sin(angle) / width, 3),
        "vy": rounded(np.cos(angle) / width, 3),
        "vc": rounded(aside / width, 3),
        "d": uniform(rng, 0.12, 0.28),
        "k": uniform(rng, 1.6, 3),
        "phase": uniform(rng, -1.5, 1.5),
    }


def _height(x: Array, y: Array, p: Parameters) -> Array:
    u, v = form("u", x, y, p), form("v", x, y, p)
    return np.exp(-p["d"] * u - v**2) * _waves.cos(p["k"] * u + p["phase"])


def _expression(p: Parameters) -> str:
    u, v = form_expression("u", p), form_expression("v", p)
    envelope = f"exp(-{number(p['d'])}*{u} - {v}**2)"
    phase = [number(p["phase"])] if p["phase"] else []
    return f"{envelope}*cos({total(scaled(p['k'], u), *phase)})"


FAMILY = Family(
    name="damped_oscillator",
    title="Damped Oscillator",
    tier=2,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(5.0),
    transformations=TRANSFORMATIONS,
)
