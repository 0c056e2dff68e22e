"""Training levels of nested curves: more curves, deeper nesting, smaller gaps and longer boundaries with each level
(CurveBench, section 7).

Two rules keep test rows out of training rows. First, the seed of a training row is derived from the config name
``curriculum``, so that it never has the random stream of a test row, even with the same root seed. Second, a row
similar to a test item of a published edition is rejected (``suites.editions``). (Seeds do not depend on the name of the
dataset; therefore each recipe has its own root seed.)
"""

from dataclasses import dataclass, replace

from planimeter.generators.curves.config import CurvesConfig, TreeShape
from planimeter.items import CurveCategory


@dataclass(frozen=True, kw_only=True, slots=True)
class Level:
    """The parameters of one training level; both ends of a range are included.

    ``weights``: the relative frequencies of the categories, of any sum; the other fields: see ``CurvesConfig``.
    """

    nodes: tuple[int, int]
    depth: tuple[int, int]
    gap_px: float
    convolution: float
    tree_shape: TreeShape
    weights: tuple[tuple[CurveCategory, float], ...]


LEVELS: tuple[Level, ...] = (
    Level(
        nodes=(1, 3), depth=(1, 2), gap_px=16.0, convolution=0.6, tree_shape="uniform",
        weights=(("easy", 1.0),),
    ),
    Level(
        nodes=(2, 5), depth=(1, 3), gap_px=14.0, convolution=0.8, tree_shape="uniform",
        weights=(("easy", 2.0), ("polygon", 1.0)),
    ),
    Level(
        nodes=(4, 8), depth=(2, 4), gap_px=12.0, convolution=1.0, tree_shape="uniform",
        weights=(("easy", 1.0), ("polygon", 1.0), ("topographical", 0.5)),
    ),
    Level(
        nodes=(6, 13), depth=(2, 6), gap_px=11.0, convolution=1.2, tree_shape="uniform",
        weights=(("easy", 1.0), ("polygon", 1.0), ("topographical", 1.0), ("maze", 0.3)),
    ),
    Level(
        nodes=(10, 20), depth=(3, 8), gap_px=9.5, convolution=1.3, tree_shape="uniform",
        weights=(("polygon", 1.0), ("topographical", 1.0), ("maze", 0.6), ("counting", 0.6)),
    ),
    Level(
        nodes=(15, 35), depth=(4, 10), gap_px=8.5, convolution=1.4, tree_shape="uniform",
        weights=(("polygon", 0.6), ("topographical", 0.6), ("maze", 0.8), ("counting", 1.0)),
    ),
    Level(
        nodes=(25, 60), depth=(5, 14), gap_px=8.0, convolution=1.5, tree_shape="uniform",
        weights=(("polygon", 0.4), ("maze", 1.0), ("counting", 1.0)),
    ),
    Level(
        nodes=(45, 100), depth=(6, 25), gap_px=7.5, convolution=1.6, tree_shape="uniform",
        weights=(("maze", 1.0), ("counting", 1.0)),
    ),
)  # fmt: skip


def level_config(level: Level, base: CurvesConfig | None = None) -> CurvesConfig:
    """Return the recipe of a training level; ``base`` gives the parameters that a level does not set (canvas, arcs).

    ``base``: by default, a ``CurvesConfig`` with default values.
    """
    # Trees are drawn, not found: a terrain rarely has the wanted number of curves.
    return replace(
        base or CurvesConfig(),
        nodes=level.nodes,
        depth=level.depth,
        gap_px=level.gap_px,
        convolution=level.convolution,
        tree_shape=level.tree_shape,
        stroke_px=(4.0, min(6.0, level.gap_px - 3.0)),
        tree_first=True,
    )
