"""Crowds: fifteen to a hundred and more curves, packed like cells in a tissue (CurveBench, section 3)."""

import numpy as np

from planimeter.generators.curves.config import CurvesConfig
from planimeter.generators.curves.grown import Growth, grow_curves
from planimeter.generators.curves.growth import Energy
from planimeter.generators.curves.outlines import Curve
from planimeter.generators.curves.style import Style
from planimeter.generators.curves.trees import Parents


def lay_out(parents: Parents, config: CurvesConfig, rng: np.random.Generator) -> list[Curve]:
    """Return crowded blobs; raises LayoutError."""
    growth = Growth(
        cells=98,
        squareness=rng.uniform(2.2, 4.0),
        cover=rng.uniform(0.6, 0.72),
        spread=rng.uniform(0.5, 0.9),
        waves=rng.uniform(3.0, 5.0),
        energy=Energy(tension=0.8, pressure=20.0, relief=0.8 * config.convolution, noise=2.0, sweeps=36.0),
        sigma=2.0,
        bend=0.3,
    )
    return grow_curves(parents, growth, config, rng)


STYLE = Style(
    name="counting",
    title="Counting",
    lay_out=lay_out,
    defaults=CurvesConfig(nodes=(15, 110), depth=(2, 6), tree_shape="bushy", stroke_px=(4.0, 5.0), gap_px=7.5),
)
