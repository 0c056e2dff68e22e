"""Which cell answers for how many rows: the quotas of a recipe dealt to trees, sizes and splits.

A cell is the smallest thing with a quota of its own. In a category it is a range of sizes and a split; where a recipe
wants every tree of those sizes it is one tree and a split, so that each tree is in the training split and is drawn as
often as any other. In the curriculum it is a level and a category (``flows/suites/curves.py``).
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
    """``quota`` rows of ``split`` with ``sizes`` curves, or with the tree ``shape`` where it is not empty."""

    split: str
    sizes: Sizes
    shape: str
    quota: int

    @property
    def label(self) -> str:
        """The name of the cell in the funnel; sizes sort by number."""
        low, high = self.sizes
        return self.shape or f"{low:>3} to {high} curves"


def shapes(sizes: Sequence[Sizes]) -> dict[str, Parents]:
    """Return every rooted unordered tree of those sizes by its canonical string, the smallest first."""
    return {canonical(tree): tree for low, high in sizes for n in range(low, high + 1) for tree in enumerate_trees(n)}


def category_cells(
    sizes: Sequence[Sizes], splits: Sequence[tuple[str, int]], every_tree: bool, scale: float
) -> tuple[CategoryCell, ...]:
    """Deal ``splits`` (rows of each, the training split first) times ``scale`` evenly to sizes, or to trees."""
    quotas = apportion(scaled(sum(rows for _, rows in splits), scale), [rows for _, rows in splits])
    kinds = shapes(sizes) if every_tree else {}
    held: Counter[str] = Counter()
    cells: list[CategoryCell] = []
    for (split, _), quota in zip(splits, quotas, strict=True):
        if every_tree:
            given = deal(quota, list(kinds), held)
            held.update(given)
            cells += [
                CategoryCell(split=split, sizes=(len(kinds[shape]),) * 2, shape=shape, quota=given[shape])
                for shape in kinds
                if shape in given
            ]
        else:
            parts = apportion(quota, [1] * len(sizes))
            cells += [
                CategoryCell(split=split, sizes=span, shape="", quota=part)
                for span, part in zip(sizes, parts, strict=True)
                if part
            ]
    return tuple(cells)
