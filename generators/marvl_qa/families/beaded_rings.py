"""Beaded Rings: one or two rings around a centre, each a chain of bumps."""

from planimeter.generators.marvl_qa.families import _rings
from planimeter.generators.marvl_qa.families._frame import square
from planimeter.generators.marvl_qa.family import Family
from planimeter.items import TRANSFORMATIONS

FAMILY = Family(
    name="beaded_rings",
    title="Beaded Rings",
    tier=5,
    draw=_rings.draw,
    height=_rings.height,
    expression=_rings.expression,
    domain=square(_rings.HALF_WIDTH),
    counts={"maxima": (2, 20)},
    transformations=TRANSFORMATIONS,
    smooth=True,
    outline=_rings.outline,
)
