"""Paths of whole cells at once, without the flow that judges them."""

from collections import Counter
from dataclasses import dataclass

from planimeter.generators import seeding
from planimeter.generators.traversal.cells import Cell
from planimeter.generators.traversal.search import CellSearch, SearchConfig
from planimeter.items import TraversalItem


@dataclass(frozen=True)
class CellResult:
    """Items in the order of their index, and how many candidates of each family were rejected."""

    items: tuple[TraversalItem, ...]
    rejected: Counter[str]


def generate_cell(cell: Cell, quota: int, root: int, config: SearchConfig) -> CellResult:
    """Return the paths of ``cell`` with the first ``quota`` indices; fewer are a shortfall."""
    search = CellSearch(cell, config)
    items: list[TraversalItem] = []
    rejected: Counter[str] = Counter()
    for index in range(quota):
        address = ("traversal", cell.n_points, cell.tortuosity_bin, cell.crossing_bin, index)
        for candidate in search.candidates(seeding.item_seed(root, address)):
            if candidate.item is None:
                rejected[candidate.family] += 1
            else:
                items.append(candidate.item)
    return CellResult(tuple(items), rejected)
