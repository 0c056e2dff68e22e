"""How each suite strings its rooms together inside one shard: one file a suite, found by the recipe's ``suite``."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, cast

from planimeter.filters.verdict import Verdict
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.shards import Made, Shard
from planimeter.generators.suites import part_of
from planimeter.recipes.base import Recipe

#: Decides the columns that every suite's rows have; part of each shard's key beside the sources that the suite names.
SHARED_SOURCES = ("planimeter.export.columns",)


class Suite(Protocol):
    """What ``flows/suites/<suite>.py`` offers. All of it is pure: the same arguments give the same rows."""

    #: Modules that every shard of the suite depends on, beside those that a shard names itself.
    SOURCES: tuple[str, ...]

    def plan(self, recipe: Recipe) -> tuple[Shard, ...]:
        """Return the shards whose rows, in this order, are the dataset."""
        ...

    def make(self, recipe: Recipe, shard: Shard) -> Made:
        """Generate, filter, render and certify the items of ``shard``."""
        ...

    def distinct(self, recipe: Recipe) -> Callable[[Shard, str], Verdict]:
        """Return a judge of items in the order of the plan; it remembers the signatures (hex) that it has kept."""
        ...

    def room(self, recipe: Recipe, shard: Shard) -> tuple[int, int]:
        """Return how many rows a full ``shard`` has in all configs, and the bytes of one as measured on full builds."""
        ...

    def again(self, recipe: Recipe, row: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the row that stands at the address of the seed of ``row``, or None if the plan has no such address.

        Of ``row``, only the seed decides; other columns may narrow the search.
        """
        ...


def suite_of(recipe: Recipe) -> Suite:
    """Return the module of ``recipe``'s suite.

    Raises:
        PlanimeterError: if the suite has none, or if numba has no place for compiled code.
    """
    try:
        return cast("Suite", part_of(__name__, recipe.suite))
    except LookupError as error:
        raise PlanimeterError(str(error)) from None
    except RuntimeError as error:
        # Where neither the project's folder nor the user's cache can be written, numba refuses while we import.
        if "cannot cache function" not in str(error):
            raise
        raise PlanimeterError(
            "numba finds no writable folder for its compiled code; name one in the environment variable NUMBA_CACHE_DIR"
        ) from error
