"""What must hold between the columns of a row of nested curves, and which quotas the recipe promises.

The tree is taken from the stored vertices once more, and so are distances, and the side that the drawing is on: that no
training row is a drawing of the test dataset is a property of each row, and is checked on each. All of this is
``filters.curves.vertices``, which shares nothing with the generator. How alike drawings look is taken from the vertices
too (``alike``). Shared with the generator are the closed list of training levels, which no recipe prints, and how a
number of rows is rounded to cells, a convention that another way could only copy. Quotas are checked where the recipe
is at full scale and allows no shortfall.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np
import shapely

from planimeter.evals.curves.prompt import answer
from planimeter.export.manifest import in_order
from planimeter.export.verify.checks import TRAIN, Recipe, Row, differing
from planimeter.export.verify.checks.alike import Curves, DrawingsChecker
from planimeter.filters.curves import vertices
from planimeter.generators.curves.curriculum import LEVELS
from planimeter.generators.quotas import apportion
from planimeter.items import CURVE_CATEGORIES

CURRICULUM = "curriculum"

#: The largest canvas of any recipe.
_LARGEST_PX = 4096

#: The thinnest stroke that any recipe may ask for, and the least paper between two of them.
_LEAST_GAP_PX = 4.0 + 3.0

#: Rounding moves a vertex by up to 0.007 px.
_ROUNDING_PX = 0.02


class CurvesChecker(DrawingsChecker):
    """Counts how often each tree is drawn in each config, and how many rows each level has."""

    certified_by = "curves-components"
    remembered = ("trees", "levels", "alike")

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe)
        #: Rows by config, tree and split.
        self.trees: Counter[tuple[str, str, str]] = Counter()
        self.levels: Counter[tuple[int, str]] = Counter()

    def splits(self, config: str) -> Mapping[str, int | None]:
        """Return the splits that the recipe asks of ``config``, with the rows of each at full scale."""
        return TRAIN if self.trains(config) else super().splits(config)

    def faults(self, config: str, row: Row) -> Iterator[str]:
        """Yield what is wrong with ``row`` by itself."""
        parents = tuple(row["parents"])
        if not all(0 <= parent < node for node, parent in enumerate(parents, start=1)):
            yield f"parents[i] must be 0 to i, got {row['parents']}"
            return
        yield from _tree(row, parents)
        yield from self._asked(config, row)
        curves = [np.array(curve, np.float64) for curve in row["curves"]]
        if len(curves) != len(parents) or any(curve.ndim != 2 or curve.shape[1:] != (2,) for curve in curves):
            yield f"there must be one curve of points (x, y) for each node, got {len(curves)} for {len(parents)} nodes"
        elif min(len(curve) for curve in curves) < 3:
            yield "a closed curve has at least three vertices"
        else:
            yield from self._drawing(config, row, curves)
        self.trees[config, row["canonical"], row["split"]] += 1

    def quotas(self) -> Iterator[tuple[str, str]]:
        """Yield (config, promise of the recipe that is not kept) of a dataset at full scale."""
        for config in CURVE_CATEGORIES:
            if table := self.table(config):
                yield from ((config, line) for line in self._category_quotas(config, table))
        if course := self.table(CURRICULUM):
            yield from ((CURRICULUM, line) for line in self._level_quotas(course))

    def _asked(self, config: str, row: Row) -> Iterator[str]:
        """Check what the recipe asks of size and depth."""
        table = self.table(config)
        if row["category"] not in CURVE_CATEGORIES or config not in (row["category"], CURRICULUM):
            yield f"category must be {config}, got {row['category']!r}"
        if config == CURRICULUM:
            yield from self.like_a_test(config, row)
            if not 1 <= row["level"] <= len(LEVELS):
                yield f"level must be 1 to {len(LEVELS)}, got {row['level']}"
                return
            level = LEVELS[row["level"] - 1]
            sizes, depths = [level.nodes], level.depth
            if row["category"] not in (name for name, _ in level.weights):
                yield f"level {row['level']} has no {row['category']}"
            self.levels[row["level"], row["category"]] += 1
        else:
            sizes, depths = table.get("sizes", []), table.get("depth", (0, row["depth"]))
        if sizes and not any(low <= row["num_nodes"] <= high for low, high in sizes):
            yield f"num_nodes lies in none of the wanted ranges {sizes}: {row['num_nodes']}"
        if not depths[0] <= row["depth"] <= depths[1]:
            yield f"depth must be {depths[0]} to {depths[1]}, got {row['depth']}"

    def _drawing(self, config: str, row: Row, curves: Curves) -> Iterator[str]:
        """Check what the stored vertices say by themselves."""
        table = self.table(config)
        side, border = table.get("canvas_px", _LARGEST_PX), table.get("limits", {}).get("border_px", 0.0)
        low, high = min(float(curve.min()) for curve in curves), max(float(curve.max()) for curve in curves)
        if low < border or high > side - border:
            yield f"curves must keep {border} px from the edge of {side} px, got coordinates {low} to {high}"
        elif high <= _LARGEST_PX:
            gap = self._gap(config, row)
            found = vertices.least_distance(curves, gap)
            if found < gap - _ROUNDING_PX:
                yield f"curves must keep {gap} px from each other and from themselves, got {found:.2f}"
        rings = shapely.multilinestrings([shapely.linestrings(np.vstack([curve, curve[:1]])) for curve in curves])
        if not shapely.is_simple(rings):
            yield "curves must neither cross nor touch themselves or each other"
            return
        parents = vertices.parents_by_rays(curves)
        if parents != row["parents"]:
            yield f"the curves lie in each other as {parents}, not as parents says: {row['parents']}"
        elif not vertices.siblings_in_order(parents, curves):
            yield "curves must stand in the order of the nodes that they bound"
        wanted = "train" if config == CURRICULUM else "test"
        if vertices.side_of(row["canonical"], curves) != wanted:
            yield f"its drawing is not on the {wanted} side, so that training and test rows might share it"

    def _gap(self, config: str, row: Row) -> float:
        """Return the least distance of two centre lines that the recipe asks for, and any recipe at least."""
        if config == CURRICULUM:
            asked = LEVELS[row["level"] - 1].gap_px if 1 <= row["level"] <= len(LEVELS) else 0.0
        else:
            asked = self.table(config).get("gap_px", 0.0)
        return max(asked, _LEAST_GAP_PX)

    def _category_quotas(self, config: str, table: Recipe) -> Iterator[str]:
        drawn: Counter[str] = Counter()
        for (own, tree, _), number in self.trees.items():
            drawn[tree] += number if own == config else 0
        wanted = sum(table["splits"].values())
        if drawn.total() != wanted:
            yield f"the recipe promises {wanted} rows, found {drawn.total()}"
        if every := table.get("every_tree"):
            in_full = [(low, high) for low, high in table["sizes"] if every is True or high <= every]
            wanted_trees = [tree for low, high in in_full for tree in vertices.every_tree(low, high)]
            rare = [shape for shape in wanted_trees if drawn[shape] < 2]
            if rare:
                yield f"the recipe promises each tree in two drawings at least; fewer have: {', '.join(rare[:5])}"
            first = in_order(table["splits"])[0]
            unseen = [shape for shape in wanted_trees if (config, shape, first) not in self.trees]
            if unseen:
                yield f"the recipe promises each tree in {first}; it lacks: {', '.join(unseen[:5])}"

    def _level_quotas(self, course: Recipe) -> Iterator[str]:
        by_level = apportion(course["rows"], course["level_shares"])
        for number, (level, rows) in enumerate(zip(LEVELS, by_level, strict=True), start=1):
            parts = apportion(rows, [weight for _, weight in level.weights])
            for (category, _), wanted in zip(level.weights, parts, strict=True):
                found = self.levels[number, category]
                if found != wanted:
                    yield f"the recipe promises {wanted} rows of {category} at level {number}, found {found}"


def _tree(row: Row, parents: tuple[int, ...]) -> Iterator[str]:
    """Check the columns that follow from ``parents``."""
    try:
        tree = vertices.brackets(parents)
    except ValueError:
        tree = ""
    if not tree or vertices.canonical(tree) != tree:
        yield f"parents must be numbered canonically: in preorder, the largest subtrees first, got {row['parents']}"
        return
    wanted = {"num_nodes": len(parents), "depth": vertices.depth(tree), "canonical": tree, "answer": answer(parents)}
    yield from differing(row, wanted, "these parents")


checker = CurvesChecker
