"""Split the quotas of a recipe over cells of tree, size and split.

A cell is the smallest unit with a quota. It is a range of sizes and a split; or, in a category with every tree of some
sizes, one tree and a split, so that each tree is in the training split and all are drawn equally often. In the
curriculum a cell is a level and a category (``suites/curves/pipeline.py``).
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
    """A quota of rows of one ``split``: of ``sizes`` curves, or of the one tree with the canonical string ``shape``."""

    split: str
    sizes: Sizes
    shape: str
    quota: int

    @property
    def label(self) -> str:
        """Return the name of the cell in counts of verdicts; padded, so that names sort by number of curves."""
        low, high = self.sizes
        return self.shape or f"{low:>3} to {high} curves"


def shapes(sizes: Sequence[Sizes]) -> dict[str, Parents]:
    """Return all rooted unordered trees of ``sizes``, the smallest first, by their canonical strings."""
    return {canonical(tree): tree for low, high in sizes for n in range(low, high + 1) for tree in enumerate_trees(n)}


def category_cells(
    sizes: Sequence[Sizes], splits: Sequence[tuple[str, int]], trees_to: int, scale: float
) -> tuple[CategoryCell, ...]:
    """Return the cells among which the rows of each split, times ``scale``, are divided.

    ``sizes``: ranges of numbers of curves, ascending; each gets an equal part. A range of at most ``trees_to`` curves
    is divided further, evenly among all its trees. ``splits``: names and rows, the training split first.
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
