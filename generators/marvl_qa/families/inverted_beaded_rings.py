"""Inverted Beaded Rings: one or two rings around a centre, each a chain of hollows."""

from planimeter.generators.marvl_qa.families import _rings
from planimeter.generators.marvl_qa.families._frame import Array, square
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS


def _height(x: Array, y: Array, p: Parameters) -> Array:
    return -_rings.height(x, y, p)


def _expression(p: Parameters) -> str:
    return f"-{_rings.expression(p)}"


FAMILY = Family(
    name="inverted_beaded_rings",
    title="Inverted Beaded Rings",
    tier=5,
    draw=_rings.draw,
    height=_height,
    expression=_expression,
    domain=square(_rings.HALF_WIDTH),
    counts={"minima": (2, 20)},
    transformations=TRANSFORMATIONS,
    smooth=True,
    outline=_rings.outline,
)
