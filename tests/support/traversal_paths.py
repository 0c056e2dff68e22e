"""Paths for tests: whole cells, lanes and spurs at once, without the flow that judges them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from planimeter.generators import seeding
from planimeter.generators.traversal.cells import Cell
from planimeter.generators.traversal.confounders import SpurLimits, confound
from planimeter.generators.traversal.limits import Limits
from planimeter.generators.traversal.reading_order import ReadingOrderConfig, lane_candidates
from planimeter.generators.traversal.search import CellSearch, SearchConfig
from planimeter.items import ConfoundedItem, ReadingOrderItem, Regime, TraversalItem


@dataclass(frozen=True, kw_only=True, slots=True)
class CellResult:
    """``items`` in the order of their index; ``shortfall`` is how many of the quota are missing.

    ``seen`` counts candidates, ``rejected`` by reason; ``steps`` is the work done.
    """

    cell: Cell
    items: tuple[TraversalItem, ...]
    shortfall: int
    seen: int
    rejected: Mapping[str, int] = field(default_factory=dict)
    steps: int = 0


def generate_cell(cell: Cell, quota: int, root: int, config: SearchConfig, suite: str = "traversal") -> CellResult:
    """Return ``quota`` paths of ``cell``, each a function of (config, address ``(suite, n, t, s, index)``).

    Raises:
        ValueError: for a cell that contradicts itself or the limits.
    """
    search = CellSearch(cell, config)
    items: list[TraversalItem] = []
    rejected: dict[str, int] = {}
    seen = 0
    for index in range(quota):
        address = (suite, cell.n_points, cell.tortuosity_bin, cell.crossing_bin, index)
        for candidate in search.candidates(seeding.item_seed(root, address)):
            seen += 1
            if candidate.item is None:
                rejected[candidate.family] = rejected.get(candidate.family, 0) + 1
            else:
                items.append(candidate.item)
    return CellResult(
        cell=cell,
        items=tuple(items),
        shortfall=quota - len(items),
        seen=seen,
        rejected=dict(sorted(rejected.items())),
        steps=search.steps,
    )


def generate_lanes(
    regime: Regime, lanes: int, n_points: int, root: int, config: ReadingOrderConfig, suite: str = "traversal"
) -> tuple[ReadingOrderItem, ...]:
    """Return the rows of one combination; fewer than ``config.quota`` are a shortfall to be reported.

    Each is a function of (config, address ``(suite, "reading_order", regime, lanes, n_points, index)``).
    """
    items: list[ReadingOrderItem] = []
    for index in range(config.quota):
        seed = seeding.item_seed(root, (suite, "reading_order", regime, lanes, n_points, index))
        found = (candidate.item for candidate in lane_candidates(seed, regime, lanes, n_points, config))
        items += [item for item in found if item is not None]
    return tuple(items)


def confound_cell(
    sources: Sequence[TraversalItem], quota: int, spurs: SpurLimits, limits: Limits
) -> tuple[ConfoundedItem, ...]:
    """Return the paired rows of the first ``quota`` sources of a cell with room for spurs, ``low`` before ``high``.

    Fewer than ``2 * quota`` rows are a shortfall to be reported.
    """
    rows: list[ConfoundedItem] = []
    for source in sources:
        if len(rows) == 2 * quota:
            break
        rows.extend(confound(source, spurs, limits) or ())
    return tuple(rows)
