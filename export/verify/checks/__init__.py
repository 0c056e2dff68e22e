"""What the verifier knows of a suite's rows: one module a suite, named like it, exports its ``Checker`` as ``checker``.

The generic promises (types, unique ids, pictures, gold answers) are the verifier's own; here stand the invariants that
tie a suite's columns together, and the quotas that its recipe promises.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import ClassVar, Self

from planimeter.export.columns import Row as Row
from planimeter.export.manifest import Recipe as Recipe
from planimeter.items.suites import part_of

#: The splits of a config whose rows are all to be tested with.
TEST: Mapping[str, int | None] = MappingProxyType({"test": None})


class Checker(ABC):
    """Sees every row of a file once, in its order: its columns but for the picture, and ``split``, its split.

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

    def splits(self, config: str) -> Mapping[str, int | None]:  # noqa: ARG002 - most suites have but one split
        """Return the splits that the recipe asks of ``config``, and the rows of each where it promises a number."""
        return TEST

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
