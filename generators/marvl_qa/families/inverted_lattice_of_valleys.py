"""Inverted Lattice of Valleys: a lattice of Gaussians turned upside down; each crossing of two teeth is a valley."""

from planimeter.generators.marvl_qa.families import _lattice
from planimeter.generators.marvl_qa.families._frame import Array, square
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS


def _height(x: Array, y: Array, p: Parameters) -> Array:
    return -_lattice.comb(x, "x", p) * _lattice.comb(y, "y", p)


def _expression(p: Parameters) -> str:
    return f"-{_lattice.expression(p)}"


FAMILY = Family(
    name="inverted_lattice_of_valleys",
    title="Inverted Lattice of Valleys",
    tier=4,
    draw=_lattice.draw,
    height=_height,
    expression=_expression,
    domain=square(_lattice.HALF_WIDTH),
    counts={"minima": (1, 20)},
    transformations=TRANSFORMATIONS,
    smooth=True,
    outline=_lattice.outline,
)
