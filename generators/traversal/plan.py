"""Split the quotas of a recipe over the cells of the grid and of reading order.

A cell of the grid has two quotas: paths that also have rows with spurs (``paired``), and paths that have not
(``single``). So when a path is dropped as a near-duplicate, its rows with spurs are dropped with it, and both are
replaced.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from planimeter.generators.quotas import spread
from planimeter.generators.traversal.cells import Cell
from planimeter.items import REGIMES, Regime

PAIRED, SINGLE = "paired", "single"


def grid_quotas(cells: Sequence[Cell], items: int, sources: int, scale: float) -> Iterator[tuple[Cell, str, int]]:
    """Yield (cell, kind, quota) in the order of ``cells``; each has ``items`` paths, ``sources`` of them with spurs."""
    paired = spread(sources * scale, len(cells))
    # In a small build, with less than one row per cell, the two kinds are in different cells.
    single = spread((items - sources) * scale, len(cells), len(cells) // 2)
    for cell, with_spurs, without in zip(cells, paired, single, strict=True):
        yield cell, PAIRED, with_spurs
        yield cell, SINGLE, without


def lane_quotas(
    lanes: Sequence[int], points: Sequence[int], items: int, scale: float
) -> Iterator[tuple[tuple[Regime, int, int], int]]:
    """Yield ((regime, lanes, points), quota) for each combination; ``items`` is the mean quota at scale 1."""
    groups = list(product(REGIMES, lanes, points))
    yield from zip(groups, spread(items * scale, len(groups)), strict=True)
