"""Selects the items to publish: drops items that repeat earlier ones, and plans refills.

A refill is a shard of new items in place of dropped ones, so that a quota, the number of items of a cell, is filled.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from planimeter.filters.funnel import Funnel
from planimeter.flows.shards import REFILLS, Quota, Shard, ShardRecord, last_of_quotas
from planimeter.suites.base import Recipe
from planimeter.suites.pipeline import DistinctJudge, suite_of


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The items to publish: ``kept[i][j]`` is True if item ``j`` of shard ``i`` is published.

    Shards are in the order in which they were judged. ``funnel`` counts kept and dropped items; ``shortfall`` has
    lines about quotas (numbers of items of cells) that are not filled.
    """

    kept: tuple[tuple[bool, ...], ...]
    funnel: Funnel
    shortfall: tuple[str, ...] = ()


class Selector:
    """The choice of the items to publish, made shard by shard (range of items) in the order of the plan.

    ``planned`` lists the shards of each quota (config, split, cell) one after the other. Refills, new items in place of
    dropped ones, are judged after all shards of the plan, so that earlier decisions stay valid.
    """

    def __init__(self, recipe: Recipe, planned: Sequence[Shard]) -> None:
        self.recipe = recipe
        suite = suite_of(recipe)
        self._judge: DistinctJudge = suite.distinct(recipe)
        self._sizes = {cell.quota: size for cell, size in suite.cells(recipe)}
        self._funnel = Funnel()
        self._kept: list[tuple[bool, ...]] = []
        self._open: Counter[Quota] = Counter()
        self._missing: list[str] = []
        self._last = last_of_quotas(planned)
        #: The number of shards of each quota that are not judged yet, and of its rounds of refills so far.
        self._coming = Counter(shard.quota for shard in planned)
        self._rounds: Counter[Quota] = Counter()

    def judge(self, shard: Shard, record: ShardRecord) -> tuple[Shard, ...]:
        """Decide which items of the next ``shard``, whose record is ``record``, are published.

        Returns refills (shards of new items for dropped ones) if this was the last shard of its quota, otherwise ().
        """
        quota, verdicts = shard.quota, self._judge(shard, record.signatures)
        for verdict in verdicts:
            self._funnel.add(shard.config, verdict, str(shard.cell[0]))
        self._kept.append(tuple(verdict.kept for verdict in verdicts))
        # Items that a shard of the plan did not find within its budget are a shortfall, and get no refill. A refill
        # does not change its quota: items that it does not find are left to the next refill.
        due = 0 if shard.refill else shard.count - record.missing
        self._open[quota] += due - sum(self._kept[-1])
        if record.missing and not shard.refill:
            self._missing.append(f"{shard.place}: {record.missing} of {shard.count} items not found")
        self._coming[quota] -= 1
        if self._coming[quota] or self._open[quota] <= 0 or self._rounds[quota] == REFILLS:
            return ()
        self._rounds[quota] += 1
        cell = self._refill(quota)
        refills = tuple(cell.cut(self._sizes.get(quota, cell.count)))
        self._coming[quota], self._last[quota] = len(refills), refills[-1]
        return refills

    def selection(self) -> Selection:
        """Return the selection from all shards judged so far."""
        unfilled = (self._refill(quota) for quota, number in self._open.items() if number > 0)
        return Selection(
            kept=tuple(self._kept),
            funnel=self._funnel,
            shortfall=(*self._missing, *(f"{cell}: none found that differ from the others" for cell in unfilled)),
        )

    def _refill(self, quota: Quota) -> Shard:
        """Return a shard of as many items as ``quota`` lacks, with indices that no earlier shard of its cell has."""
        end = self._last[quota]
        return replace(end, first=end.first + end.count, count=self._open[quota], refill=True)
