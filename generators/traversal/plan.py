"""Divide the paths of a recipe among the cells of the grid (``cells``), and paths in reading order among the numbers of
lanes and points.

A cell of the grid has two quotas: paths that also have rows with spurs (``paired``), and paths without such rows
(``single``). If a path is rejected as a near-duplicate, its rows with spurs are rejected with it, and another path of
the same kind replaces it.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from planimeter.generators.quotas import spread
from planimeter.generators.traversal.cells import Cell
from planimeter.items import REGIMES, Regime

PAIRED, SINGLE = "paired", "single"


def grid_quotas(cells: Sequence[Cell], items: int, sources: int, scale: float) -> Iterator[tuple[Cell, str, int]]:
    """Yield (cell, kind, number of paths) for each cell and both kinds: ``PAIRED`` (also with spurs) and ``SINGLE``.

    ``items``: paths of both kinds per cell; ``sources``: paired paths per cell. Both are multiplied by ``scale`` and
    spread over cells as whole numbers, so that quotas may differ by 1.
    """
    paired = spread(sources * scale, len(cells))
    # In a small build, with less than one row per cell, the two kinds are in different cells.
    single = spread((items - sources) * scale, len(cells), len(cells) // 2)
    for cell, with_spurs, without in zip(cells, paired, single, strict=True):
        yield cell, PAIRED, with_spurs
        yield cell, SINGLE, without


def lane_quotas(
    lanes: Sequence[int], points: Sequence[int], items: int, scale: float
) -> Iterator[tuple[tuple[Regime, int, int], int]]:
    """Yield ((regime, lanes, points), number of paths) for each combination; a regime is a direction of reading.

    ``items``: the mean number of paths at scale 1.
    """
    groups = list(product(REGIMES, lanes, points))
    yield from zip(groups, spread(items * scale, len(groups)), strict=True)
