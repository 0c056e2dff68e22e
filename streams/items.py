"""Makes the items of a source: generated, filtered, rendered, certified, compared with every published test item."""

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
    """A row, and what equal items have in common, whatever their ids: 8 bytes."""

    row: Record
    signature: bytes


class _Counted(Account):
    """Counts verdicts, and draws no pictures of what is rejected: a stream has no report."""

    def judge(
        self,
        verdict: Verdict,
        picture: bytes | Callable[[], bytes],  # noqa: ARG002 - not drawn
        stratum: str,
        *further: str,
        config: str = "",
        details: Callable[[], Mapping[str, str]] = dict,  # noqa: ARG002 - nor at this
    ) -> bool:
        self.funnel.add(config or self._config, verdict, stratum, *further)
        return verdict.kept


class Items:
    """The items of ``source``; ``funnel`` says what each check kept and rejected of all that were made here."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._account = _Counted(source.config)
        self._makers: dict[Shard, Maker[Any]] = {}
        self._tests = judge_of(source.recipe.suite) if source.suite.apart else None

    @property
    def funnel(self) -> FunnelTable:
        """What each check kept and rejected so far."""
        return self._account.funnel.table()

    def begin_account(self) -> None:
        """Begin the funnel anew, for what is made from here on."""
        self._account = _Counted(self.source.config)
        for maker in self._makers.values():
            maker.account = self._account

    def item(self, k: int) -> Item | None:
        """Return item ``k``, or None where the attempts at it end without one that every check keeps."""
        source = self.source
        made = self._maker(source.cell_of(k)).first(k, self._tests)
        if made is None:
            return None
        row = made.rows[source.config][0]
        return Item({**row, "address": source.address(k)}, blake2b(made.signature, digest_size=8).digest())

    def _maker(self, cell: Shard) -> Maker[Any]:
        if cell not in self._makers:
            self._makers[cell] = self.source.suite.maker(self.source.recipe, replace(cell, count=1))
            self._makers[cell].account = self._account
        return self._makers[cell]
