"""What is checked of drawings of curves, nested or crossing: which of them look alike, whatever their splits.

The build judges rows in the order of the plan by the limit of the later one. That order cannot be seen in the files,
so two rows of different configs are judged by the higher of their limits.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from planimeter.export.checks import Checker, Quota
from planimeter.export.columns import Between, Recipe, Row
from planimeter.filters.curves.likeness import alike_pairs
from planimeter.generators.curves.plan import category_cells
from planimeter.generators.curves.signatures import pack, signature
from planimeter.items.order import in_order

#: The vertices (n, 2) of each curve, in pixels.
Curves = Sequence[npt.NDArray[np.float64]]

#: Pairs of rows that are listed.
_LISTED = 20

#: Another machine may round a few cells of a grid otherwise.
_ROUNDING = 1e-3


@dataclass(frozen=True, slots=True)
class _Row:
    config: str
    name: str
    limit: float


class Alike:
    """Remembers the drawings that may not look alike, 9 kB each."""

    def __init__(self) -> None:
        self._rows: list[_Row] = []
        self._drawings: list[bytes] = []

    def add(self, config: str, name: str, limit: float, curves: Curves) -> None:
        """Remember the drawing of the row ``name``, which is less than ``limit`` similar to any other of ``config``."""
        self._rows.append(_Row(config, name, float(limit)))
        self._drawings.append(pack(signature(curves)))

    def update(self, other: Self) -> None:
        """Remember the drawings of ``other`` too."""
        self._rows += other._rows
        self._drawings += other._drawings

    def faults(self) -> Iterator[tuple[str, str]]:
        """Yield (config, what is wrong) for each drawing that looks like an earlier one."""
        found = alike_pairs(self._drawings, [row.limit + _ROUNDING for row in self._rows])
        for earlier, later, similarity in found[:_LISTED]:
            first, second = self._rows[earlier], self._rows[later]
            limit = max(first.limit, second.limit)
            what = f"{second.name} looks like {first.name}: similarity must be below {limit}, got {similarity:.3f}"
            yield second.config, what
        if len(found) > _LISTED:
            yield self._rows[found[-1][1]].config, f"{len(found) - _LISTED} more rows look like earlier ones"


class DrawingsChecker(Checker):
    """Checks drawings of curves; those of a config whose recipe limits their likeness are compared with one another.

    ``size`` is the column whose ranges share the rows of a table of the recipe.
    """

    arrays = ("curves",)
    remembered = ("alike",)
    size: ClassVar[str]

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe)
        self.alike = Alike()

    def splits(self, config: str) -> Mapping[str, int | None]:
        """Return the splits that the recipe asks of ``config``; none of one that it does not name."""
        return super().splits(config) if config in self.recipe else {}

    def row(self, config: str, row: Row) -> Iterator[str]:
        """Yield what is wrong with ``row``, and remember a sound one."""
        wrong = list(super().row(config, row))
        yield from wrong
        limit = self.table(config).get("similarity")
        if limit is not None and not wrong:
            curves = [np.asarray(curve, np.float64) for curve in row["curves"]]
            self.alike.add(config, f"{row['id']} in {row['split']}", limit, curves)

    def together(self, *, sampled: bool) -> Iterator[tuple[str, str]]:  # noqa: ARG002 - no two of any rows may look alike
        """Yield (config, what is wrong) for each drawing that looks like an earlier one."""
        return self.alike.faults()

    def quotas(self) -> Iterator[Quota]:
        """Yield the rows of each split by tree or by range of sizes, as the plan deals them."""
        for config, table in ((config, self.table(config)) for config in self.columns):
            if "splits" in table:
                every = table.get("every_tree", False)
                trees_to = table["sizes"][-1][1] if every is True else int(every)
                splits = [(split, table["splits"][split]) for split in in_order(table["splits"])]
                for cell in category_cells([(low, high) for low, high in table["sizes"]], splits, trees_to, 1.0):
                    shown = {"canonical": cell.shape} if cell.shape else {self.size: Between(*cell.sizes)}
                    yield Quota(config, {"split": cell.split, **shown}, cell.quota)


def size_faults(row: Row, column: str, sizes: Sequence[Sequence[int]]) -> Iterator[str]:
    """Check that the row has as many curves as the recipe asks for."""
    if sizes and not any(low <= row[column] <= high for low, high in sizes):
        yield f"{column} lies in none of the wanted ranges {sizes}: {row[column]}"
