"""Contour maps: the level sets of a random island, with summits, saddles and hollows (CurveBench, section 3).

The tree comes from the terrain. Where a recipe asks for one tree, contours are grown around it instead.
"""

import numpy as np

from planimeter.generators.curves.config import CurvesConfig, LayoutError
from planimeter.generators.curves.grown import Growth, grow_curves
from planimeter.generators.curves.growth import Energy
from planimeter.generators.curves.outlines import Curve
from planimeter.generators.curves.style import Style
from planimeter.generators.curves.terrain import Relief, draw_terrain, level_curves
from planimeter.generators.curves.trees import Parents


def found(config: CurvesConfig, rng: np.random.Generator) -> list[Curve]:
    """Return the level curves of a random terrain; raises LayoutError."""
    relief = Relief(
        hills=int(rng.integers(5, 13)),
        hollow_share=rng.uniform(0.1, 0.4),
        roughness=rng.uniform(0.3, 0.9) * config.convolution,
    )
    curves = level_curves(draw_terrain(relief, rng), config.canvas_px, config.gap_px, 700.0, 3)
    if not curves:
        raise LayoutError("terrain too steep for three levels")
    return curves


def lay_out(parents: Parents, config: CurvesConfig, rng: np.random.Generator) -> list[Curve]:
    """Return curves like contours around the given tree; raises LayoutError."""
    growth = Growth(
        cells=int(rng.integers(64, 84)),
        squareness=2.4,
        cover=rng.uniform(0.6, 0.75),
        spread=0.4,
        waves=rng.uniform(2.0, 3.0),
        energy=Energy(tension=1.0, pressure=15.0, relief=1.2, noise=2.5, sweeps=50.0),
        sigma=3.0,
        bend=0.4,
    )
    return grow_curves(parents, growth, config, rng)


STYLE = Style(
    name="topographical",
    title="Topographical",
    lay_out=lay_out,
    defaults=CurvesConfig(nodes=(6, 30), depth=(3, 30), gap_px=11.0),
    found=found,
)
