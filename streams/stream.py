"""A stream: rows of one level of one ladder, for ever.

Item ``k`` is a function of its address (ladder, level, seed, k) and of nothing else: not of what was made before, nor
of how many processes share the work. Where several share it, items go out in shards of eight: what is resumed at item
1,000 makes at most seven again, and no process needs to know what the others do.

So no item can be compared with all items before it. What is promised is that no row equals an earlier one of the same
object, and that none is like a published test item. Rows that are like earlier ones do come: among the first 1,000
proposals of ``geogram`` (before the certificate) 23 at level 1, 38 at level 2, 113 at level 5 and 155 at level 8, by
the rule that keeps such rows out of a dataset, and more later on. Those of level 1 share their template; numbers and
figure differ.
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

ADDRESS = Column("address", STRING, "Ladder, level, seed and number in the stream: what `again` makes the row from.")

#: Items of a shard.
SHARD = 8

#: Shards that ``dataset()`` has by default: 800,000 addresses.
SHARDS = 100_000


class Stream:
    """The rows of one level of one ladder, from item ``start`` on; see ``stream``.

    Iterating yields each row once: one that equals an earlier row of this object is left out. That memory takes some
    100 bytes a row, and ``state_dict`` holds it.
    """

    def __init__(self, source: Source, start: int = 0) -> None:
        self.source = source
        self._next = start
        self._seen: set[bytes] = set()
        self._items: Items | None = None

    @property
    def items(self) -> Items:
        """What makes the items; begun where it is needed, and not carried to other processes."""
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
        """What each check kept and rejected of all that this object made."""
        return self.items.funnel

    def begin_account(self) -> None:
        """Begin the funnel anew, for what is made from here on."""
        self.items.begin_account()

    def item(self, k: int) -> Item | None:
        """Return item ``k``, from 0 on, whether or not it equals an earlier one; None where there is none."""
        return self.items.item(k)

    def shard(self, n: int) -> list[Item]:
        """Return the items of shard ``n``, those from ``SHARD * n`` on; fewer where some cannot be had."""
        return [item for k in range(SHARD * n, SHARD * (n + 1)) if (item := self.item(k))]

    def __iter__(self) -> Iterator[Record]:
        """Yield rows from where the stream stands."""
        while True:
            item = self.item(self._next)
            # Before the row is handed out, for the state may be asked for while it is in use.
            self._next += 1
            if item is not None and item.signature not in self._seen:
                self._seen.add(item.signature)
                yield item.row

    def state_dict(self) -> Record:
        """Return where the stream stands, as JSON values: the next row is the one behind the last that was yielded."""
        return {"next": self._next, "seen": sorted(signature.hex() for signature in self._seen)}

    def load_state_dict(self, state: Row) -> None:
        """Go on from where another stream of the same arguments stood."""
        self._next, self._seen = int(state["next"]), {bytes.fromhex(one) for one in state["seen"]}

    def rows(self, shards: list[int]) -> Iterator[Record]:
        """Yield the rows of ``shards``, each as its address has it: rows that repeat earlier ones included."""
        for n in shards:
            made = map(self.item, range(SHARD * n, SHARD * (n + 1)))
            yield from (item.row for item in made if item is not None)

    def dataset(self, shards: int = SHARDS) -> "datasets.IterableDataset":
        """Return the first ``shards`` shards as a ``datasets.IterableDataset``, whose pictures are decoded.

        It has the shards of the stream: its ``state_dict``, DataLoader workers and ``split_dataset_by_node`` make
        little or nothing twice. Rows are those of the addresses: what equals an earlier row is not left out, since
        workers know nothing of one another. Few do (``benchmarks/bench_stream.py --proof`` counts them): none of 50,000
        of traversal at level 2, none of 20,000 of geogram at level 1.

        Raises:
            PlanimeterError: if ``datasets`` is not installed.
        """
        try:
            import datasets
        except ImportError:
            raise PlanimeterError("this needs the package datasets: pip install datasets") from None
        features = datasets.Features.from_arrow_schema(self.schema.arrow)
        arguments = {"shards": list(range(shards))}
        return datasets.IterableDataset.from_generator(self.rows, features=features, gen_kwargs=arguments)

    def __getstate__(self) -> dict[str, object]:
        """Leave out what each process begins by itself."""
        return {**self.__dict__, "_items": None}


def stream(ladder: str, *, level: int = 1, seed: int = 0, start: int = 0) -> Stream:
    """Return an endless stream of certified rows of ``ladder`` at ``level``, 1 the easiest.

    ``ladder``: counting, transformation, traversal, traversal-curved, curves or geogram. Another ``seed``
    (0 to 2**61 - 1) shares no address. ``start``: the number of the first item. Rows are dicts with the columns of the
    suite's training dataset, and their ``address``; a picture is {"bytes": PNG, "path": name}. No row is a test item of
    a published edition, or a near duplicate of one.

    Raises:
        PlanimeterError: if there is no such ladder, level or seed.
    """
    return Stream(Source(ladder=ladder, level=level, seed=seed), start)


def again(address: str) -> Record:
    """Return the row at ``address``, such as ``curves/3/0/17``, as any stream has it.

    Raises:
        PlanimeterError: if there is no such address, or no item at it.
    """
    source, k = parsed(address)
    item = Items(source).item(k)
    if item is None:
        raise PlanimeterError(f"{address}: no item is there, since each attempt at it is rejected")
    return item.row
