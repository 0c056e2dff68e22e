"""Splits the recipe's quotas over the cells of the grid and of reading order.

A cell of the grid has two quotas, of paths that carry spurs too (``paired``) and of paths that do not (``single``), so
that a source whose path is dropped as a near-duplicate is dropped and refilled together with its confounded rows.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from planimeter.generators.quotas import spread
from planimeter.generators.traversal.cells import Cell
from planimeter.items import REGIMES, Regime

PAIRED, SINGLE = "paired", "single"


def grid_quotas(cells: Sequence[Cell], items: int, sources: int, scale: float) -> Iterator[tuple[Cell, str, int]]:
    """Yield (cell, kind, quota) in the order of ``cells``: each has ``items`` paths, ``sources`` of them with spurs."""
    paired = spread(sources * scale, len(cells))
    # In a small build the two are in different cells.
    single = spread((items - sources) * scale, len(cells), len(cells) // 2)
    for cell, with_spurs, without in zip(cells, paired, single, strict=True):
        yield cell, PAIRED, with_spurs
        yield cell, SINGLE, without


def lane_quotas(
    lanes: Sequence[int], points: Sequence[int], items: int, scale: float
) -> Iterator[tuple[tuple[Regime, int, int], int]]:
    """Yield ((regime, lanes, points), quota) for each combination; each has ``items`` paths."""
    groups = list(product(REGIMES, lanes, points))
    yield from zip(groups, spread(items * scale, len(groups)), strict=True)
