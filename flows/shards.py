"""The shard: the unit of work, of caching, of resuming and of memory.

A shard is a range of the items of one cell. Making it yields rows (a file for each config), examples of rejected
items, and a small record with their paths, hashes and funnel, which ``flows/store/tables.py`` stores.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self

from pydantic import BaseModel, model_validator

from planimeter.export.rejects import RejectExample
from planimeter.export.rows import Row
from planimeter.filters.funnel import FunnelTable

#: Rounds of refills after deduplication. Most builds need none; but if near-duplicates cluster, each round leaves a
#: share of the last one's gap: 20,000 rows of geogram take more than six.
REFILLS = 12

#: (config, split, cell): the owner of a quota of items.
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
    #: True for a refill: it replaces repeats in a quota of the plan, and adds nothing to it.
    refill: bool = False

    @property
    def quota(self) -> Quota:
        """The quota that it fills."""
        return self.config, self.split, self.cell

    @property
    def place(self) -> str:
        """Config and cell, for people."""
        return "/".join(map(str, (self.config, *self.cell)))

    def cut(self, size: int) -> "Iterator[Shard]":
        """Yield consecutive shards of ``size`` items, the last one smaller, that together equal this one."""
        end = self.first + self.count
        return (replace(self, first=at, count=min(size, end - at)) for at in range(self.first, end, size))

    def __str__(self) -> str:
        return f"{self.place}[{self.first}:{self.first + self.count}]"


class Planned(NamedTuple):
    """A shard of the plan, and the key of its record."""

    shard: Shard
    key: str


def last_of_quotas(shards: Iterable[Shard]) -> dict[Quota, Shard]:
    """Return the shard of each quota with the highest index."""
    last: dict[Quota, Shard] = {}
    for shard in shards:
        if shard.quota not in last or shard.first > last[shard.quota].first:
            last[shard.quota] = shard
    return last


def addresses(shards: Iterable[Shard]) -> Iterator[tuple[Shard, int]]:
    """Yield each index that an item of a build of ``shards`` can have, with a shard of its cell.

    Those of the plan come first. Refills follow the quota of their cell; each round has at most as many indices.
    """
    planned = tuple(shards)
    for shard in planned:
        yield from ((shard, index) for index in range(shard.first, shard.first + shard.count))
    for shard in last_of_quotas(planned).values():
        quota = shard.first + shard.count
        yield from ((shard, index) for index in range(quota, (1 + REFILLS) * quota))


@dataclass(kw_only=True)
class Made:
    """The items that a suite made of a shard; equal items have equal ``signatures``, ``missing`` counts items that were
    not found, ``seconds`` are CPU time by stage.
    """

    items: list[Item] = field(default_factory=list)
    signatures: list[bytes] = field(default_factory=list)
    funnel: FunnelTable = field(default_factory=dict)
    rejects: list[RejectExample] = field(default_factory=list)
    missing: int = 0
    seconds: dict[str, float] = field(default_factory=dict)


class Block(NamedTuple):
    """The rows of one item in one config: the item's seed, the number of rows, the offset in the file, the number of
    bytes, and their SHA-256.
    """

    seed: int
    rows: int
    start: int
    size: int
    sha256: str


class Kept(BaseModel, frozen=True, extra="forbid"):
    """A file of a shard: its name in the store and the SHA-256 of its bytes."""

    path: str
    sha256: str


class StoredTable(Kept, frozen=True, extra="forbid"):
    """The rows of one config, a record batch an item; that of an item without rows is empty."""

    config: str
    blocks: tuple[Block, ...]


class ShardRecord(BaseModel, frozen=True, extra="forbid"):
    """The small record of a finished shard: its key, the locations of its rows, and its account.

    From JSON it is valid only with the ``digest`` of the other fields.
    """

    key: str
    shard: str
    split: str
    tables: tuple[StoredTable, ...]
    rejects: Kept
    signatures: tuple[str, ...]
    missing: int
    funnel: FunnelTable
    seconds: dict[str, float] = {}
    digest: str

    @classmethod
    def sealed(cls, **fields: Any) -> Self:
        """Return the record with these ``fields`` and their digest."""
        draft = cls.model_construct(**fields, digest="")
        return cls(**fields, digest=draft._content_digest())

    @model_validator(mode="after")
    def _is_as_written(self) -> Self:
        if self.digest != self._content_digest():
            raise ValueError("the digest in a shard's record does not match its content")
        return self

    def _content_digest(self) -> str:
        content = self.model_dump(mode="json", exclude={"digest"})
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    @property
    def files(self) -> tuple[Kept, ...]:
        """All files of the shard, without the record."""
        return (*self.tables, self.rejects)

    @property
    def rows(self) -> int:
        """Number of rows in all configs."""
        return sum(block.rows for table in self.tables for block in table.blocks)
