"""What must hold in a row of an imported corpus of geometry problems."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Self

from planimeter.export.rows.geogram_import import UNCERTIFIED
from planimeter.export.verify.checks import TEST, Row
from planimeter.export.verify.checks.geogram import row_faults


def checker(recipe: Mapping[str, Any]) -> "ImportChecker":
    """Return the checker for a dataset made by ``recipe``."""
    return ImportChecker(recipe)


class ImportChecker:
    """Keeps the statements and programs, of which no pair may repeat."""

    arrays = ()

    def __init__(self, recipe: Mapping[str, Any]) -> None:
        self.origin = recipe.get("origin")
        self.pairs: Counter[tuple[str, str]] = Counter()

    def certifier(self, config: str) -> str:  # noqa: ARG002 - all configs have one
        """Return what ``certified_by`` says in every row of ``config``."""
        return UNCERTIFIED

    def splits(self, config: str) -> Mapping[str, int | None]:  # noqa: ARG002 - all configs are alike
        """Return the splits of ``config``."""
        return TEST

    def row(self, config: str, row: Row) -> Iterator[str]:  # noqa: ARG002 - the suite has one config
        """Yield what is wrong with ``row``."""
        yield from row_faults(row)
        if row["origin"] != self.origin or row["template"]:
            yield f"need the origin {self.origin!r} and no template, got {row['origin']!r} and {row['template']!r}"
        self.pairs[row["problem"], row["code"]] += 1

    def merge(self, other: Self) -> None:
        """Remember the rows of ``other`` too."""
        self.pairs.update(other.pairs)

    def whole(self, *, sampled: bool = False) -> Iterator[tuple[str, str]]:  # noqa: ARG002 - an import has no quotas
        """Yield what is wrong with the dataset as a whole."""
        for (problem, _), number in self.pairs.items():
            if number > 1:
                yield "geogram", f"a problem occurs {number} times: {problem[:60]!r}"
