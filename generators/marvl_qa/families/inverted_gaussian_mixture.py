"""Inverted Gaussian Mixture: 1 to 20 hollows of unequal depth and width, scattered over the window."""

import numpy as np

from planimeter.generators.marvl_qa.families import _mixture
from planimeter.generators.marvl_qa.families._drawing import integer, scattered
from planimeter.generators.marvl_qa.families._frame import square
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS


def _draw(rng: np.random.Generator) -> Parameters:
    count = integer(rng, 1, 20)
    return _mixture.terms(rng, scattered(rng, count, 4.2 if count > 4 else 3.0), [-1] * count)


FAMILY = Family(
    name="inverted_gaussian_mixture",
    title="Inverted Gaussian Mixture",
    tier=4,
    draw=_draw,
    height=_mixture.height,
    expression=_mixture.expression,
    domain=square(_mixture.HALF_WIDTH),
    counts={"minima": (1, 20)},
    transformations=TRANSFORMATIONS,
    smooth=True,
    outline=_mixture.outline,
)
