"""The recipe of the CurveBench suite: rows of each category or level, what a drawing keeps, what is alike."""

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, Self

from pydantic import field_validator, model_validator

from planimeter.filters.curves.rules import CurvesLimits
from planimeter.generators.curves.config import LEAST_STROKE_PX, PLAIN, CurvesConfig, TreeShape, check_trees
from planimeter.generators.curves.curriculum import LEVELS, level_config
from planimeter.generators.curves.plan import shapes
from planimeter.generators.curves.trees import Parents, count_trees, path
from planimeter.generators.quotas import apportion
from planimeter.items import CURVE_CATEGORIES, CurveCategory, CurvesLook
from planimeter.suites.base import Course, Positive, Recipe
from planimeter.suites.drawing.recipe import BySize, Canvas, Count, Length, Span

#: The most trees for a recipe that draws every tree.
MOST_TREES = 2000


class Drawing(Canvas):
    """The settings of every drawing of a config."""

    arcs: tuple[Count, Count] = (0, 0)
    """Least and greatest number of open lines, which bound nothing."""
    look: CurvesLook = PLAIN
    """How the curves are drawn."""
    limits: CurvesLimits = CurvesLimits()
    """What every drawing is checked for."""

    @model_validator(mode="after")
    def _leaves_the_border_free(self) -> Self:
        if self.limits.border_px > self.margin_px:
            raise ValueError(
                f"need limits.border_px <= margin_px, got {self.limits.border_px} and {self.margin_px}: every drawing "
                "would be rejected"
            )
        return self

    def drawn(self, nodes: tuple[int, int], depth: tuple[int, int], stroke_px: Span, gap_px: float) -> CurvesConfig:
        """Return the requirements of a drawing.

        Raises:
            ValueError: if no canvas can hold it, or the limits reject every drawing.
        """
        config = CurvesConfig(
            nodes=nodes,
            depth=depth,
            stroke_px=stroke_px,
            gap_px=gap_px,
            canvas_px=self.canvas_px,
            margin_px=self.margin_px,
            arcs=self.arcs,
            look=self.look,
        )
        if self.limits.stroke_px > stroke_px[0]:
            raise ValueError(f"need limits.stroke_px <= stroke_px, got {self.limits.stroke_px} and {stroke_px[0]}")
        if gap_px < stroke_px[0] + self.limits.paper_px:
            raise ValueError(
                f"need gap_px >= stroke_px + limits.paper_px, got {gap_px} and {stroke_px[0]} + {self.limits.paper_px}"
            )
        # Any tree contains a path of the required depth.
        if not config.fits(path(depth[0]), self.limits.opening_px):
            raise ValueError(
                f"need limits.opening_px that a canvas of {self.canvas_px} px has room for inside of {depth[0]} "
                f"curves at gap_px={gap_px}, got {self.limits.opening_px}"
            )
        return config


class Category(BySize, Drawing):
    """One category (CurveBench, section 3)."""

    every_tree: bool | Positive = False
    """Draw each rooted tree of those sizes, or of up to so many curves, equally often."""
    depth: tuple[Positive, Positive]
    """Least and greatest depth of nesting."""
    tree_shape: TreeShape
    """How trees are drawn at random."""
    stroke_px: Span
    """Thinnest and widest stroke, px."""
    gap_px: Length
    """Least distance of two centre lines, px."""
    convolution: Length = 1.0
    """Length of the boundaries; 1 is the category's own."""

    @model_validator(mode="after")
    def _shows_every_tree_in_training(self) -> Self:
        if not self.every_tree:
            return self
        in_full = [span for span in self.sizes if span[1] <= self.trees_to]
        if not in_full or any(low <= self.trees_to < high for low, high in self.sizes):
            raise ValueError(f"need a range of sizes that ends with every_tree = {self.every_tree}, got {self.sizes}")
        trees = 0
        for n in (n for low, high in in_full for n in range(low, high + 1)):
            trees += count_trees(n)
            if trees > MOST_TREES:
                raise ValueError(
                    f"need at most {MOST_TREES} trees for every_tree, got {trees} of up to {n} curves: lower sizes"
                )
        first = next(iter(self.splits))
        if self.depth != (1, self.sizes[-1][1]):
            raise ValueError(f"need depth = [1, {self.sizes[-1][1]}] for every_tree, got {list(self.depth)}")
        weights = [len(in_full)] + [1] * (len(self.sizes) - len(in_full))
        rows = {split: apportion(number, weights)[0] for split, number in self.splits.items()}
        if rows[first] < trees or sum(rows.values()) < 2 * trees:
            raise ValueError(
                f"need a row of each of {trees} trees in {first} and two in all, got {rows[first]} and "
                f"{sum(rows.values())} rows"
            )
        for tree in shapes(in_full).values():
            check_trees(self.config((len(tree), len(tree)), tree), self.limits.opening_px)
        return self

    @property
    def trees_to(self) -> int:
        """The number of curves up to which every tree is drawn."""
        return self.sizes[-1][1] if self.every_tree is True else int(self.every_tree)

    def config(self, nodes: tuple[int, int], parents: Parents | None = None) -> CurvesConfig:
        """Return the requirements of a drawing of that many curves, or of that tree. Raises ``ValueError`` if no canvas
        can hold it.
        """
        return replace(
            self.drawn(nodes, self.depth, self.stroke_px, self.gap_px),
            parents=parents,
            tree_shape=self.tree_shape,
            convolution=self.convolution,
        )


class Curriculum(Drawing, Course):
    """Training rows by level (CurveBench, section 7)."""

    TOP_LEVEL: ClassVar[int] = len(LEVELS)

    @model_validator(mode="after")
    def _can_be_drawn(self) -> Self:
        for number in range(1, len(LEVELS) + 1):
            if self.level_shares[number - 1]:
                check_trees(self.config(number), self.limits.opening_px)
        return self

    def config(self, level: int) -> CurvesConfig:
        """Return the requirements of a drawing at ``level``, 1 to 8."""
        wanted = LEVELS[level - 1]
        base = self.drawn(wanted.nodes, wanted.depth, (LEAST_STROKE_PX, LEAST_STROKE_PX), wanted.gap_px)
        return level_config(wanted, base)


class SuiteRecipe(Recipe):
    """A recipe with ``suite = "curves"``: any of the five categories, or the curriculum."""

    easy: Category | None = None
    """Smooth blobs."""
    polygon: Category | None = None
    """Straight edges and sharp corners."""
    topographical: Category | None = None
    """Contour lines of a terrain."""
    maze: Category | None = None
    """Long winding corridors."""
    counting: Category | None = None
    """Crowds of curves."""
    curriculum: Curriculum | None = None
    """Rows by level, for training."""

    @field_validator("easy", "polygon", "maze", "counting")
    @classmethod
    def _draws_trees_that_fit(cls, table: Category | None) -> Category | None:
        # The terrains of `topographical` have any trees; `every_tree` has checked each.
        if table is not None:
            for nodes in (span for span in table.sizes if span[1] > table.trees_to):
                check_trees(table.config(nodes), table.limits.opening_px)
        return table

    @model_validator(mode="after")
    def _holds_something(self) -> Self:
        if self.curriculum is None and not self.categories():
            raise ValueError(f"need a table for at least one of {', '.join(CURVE_CATEGORIES)}, curriculum")
        return self

    def categories(self) -> Mapping[CurveCategory, Category]:
        """Return the categories that the recipe asks for, in the order of the paper."""
        tables = {name: getattr(self, name) for name in CURVE_CATEGORIES}
        return {name: table for name, table in tables.items() if table is not None}
