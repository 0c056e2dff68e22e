"""Ladders: series of training levels of increasing difficulty, from 1, defined by the training recipes of suites."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np

from planimeter.flows.errors import PlanimeterError
from planimeter.flows.shards import Shard
from planimeter.generators.seeding import item_seed, rng_of
from planimeter.items.suites import working_suites
from planimeter.suites.base import Recipe
from planimeter.suites.loading import load
from planimeter.suites.pipeline import Pipeline, suite_of


class Course(NamedTuple):
    """The name of a training recipe, and its config that provides the items of a ladder (series of training levels)."""

    recipe: str
    config: str


def ladders() -> Mapping[str, Course]:
    """Return the recipe and config of each ladder (series of training levels) of all installed suites, by its name."""
    return {name: Course(*course) for suite in working_suites() for name, course in suite.ladders.items()}


#: The least root seed of a stream; the seeds of released recipes are smaller.
ROOTS = 2**62

#: The number of seeds of a ladder, and of addresses of a stream.
SEEDS, ITEMS = 2**61, 2**32


@dataclass(frozen=True, kw_only=True)
class Source:
    """The definition of a stream: a ladder (series of training levels), a level and a seed, which determine each item.

    Raises:
        PlanimeterError: if there is no such ladder, level or seed.
    """

    ladder: str
    level: int
    seed: int

    def __post_init__(self) -> None:
        top = levels(self.ladder)
        if not 1 <= self.level <= top:
            raise PlanimeterError(f"level: {self.ladder} has levels 1 (easiest) to {top}, got {self.level}")
        if not 0 <= self.seed < SEEDS:
            raise PlanimeterError(f"seed: need 0 <= seed < 2**61, got {self.seed}")

    @property
    def config(self) -> str:
        """The config (of the ladder's training recipe) that provides the items; rows have its columns."""
        return ladders()[self.ladder].config

    @cached_property
    def recipe(self) -> Recipe:
        """The training recipe of the ladder, with the root seed of this stream in place of its own."""
        return cast("Recipe", load(ladders()[self.ladder].recipe, seed=ROOTS + self.seed))

    @cached_property
    def suite(self) -> Pipeline[Any]:
        """The pipeline of the recipe's suite, which generates the items."""
        return suite_of(self.recipe)

    @cached_property
    def cells(self) -> tuple[tuple[Shard, ...], np.ndarray[tuple[int], np.dtype[np.float64]]]:
        """The cells (combinations of design parameters) of the level, and cumulative probabilities to draw from each.

        The last cumulative probability is 1.
        """
        cells, weights = zip(*self.suite.training(self.recipe, self.config, self.level), strict=True)
        ends = np.cumsum(weights)
        return cells, ends / ends[-1]

    def cell_of(self, k: int) -> Shard:
        """Return the cell that generates item ``k``: a random one, drawn with the probabilities in ``cells``.

        Raises:
            PlanimeterError: if ``k`` is not from 0 to 2**32 - 1.
        """
        if not 0 <= k < ITEMS:
            raise PlanimeterError(f"need an item number from 0 to 2**32 - 1, got {k}; take another seed for more")
        cells, ends = self.cells
        draw = rng_of(item_seed(self.recipe.root, ("stream", self.ladder, self.level, k))).random()
        return cells[int(np.searchsorted(ends, draw, side="right"))]

    def address(self, k: int) -> str:
        """Return the address of item ``k``, as LADDER/LEVEL/SEED/NUMBER; ``parsed`` is the inverse function."""
        return f"{self.ladder}/{self.level}/{self.seed}/{k}"


def levels(ladder: str) -> int:
    """Return the number of levels of ``ladder``; 1 is the easiest.

    Raises:
        PlanimeterError: if there is no such ladder.
    """
    known = ladders()
    if ladder not in known:
        raise PlanimeterError(f"there is no ladder {ladder!r}; there are: {', '.join(known)}")
    course = known[ladder]
    return suite_of(cast("Recipe", load(course.recipe))).levels[course.config]


def parsed(address: str) -> tuple[Source, int]:
    """Return the source and the number of the item at ``address``, such as ``curves/3/0/17`` (number 17).

    Raises:
        PlanimeterError: if it is not an address, or its ladder, level or seed does not exist.
    """
    parts = address.split("/")
    if len(parts) != 4 or not all(part.isdecimal() for part in parts[1:]):
        raise PlanimeterError(f"an address is LADDER/LEVEL/SEED/NUMBER, such as curves/3/0/17, got {address!r}")
    level, seed, k = (int(part) for part in parts[1:])
    return Source(ladder=parts[0], level=level, seed=seed), k
