"""Selects the published items: drops repeats of earlier ones, and plans refills of their quotas."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from planimeter.filters.funnel import Funnel
from planimeter.flows.shards import REFILLS, Quota, Shard, ShardRecord, last_of_quotas
from planimeter.suites.base import Recipe
from planimeter.suites.pipeline import DistinctJudge, suite_of


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The published items: ``kept[i]`` marks those of shard ``i``; ``shortfall`` has a line for each cell with an
    unfilled quota.
    """

    kept: tuple[tuple[bool, ...], ...]
    funnel: Funnel
    shortfall: tuple[str, ...] = ()


class Selector:
    """Selects the items of a build in the order of ``planned``, so that the result does not depend on timing.

    The shards of a quota are consecutive in ``planned``. Refills follow all other shards, so that earlier judgements
    stay valid.
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
        #: Unjudged shards of each quota, and its rounds of refills so far.
        self._coming = Counter(shard.quota for shard in planned)
        self._rounds: Counter[Quota] = Counter()

    def judge(self, shard: Shard, record: ShardRecord) -> tuple[Shard, ...]:
        """Judge the items of the next shard. After the last shard of a quota, return shards that replace its rejected
        items; they follow all existing shards.
        """
        quota, verdicts = shard.quota, self._judge(shard, record.signatures)
        for verdict in verdicts:
            self._funnel.add(shard.config, verdict, str(shard.cell[0]))
        self._kept.append(tuple(verdict.kept for verdict in verdicts))
        # Items that a shard of the plan missed within its budget are a shortfall, and get no refill.
        # A refill adds nothing to its quota: items that it misses stay open for the next one.
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
        """Return the selection from the judged shards."""
        unfilled = (self._refill(quota) for quota, number in self._open.items() if number > 0)
        return Selection(
            kept=tuple(self._kept),
            funnel=self._funnel,
            shortfall=(*self._missing, *(f"{cell}: none found that differ from the others" for cell in unfilled)),
        )

    def _refill(self, quota: Quota) -> Shard:
        """Return a shard for the items that ``quota`` lacks, at addresses that no shard of its cell has used."""
        end = self._last[quota]
        return replace(end, first=end.first + end.count, count=self._open[quota], refill=True)
