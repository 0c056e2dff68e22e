"""Divide the rows of a recipe among cells, the smallest units with a quota of rows.

A cell is a split and a range of numbers of curves. For small numbers of curves, a category contains every nesting tree,
and a cell is a split and one tree. The rows of these cells are divided evenly among the trees, those of the training
split first, so that each tree occurs in training, and all occur equally often. (The rows for training levels are
divided in ``suites/curves/pipeline.py``.)
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
    """The rows of a split whose numbers of curves are in one range or, if given, that have one nesting tree.

    ``sizes``: least and greatest number of curves; ``shape``: the tree's canonical string, or empty for any tree;
    ``quota``: the number of rows.
    """

    split: str
    sizes: Sizes
    shape: str
    quota: int

    @property
    def label(self) -> str:
        """Return the name of the cell in tables of accepted and rejected rows: its tree, or its numbers of curves.

        Numbers are padded, so that names sort by them.
        """
        low, high = self.sizes
        return self.shape or f"{low:>3} to {high} curves"


def shapes(sizes: Sequence[Sizes]) -> dict[str, Parents]:
    """Return all rooted unordered trees with numbers of curves in the ranges ``sizes``, by canonical string."""
    return {canonical(tree): tree for low, high in sizes for n in range(low, high + 1) for tree in enumerate_trees(n)}


def category_cells(
    sizes: Sequence[Sizes], splits: Sequence[tuple[str, int]], trees_to: int, scale: float
) -> tuple[CategoryCell, ...]:
    """Divide the rows of a category among cells: (split, range of numbers of curves) or (split, tree).

    ``splits``: (name, rows) each, the training split first; rows are multiplied by ``scale``. ``sizes``: ranges of
    numbers of curves, ascending, each with an equal part of the rows. Ranges of at most ``trees_to`` curves have a cell
    for each tree; the rows of all these ranges are divided evenly among their trees.
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
