"""The shard: a range of items that a worker makes in one call, and whose result a build caches.

All items of a shard belong to one cell, a combination of parameters for which the recipe sets a number of items (a
quota). Making a shard gives rows (a file for each config), examples of rejected items (a file), and a small record with
the paths and hashes of these files and the counts of the checks. ``flows/store/tables.py`` stores the files, and
Prefect stores the record.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pydantic import BaseModel

from planimeter.export.rejects import RejectExample
from planimeter.export.rows import Row
from planimeter.filters.funnel import FunnelTable

#: The most rounds of refills after deduplication. Most builds need none; but if near-duplicates are frequent, each
#: round leaves a share of the quota open: 20,000 rows of geogram take more than six rounds.
REFILLS = 12

#: (config, split, cell): the recipe sets a quota of items for each.
Quota = tuple[str, str, tuple[str | int, ...]]

#: One published question: its rows by config. Most items have rows in one config; a path of traversal and its
#: confounded versions have rows in two.
Item = dict[str, list[Row]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Shard:
    """Items to make: indices ``first`` to ``first + count - 1`` of ``cell`` (a combination of parameters)."""

    suite: str
    config: str
    cell: tuple[str | int, ...]
    first: int
    count: int
    split: str = "test"
    #: True for a refill: its items replace dropped ones of the plan, so that the quota does not grow.
    refill: bool = False

    @property
    def quota(self) -> Quota:
        """The quota, (config, split, cell), that the items of this shard help to fill."""
        return self.config, self.split, self.cell

    @property
    def place(self) -> str:
        """Config and cell as a text for people, such as "counting/cone/maxima"."""
        return "/".join(map(str, (self.config, *self.cell)))

    def cut(self, size: int) -> "Iterator[Shard]":
        """Yield consecutive shards of ``size`` items that together equal this one; the last may have fewer."""
        end = self.first + self.count
        return (replace(self, first=at, count=min(size, end - at)) for at in range(self.first, end, size))

    def __str__(self) -> str:
        return f"{self.place}[{self.first}:{self.first + self.count}]"


class Planned(NamedTuple):
    """A shard (range of items) to make, and the key under which its record is stored."""

    shard: Shard
    key: str


def last_of_quotas(shards: Iterable[Shard]) -> dict[Quota, Shard]:
    """Return quota (config, split, cell) -> the last of its ``shards``, the one with the highest indices."""
    last: dict[Quota, Shard] = {}
    for shard in shards:
        if shard.quota not in last or shard.first > last[shard.quota].first:
            last[shard.quota] = shard
    return last


def addresses(shards: Iterable[Shard]) -> Iterator[tuple[Shard, int]]:
    """Yield each item that a build of ``shards`` can make, as (a shard of the item's cell, index of the item there).

    The items of ``shards`` come first, then those of all rounds of refills, which replace dropped items. A round has at
    most as many items of a cell as ``shards`` have.
    """
    planned = tuple(shards)
    for shard in planned:
        yield from ((shard, index) for index in range(shard.first, shard.first + shard.count))
    for shard in last_of_quotas(planned).values():
        quota = shard.first + shard.count
        yield from ((shard, index) for index in range(quota, (1 + REFILLS) * quota))


@dataclass(kw_only=True)
class Made:
    """The items that a suite made for a shard, with the counts of its checks and examples of rejected items.

    ``signatures`` has one entry for each item, equal for equal items, by which repeats are found. ``missing`` is the
    number of requested items that could not be made. ``seconds`` are CPU seconds by stage.
    """

    items: list[Item] = field(default_factory=list)
    signatures: list[bytes] = field(default_factory=list)
    funnel: FunnelTable = field(default_factory=dict)
    rejects: list[RejectExample] = field(default_factory=list)
    missing: int = 0
    seconds: dict[str, float] = field(default_factory=dict)


class Block(NamedTuple):
    """The record batch of one item in one config: seed of the item, number of rows, offset of the batch in the file,
    size in bytes, and SHA-256 of these bytes.
    """

    seed: int
    rows: int
    start: int
    size: int
    sha256: str


class Kept(BaseModel, frozen=True, extra="forbid"):
    """A stored file of a shard: its name in the store, and the SHA-256 of its bytes."""

    path: str
    sha256: str


class StoredTable(Kept, frozen=True, extra="forbid"):
    """The stored rows of one config: one record batch for each item, empty for an item without rows."""

    config: str
    blocks: tuple[Block, ...]


class ShardRecord(BaseModel, frozen=True, extra="forbid"):
    """The record of a finished shard (range of items): its key, the locations of its rows, the counts of its checks."""

    key: str
    shard: str
    split: str
    tables: tuple[StoredTable, ...]
    rejects: Kept
    signatures: tuple[str, ...]
    missing: int
    funnel: FunnelTable
    seconds: dict[str, float] = {}

    @property
    def files(self) -> tuple[Kept, ...]:
        """All stored files of the shard."""
        return (*self.tables, self.rejects)

    @property
    def rows(self) -> int:
        """The number of rows in all configs."""
        return sum(block.rows for table in self.tables for block in table.blocks)
