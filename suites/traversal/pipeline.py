"""The pipeline of TraversalBench: searches, checks, renders and certifies paths, some with spurs (distracting strokes).

The seed of a row is that of its path, with the condition of spurs or the index of the smoothness in the lowest bits.
An item is a path with all its rows: those with spurs, or the drawings of all smoothness values. They are published or
rejected together. Near-duplicates are found by shape, whatever the number of points, after the shards are made.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from types import MappingProxyType
from typing import cast

import numpy as np

from planimeter.evals.traversal.prompt import answer
from planimeter.export.rows import Row
from planimeter.filters.certify.traversal.certificate import certify
from planimeter.filters.traversal.audit import judge_spurs
from planimeter.filters.traversal.duplicates import DistinctPaths, packed, unpacked
from planimeter.filters.traversal.rules import judge, judge_bent, judge_cell, measure
from planimeter.filters.verdict import Verdict, agrees, first_broken
from planimeter.flows.shards import Item, Shard
from planimeter.generators.seeding import with_variant
from planimeter.generators.traversal.cells import Cell
from planimeter.generators.traversal.confounders import confound
from planimeter.generators.traversal.curriculum import LEVELS
from planimeter.generators.traversal.kernels import Floats
from planimeter.generators.traversal.path_record import MARKERS, record
from planimeter.generators.traversal.plan import PAIRED, SINGLE, grid_quotas, lane_quotas
from planimeter.generators.traversal.reading_order import lane_candidates
from planimeter.generators.traversal.search import Budget, CellSearch, SearchConfig
from planimeter.generators.traversal.smooth import mean_curvature, spline
from planimeter.items import ConfoundedItem, Reading, ReadingOrderItem, Regime, TraversalItem
from planimeter.rendering.png import encode
from planimeter.rendering.traversal import render
from planimeter.suites.pipeline import DistinctJudge, Found, Maker, Pipeline, one_by_one
from planimeter.suites.traversal.recipe import Base, BaseCourse, SuiteRecipe
from planimeter.suites.traversal.rows import confounded_row, curved_row, path_row, reading_order_row

CONFOUNDED = "confounded"
CURVED = "curved"

_Path = TraversalItem | ReadingOrderItem


class _Maker(Maker[SuiteRecipe]):
    """A maker of paths; the recipe defines their limits and bins (ranges of tortuosity and of numbers of crossings)."""

    def __init__(self, recipe: SuiteRecipe, shard: Shard) -> None:
        super().__init__(recipe, shard)
        self.limits, self.bins = recipe.rules, recipe.bins

    @property
    def budget(self) -> int:
        attempts: int = getattr(self.recipe, self.shard.config).attempts
        return attempts

    def attempts(self, index: int) -> Iterator[Found | None]:
        for seed in self.seeds(index):
            found = self._search(seed)
            if found is None:
                # One search used its budget without a path; another search in the same cell would do so too.
                return
            yield self._found(found)

    def attempt(self, index: int, seed: int) -> Found | None:  # noqa: ARG002 - the seed says all
        found = self._search(seed)
        return self._found(found) if found else None

    def _search(self, seed: int) -> _Path | None:
        """Return the first path that the search from ``seed`` finds, or None if none is found within its budget."""
        with self.account.watch.stage("generate"):
            for family, proposal, wrong, found in self._candidates(seed):
                reason = "" if found else "rules not met" if proposal is not None else "no proposal"
                measured = wrong if proposal is not None else 0.0
                verdict = Verdict(check="search", kept=not reason, measured=measured, limit=0.0, reason=reason)
                if self.account.judge(verdict, partial(self._sketch, proposal), self._stratum, f"family={family}"):
                    return found
        return None

    def _found(self, found: _Path) -> Found | None:
        """Return the path ``found``, with its copies with spurs, as an item, or None if a check rejects any of them."""
        line = found.path if isinstance(found, ReadingOrderItem) else found
        if self.recipe.curved and self.shard.config == CURVED:
            return self._pair(line, self.recipe.curved.smoothness)
        png, reading = self._shown(line, line)
        with self.account.watch.stage("filter"):
            rules = self._rules(line)
        if not self.account.judge(rules, png, self._stratum):
            return None
        strata = (f"tortuosity={line.tortuosity_bin}", f"crossings={line.self_intersection_bin}")
        if not self.account.judge(agrees(reading, answer(line.markers)), png, self._stratum, *strata):
            return None
        rows: Item
        if isinstance(found, ReadingOrderItem):
            rows = {"reading_order": [reading_order_row(found, png, reading)]}
        else:
            _, _, _, kind, *level = self.shard.cell
            rows = {"base": [{**path_row(line, png, reading), **({"level": level[0]} if level else {})}]}
            if kind == PAIRED:
                rows[CONFOUNDED] = self._twins(line, png)
        return Found(rows=rows, signature=packed(line.points)) if all(rows.values()) else None

    def _shown(self, item: TraversalItem | ConfoundedItem, line: TraversalItem) -> tuple[bytes, Reading]:
        """Return the picture of ``item`` and the certifier's reading of it; ``line``: its path, without spurs."""
        with self.account.watch.stage("render"):
            png = encode(render(item, self.recipe.style))
        with self.account.watch.stage("certify"):
            return png, certify(png, line.markers[0], line.n_points, curved=line.smoothness > 0)

    def _pair(self, line: TraversalItem, dial: Sequence[float]) -> Found | None:
        """Return the drawings of the path ``line`` as one item, or None if a check rejects any of them.

        A test item has one with straight segments and one for each smoothness in ``dial``; a training item has only
        one, at the smoothness of the shard's cell.
        """
        _, _, _, kind, *level = self.shard.cell
        paired = kind == PAIRED
        drawings = []
        # Largest smoothness first, because it breaks rules most often.
        for smoothness in sorted(dial, reverse=True) if paired else [float(kind)]:
            with self.account.watch.stage("filter"):
                bent, verdict = self._bent(line, smoothness)
            picture = partial(self._picture, bent)
            if not self.account.judge(verdict, picture, self._stratum, f"smoothness={smoothness:g}"):
                return None
            drawings.append(bent)
        with self.account.watch.stage("filter"):
            rules = self._rules(line)
        if not self.account.judge(rules, partial(self._picture, line), self._stratum):
            return None
        rows = []
        for number, drawing in enumerate([*([line] if paired else []), *reversed(drawings)]):
            png, reading = self._shown(drawing, drawing)
            strata = (self._stratum, f"smoothness={drawing.smoothness:g}")
            if not self.account.judge(agrees(reading, answer(line.markers)), png, *strata):
                return None
            row = curved_row(replace(drawing, seed=with_variant(line.seed, number)), line, png, reading)
            rows.append({**row, **({"level": level[0]} if level else {})})
        return Found(rows={CURVED: rows}, signature=packed(line.points))

    def _bent(self, line: TraversalItem, smoothness: float) -> tuple[TraversalItem, Verdict]:
        """Return ``line`` as a smooth curve of this ``smoothness``, and the verdict on the rules for this curve."""
        points = np.array(line.points)
        curve = spline(points, smoothness)
        drawn = measure(points, curve)
        wanted = [(crossing.first_segment, crossing.second_segment) for crossing in line.crossings]
        verdict = first_broken(judge_bent(drawn, wanted, line.tortuosity_bin, self.limits, self.bins), "bends")
        bent = replace(line, smoothness=smoothness)
        if verdict.kept:
            curvature = mean_curvature(curve, points, line.glyph_radius)
            bent = replace(bent, crossings=drawn.records, tortuosity=drawn.tortuosity, curvature=curvature)
        return bent, verdict

    def _picture(self, line: TraversalItem) -> bytes:
        return encode(render(line, self.recipe.style))

    @cached_property
    def _cell(self) -> CellSearch:
        n_points, tortuosity_bin, crossing_bin = (int(part) for part in self.shard.cell[:3])
        cell = Cell(n_points=n_points, tortuosity_bin=tortuosity_bin, crossing_bin=crossing_bin)
        budget = Budget(steps=getattr(self.recipe, self.shard.config).steps)
        limits = self.recipe.searched(self.shard.config)
        return CellSearch(cell, SearchConfig(bins=self.bins, limits=limits, budget=budget))

    @property
    def _stratum(self) -> str:
        return str(self.shard.cell[0])

    def _candidates(self, seed: int) -> Iterator[tuple[str, Floats | None, float, _Path | None]]:
        if self.shard.config != "reading_order":
            for one in self._cell.candidates(seed):
                # The search for smooth paths uses a larger glyph radius, to gain clearance.
                item = one.item and replace(one.item, glyph_radius=self.limits.glyph_radius)
                yield one.family, one.proposal, one.wrong, item
        else:
            regime, lanes, n_points = cast("tuple[Regime, int, int]", self.shard.cell)
            for other in lane_candidates(seed, regime, lanes, n_points, self.bins, self.limits):
                yield "lanes", other.proposal, 0.0, other.item

    def _sketch(self, proposal: Floats | None) -> bytes:
        """Return a PNG of the path ``proposal`` that the search rejected, for the report; empty if there is none."""
        if proposal is None:
            return b""
        markers = MARKERS[: len(proposal)]
        return self._picture(record(proposal, markers=markers, family="", seed=0, bins=self.bins, limits=self.limits))

    def _rules(self, line: TraversalItem) -> Verdict:
        """Return one verdict on ``line`` by all rules, measured by code that the search does not use."""
        path = measure(line.points)
        verdicts = [judge(path, self.limits)]
        if self.shard.config != "reading_order":
            tortuosity_bin, crossing_bin = int(self.shard.cell[1]), int(self.shard.cell[2])
            verdicts.append(judge_cell(path, self.bins, tortuosity_bin, crossing_bin, line.self_intersections))
        return first_broken(chain.from_iterable(verdicts), "rules")

    def _twins(self, line: TraversalItem, png: bytes) -> list[Row]:
        """Return the two rows of ``line`` with few and many spurs; empty if the spurs do not fit or fail a check."""
        spurs = self.recipe.spurs
        with self.account.watch.stage("generate"):
            pair = confound(line, spurs, self.limits)
        reason = "" if pair else "no room for spurs"
        placed = Verdict(check="spurs", kept=not reason, measured=0.0, limit=0.0, reason=reason)
        if not self.account.judge(placed, png, self._stratum, config=CONFOUNDED):
            return []
        path = measure(line.points)
        rows: list[Row] = []
        for twin in pair or ():
            drawn, reading = self._shown(twin, line)
            with self.account.watch.stage("filter"):
                judged = judge_spurs(path, twin.confounders, twin.condition, spurs, self.limits)
            strata = (self._stratum, f"condition={twin.condition}")
            verdicts = (first_broken(judged, "rules"), agrees(reading, answer(line.markers)))
            if not all(self.account.judge(verdict, drawn, *strata, config=CONFOUNDED) for verdict in verdicts):
                return []
            rows.append(confounded_row(twin, drawn, reading))
        return rows


