"""A mixture: rows of several streams, each as often as its weight says."""

import json
from collections.abc import Mapping

from planimeter.export.columns import COMMON, STRING, Column, Schema
from planimeter.filters.funnel import Funnel, FunnelTable
from planimeter.flows.errors import PlanimeterError
from planimeter.generators.seeding import item_seed, rng_of
from planimeter.items.values import Record
from planimeter.streams.items import Item
from planimeter.streams.ladders import ROOTS
from planimeter.streams.stream import ADDRESS, Sharded, Stream

#: The columns of ``Mixture.dataset``: those that all suites share, and the whole row but its picture.
COLUMNS = (*COMMON, ADDRESS, Column("row", STRING, "JSON object of all other columns of the row."))


class Mixture(Sharded):
    """Rows of several streams; see ``mixture``."""

    def __init__(self, streams: Mapping[Stream, float], seed: int) -> None:
        super().__init__()
        if not streams or min(streams.values()) < 0 or not sum(streams.values()):
            raise PlanimeterError("a mixture needs streams, with weights of 0 and more that are not all 0")
        self._streams = tuple(streams)
        total = sum(streams.values())
        self._weights = [weight / total for weight in streams.values()]
        self._seed = seed

    @property
    def schema(self) -> Schema:
        return Schema(config="mixture", columns=COLUMNS)

    @property
    def funnel(self) -> FunnelTable:
        return Funnel.total(stream.funnel for stream in self._streams).table()

    def item(self, k: int) -> Item | None:
        """Return item ``k`` of the stream whose turn it is."""
        rng = rng_of(item_seed(ROOTS + self._seed, ("mixture", k)))
        return self._streams[int(rng.choice(len(self._streams), p=self._weights))].item(k)

    def begin_account(self) -> None:
        for stream in self._streams:
            stream.begin_account()

    def in_columns(self, row: Record) -> Record:
        """Return ``row`` with the columns of all suites, and the others as JSON."""
        shared = self.schema.by_name
        others = {name: value for name, value in row.items() if name not in shared}
        return {name: row[name] for name in shared if name != "row"} | {"row": json.dumps(others)}


def mixture(streams: Mapping[Stream, float], *, seed: int = 0) -> Mixture:
    """Return a stream of rows of ``streams``, drawn by their weights.

    Iterating yields rows with their own columns; ``dataset`` has the columns that all suites share, and ``row``, the
    others as JSON. Item k is item k of one of the streams, so that a mixture is as stateless as they are.

    Raises:
        PlanimeterError: if there are no streams, or the weights are negative or all 0.
    """
    return Mixture(streams, seed)
