"""What the verifier knows of a suite's rows: one module a suite, named like it, exports ``checker(recipe)``.

The generic promises (types, unique ids, pictures, gold answers) are the verifier's own; here stand the invariants that
tie a suite's columns together, and the quotas that its recipe promises.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Protocol, Self

from planimeter.generators.suites import part_of

Row = Mapping[str, Any]

#: The splits of a config whose rows are all to be tested with.
TEST: Mapping[str, int | None] = MappingProxyType({"test": None})


class Checker(Protocol):
    """Sees every row of a file once, in its order: its columns but for the picture, and ``split``, its split.

    Each file has a checker of its own, in whatever process; ``merge`` joins them in the order of the files.

    Columns of curves that it names in ``arrays`` come as lists of numpy arrays (points, coordinates), which takes a
    fifth of the time of nested lists; all others as plain Python values.
    """

    arrays: tuple[str, ...]

    def certifier(self, config: str) -> str:
        """Return what ``certified_by`` says in every row of ``config``."""
        ...

    def splits(self, config: str) -> Mapping[str, int | None]:
        """Return the splits that the recipe asks of ``config``, and the rows of each where it promises a number."""
        ...

    def row(self, config: str, row: Row) -> Iterator[str]:
        """Yield what is wrong with ``row``: the rule and the value."""
        ...

    def merge(self, other: Self) -> None:
        """Remember the rows of ``other`` too, as if they had come behind our own."""
        ...

    def whole(self, *, sampled: bool = False) -> Iterator[tuple[str, str]]:
        """Yield (config, what is wrong) about all rows seen together; ``sampled`` rows have no quotas to fill."""
        ...


def checker(suite: str, recipe: Mapping[str, Any]) -> Checker:
    """Return the checker of ``suite`` for a dataset made by ``recipe``.

    Raises:
        LookupError: if there is none.
    """
    found: Checker = part_of(__name__, suite).checker(recipe)
    return found
