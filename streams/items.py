"""Generates the items of a stream: each is filtered, rendered, certified and compared with all published test items."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import blake2b
from typing import Any, NamedTuple

from planimeter.filters.funnel import FunnelTable
from planimeter.filters.verdict import Verdict
from planimeter.flows.shards import Shard
from planimeter.items.values import Record
from planimeter.streams.ladders import Source
from planimeter.suites.account import Account
from planimeter.suites.editions import judge_of
from planimeter.suites.pipeline import Maker


class Item(NamedTuple):
    """A row of a stream, and its signature (8 bytes), by which repeated rows are found.

    Rows that differ only in their ids have the same signature.
    """

    row: Record
    signature: bytes


class _Counted(Account):
    """An ``Account`` that only counts verdicts: it keeps no pictures of rejected items, as a stream has no report."""

    def judge(
        self,
        verdict: Verdict,
        picture: bytes | Callable[[], bytes],  # noqa: ARG002 - not needed without a report
        stratum: str,
        *further: str,
        config: str = "",
        details: Callable[[], Mapping[str, str]] = dict,  # noqa: ARG002 - as above
    ) -> bool:
        self.funnel.add(config or self._config, verdict, stratum, *further)
        return verdict.kept


class Items:
    """A generator of the items of a stream, which ``source`` defines; ``funnel`` counts the results of its checks."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._account = _Counted(source.config)
        self._makers: dict[Shard, Maker[Any]] = {}
        self._contamination_filter = judge_of(source.recipe.suite) if source.suite.exclude_test_items else None

    @property
    def funnel(self) -> FunnelTable:
        """The numbers of items that each check accepted and rejected, since the last call of ``begin_account``."""
        return self._account.funnel.table()

    def begin_account(self) -> None:
        """Set the counts of ``funnel`` to 0."""
        self._account = _Counted(self.source.config)
        for maker in self._makers.values():
            maker.account = self._account

    def item(self, k: int) -> Item | None:
        """Return item ``k`` (from 0) of the stream, or None if no attempt to generate it passes every check."""
        source = self.source
        accepted = self._maker(source.cell_of(k)).first(k, self._contamination_filter)
        if accepted is None:
            return None
        row = accepted.rows[source.config][0]
        return Item({**row, "address": source.address(k)}, blake2b(accepted.signature, digest_size=8).digest())

    def _maker(self, cell: Shard) -> Maker[Any]:
        if cell not in self._makers:
            self._makers[cell] = self.source.suite.maker(self.source.recipe, replace(cell, count=1))
            self._makers[cell].account = self._account
        return self._makers[cell]
