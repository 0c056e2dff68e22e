"""Selects the published items: drops those that equal an earlier one, and says which quotas that leaves open."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from filters.distinct import distinct
from filters.funnel import Funnel
from flows.shards import Shard, ShardRecord


@dataclass(frozen=True, kw_only=True)
class Selection:
    """``kept[i]`` says which items of shard ``i`` are published; ``open_shards`` would fill what is missing."""

    kept: tuple[tuple[bool, ...], ...]
    open_shards: tuple[Shard, ...]
    funnel: Funnel


def select(shards: Sequence[Shard], records: Sequence[ShardRecord]) -> Selection:
    """Judge all items in the order of the plan, so that the choice does not depend on who finished first."""
    funnel = Funnel()
    kept: list[tuple[bool, ...]] = []
    seen: dict[str, set[str]] = {}
    lost: Counter[tuple[str, tuple[str | int, ...]]] = Counter()
    for shard, record in zip(shards, records, strict=True):
        verdicts = distinct(record.signatures, seen.setdefault(shard.config, set()))
        for verdict in verdicts:
            funnel.add(shard.config, verdict, str(shard.cell[0]))
        kept.append(tuple(verdict.kept for verdict in verdicts))
        lost[shard.config, shard.cell] += sum(not verdict.kept for verdict in verdicts)
    return Selection(kept=tuple(kept), open_shards=_refills(shards, lost), funnel=funnel)


def _refills(shards: Sequence[Shard], lost: Counter[tuple[str, tuple[str | int, ...]]]) -> tuple[Shard, ...]:
    """Return one shard for each cell that lost items, at addresses that no shard of the cell has used."""
    last = {(shard.config, shard.cell): shard for shard in shards}
    ends: dict[tuple[str, tuple[str | int, ...]], int] = {}
    for shard in shards:
        cell = (shard.config, shard.cell)
        ends[cell] = max(ends.get(cell, 0), shard.first + shard.count)
    return tuple(replace(last[cell], first=ends[cell], count=number) for cell, number in lost.items() if number)


def chosen_rows(table: pa.Table, record: ShardRecord, kept: Sequence[bool]) -> pa.Table:
    """Return the rows of the items that are kept."""
    mask = [keep for rows, keep in zip(record.items, kept, strict=True) for _ in range(rows)]
    return table if all(mask) else table.filter(pa.array(mask, pa.bool_()))
