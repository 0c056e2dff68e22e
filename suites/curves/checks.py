"""The checks of rows of nested curves, independent of the code that generated them.

``filters.curves.rules``, which shares no code with the generator, judges the stored vertices again. Near-duplicates are
found from the vertices too (``suites.drawing.checks``), and the grader's code computes the canonical form of a tree.
Only two things come from the generator's code: the plan of quotas, and the training levels, which no recipe contains.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from planimeter.evals.curves import metrics
from planimeter.evals.curves.prompt import answer
from planimeter.export.checks import Quota, broken_rules, differing
from planimeter.filters.curves.rules import CurvesLimits, judge
from planimeter.generators.curves.curriculum import LEVELS
from planimeter.generators.quotas import by_level
from planimeter.items import CurvesItem, CurvesLook
from planimeter.items.values import Row
from planimeter.suites.curves.rows import COLUMNS, CURRICULUM
from planimeter.suites.drawing.checks import Curves, DrawingsChecker, size_faults

#: The largest canvas of any recipe.
_LARGEST_PX = 4096


class CurvesChecker(DrawingsChecker):
    """The checks of rows of nested curves: drawings show the row's tree, within the limits of the recipe or level."""

    columns = COLUMNS
    certified_by = "curves-components"
    size = "num_nodes"

    def faults(self, config: str, row: Row) -> Iterator[str]:
        parents = tuple(row["parents"])
        if not all(0 <= parent < node for node, parent in enumerate(parents, start=1)):
            yield f"parents[i] must be from 0 to i, got {row['parents']}"
            return
        yield from _tree(row, parents)
        yield from super().faults(config, row)
        yield from (
            _level(row) if config == CURRICULUM else _depth(row, self.table(config).get("depth", (0, row["depth"])))
        )
        curves = [np.array(curve, np.float64) for curve in row["curves"]]
        if len(curves) != len(parents):
            yield f"need one curve of points (x, y) for each node, got {len(curves)} curves for {len(parents)} nodes"
        elif min(len(curve) for curve in curves) < 3:
            yield f"need at least three vertices in each curve, got {min(len(curve) for curve in curves)}"
        else:
            yield from self._drawing(config, row, curves)

    def quotas(self) -> Iterator[Quota]:
        """Yield the required numbers of rows: by split and number of curves, or by training level and category."""
        yield from super().quotas()
        if course := self.table(CURRICULUM):
            weights = [[weight for _, weight in level.weights] for level in LEVELS]
            shares = by_level(course["rows"], course["level_shares"], weights)
            for number, (level, parts) in enumerate(zip(LEVELS, shares, strict=True), start=1):
                for (category, _), rows in zip(level.weights, parts, strict=True):
                    yield Quota(CURRICULUM, {"level": number, "category": category}, rows)

    def _drawing(self, config: str, row: Row, curves: Curves) -> Iterator[str]:
        """Yield a line for each rule that ``curves`` (vertices) break even when drawn with the thinnest strokes."""
        table = self.table(config)
        side, limits = table.get("canvas_px", _LARGEST_PX), CurvesLimits(**table.get("limits", {}))
        if not all(np.all((curve >= 0) & (curve <= side)) for curve in curves):
            yield f"all vertices must be on the canvas of {side} x {side} px"
            return
        item = CurvesItem(
            category=row["category"],
            parents=tuple(row["parents"]),
            depth=row["depth"],
            canonical=row["canonical"],
            curves=tuple(curves),
            arcs=(),
            canvas_px=side,
            stroke_px=limits.stroke_px,
            gap_px=LEVELS[row["level"] - 1].gap_px if config == CURRICULUM else table.get("gap_px", 0.0),
            look=CurvesLook(),
            seed=0,
        )
        broken = list(broken_rules(judge(item, limits)))
        yield from broken
        if not broken and not _siblings_in_order(row["parents"], curves):
            yield "curves must be in the order of their nodes: siblings with equal subtrees from top to bottom"


def _level(row: Row) -> Iterator[str]:
    """Yield a line for each property of ``row`` that its training level does not allow: category, size or depth."""
    level = LEVELS[row["level"] - 1]
    if row["category"] not in (name for name, _ in level.weights):
        yield f"level {row['level']} does not have the category {row['category']}"
    yield from size_faults(row, "num_nodes", [level.nodes])
    yield from _depth(row, level.depth)


def _depth(row: Row, depths: Sequence[int]) -> Iterator[str]:
    if not depths[0] <= row["depth"] <= depths[1]:
        yield f"depth must be from {depths[0]} to {depths[1]}, got {row['depth']}"


def _tree(row: Row, parents: tuple[int, ...]) -> Iterator[str]:
    """Yield a line for each column of ``row`` that contradicts the tree ``parents`` (parent of each node)."""
    tree = metrics.canonical(parents)
    if metrics.tree_of(tree) != parents:
        yield f"parents must be numbered canonically: in preorder, the largest subtrees first, got {row['parents']}"
        return
    wanted = {"num_nodes": len(parents), "depth": metrics.depth(parents), "canonical": tree, "answer": answer(parents)}
    yield from differing(row, wanted, "these parents")


def _siblings_in_order(parents: Sequence[int], curves: Curves) -> bool:
    """Return True if siblings with equal subtrees are sorted by their topmost vertices: downwards, then rightwards."""
    inside = [""] * (len(parents) + 1)
    for node, parent in reversed([*enumerate(parents, start=1)]):
        inside[parent] = f"({inside[node]})" + inside[parent]
    tops = [(top := curve[:, 1].min(), curve[curve[:, 1] == top, 0].min()) for curve in curves]
    last: dict[tuple[int, str], tuple[float, float]] = {}
    for parent, tree, top in zip(parents, inside[1:], tops, strict=True):
        if last.get((parent, tree), top) > top:
            return False
        last[parent, tree] = top
    return True


checker = CurvesChecker
