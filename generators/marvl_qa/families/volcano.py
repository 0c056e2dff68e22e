"""Volcano: a broad mountain less a crater that sits beside its axis, so that the rim is highest on one side."""

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import rounded, signed, uniform
from planimeter.generators.marvl_qa.families._frame import Array, square
from planimeter.generators.marvl_qa.families._printing import bell, scaled, total
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS


def _draw(rng: np.random.Generator) -> Parameters:
    x1, y1 = signed(rng, 0.3, 1.6), signed(rng, 0.3, 1.6)
    return {
        "x1": x1,
        "y1": y1,
        "u1": uniform(rng, 1.7, 2.8),
        "v1": uniform(rng, 1.7, 2.8),
        "x2": rounded(x1 + signed(rng, 0.08, 0.3), 2),
        "y2": rounded(y1 + signed(rng, 0.08, 0.3), 2),
        "u2": uniform(rng, 0.8, 1.3),
        "v2": uniform(rng, 0.8, 1.3),
        "a": uniform(rng, 0.7, 1.0),
    }


def _height(x: Array, y: Array, p: Parameters) -> Array:
    return _bell(x, y, p, 1) - p["a"] * _bell(x, y, p, 2)


def _bell(x: Array, y: Array, p: Parameters, i: int) -> Array:
    return np.exp(-(((x - p[f"x{i}"]) / p[f"u{i}"]) ** 2)) * np.exp(-(((y - p[f"y{i}"]) / p[f"v{i}"]) ** 2))


def _expression(p: Parameters) -> str:
    mountain, crater = (
        f"exp({total(bell('x', p[f'x{i}'], p[f'u{i}']), bell('y', p[f'y{i}'], p[f'v{i}']))})" for i in (1, 2)
    )
    return total(mountain, scaled(-p["a"], crater))


FAMILY = Family(
    name="volcano",
    title="Volcano",
    tier=4,
    draw=_draw,
    height=_height,
    expression=_expression,
    domain=square(5.0),
    transformations=TRANSFORMATIONS,
)
