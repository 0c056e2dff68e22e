"""Paths for tests: whole cells, lanes and spurs at once, without the flow that judges them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from planimeter.generators import seeding
from planimeter.generators.traversal.cells import Cell
from planimeter.generators.traversal.confounders import SpurLimits, confound
from planimeter.generators.traversal.limits import Limits
from planimeter.generators.traversal.reading_order import ReadingOrderConfig, lane_candidates
from planimeter.generators.traversal.search import CellSearch, SearchConfig
from planimeter.items import ConfoundedItem, ReadingOrderItem, Regime, TraversalItem


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


def generate_lanes(
    regime: Regime, lanes: int, n_points: int, root: int, config: ReadingOrderConfig
) -> list[ReadingOrderItem]:
    """Return the rows of one combination; fewer than ``config.quota`` are a shortfall."""
    addresses = (("traversal", "reading_order", regime, lanes, n_points, index) for index in range(config.quota))
    seeds = (seeding.item_seed(root, address) for address in addresses)
    candidates = (c for seed in seeds for c in lane_candidates(seed, regime, lanes, n_points, config))
    return [candidate.item for candidate in candidates if candidate.item is not None]


def confound_cell(
    sources: Sequence[TraversalItem], quota: int, spurs: SpurLimits, limits: Limits
) -> list[ConfoundedItem]:
    """Return the paired rows of the first ``quota`` sources with room for spurs, ``low`` before ``high``."""
    pairs = (confound(source, spurs, limits) for source in sources)
    return [row for pair in pairs for row in pair or ()][: 2 * quota]
