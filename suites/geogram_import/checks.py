"""The checks of rows of imported problems."""

from collections.abc import Iterator

from planimeter.export.checks import Checker
from planimeter.items.values import Row
from planimeter.suites.geogram.checks import row_faults
from planimeter.suites.geogram_import.rows import COLUMNS, UNCERTIFIED


class ImportChecker(Checker):
    """The checks of imported rows: every check of GeoGramBench rows, and that they come from the recipe's corpus."""

    columns = COLUMNS
    certified_by = UNCERTIFIED

    def faults(self, config: str, row: Row) -> Iterator[str]:  # noqa: ARG002 - the suite has one config
        yield from row_faults(row)
        origin = self.recipe.get("origin")
        if row["origin"] != origin or row["template"]:
            yield f"need the origin {origin!r} and no template, got {row['origin']!r} and {row['template']!r}"


checker = ImportChecker
