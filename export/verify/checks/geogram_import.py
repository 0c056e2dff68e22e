"""What must hold in a row of an imported corpus of geometry problems."""

from collections import Counter
from collections.abc import Iterator

from planimeter.export.rows.geogram_import import UNCERTIFIED
from planimeter.export.verify.checks import Checker, Recipe, Row
from planimeter.export.verify.checks.geogram import row_faults


class ImportChecker(Checker):
    """Counts the pairs of statement and program, none of which may repeat."""

    certified_by = UNCERTIFIED
    remembered = ("pairs",)

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe)
        self.pairs: Counter[tuple[str, str]] = Counter()

    def row(self, config: str, row: Row) -> Iterator[str]:  # noqa: ARG002 - the suite has one config
        """Yield what is wrong with ``row``."""
        yield from row_faults(row)
        origin = self.recipe.get("origin")
        if row["origin"] != origin or row["template"]:
            yield f"need the origin {origin!r} and no template, got {row['origin']!r} and {row['template']!r}"
        self.pairs[row["problem"], row["code"]] += 1

    def whole(self, *, sampled: bool = False) -> Iterator[tuple[str, str]]:  # noqa: ARG002 - an import has no quotas
        """Yield what is wrong with the dataset as a whole."""
        for (problem, _), number in self.pairs.items():
            if number > 1:
                yield "geogram", f"a problem occurs {number} times: {problem[:60]!r}"


checker = ImportChecker
