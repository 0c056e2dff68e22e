"""The base classes of the code that makes a suite's items: ``Pipeline`` plans them, ``Maker`` makes those of a shard.

A cell is a kind of items with its own quota; a shard is a range of item numbers (indices) in a cell, which one worker
makes. At each index, items are generated until one passes the checks. Each address (config, cell, index, attempt) has
its own random stream. So the order of execution does not matter, and a row can be made again from its seed alone.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from planimeter.export.rows import Row
from planimeter.filters.near import NearDuplicates
from planimeter.filters.verdict import Distinct, Verdict, agrees
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.shards import Item, Made, Shard, addresses
from planimeter.generators.quotas import by_level, scaled
from planimeter.generators.seeding import item_seed, without_variant
from planimeter.items import Reading
from planimeter.items.suites import declared
from planimeter.suites import editions
from planimeter.suites.account import Account
from planimeter.suites.base import Recipe
from planimeter.suites.editions import Judge, Likeness, likeness

Asked = TypeVar("Asked", bound=Recipe)


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """An item that passed every check: its ``rows`` by config, and the ``signature`` by which repeats are found.

    ``like``: the result of ``suites.editions.likeness`` for its first row, if the maker has computed it already.
    """

    rows: Item
    signature: bytes
    like: Likeness | None = None


#: A function that recovers the answer from a PNG and a prompt.
Certifier = Callable[[bytes, str], Reading]

#: A function that judges the items of a shard by their signatures (hex).
DistinctJudge = Callable[[Shard, Sequence[str]], list[Verdict]]


def one_by_one(judge: Callable[[Shard, str], Verdict]) -> DistinctJudge:
    """Return a judge of the items of a shard that calls ``judge`` (shard, signature as hex) for each, in order."""
    return lambda shard, signatures: [judge(shard, signature) for signature in signatures]


def by_likeness(
    near: NearDuplicates[Any], pool: Callable[[Shard], Hashable] = lambda shard: shard.config
) -> DistinctJudge:
    """Return a judge that rejects an item that ``near`` finds similar to an earlier item of the same pool (group).

    The signatures of items must be bytes packed by ``near``; ``pool``: shard -> the pool, by default the config.
    """
    return one_by_one(lambda shard, signature: near.judge(pool(shard), bytes.fromhex(signature)))


class Maker(ABC, Generic[Asked]):
    """A maker of the items of one ``shard``; it counts the results of checks in ``account``."""

    def __init__(self, recipe: Asked, shard: Shard) -> None:
        self.recipe, self.shard = recipe, shard
        self.account = Account(shard.config)

    #: Config -> the type of its cells, a named tuple with defaults for the fields that only training cells have.
    cells: Mapping[str, Callable[..., Any]] = MappingProxyType({})

    @property
    def cell(self) -> Any:
        """The design parameters of the shard's items: a named tuple if ``cells`` has the config, else a plain tuple."""
        named = self.cells.get(self.shard.config)
        return named(*self.shard.cell) if named else self.shard.cell

    @property
    @abstractmethod
    def budget(self) -> int:
        """The largest number of attempts to generate one item."""

    @abstractmethod
    def attempt(self, index: int, seed: int) -> Found | None:
        """Return the item at ``index`` as generated from ``seed``, or None if a check rejects it."""

    def certified(
        self, certify: Certifier, png: bytes, prompt: str, answer: str, stratum: str, *, config: str = ""
    ) -> Reading | None:
        """Return the reading of ``png`` by ``certify`` if it equals ``answer``; otherwise None, counted as a rejection.

        ``stratum``: the group in which the verdict is counted; ``config``: that of the item, if not the shard's.
        """
        with self.account.watch.stage("certify"):
            reading = certify(png, prompt)
        kept = self.account.judge(agrees(reading, answer), png, stratum, config=config)
        return reading if kept else None

    def seeds(self, index: int) -> Iterable[int]:
        """Return the seeds from which the item at ``index`` may be generated, in the order of the attempts."""
        address = (self.shard.config, *self.shard.cell, index)
        return (item_seed(self.recipe.root, (*address, attempt)) for attempt in range(self.budget))

    def attempts(self, index: int) -> Iterator[Found | None]:
        """Yield the results of up to ``budget`` attempts to generate item ``index``: an item, or None if rejected."""
        return (self.attempt(index, seed) for seed in self.seeds(index))

    def make(self, contamination: Judge | None = None) -> Made:
        """Return the items of the shard, at each index the first that passes the checks, with counts and CPU times.

        ``contamination``: the judge that rejects items similar to published test items, or None.
        """
        made = Made()
        for index in range(self.shard.first, self.shard.first + self.shard.count):
            found = self.first(index, contamination)
            if found is None:
                made.missing += 1
            else:
                made.items.append(found.rows)
                made.signatures.append(found.signature)
        made.funnel, made.rejects = self.account.funnel.table(), self.account.rejects
        made.seconds = self.account.watch.stop()
        return made

    def first(self, index: int, contamination: Judge | None) -> Found | None:
        """Return the first item at ``index`` that passes all checks and is not similar to a test item, or None."""
        items = filter(None, self.attempts(index))
        return next((item for item in items if contamination is None or self._differs(item, contamination)), None)

    def rebuild(self, index: int, seed: int, contamination: Judge | None) -> Found | None:  # noqa: ARG002
        """Make the item that ``seed`` gave at ``index`` again; return it, or None if a check rejects it now.

        ``contamination``, the judge against test items, matters only if one seed gives several candidates.
        """
        return self.attempt(index, seed)

    def _differs(self, found: Found, contamination: Judge) -> bool:
        """Return True if the training item ``found`` is not similar to any published test item; count the verdict."""
        row = found.rows[self.shard.config][0]
        with self.account.watch.stage("filter"):
            like = found.like or likeness(self.shard.suite, self.shard.config, row)
            verdict = contamination.judge(like)
        return self.account.judge(verdict, row["image"]["bytes"], str(self.shard.cell[0]))


