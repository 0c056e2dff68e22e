"""Gaussian Mixture: 1 to 20 bumps of unequal height and width, scattered over the window."""

import numpy as np

from planimeter.generators.marvl_qa.families import _mixture
from planimeter.generators.marvl_qa.families._drawing import integer
from planimeter.generators.marvl_qa.families._frame import square
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS


def _draw(rng: np.random.Generator) -> Parameters:
    return _mixture.draw(rng, integer(rng, 1, 20))


FAMILY = Family(
    name="gaussian_mixture",
    title="Gaussian Mixture",
    tier=4,
    draw=_draw,
    height=_mixture.height,
    expression=_mixture.expression,
    domain=square(_mixture.HALF_WIDTH),
    counts={"maxima": (1, 20)},
    transformations=TRANSFORMATIONS,
    smooth=True,
    outline=_mixture.outline,
)
