"""What the verifier knows of a suite's rows: one module a suite, named like it, exports its ``Checker`` as ``checker``.

The generic promises (types, unique ids, pictures, gold answers) are the verifier's own; here stand the invariants that
tie a suite's columns together, and the quotas that its recipe promises.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import ClassVar, Self, TypeVar

from planimeter.export.columns import Row as Row
from planimeter.export.manifest import Recipe as Recipe
from planimeter.generators.quotas import apportion
from planimeter.items.suites import part_of
from planimeter.recipes.editions import judge_of, likeness

T = TypeVar("T")

#: The splits of a config whose rows are all to be tested with.
TEST: Mapping[str, int | None] = MappingProxyType({"test": None})
#: The splits of a config whose rows are shared out by training level.
TRAIN: Mapping[str, int | None] = MappingProxyType({"train": None})


class Checker(ABC):
    """Sees every row of a file once, in its order: its columns, and ``split``, its split.

    Each file has a checker of its own, in whatever process; ``merge`` joins them in the order of the files.

    Columns of curves that it names in ``arrays`` come as lists of numpy arrays (points, coordinates), which takes a
    fifth of the time of nested lists; all others as plain Python values. ``certified_by`` is what that column says in
    every row. ``remembered`` names the attributes that hold what was seen; each has an ``update``.
    """

    arrays: ClassVar[tuple[str, ...]] = ()
    certified_by: ClassVar[str]
    remembered: ClassVar[tuple[str, ...]]

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        #: Whether the recipe promises numbers of rows.
        self.full = recipe.get("scale", 1.0) == 1 and not recipe.get("allow_shortfall", False)

    def table(self, name: str) -> Recipe:
        """Return the table ``name`` of the recipe; an empty one if it has none."""
        found: Recipe | None = self.recipe.get(name)
        return {} if found is None else found

    def certifier(self, config: str) -> str:  # noqa: ARG002 - most suites have one for all configs
        """Return what ``certified_by`` says in every row of ``config``."""
        return self.certified_by

    def trains(self, config: str) -> bool:
        """Return whether the recipe shares out the rows of ``config`` by training level."""
        return "level_shares" in self.table(config)

    def like_a_test(self, config: str, row: Row) -> Iterator[str]:
        """Yield that the training row is like a published test item, where it is."""
        try:
            verdict = judge_of(self.recipe["suite"]).judge(likeness(self.recipe["suite"], config, row))
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            yield f"cannot be compared with the published test items: {error!r}"
            return
        if not verdict.kept:
            yield f"{verdict.reason}: {verdict.measured:.3f}, the limit is {verdict.limit:.3f}"

    def splits(self, config: str) -> Mapping[str, int | None]:
        """Return the splits that the recipe asks of ``config``, and the rows of each where it promises a number."""
        return TRAIN if self.trains(config) else TEST

    @abstractmethod
    def row(self, config: str, row: Row) -> Iterator[str]:
        """Yield what is wrong with ``row``: the rule and the value."""

    def merge(self, other: Self) -> None:
        """Remember the rows of ``other`` too, as if they had come behind our own."""
        for name in self.remembered:
            getattr(self, name).update(getattr(other, name))

    @abstractmethod
    def whole(self, *, sampled: bool = False) -> Iterator[tuple[str, str]]:
        """Yield (config, what is wrong) about all rows seen together; ``sampled`` rows have no quotas to fill."""


def level_of(row: Row, levels: Sequence[T], column: str = "level") -> T | None:
    """Return which of ``levels`` the training row says it is of; None where it names none."""
    return levels[row[column] - 1] if 1 <= row[column] <= len(levels) else None


def level_quotas(course: Recipe, found: Mapping[int, int]) -> Iterator[str]:
    """Yield which levels have other numbers of rows than ``course`` shares out; ``found`` counts them from 1."""
    for level, wanted in enumerate(apportion(course["rows"], course["level_shares"]), start=1):
        if found.get(level, 0) != wanted:
            yield f"the recipe promises {wanted} rows of level {level}, found {found.get(level, 0)}"


def digest(row: Row, columns: Iterable[str]) -> bytes:
    """Return 16 bytes that rows share whose values in ``columns`` are the same: less to remember than the values."""
    return sha256(repr([row[column] for column in columns]).encode()).digest()[:16]


def differing(row: Row, wanted: Row, source: str) -> Iterator[str]:
    """Yield which columns of ``row`` are not ``wanted``, as ``source`` makes them."""
    for name, value in wanted.items():
        if row[name] != value:
            yield f"{name} must be {value!r} for {source}, got {row[name]!r}"


def checker(suite: str, recipe: Recipe) -> Checker:
    """Return the checker of ``suite`` for a dataset made by ``recipe``.

    Raises:
        LookupError: if there is none.
    """
    found: Checker = part_of(__name__, suite).checker(recipe)
    return found
