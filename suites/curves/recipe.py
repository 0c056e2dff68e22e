"""The recipe of the CurveBench suite: numbers of rows by category or training level, and settings of the drawings.

Limits reject illegible drawings and near-duplicates.
"""

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
    """The settings that all drawings of one config share."""

    arcs: tuple[Count, Count] = (0, 0)
    """Least and greatest number of open lines, which bound nothing."""
    look: CurvesLook = PLAIN
    """Colours, strokes and paper of the pictures."""
    limits: CurvesLimits = CurvesLimits()
    """Limits that every drawing must meet."""

    @model_validator(mode="after")
    def _leaves_the_border_free(self) -> Self:
        if self.limits.border_px > self.margin_px:
            raise ValueError(
                f"need limits.border_px <= margin_px, got {self.limits.border_px} and {self.margin_px}: otherwise "
                "every drawing is rejected"
            )
        return self

    def drawn(self, nodes: tuple[int, int], depth: tuple[int, int], stroke_px: Span, gap_px: float) -> CurvesConfig:
        """Return the generator's parameters; ranges are (least, greatest), ``gap_px`` is the least gap between lines.

        Raises:
            ValueError: if the canvas is too small, or the limits reject every drawing.
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
                f"limits.opening_px = {self.limits.opening_px} does not fit inside {depth[0]} nested curves on a "
                f"canvas of {self.canvas_px} px at gap_px={gap_px}; lower it, or take a larger canvas_px"
            )
        return config


class Category(BySize, Drawing):
    """The settings of one category of drawings, such as `maze` (CurveBench, section 3)."""

    every_tree: bool | Positive = False
    """True to draw all rooted trees of these sizes equally often, or the number of curves up to which to do so."""
    depth: tuple[Positive, Positive]
    """Least and greatest depth of nesting."""
    tree_shape: TreeShape
    """Distribution of random trees."""
    stroke_px: Span
    """Thinnest and widest stroke, px."""
    gap_px: Length
    """Least distance between two centre lines, px."""
    convolution: Length = 1.0
    """Factor on the length of boundaries; 1 is the default of the category."""

    @model_validator(mode="after")
    def _shows_every_tree_in_training(self) -> Self:
        if not self.every_tree:
            return self
        in_full = [span for span in self.sizes if span[1] <= self.trees_to]
        if not in_full or any(low <= self.trees_to < high for low, high in self.sizes):
            raise ValueError(f"need a range in sizes that ends with every_tree = {self.every_tree}, got {self.sizes}")
        trees = 0
        for n in (n for low, high in in_full for n in range(low, high + 1)):
            trees += count_trees(n)
            if trees > MOST_TREES:
                raise ValueError(
                    f"need at most {MOST_TREES} trees for every_tree, got {trees} of up to {n} curves; lower sizes"
                )
        first = next(iter(self.splits))
        if self.depth != (1, self.sizes[-1][1]):
            raise ValueError(f"need depth = [1, {self.sizes[-1][1]}] for every_tree, got {list(self.depth)}")
        weights = [len(in_full)] + [1] * (len(self.sizes) - len(in_full))
        rows = {split: apportion(number, weights)[0] for split, number in self.splits.items()}
        if rows[first] < trees or sum(rows.values()) < 2 * trees:
            raise ValueError(
                f"need at least {trees} rows in {first} and {2 * trees} in all, so that each of the {trees} trees of "
                f"every_tree has a row in {first} and two in all, got {rows[first]} and {sum(rows.values())}"
            )
        for tree in shapes(in_full).values():
            check_trees(self.config((len(tree), len(tree)), tree), self.limits.opening_px)
        return self

    @property
    def trees_to(self) -> int:
        """The largest number of curves for which every tree is drawn equally often; 0 if all trees are random."""
        return self.sizes[-1][1] if self.every_tree is True else int(self.every_tree)

    def config(self, nodes: tuple[int, int], parents: Parents | None = None) -> CurvesConfig:
        """Return the generator's parameters for drawings of ``nodes`` (least, greatest) curves.

        ``parents``: the tree of all drawings, if it is not random.

        Raises:
            ValueError: if the canvas is too small, or the limits reject every drawing.
        """
        return replace(
            self.drawn(nodes, self.depth, self.stroke_px, self.gap_px),
            parents=parents,
            tree_shape=self.tree_shape,
            convolution=self.convolution,
        )


class Curriculum(Drawing, Course):
    """The settings of training rows by level of difficulty (CurveBench, section 7)."""

    TOP_LEVEL: ClassVar[int] = len(LEVELS)

    @model_validator(mode="after")
    def _can_be_drawn(self) -> Self:
        for number in range(1, len(LEVELS) + 1):
            if self.level_shares[number - 1]:
                check_trees(self.config(number), self.limits.opening_px)
        return self

    def config(self, level: int) -> CurvesConfig:
        """Return the generator's parameters for drawings of the training level ``level``, 1 (easiest) to 8."""
        wanted = LEVELS[level - 1]
        base = self.drawn(wanted.nodes, wanted.depth, (LEAST_STROKE_PX, LEAST_STROKE_PX), wanted.gap_px)
        return level_config(wanted, base)


class SuiteRecipe(Recipe):
    """The recipe of a dataset of nested curves, ``suite = "curves"``.

    It has at least one table: for one of the five categories, or for training levels.
    """

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
        # `topographical` is not checked, since its trees come from terrains; nor are sizes that `every_tree` checked.
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
        """Return the table of each category that the recipe has, by name, in the order of the CurveBench paper."""
        tables = {name: getattr(self, name) for name in CURVE_CATEGORIES}
        return {name: table for name, table in tables.items() if table is not None}
