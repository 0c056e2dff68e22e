"""A few smooth blobs as a hand would draw them: lobes, bays, waists, never a circle (CurveBench, section 3)."""

import numpy as np

from planimeter.generators.curves.config import CurvesConfig
from planimeter.generators.curves.grown import Growth, grow_curves
from planimeter.generators.curves.growth import Energy
from planimeter.generators.curves.outlines import Curve
from planimeter.generators.curves.style import Style
from planimeter.generators.curves.trees import Parents


def lay_out(parents: Parents, config: CurvesConfig, rng: np.random.Generator) -> list[Curve]:
    """Return smooth blobs; raises LayoutError."""
    relief, cover, spread = rng.uniform(2.0, 4.5) * config.convolution, rng.uniform(0.4, 0.65), rng.uniform(0.3, 0.8)
    growth = Growth(
        cells=int(rng.integers(40, 60)),
        planted=bool(rng.random() < 0.75),
        squareness=rng.uniform(2.2, 4.0),
        aspect=rng.uniform(0.65, 1.0),
        cover=cover,
        spread=spread,
        leaf_cells=6,
        fill=rng.uniform(0.4, 0.8),
        waves=rng.uniform(1.4, 2.6),
        energy=Energy(tension=0.7, pressure=20.0, relief=relief, noise=1.5, sweeps=70.0),
        sigma=2.8,
        bend=0.45,
    )
    return grow_curves(parents, growth, config, rng)


STYLE = Style(name="easy", title="Easy", lay_out=lay_out, defaults=CurvesConfig(nodes=(1, 5), gap_px=12.0))
