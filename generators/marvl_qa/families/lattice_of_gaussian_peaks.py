"""Lattice of Gaussian Peaks: the product of two combs of Gaussians; each crossing of two teeth is a peak."""

from planimeter.generators.marvl_qa.families import _lattice
from planimeter.generators.marvl_qa.families._frame import Array, square
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS


def _height(x: Array, y: Array, p: Parameters) -> Array:
    return _lattice.comb(x, "x", p) * _lattice.comb(y, "y", p)


FAMILY = Family(
    name="lattice_of_gaussian_peaks",
    title="Lattice of Gaussian Peaks",
    tier=4,
    draw=_lattice.draw,
    height=_height,
    expression=_lattice.expression,
    domain=square(_lattice.HALF_WIDTH),
    counts={"maxima": (1, 20)},
    transformations=TRANSFORMATIONS,
    smooth=True,
    outline=_lattice.outline,
)
