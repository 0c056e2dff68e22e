"""The unit of everything: of work, of caching, of resuming, of memory.

A shard is a range of the items of one cell. Making it yields rows (a file for each config, named by its content),
examples of what was rejected, and a small record with their paths, hashes and funnel. ``flows/store/tables.py`` keeps
the rows, ``flows/store/shard_cache.py`` the record.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pydantic import BaseModel

from planimeter.export.rejects import RejectExample
from planimeter.export.rows import Row
from planimeter.filters.funnel import FunnelTable

#: Rounds of refilling quotas that equal items left open. Most builds need none; but where near-duplicates cluster each
#: round leaves a share of the last one's gap: 20,000 rows of geogram take more than six.
REFILLS = 12

#: (config, split, cell): what has a quota of items.
Quota = tuple[str, str, tuple[str | int, ...]]

#: One published question: its rows by config. Most have rows in one config; a path and its confounded twins in two.
Item = dict[str, list[Row]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Shard:
    """Items ``first`` to ``first + count - 1`` of ``cell`` in ``config``."""

    suite: str
    config: str
    cell: tuple[str | int, ...]
    first: int
    count: int
    split: str = "test"
    #: Replaces repeats: it fills a quota of the plan, and adds nothing to it.
    refill: bool = False

    @property
    def quota(self) -> Quota:
        """Whose quota it fills."""
        return self.config, self.split, self.cell

    @property
    def place(self) -> str:
        """Config and cell, for people."""
        return "/".join(map(str, (self.config, *self.cell)))

    def cut(self, size: int) -> "Iterator[Shard]":
        """Yield shards of ``size`` items, the last one smaller, that are this one together."""
        end = self.first + self.count
        return (replace(self, first=at, count=min(size, end - at)) for at in range(self.first, end, size))

    def __str__(self) -> str:
        return f"{self.place}[{self.first}:{self.first + self.count}]"


class Planned(NamedTuple):
    """A shard of the plan, and the key under which its record is kept."""

    shard: Shard
    key: str


def last_of_quotas(shards: Iterable[Shard]) -> dict[Quota, Shard]:
    """Return the shard of each quota that lies furthest on."""
    last: dict[Quota, Shard] = {}
    for shard in shards:
        if shard.quota not in last or shard.first > last[shard.quota].first:
            last[shard.quota] = shard
    return last


def addresses(shards: Iterable[Shard]) -> Iterator[tuple[Shard, int]]:
    """Yield each index that an item of a build of ``shards`` can have, with a shard of its cell.

    Those of the plan come first. Refills lie behind the quota of their cell, in each round as many as that at most.
    """
    planned = tuple(shards)
    for shard in planned:
        yield from ((shard, index) for index in range(shard.first, shard.first + shard.count))
    for shard in last_of_quotas(planned).values():
        quota = shard.first + shard.count
        yield from ((shard, index) for index in range(quota, (1 + REFILLS) * quota))


@dataclass(kw_only=True)
class Made:
    """What a suite made of a shard; equal items have equal ``signatures``, ``missing`` counts what was not found,
    ``seconds`` are CPU time by stage.
    """

    items: list[Item] = field(default_factory=list)
    signatures: list[bytes] = field(default_factory=list)
    funnel: FunnelTable = field(default_factory=dict)
    rejects: list[RejectExample] = field(default_factory=list)
    missing: int = 0
    seconds: dict[str, float] = field(default_factory=dict)


class Block(NamedTuple):
    """The rows of one item in one config: the item's seed, how many rows, from which byte of the file on, in how many
    bytes, and the SHA-256 of these.
    """

    seed: int
    rows: int
    start: int
    size: int
    sha256: str


class StoredTable(BaseModel, frozen=True, extra="forbid"):
    """The rows of one config: where they lie, and those of each item there; an item without rows has an empty block."""

    config: str
    path: str
    sha256: str
    blocks: tuple[Block, ...]


class ShardRecord(BaseModel, frozen=True, extra="forbid"):
    """The small record of a finished shard: where its rows lie, and its account."""

    shard: str
    split: str
    tables: tuple[StoredTable, ...]
    signatures: tuple[str, ...]
    missing: int
    funnel: FunnelTable
    rejects_path: str
    rejects_sha256: str
    seconds: dict[str, float] = {}

    @property
    def rows(self) -> int:
        """Number of rows in all configs."""
        return sum(block.rows for table in self.tables for block in table.blocks)