class _Traversal(Pipeline[SuiteRecipe]):
    maker = _Maker
    exclude_test_items = True
    levels = MappingProxyType({"base": len(LEVELS), CURVED: len(LEVELS)})

    def cells(self, recipe: SuiteRecipe) -> Iterator[tuple[Shard, int]]:
        """Yield (cell as one shard, items per final shard) for each cell, a kind of paths with its own quota.

        The cells of ``base`` come first, then those of ``reading_order`` and of ``curved``. Each difficulty has
        two cells in ``base``: of paths that also have rows with spurs, and of paths that do not.
        """
        yield from self._grid(recipe, "base")
        if order := recipe.reading_order:
            for group, quota in lane_quotas(order.lanes, order.points, order.items_per_group, recipe.scale):
                whole = Shard(suite="traversal", config="reading_order", cell=group, first=0, count=quota)
                yield whole, order.items_per_shard
        yield from self._grid(recipe, CURVED)

    def _grid(self, recipe: SuiteRecipe, config: str) -> Iterator[tuple[Shard, int]]:
        table = getattr(recipe, config)
        if isinstance(table, BaseCourse):
            for shard in self.course(recipe, config, table.rows, table.level_shares):
                yield shard, table.items_per_shard
        elif table:
            paired = table.sources_per_cell if isinstance(table, Base) else table.items_per_cell
            for cell, kind, quota in grid_quotas(recipe.cells(config), table.items_per_cell, paired, recipe.scale):
                key = (cell.n_points, cell.tortuosity_bin, cell.crossing_bin, kind)
                yield Shard(suite="traversal", config=config, cell=key, first=0, count=quota), table.items_per_shard

    def level_cells(self, recipe: SuiteRecipe, config: str, level: int) -> Iterator[tuple[Shard, float]]:
        """Yield (shard of count 0, weight 1) for each cell of ``level``; all cells get equally many rows.

        A cell is a number of points, a range of tortuosity, one of crossings and, for smooth paths, a smoothness.
        """
        dial = [f"{smoothness:g}" for smoothness in recipe.curved.smoothness] if recipe.curved else []
        for cell in recipe.course(level, config):
            for kind in dial if config == CURVED else [SINGLE]:
                key = (cell.n_points, cell.tortuosity_bin, cell.crossing_bin, kind, level)
                yield Shard(suite="traversal", config=config, cell=key, first=0, count=0, split="train"), 1.0

    def may_contain(self, row: Row, shard: Shard) -> bool:
        if "regime" in row:
            cell = (row["regime"], row["lanes"], row["n_points"])
        else:
            cell = (row["n_points"], row["tortuosity_bin"], row["self_intersection_bin"])
        return shard.cell[:3] == cell

    def distinct(self, recipe: SuiteRecipe) -> DistinctJudge:
        """Return a judge that rejects paths of nearly the same shape as an earlier one, with any number of points.

        Paths in reading order are compared with each other; any other path is compared with those of the same config in
        the same ranges of tortuosity and of crossings.
        """
        paths = DistinctPaths(recipe.rules.duplicate_distance, recipe.rules.room)

        def judge_next(shard: Shard, signature: str) -> Verdict:
            pool = shard.config if shard.config == "reading_order" else (shard.config, *shard.cell[1:3])
            return paths.judge(pool, unpacked(bytes.fromhex(signature)))

        return one_by_one(judge_next)

    def estimate_size(self, recipe: SuiteRecipe, shard: Shard) -> tuple[int, int]:
        # In addition to its own row, a path has two rows with spurs, or one for each smoothness.
        further = len(recipe.curved.smoothness) if recipe.curved and shard.config == CURVED else 2
        return shard.count * (1 + further if PAIRED in shard.cell else 1), self.row_bytes


PIPELINE = _Traversal()