class Pipeline(ABC, Generic[Asked]):
    """The plan of a suite's items, and pure functions that make them and compare them with one another."""

    def __init_subclass__(cls) -> None:
        """Accept the method names of version 1.2 in subclasses, with a warning; version 2.1 will not."""
        for old, new in {"apart": "exclude_test_items", "near": "may_contain", "room": "estimate_size"}.items():
            if old in vars(cls):
                setattr(cls, new, vars(cls)[old])
                warnings.warn(f"{cls.__name__}.{old} is named {new} now", DeprecationWarning, stacklevel=2)

    #: The maker of the items of a shard.
    maker: Callable[[Asked, Shard], Maker[Asked]]

    #: Config -> the number of its training levels, if it has any.
    levels: Mapping[str, int] = MappingProxyType({})

    #: True if training items must differ from the published test items of ``suites.editions``.
    exclude_test_items = False

    def promised(self, recipe: Asked) -> Iterator[tuple[str, Mapping[str, object], int]]:
        """Yield (config, {column: value}, number of items) for each kind of test items, for configs in ``Maker.cells``.

        The config has one row for each item. `planimeter verify` derives the quotas from these numbers.
        """
        named: Mapping[str, Callable[..., Any]] = getattr(self.maker, "cells", {})
        for shard, _ in self.cells(recipe):
            if shard.config in named and shard.split != "train":
                yield shard.config, named[shard.config](*shard.cell)._asdict(), shard.count

    @abstractmethod
    def cells(self, recipe: Asked) -> Iterator[tuple[Shard, int]]:
        """Yield (cell, n) for each cell, a kind of items with its own quota.

        The cell is yielded as one ``Shard`` of all its items. ``plan`` divides it into shards of at most ``n`` items.
        """

    def training(self, recipe: Asked, config: str, level: int) -> tuple[tuple[Shard, float], ...]:
        """Return (shard, weight) for each kind of items (cell) of ``level``, from 1 (easiest), of ``config``.

        Each shard has the first index 0 and a count of 0, which the caller replaces. Rows of the level are divided in
        proportion to the weights, which can have any sum. The result is empty if ``recipe`` has no training rows in
        ``config``.

        Raises:
            LookupError: if ``config`` has no such level.
        """
        if not 1 <= level <= self.levels.get(config, level):
            raise LookupError(f"{config} has levels 1 to {self.levels[config]}, got {level}")
        return tuple(self.level_cells(recipe, config, level))

    def contamination_filter(self, shard: Shard) -> Judge | None:
        """Return the judge that rejects items similar to published test items, or None if ``shard`` needs none."""
        return editions.judge_of(shard.suite) if self.exclude_test_items and shard.split == "train" else None

    def level_cells(self, recipe: Asked, config: str, level: int) -> Iterator[tuple[Shard, float]]:  # noqa: ARG002
        """Yield (shard of count 0, weight) for each kind of items (cell) of the training level ``level``.

        Each cell gets rows in proportion to its weight. By default, nothing is yielded.
        """
        return iter(())

    def course(self, recipe: Asked, config: str, rows: int, level_shares: Sequence[float]) -> Iterator[Shard]:
        """Yield a shard for each cell of all training levels of ``config``; the counts sum to ``rows`` times the scale.

        ``level_shares``: the share of the rows of each level, easiest first; they may have any sum.
        """
        levels = [self.training(recipe, config, level) for level in range(1, self.levels[config] + 1)]
        weights = [[weight for _, weight in cells] for cells in levels]
        for cells, parts in zip(levels, by_level(scaled(rows, recipe.scale), level_shares, weights), strict=True):
            yield from (replace(cell, count=part) for (cell, _), part in zip(cells, parts, strict=True) if part)

    def may_contain(self, row: Row, shard: Shard) -> bool:  # noqa: ARG002
        """Return False if columns that are quick to compare show that ``row`` is not in the cell of ``shard``."""
        return True

    def distinct(self, recipe: Asked) -> DistinctJudge:  # noqa: ARG002 - others have limits
        """Return a judge that rejects items like earlier ones; the caller passes the shards in the order of ``plan``.

        By default only items with equal signatures are alike.
        """
        kept = Distinct()
        return one_by_one(lambda _, signature: kept.judge(signature))

    #: Bytes of a row, as measured on full builds.
    row_bytes = 10_000

    def estimate_size(self, recipe: Asked, shard: Shard) -> tuple[int, int]:  # noqa: ARG002 - some suites look into it
        """Return the number of rows of a complete ``shard``, in all configs together, and the mean bytes of a row."""
        return shard.count, self.row_bytes

    def plan(self, recipe: Asked) -> tuple[Shard, ...]:
        """Return all shards of the dataset, in the order of its rows."""
        return tuple(shard for cell, size in self.cells(recipe) for shard in cell.cut(size))

    def make(self, recipe: Asked, shard: Shard) -> Made:
        """Return the items of ``shard``, generated, filtered, rendered and certified, with the counts of the checks."""
        return self.maker(recipe, shard).make(self.contamination_filter(shard))

    def rebuild(self, recipe: Asked, row: Row) -> Row | None:
        """Return ``row`` as this program makes it from the row's seed, or None if the plan does not contain this seed.

        Rows of a sealed edition do not contain their secret seed; then items are made until one has the id of ``row``.
        """
        if "seed" not in row:
            return self._searched(recipe, row)
        seed = without_variant(int(row["seed"]))
        maker_of = cache(partial(self.maker, recipe))
        for shard, index in addresses(shard for shard in self.plan(recipe) if self.may_contain(row, shard)):
            if seed in maker_of(shard).seeds(index):
                found = maker_of(shard).rebuild(index, seed, self.contamination_filter(shard))
                rows = [made for rows in found.rows.values() for made in rows] if found else []
                return next((made for made in rows if made["seed"] == row["seed"]), None)
        return None

    def _searched(self, recipe: Asked, row: Row) -> Row | None:
        """Return the first row with the id of ``row`` among the items that the plan generates, or None."""
        maker_of = cache(partial(self.maker, recipe))
        for shard, index in addresses(shard for shard in self.plan(recipe) if self.may_contain(row, shard)):
            found = maker_of(shard).first(index, self.contamination_filter(shard))
            for made in (made for rows in found.rows.values() for made in rows) if found else ():
                if made["id"] == row["id"]:
                    return made
        return None


def suite_of(recipe: Recipe) -> Pipeline[Any]:
    """Return the pipeline of the suite that ``recipe`` names.

    Raises:
        PlanimeterError: if the suite has none, or if numba has no writable folder for compiled code.
    """
    try:
        found: Pipeline[Any] = declared(recipe.suite).load("build")
    except RuntimeError as error:
        # If neither the project's folder nor the user's cache is writable, numba refuses during the import.
        if "cannot cache function" not in str(error):
            raise
        raise PlanimeterError(
            "numba has no writable folder for its compiled code; set the environment variable NUMBA_CACHE_DIR to one"
        ) from error
    return found
