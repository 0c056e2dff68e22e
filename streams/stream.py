"""A stream: endless training rows of one level of one ladder (a series of levels of increasing difficulty).

Item ``k`` is a function of its address (ladder, level, seed, k) alone: it depends neither on earlier items nor on the
number of processes. Several processes divide the items into shards of eight: a stream resumed at item 1,000 generates
at most seven items again, and no process needs the state of the others.

Therefore an item is not compared with all earlier ones. A ``Stream`` yields no row that equals an earlier one, and no
near-duplicate of a published test item. But its rows can be near-duplicates of one another, unlike in datasets. Of
the first 1,000 problems that the generator of ``geogram`` proposes (before certification), 23 are near-duplicates of
earlier ones at level 1, 38 at level 2, 113 at level 5 and 155 at level 8; the share grows with the number of problems.
At level 1, near-duplicates have the same template, but other numbers and another figure.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from planimeter.export.columns import STRING, Column, Schema
from planimeter.export.schema import schema_of
from planimeter.filters.funnel import FunnelTable
from planimeter.flows.errors import PlanimeterError
from planimeter.items.values import Record, Row
from planimeter.streams.items import Item, Items
from planimeter.streams.ladders import Source, parsed

if TYPE_CHECKING:
    import datasets

ADDRESS = Column("address", STRING, "Ladder, level, seed and number in the stream, from which `row_at` makes the row.")

#: The number of items of a shard.
SHARD = 8

#: The default number of shards of ``dataset()``: 800,000 addresses.
SHARDS = 100_000


class Stream:
    """An endless iterable of rows at one level of a ladder (series of training levels), from item ``start`` on.

    Iteration skips rows that equal an earlier one of this object. For this the object stores a hash of each row, about
    100 bytes in memory; ``state_dict`` contains these hashes, too.
    """

    def __init__(self, source: Source, start: int = 0) -> None:
        self.source = source
        self._next = start
        self._seen: set[bytes] = set()
        self._items: Items | None = None

    @property
    def items(self) -> Items:
        """The generator of the items, created at its first use and not pickled."""
        if self._items is None:
            self._items = Items(self.source)
        return self._items

    @property
    def schema(self) -> Schema:
        """The columns of the rows, as in a Parquet file."""
        config = self.source.config
        own = schema_of(self.source.recipe.suite, config, ("train",))
        return Schema(config=config, columns=(*own.columns, ADDRESS))

    @property
    def funnel(self) -> FunnelTable:
        """The numbers of items that each check accepted and rejected, since the last call of ``begin_account``."""
        return self.items.funnel

    def begin_account(self) -> None:
        """Set the counts of ``funnel`` to 0."""
        self.items.begin_account()

    def item(self, k: int) -> Item | None:
        """Return item ``k``, even if it equals an earlier one; None if no attempt to generate it passes every check."""
        return self.items.item(k)

    def shard(self, n: int) -> list[Item]:
        """Return the items ``SHARD * n`` to ``SHARD * n + SHARD - 1``, without those for which every attempt failed."""
        return [item for k in range(SHARD * n, SHARD * (n + 1)) if (item := self.item(k))]

    def __iter__(self) -> Iterator[Record]:
        """Yield rows endlessly, from the current item on, except rows that equal an earlier one of this object."""
        while True:
            item = self.item(self._next)
            # Before the yield: the state may be saved while the row is in use.
            self._next += 1
            if item is not None and item.signature not in self._seen:
                self._seen.add(item.signature)
                yield item.row

    def state_dict(self) -> Record:
        """Return the state to resume from, as JSON values: the next item number and the hashes of the rows so far."""
        return {"next": self._next, "seen": sorted(signature.hex() for signature in self._seen)}

    def load_state_dict(self, state: Row) -> None:
        """Continue from ``state``, the ``state_dict`` of a stream that was created with the same arguments."""
        self._next, self._seen = int(state["next"]), {bytes.fromhex(digits) for digits in state["seen"]}

    def rows(self, shards: list[int]) -> Iterator[Record]:
        """Yield all rows of the shards with these numbers, including rows that repeat earlier ones."""
        for n in shards:
            attempts = map(self.item, range(SHARD * n, SHARD * (n + 1)))
            yield from (item.row for item in attempts if item is not None)

    def dataset(self, shards: int = SHARDS) -> "datasets.IterableDataset":
        """Return the first ``shards`` shards, of ``SHARD`` items each, as a ``datasets.IterableDataset``.

        Pictures are decoded. The shards are those of the stream, so that resuming by ``state_dict``, DataLoader workers
        and ``split_dataset_by_node`` generate few or no items twice. Rows that equal an earlier one are not skipped,
        since workers do not share state; they are rare: none of 50,000 of traversal at level 2, none of 20,000 of
        geogram at level 1.

        Raises:
            PlanimeterError: if ``datasets`` is not installed.
        """
        try:
            import datasets
        except ImportError:
            raise PlanimeterError("Stream.dataset needs the package datasets: pip install datasets") from None
        features = datasets.Features.from_arrow_schema(self.schema.arrow)
        arguments = {"shards": list(range(shards))}
        return datasets.IterableDataset.from_generator(self.rows, features=features, gen_kwargs=arguments)

    def __getstate__(self) -> dict[str, object]:
        """Return the attributes to pickle, without the generator of items, which each process makes for itself."""
        return {**self.__dict__, "_items": None}


def stream(ladder: str, *, level: int = 1, seed: int = 0, start: int = 0) -> Stream:
    """Return an endless stream of certified rows of ``ladder`` at ``level``, 1 the easiest.

    ``ladder``: counting, transformation, counting_hard, transformation_hard, surface, surface_transformation,
    traversal, traversal-curved, curves or geogram. Another ``seed`` (0 to 2**61 - 1) gives other addresses, and
    therefore other random items. ``start``: the number of the first item. Rows are dicts with the columns of
    the suite's training dataset, and their ``address``; a picture is {"bytes": PNG, "path": name}. No row is a test
    item of a published edition, or a near duplicate of one.

    Raises:
        PlanimeterError: if there is no such ladder, level or seed.
    """
    return Stream(Source(ladder=ladder, level=level, seed=seed), start)


def row_at(address: str) -> Record:
    """Return the row at ``address``, such as ``curves/3/0/17``, which does not depend on any stream's state.

    Raises:
        PlanimeterError: if there is no such address, or it has no item.
    """
    source, k = parsed(address)
    item = Items(source).item(k)
    if item is None:
        raise PlanimeterError(f"{address} has no item: every attempt at it was rejected; choose another number")
    return item.row
