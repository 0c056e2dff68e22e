"""Divide the rows of a recipe among cells, the smallest units with a quota of rows.

A cell is a split and a range of sizes (numbers of curves). But for sizes of which a category contains every nesting
tree, a cell is a split and one tree: the rows of these sizes are distributed evenly over the trees, first those of the
training split, so that each tree occurs there and all occur equally often. In the curriculum a cell is a level and a
category (``suites/curves/pipeline.py``).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from planimeter.generators.curves.trees import Parents, canonical, enumerate_trees
from planimeter.generators.quotas import apportion, deal, scaled

#: Numbers of curves, both included.
Sizes = tuple[int, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class CategoryCell:
    """A quota of rows of one ``split``.

    The rows have ``sizes`` curves or, if ``shape`` is not empty, the one tree with this canonical string.
    """

    split: str
    sizes: Sizes
    shape: str
    quota: int

    @property
    def label(self) -> str:
        """Return the name of the cell in counts of accepted and rejected candidates: its tree or number of curves.

        Numbers are padded, so that names sort by them.
        """
        low, high = self.sizes
        return self.shape or f"{low:>3} to {high} curves"


def shapes(sizes: Sequence[Sizes]) -> dict[str, Parents]:
    """Return a mapping from canonical strings to trees: all rooted unordered trees of ``sizes``, in this order."""
    return {canonical(tree): tree for low, high in sizes for n in range(low, high + 1) for tree in enumerate_trees(n)}


def category_cells(
    sizes: Sequence[Sizes], splits: Sequence[tuple[str, int]], trees_to: int, scale: float
) -> tuple[CategoryCell, ...]:
    """Return the cells of a category, with quotas that sum to the rows of each split times ``scale``.

    ``sizes``: ranges of numbers of curves, ascending, with an equal part each. The parts of all ranges of at most
    ``trees_to`` curves are divided evenly among their trees. ``splits``: names and rows, the training split first.
    """
    quotas = apportion(scaled(sum(rows for _, rows in splits), scale), [rows for _, rows in splits])
    in_full = [span for span in sizes if span[1] <= trees_to]
    kinds = shapes(in_full)
    totals: Counter[str] = Counter()
    cells: list[CategoryCell] = []
    for (split, _), quota in zip(splits, quotas, strict=True):
        trees, *parts = apportion(quota, [len(in_full)] + [1] * (len(sizes) - len(in_full)))
        dealt = deal(trees, list(kinds), totals) if kinds else {}
        totals.update(dealt)
        cells += [
            CategoryCell(split=split, sizes=(len(kinds[shape]),) * 2, shape=shape, quota=dealt[shape])
            for shape in kinds
            if shape in dealt
        ]
        cells += [
            CategoryCell(split=split, sizes=span, shape="", quota=part)
            for span, part in zip(sizes[len(in_full) :], parts, strict=True)
            if part
        ]
    return tuple(cells)
