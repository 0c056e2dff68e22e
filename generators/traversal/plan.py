"""Divide the paths of a recipe among cells (points, tortuosity, number of crossings), and paths in reading order among
numbers of lanes (along which a path runs as along lines of text) and points.

A cell has two quotas: paths that also have rows with gray spurs (``paired``), and paths without such rows (``single``).
If a path is rejected as a near-duplicate, its rows with spurs are rejected, too, and another path replaces it.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from planimeter.generators.quotas import spread
from planimeter.generators.traversal.cells import Cell
from planimeter.items import REGIMES, Regime

PAIRED, SINGLE = "paired", "single"


def grid_quotas(cells: Sequence[Cell], items: int, sources: int, scale: float) -> Iterator[tuple[Cell, str, int]]:
    """Yield (cell, kind, number of paths) for each cell and kind: ``PAIRED`` (has rows with spurs, too) or ``SINGLE``.

    ``items``: the mean number of paths in a cell, ``sources`` of them paired, each before multiplication by ``scale``.
    Cells get whole numbers, which may differ by 1.
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

    ``lanes``: numbers of lanes, each like a line of text; ``items``: the mean number of paths at scale 1.
    """
    groups = list(product(REGIMES, lanes, points))
    yield from zip(groups, spread(items * scale, len(groups)), strict=True)
