"""Paths of whole cells at once, without the flow that judges them."""

from collections import Counter
from typing import NamedTuple

from planimeter.generators import seeding
from planimeter.generators.traversal.cells import Cell
from planimeter.generators.traversal.search import CellSearch, SearchConfig
from planimeter.items import TraversalItem


class CellResult(NamedTuple):
    """Items in the order of their index, and how many candidates of each family were rejected."""

    items: tuple[TraversalItem, ...]
    rejected: Counter[str]


def generate_cell(cell: Cell, quota: int, root: int, config: SearchConfig) -> CellResult:
    """Return the paths of ``cell`` with the first ``quota`` indices; fewer are a shortfall."""
    place = ("traversal", cell.n_points, cell.tortuosity_bin, cell.crossing_bin)
    seeds = (seeding.item_seed(root, (*place, index)) for index in range(quota))
    proposed = [candidate for seed in seeds for candidate in CellSearch(cell, config).candidates(seed)]
    rejected = Counter(candidate.family for candidate in proposed if candidate.item is None)
    return CellResult(tuple(candidate.item for candidate in proposed if candidate.item is not None), rejected)
