"""TraversalBench: how one path goes through the rooms, with and without spurs, and in reading order.

A row's seed is that of the attempt, with the spur condition in its lowest bits. A path that carries spurs too and its
twins are one item, which is published or dropped as a whole. Near-duplicates are told apart by shape, across point
counts, after everything is made.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, cast

import numpy as np

from planimeter.evals.traversal.prompt import answer
from planimeter.export.rows.common import Row
from planimeter.export.rows.traversal import confounded_row, path_row, reading_order_row
from planimeter.filters.certify.traversal.certificate import certify
from planimeter.filters.traversal.confounder_rules import judge_spurs
from planimeter.filters.traversal.duplicates import DistinctPaths
from planimeter.filters.traversal.rules import judge, judge_cell, measure
from planimeter.filters.verdict import Verdict, agrees
from planimeter.flows.shards import Item, Made, Shard
from planimeter.flows.suites.driver import ExhaustedError, Found, Maker, checked, pieces, row_again
from planimeter.generators import registry
from planimeter.generators.items import (
    ConfoundedItem,
    Point,
    Reading,
    ReadingOrderItem,
    Regime,
    TraversalItem,
)
from planimeter.generators.traversal.cells import Cell
from planimeter.generators.traversal.confounders import confound
from planimeter.generators.traversal.kernels import Floats
from planimeter.generators.traversal.limits import LATTICE
from planimeter.generators.traversal.markers import MARKERS
from planimeter.generators.traversal.path_record import record
from planimeter.generators.traversal.plan import PAIRED, SINGLE, grid_quotas, lane_quotas
from planimeter.generators.traversal.reading_order import lane_candidates
from planimeter.generators.traversal.search import FAMILIES, Budget, CellSearch, SearchConfig
from planimeter.recipes.base import Recipe
from planimeter.recipes.traversal import SuiteRecipe
from planimeter.rendering.png import encode
from planimeter.rendering.traversal import TraversalStyle, render

#: Every family may propose a path of any cell that it suits.
SOURCES = ("planimeter.flows.suites.traversal", *(f"{FAMILIES}.{name}" for name in registry.names(FAMILIES)))

CONFOUNDED = "confounded"

_BINS = ("n_points", "tortuosity_bin", "self_intersection_bin")

_Found = TraversalItem | ReadingOrderItem


def plan(recipe: Recipe) -> tuple[Shard, ...]:
    """Return the shards of ``recipe``: the grid in the order of its cells, sources first, then reading order."""
    return tuple(_shards(checked(recipe, SuiteRecipe)))


def _shards(recipe: SuiteRecipe) -> Iterator[Shard]:
    base, order = recipe.base, recipe.reading_order
    for cell, kind, quota in grid_quotas(recipe.cells(), base.items_per_cell, base.sources_per_cell, recipe.scale):
        key = (cell.n_points, cell.tortuosity_bin, cell.crossing_bin, kind)
        whole = Shard(suite="traversal", config="base", cell=key, first=0, count=quota)
        yield from pieces(whole, base.items_per_shard)
    for group, quota in lane_quotas(order.lanes, order.points, order.items_per_group, recipe.scale):
        whole = Shard(suite="traversal", config="reading_order", cell=group, first=0, count=quota)
        yield from pieces(whole, order.items_per_shard)


def make(recipe: Recipe, shard: Shard) -> Made:
    """Generate, judge, render and certify the items of ``shard``."""
    return _Maker(checked(recipe, SuiteRecipe), shard).make()


def again(recipe: Recipe, row: Mapping[str, Any]) -> Row | None:
    """Return the row at the address of the seed of ``row``; its bins or its lanes narrow the search."""
    suite = checked(recipe, SuiteRecipe)
    columns = ("regime", "lanes", "n_points") if "regime" in row else _BINS
    cell = ("regime" in row, tuple(row[column] for column in columns))
    near = (shard for shard in _shards(suite) if (shard.config == "reading_order", shard.cell[:3]) == cell)
    return row_again(row, near, partial(_Maker, suite))


def distinct(recipe: Recipe) -> Callable[[Shard, str], Verdict]:
    """Judge paths by shape: those of one (tortuosity, crossing) bin whatever their points, and all of reading order."""
    rules = checked(recipe, SuiteRecipe).rules
    paths = DistinctPaths(rules.duplicate_distance, rules.limits().room)

    def judge_next(shard: Shard, signature: str) -> Verdict:
        pool = shard.cell[1:3] if shard.config == "base" else shard.config
        return paths.judge(pool, _points(signature))

    return judge_next


def room(recipe: Recipe, shard: Shard) -> tuple[int, int]:  # noqa: ARG001 - other suites look into it
    """Return the rows of ``shard`` and the bytes of one; a path of a pair has two confounded rows."""
    return shard.count * (3 if PAIRED in shard.cell else 1), 10_000


class _Maker(Maker[SuiteRecipe]):
    """What the items of one shard share: limits, bins and style."""

    def __init__(self, recipe: SuiteRecipe, shard: Shard) -> None:
        super().__init__(recipe, shard)
        self.limits, self.bins = recipe.rules.limits(), recipe.bins.bins()
        self.style = TraversalStyle(**recipe.style.model_dump())

    @property
    def budget(self) -> int:
        return self.recipe.base.attempts if self.shard.config == "base" else self.recipe.reading_order.attempts

    def attempt(self, index: int, seed: int) -> Found | None:  # noqa: ARG002 - the seed says all
        with self.account.watch.stage("generate"):
            found = self._search(seed)
        if found is None:
            # The budget of one search ended without a path; another of the same kind would end alike.
            raise ExhaustedError
        rows = self._rows(found)
        return Found(rows=rows, signature=_signature(_line(found))) if rows else None

    def _search(self, seed: int) -> _Found | None:
        """Return the first path in the stream of ``seed`` that obeys its rules, or None where the budget ends first."""
        for family, proposal, wrong, found in self._candidates(seed):
            reason = "" if found else "rules not met" if proposal is not None else "no proposal"
            verdict = Verdict(
                check="search",
                kept=not reason,
                measured=wrong if proposal is not None else 0.0,
                limit=0.0,
                reason=reason,
            )
            if self.account.judge(verdict, partial(self._sketch, proposal), self._stratum, f"family={family}"):
                return found
        return None

    def _rows(self, found: _Found) -> Item | None:
        """Return the rows of ``found``, or None where a check rejects it or its spurs."""
        line = _line(found)
        png, reading = self._shown(line, line)
        with self.account.watch.stage("filter"):
            rules = self._rules(line)
        if not self.account.judge(rules, partial(bytes, png), self._stratum):
            return None
        verdict = agrees(reading, answer(line.markers))
        if not self.account.judge(verdict, partial(bytes, png), self._stratum, *_strata(line)):
            return None
        if isinstance(found, ReadingOrderItem):
            return {"reading_order": [reading_order_row(found, png, reading)]}
        if self.shard.cell[3] == SINGLE:
            return {"base": [path_row(line, png, reading)]}
        twins = self._twins(line, png)
        return {"base": [path_row(line, png, reading)], CONFOUNDED: twins} if twins else None

    def _shown(self, item: TraversalItem | ConfoundedItem, line: TraversalItem) -> tuple[bytes, Reading]:
        """Return the picture of ``item``, which shows the path ``line``, and what it says of the path."""
        with self.account.watch.stage("render"):
            png = encode(render(item, self.style))
        with self.account.watch.stage("certify"):
            return png, certify(png, line.markers[0], line.n_points)

    @cached_property
    def _cell(self) -> CellSearch:
        n_points, tortuosity_bin, crossing_bin = (int(part) for part in self.shard.cell[:3])
        cell = Cell(n_points=n_points, tortuosity_bin=tortuosity_bin, crossing_bin=crossing_bin)
        budget = Budget(steps=self.recipe.base.steps)
        return CellSearch(cell, SearchConfig(bins=self.bins, limits=self.limits, budget=budget))

    @property
    def _stratum(self) -> str:
        return str(self.shard.cell[0])

    def _candidates(self, seed: int) -> Iterator[tuple[str, Floats | None, float, _Found | None]]:
        if self.shard.config == "base":
            for one in self._cell.candidates(seed):
                yield one.family, one.proposal, one.wrong, one.item
        else:
            regime, lanes, n_points = cast("tuple[Regime, int, int]", self.shard.cell)
            for other in lane_candidates(seed, regime, lanes, n_points, self.recipe.lanes()):
                yield "lanes", other.proposal, 0.0, other.item

    def _sketch(self, proposal: Floats | None) -> bytes:
        """Return the picture of a path that breaks rules, for the report; empty where nothing was proposed."""
        if proposal is None:
            return b""
        markers = MARKERS[: len(proposal)]
        line = record(proposal, markers=markers, family="", seed=0, bins=self.bins, limits=self.limits)
        return encode(render(line, self.style))

    def _rules(self, line: TraversalItem) -> Verdict:
        """Judge ``line`` by every rule, written apart from the search, in exact arithmetic; one verdict for all."""
        path = measure(line.points)
        verdicts = judge(path, self.limits)
        if self.shard.config == "base":
            verdicts += judge_cell(
                path,
                self.bins,
                tortuosity_bin=int(self.shard.cell[1]),
                crossing_bin=int(self.shard.cell[2]),
                stored_crossings=line.self_intersections,
            )
        return _first_broken(verdicts)

    def _twins(self, line: TraversalItem, png: bytes) -> list[Row]:
        """Return the ``low`` and the ``high`` row of ``line``, or none where spurs do not fit or do not pass."""
        spurs = self.recipe.confounded.spurs()
        with self.account.watch.stage("generate"):
            pair = confound(line, spurs, self.limits)
        placed = Verdict(
            check="spurs", kept=pair is not None, measured=0.0, limit=0.0, reason="" if pair else "no room for spurs"
        )
        if not self.account.judge(placed, partial(bytes, png), self._stratum, config=CONFOUNDED):
            return []
        path = measure(line.points)
        rows: list[Row] = []
        for twin in pair or ():
            drawn, reading = self._shown(twin, line)
            with self.account.watch.stage("filter"):
                broken = _first_broken(judge_spurs(path, twin.confounders, twin.condition, spurs, self.limits))
            strata = (self._stratum, f"condition={twin.condition}")
            if not self.account.judge(broken, partial(bytes, drawn), *strata, config=CONFOUNDED):
                return []
            verdict = agrees(reading, answer(line.markers))
            if not self.account.judge(verdict, partial(bytes, drawn), *strata, config=CONFOUNDED):
                return []
            rows.append(confounded_row(twin, drawn, reading))
        return rows


def _first_broken(verdicts: Sequence[Verdict]) -> Verdict:
    """Return one verdict for all: the first that is broken, under the name ``rules``, or that none is."""
    for verdict in verdicts:
        if not verdict.kept:
            return replace(verdict, check="rules")
    return Verdict(check="rules", kept=True, measured=0.0, limit=0.0)


def _line(found: _Found) -> TraversalItem:
    return found.path if isinstance(found, ReadingOrderItem) else found


def _strata(line: TraversalItem) -> tuple[str, str]:
    return f"tortuosity={line.tortuosity_bin}", f"crossings={line.self_intersection_bin}"


def _signature(line: TraversalItem) -> bytes:
    """Return what tells paths apart: the vertices in lattice steps, little-endian, 4 bytes a vertex."""
    return (np.array(line.points) * LATTICE).astype("<u2").tobytes()


def _points(signature: str) -> list[Point]:
    """Return the vertices, px, of a signature in hex."""
    steps = np.frombuffer(bytes.fromhex(signature), "<u2").reshape(-1, 2)
    return [(x / LATTICE, y / LATTICE) for x, y in steps.tolist()]
