"""Splits the recipe's quotas over cells: trees, sizes and splits.

A cell is the smallest unit with a quota. In a category it is a range of sizes and a split; in a recipe for every tree
of those sizes it is one tree and a split, so that each tree is in the training split and all are drawn equally often.
In the curriculum it is a level and a category (``suites/curves/pipeline.py``).
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
    """``quota`` rows of ``split`` with ``sizes`` curves, or with the tree ``shape`` if it is not empty."""

    split: str
    sizes: Sizes
    shape: str
    quota: int

    @property
    def label(self) -> str:
        """Return the name of the cell in the funnel; sizes sort by number."""
        low, high = self.sizes
        return self.shape or f"{low:>3} to {high} curves"


def shapes(sizes: Sequence[Sizes]) -> dict[str, Parents]:
    """Return every rooted unordered tree of those sizes by its canonical string, the smallest first."""
    return {canonical(tree): tree for low, high in sizes for n in range(low, high + 1) for tree in enumerate_trees(n)}


def category_cells(
    sizes: Sequence[Sizes], splits: Sequence[tuple[str, int]], trees_to: int, scale: float
) -> tuple[CategoryCell, ...]:
    """Deal ``splits`` (rows of each, the training split first) times ``scale`` evenly to ``sizes``.

    The rows of the sizes of up to ``trees_to`` curves, which come first, are dealt evenly to all their trees.
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
