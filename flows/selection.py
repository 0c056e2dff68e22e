"""Selects the published items: drops those that equal an earlier one, and says which quotas that leaves open."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from planimeter.filters.funnel import Funnel
from planimeter.flows.shards import Quota, Shard, ShardRecord, last_of_quotas
from planimeter.flows.suites import suite_of
from planimeter.flows.suites.driver import DistinctJudge
from planimeter.recipes.base import Recipe


@dataclass(frozen=True, kw_only=True)
class Selection:
    """``kept[i]`` says which items of shard ``i`` are published; ``open_shards`` would replace the repeats among them.

    ``shortfall`` has a line for each cell whose quota is not filled.
    """

    kept: tuple[tuple[bool, ...], ...]
    open_shards: tuple[Shard, ...]
    funnel: Funnel
    shortfall: tuple[str, ...] = ()


class Selector:
    """Judges all items in the order of the plan, so that the choice does not depend on who finished first.

    Refills come behind everything else, so that what was judged before them stays judged.
    """

    def __init__(self, recipe: Recipe) -> None:
        suite = suite_of(recipe)
        self._judge: DistinctJudge = suite.distinct(recipe)
        self._sizes = {cell.quota: size for cell, size in suite.cells(recipe)}
        self._funnel = Funnel()
        self._kept: list[tuple[bool, ...]] = []
        self._open: Counter[Quota] = Counter()
        self._missing: list[str] = []

    def select(self, shards: Sequence[Shard], records: Sequence[ShardRecord]) -> Selection:
        """Select from ``records``, which begin with those of the last call."""
        new = slice(len(self._kept), None)
        for shard, record in zip(shards[new], records[new], strict=True):
            verdicts = self._judge(shard, record.signatures)
            for verdict in verdicts:
                self._funnel.add(shard.config, verdict, str(shard.cell[0]))
            self._kept.append(tuple(verdict.kept for verdict in verdicts))
            # What a shard of the plan could not find within its budget is a shortfall, and no refill is made for it.
            # A refill adds nothing to its quota: what it does not find stays open for the next one.
            due = 0 if shard.refill else shard.count - record.missing
            self._open[shard.quota] += due - sum(self._kept[-1])
            if record.missing and not shard.refill:
                self._missing.append(f"{shard.place}: {record.missing} of {shard.count} items not found")
        last = last_of_quotas(shards)
        # At addresses that no shard of the cell has used.
        open_cells = tuple(
            replace(last[quota], first=last[quota].first + last[quota].count, count=number, refill=True)
            for quota, number in self._open.items()
            if number > 0
        )
        return Selection(
            kept=tuple(self._kept),
            open_shards=tuple(
                part for cell in open_cells for part in cell.cut(self._sizes.get(cell.quota, cell.count))
            ),
            funnel=self._funnel,
            shortfall=(
                *self._missing,
                *(f"{cell}: none found that differ from the others" for cell in open_cells),
            ),
        )
