"""Drives a shard: for each index the attempts, one after the other, until one gives an item; shared by all suites.

An address is (config, cell, index, attempt), and each has its own random stream: a quota fills the same way whatever
runs first, and a row can be made again from its seed alone.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Generic, TypeVar

from planimeter.export.rows.common import Row
from planimeter.flows.shards import Item, Made, Shard, addresses
from planimeter.flows.suites.account import Account
from planimeter.generators.seeding import item_seed, without_variant
from planimeter.recipes.base import Recipe

Asked = TypeVar("Asked", bound=Recipe)


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """An item that every check kept: its ``rows`` by config, and the ``signature`` that tells it from others."""

    rows: Item
    signature: bytes


class ExhaustedError(Exception):
    """Further attempts at this index would end like this one."""


class Maker(ABC, Generic[Asked]):
    """Makes the items of ``shard``: what they share, and the account of their checks."""

    def __init__(self, recipe: Asked, shard: Shard) -> None:
        self.recipe, self.shard = recipe, shard
        self.account = Account(shard.config)

    @property
    @abstractmethod
    def budget(self) -> int:
        """How many attempts an index may take."""

    @abstractmethod
    def attempt(self, index: int, seed: int) -> Found | None:
        """Return the item that ``seed`` gives at ``index``, or None if a check rejects it.

        Raises:
            ExhaustedError: if no other attempt at the index would do.
        """

    def seeds(self, index: int) -> Iterable[int]:
        """Return the seeds of the attempts at ``index``."""
        address = (self.shard.config, *self.shard.cell, index)
        return (item_seed(self.recipe.seed, (*address, attempt)) for attempt in range(self.budget))

    def make(self) -> Made:
        """Return the first item of each index, and the account."""
        made = Made()
        for index in range(self.shard.first, self.shard.first + self.shard.count):
            found = self._first(index)
            if found is None:
                made.missing += 1
            else:
                made.items.append(found.rows)
                made.signatures.append(found.signature)
        made.funnel, made.rejects = self.account.funnel.table(), self.account.rejects
        made.seconds = self.account.watch.stop()
        return made

    def _first(self, index: int) -> Found | None:
        try:
            return next(filter(None, (self.attempt(index, seed) for seed in self.seeds(index))), None)
        except ExhaustedError:
            return None


def row_again(row: Mapping[str, Any], near: Iterable[Shard], maker: Callable[[Shard], Maker[Any]]) -> Row | None:
    """Return the row that stands at the address of the seed of ``row``, or None if ``near`` has no such address.

    ``near`` are the shards of the plan that the other columns of ``row`` leave to be searched.
    """
    maker_of = cache(maker)
    seed = without_variant(int(row["seed"]))
    for shard, index in addresses(near):
        work = maker_of(shard)
        if seed in work.seeds(index):
            try:
                found = work.attempt(index, seed)
            except ExhaustedError:
                return None
            rows = [made for rows in found.rows.values() for made in rows] if found else []
            return next((made for made in rows if made["seed"] == row["seed"]), None)
    return None


def pieces(whole: Shard, size: int) -> Iterator[Shard]:
    """Yield the items of ``whole`` in shards of up to ``size``."""
    for first in range(0, whole.count, size):
        yield replace(whole, first=first, count=min(size, whole.count - first))


def checked(recipe: Recipe, model: type[Asked]) -> Asked:
    """Return ``recipe``. Raises ``TypeError`` unless it is one of ``model``, the recipe of a suite."""
    if not isinstance(recipe, model):
        raise TypeError(f"need a recipe of {model.__module__}, got one of the suite {recipe.suite}")
    return recipe
