"""Labyrinths: long winding corridors in which inside and outside look alike (CurveBench, section 3).

Boundary length is rewarded instead of charged: every curve folds until no cell is left to fold into.
"""

import numpy as np

from planimeter.generators.curves.config import CurvesConfig
from planimeter.generators.curves.grown import Growth, grow_curves
from planimeter.generators.curves.growth import Energy
from planimeter.generators.curves.outlines import Curve
from planimeter.generators.curves.style import Style
from planimeter.generators.curves.trees import Parents


def lay_out(parents: Parents, config: CurvesConfig, rng: np.random.Generator) -> list[Curve]:
    """Return convoluted curves; raises LayoutError."""
    square = bool(rng.random() < 0.35)
    noise = rng.uniform(0.8, 2.6)
    growth = Growth(
        cells=int(rng.integers(60, 104)),
        planted=bool(rng.random() < 0.85),
        squareness=rng.uniform(2.0, 6.0),
        aspect=rng.uniform(0.75, 1.0),
        bays=rng.uniform(0.0, 0.3),
        cover=rng.uniform(0.45, 0.6),
        spread=0.4,
        leaf_cells=10,
        fill=rng.uniform(0.85, 1.0),
        waves=rng.uniform(1.5, 3.0),
        energy=Energy(tension=0.3, pressure=20.0, relief=0.5, noise=1.5, sweeps=15.0),
        fold=Energy(tension=-1.0, pressure=20.0, relief=rng.uniform(0.0, 0.8), noise=noise, sweeps=250.0),
        sigma=0.4 if square else rng.uniform(0.8, 1.4),
        bend=0.0 if square else rng.uniform(0.0, 0.2),
        turn=not square,
    )
    return grow_curves(parents, growth, config, rng)


STYLE = Style(
    name="maze",
    title="Maze",
    lay_out=lay_out,
    defaults=CurvesConfig(nodes=(4, 14), depth=(3, 8), tree_shape="deep"),
)
