"""The checks that nested and crossing curves share: numbers of curves, quotas, and near-duplicates in all splits.

The build rejects a row if its similarity to an earlier row reaches the limit of the new row's config. The files do not
show which row is the earlier one; therefore the checks compare rows of two configs by the higher of their limits.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from planimeter.export.checks import Checker, Quota
from planimeter.export.columns import Between
from planimeter.filters.curves.likeness import alike_pairs
from planimeter.generators.curves.plan import category_cells
from planimeter.generators.curves.signatures import pack, signature
from planimeter.items.order import in_order
from planimeter.items.values import Recipe, Row

#: The vertices (n, 2) of each curve, in pixels.
Curves = Sequence[npt.NDArray[np.float64]]

#: The largest number of pairs in the output.
_LISTED = 20

#: Tolerance of similarities: another machine may round a few cells of a grid differently.
_ROUNDING = 1e-3


class DrawingsChecker(Checker):
    """The checks of rows with drawings of curves; near-duplicates are sought in all configs that limit similarity.

    ``size``: the column with the number of curves; the recipe has a quota of rows for each range of it.
    """

    remembered = ("drawings",)
    size: ClassVar[str]

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe)
        #: (config, "ID in SPLIT") -> the limit of the similarity of this row to others, and its signature (9 kB).
        self.drawings: dict[tuple[str, str], tuple[float, bytes]] = {}

    def faults(self, config: str, row: Row) -> Iterator[str]:
        """Yield a line if the number of curves in ``row`` is outside the ranges of the recipe for ``config``."""
        yield from size_faults(row, self.size, self.table(config).get("sizes", ()))

    def splits(self, config: str) -> Mapping[str, int | None]:
        """Return {required split: its number of rows, None for any}; empty if ``config`` is not in the recipe."""
        return super().splits(config) if config in self.recipe else {}

    def row(self, config: str, row: Row) -> Iterator[str]:
        """Yield a line for each fault of ``row``; if there is none, store its drawing, for ``together`` to compare."""
        wrong = list(super().row(config, row))
        yield from wrong
        limit = self.table(config).get("similarity")
        if limit is not None and not wrong:
            curves = [np.asarray(curve, np.float64) for curve in row["curves"]]
            self.drawings[config, f"{row['id']} in {row['split']}"] = float(limit), pack(signature(curves))

    def together(self, *, sampled: bool) -> Iterator[tuple[str, str]]:  # noqa: ARG002 - no two of any rows may look alike
        """Yield (config, fault) for up to 20 near-duplicates of earlier drawings, then a line that counts the rest."""
        names, kept = list(self.drawings), list(self.drawings.values())
        found = alike_pairs([drawing for _, drawing in kept], [limit + _ROUNDING for limit, _ in kept])
        for earlier, later, similarity in found[:_LISTED]:
            limit, (config, name) = max(kept[earlier][0], kept[later][0]), names[later]
            pair = f"{name} is a near-duplicate of {names[earlier][1]}"
            yield config, f"{pair}: similarity must be below {limit}, got {similarity:.3f}"
        if len(found) > _LISTED:
            yield names[found[-1][1]][0], f"{len(found) - _LISTED} more rows are near-duplicates of earlier ones"

    def quotas(self) -> Iterator[Quota]:
        """Yield the number of rows that each split must have: for each tree, or for each range of numbers of curves."""
        for config, table in ((config, self.table(config)) for config in self.columns):
            if "splits" in table:
                every = table.get("every_tree", False)
                trees_to = table["sizes"][-1][1] if every is True else int(every)
                splits = [(split, table["splits"][split]) for split in in_order(table["splits"])]
                for cell in category_cells([(low, high) for low, high in table["sizes"]], splits, trees_to, 1.0):
                    shown = {"canonical": cell.shape} if cell.shape else {self.size: Between(*cell.sizes)}
                    yield Quota(config, {"split": cell.split, **shown}, cell.quota)


def size_faults(row: Row, column: str, sizes: Sequence[Sequence[int]]) -> Iterator[str]:
    """Yield a line if the number of curves, ``column`` of ``row``, is in none of the ranges ``sizes``."""
    if sizes and not any(low <= row[column] <= high for low, high in sizes):
        yield f"{column} is not in any of the ranges {sizes} of the recipe: {row[column]}"
