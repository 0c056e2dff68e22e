"""What must hold in a TraversalBench row, and between a path and the rows that confound it; which quotas are promised.

Crossings and tortuosity are computed again from the points, which are multiples of 1/16 px, by the exact arithmetic of
``filters.traversal.rules``; of the generator nothing but its closed sets of names
and of training levels is used. The rules in the picture are
the audit's (``planimeter audit traversal``), which the build runs on every row. The sections named are the paper's.
"""

import math
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from planimeter.evals.traversal import protocol
from planimeter.export.verify.checks import Checker, Recipe, Row, level_of, level_quotas
from planimeter.filters.traversal.lanes import in_lanes
from planimeter.filters.traversal.rules import measure
from planimeter.generators.traversal.curriculum import LEVELS
from planimeter.items import CONDITIONS, MARKER_COLORS, MARKER_SHAPES, REGIMES

_MARKERS = frozenset(f"{color} {shape}" for color in MARKER_COLORS for shape in MARKER_SHAPES)

#: Steps of a coordinate in a pixel.
_LATTICE = 16

#: Rounding of stored tortuosities and crossings.
_ROUNDING = 1e-6

#: Columns that a confounded row shares with its source.
_SHARED = ("points", "markers", "tortuosity", "self_intersections", "generator_family", "answer")


class TraversalChecker(Checker):
    """Keeps the shared columns of each source and of the rows that confound it, and counts the rows of each cell."""

    certified_by = "traversal: glyphs, inked joins, one path from the start"
    remembered = ("sources", "confounded", "pairs", "cells", "groups", "levels")

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe)
        self.sources: dict[str, tuple[object, ...]] = {}
        #: The last row of each source and condition, and how many there are.
        self.confounded: dict[tuple[str, str], Row] = {}
        self.pairs: Counter[tuple[str, str]] = Counter()
        self.cells: dict[str, tuple[int, int, int]] = {}
        self.groups: Counter[tuple[str, int, int]] = Counter()
        self.levels: Counter[int] = Counter()

    def row(self, config: str, row: Row) -> Iterator[str]:
        """Yield what is wrong with ``row``."""
        yield from self._markers(config, row)
        yield from self._path(row)
        if self.trains(config):
            yield from self.like_a_test(config, row)
            yield from self._level(row)
        elif config == "base":
            self.sources[row["id"]] = tuple(row[column] for column in _SHARED)
            self.cells[row["id"]] = (row["n_points"], row["tortuosity_bin"], row["self_intersection_bin"])
        elif config == "confounded":
            yield from self._spurs(row)
        else:
            yield from self._lanes(row)

    def whole(self, *, sampled: bool = False) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with the dataset as a whole."""
        yield from (("confounded", line) for line in self._pair_faults())
        if self.full and not sampled:
            yield from self._quotas()

    def _markers(self, config: str, row: Row) -> Iterator[str]:
        markers = row["markers"]
        if not row["n_points"] == len(markers) == len(row["points"]):
            yield f"n_points, markers and points differ: {row['n_points']}, {len(markers)}, {len(row['points'])}"
            return
        if not set(markers) <= _MARKERS:
            yield f"markers are a colour and a shape of the protocol, got {sorted(set(markers) - _MARKERS)[0]!r}"
        if len(set(markers)) < len(markers):
            yield "a marker occurs twice in the picture"
        if row["answer"] != protocol.answer(markers):
            yield f"answer must be the markers in path order, got {row['answer'][:60]!r}"
        if row["prompt"] != protocol.prompt(markers[0], len(markers), confounded=config == "confounded"):
            yield "the prompt is not the protocol's for this start marker and number of markers"

    def _path(self, row: Row) -> Iterator[str]:
        points = np.array(row["points"], np.float64)
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2 or (points * _LATTICE % 1).any():
            yield "points must be two or more pairs of multiples of 1/16 px"
            return
        view = self.table("rules").get("view", 672)
        if points.min() < 0 or points.max() > row["view"] or row["view"] != view:
            yield f"points must lie in a view of {view} px, got up to {points.max()} in one of {row['view']}"
        path = measure(row["points"])
        found = list(zip(path.crossings, path.positions, strict=True))
        stored = [((c["first_segment"], c["second_segment"]), (c["x"], c["y"])) for c in row["crossings"]]
        if not len(found) == len(stored) == row["self_intersections"]:
            yield f"the path crosses itself {len(found)} times, stored are {row['self_intersections']}, {len(stored)}"
        elif any(a[0] != b[0] or math.dist(a[1], b[1]) > 1e-3 for a, b in zip(found, stored, strict=True)):
            yield "a stored crossing lies elsewhere than the path crosses itself"
        if not abs(path.tortuosity - row["tortuosity"]) < _ROUNDING:
            yield f"tortuosity of the points is {path.tortuosity}, stored is {row['tortuosity']}"
        # As stored: an edge between two bins is a round number, and so is what lies on it.
        table = self.table("bins")
        starts = [*table["crossing_starts"], table["crossing_cap"] + 1]
        bins = (_bin(table["tortuosity_edges"], round(path.tortuosity, 9)), _bin(starts, len(found)))
        if bins != (row["tortuosity_bin"], row["self_intersection_bin"]):
            yield f"bins must be {bins}, got {row['tortuosity_bin']} and {row['self_intersection_bin']}"

    def _level(self, row: Row) -> Iterator[str]:
        """Check what the row's training level asks of it; bins and points are known to be right."""
        self.levels[row["level"]] += 1
        level = level_of(row, LEVELS)
        if level is None:
            yield f"level must be 1 to {len(LEVELS)}, got {row['level']}"
            return
        asked = {
            "n_points": level.points,
            "tortuosity_bin": level.tortuosity,
            "self_intersection_bin": level.crossings,
        }
        for column, values in asked.items():
            if row[column] not in values:
                yield f"level {row['level']} has {column} in {values}, got {row[column]}"

    def _spurs(self, row: Row) -> Iterator[str]:
        if row["condition"] not in CONDITIONS:
            yield f"condition must be one of {', '.join(CONDITIONS)}, got {row['condition']!r}"
            return
        low, high = self.table("confounded").get(row["condition"], (2, 7))
        if not low <= len(row["confounders"]) <= high:
            yield f"{row['condition']} has {low} to {high} spurs, got {len(row['confounders'])}"
        pair = (row["source_id"], row["condition"])
        self.confounded[pair] = {column: row[column] for column in (*_SHARED, "confounders")}
        self.pairs[pair] += 1

    def _lanes(self, row: Row) -> Iterator[str]:
        regime, lanes = row["regime"], row["lanes"]
        if regime not in REGIMES:
            yield f"regime must be one of {', '.join(REGIMES)}, got {regime!r}"
            return
        if row["self_intersections"]:
            yield f"a path in lanes does not cross itself, got {row['self_intersections']} crossings"
        if not in_lanes(np.array(row["points"]), regime, lanes):
            yield f"the path does not run in {lanes} lanes in the direction {regime}"
        self.groups[regime, lanes, row["n_points"]] += 1

    def _pair_faults(self) -> Iterator[str]:
        for source, condition in sorted((self.pairs - Counter(set(self.pairs))).elements()):
            yield f"the source {source} has another {condition} row"
        by_source: defaultdict[str, dict[str, Row]] = defaultdict(dict)
        for (source, condition), row in self.confounded.items():
            by_source[source][condition] = row
        for source, rows in by_source.items():
            if source not in self.sources:
                yield f"source_id {source} is no row of base"
                continue
            if set(rows) != set(CONDITIONS):
                yield f"each source has one row of each condition, {source} has {', '.join(rows)}"
                continue
            if any(tuple(row[column] for column in _SHARED) != self.sources[source] for row in rows.values()):
                yield f"a row of the source {source} shows another path, or other markers"
            if any(spur not in rows["high"]["confounders"] for spur in rows["low"]["confounders"]):
                yield f"the spurs of the low row of {source} are not among those of its high row"

    def _quotas(self) -> Iterator[tuple[str, str]]:
        base, order = self.recipe.get("base"), self.recipe.get("reading_order")
        if self.trains("base"):
            yield from (("base", line) for line in level_quotas(self.table("base"), self.levels))
        if base is None or order is None:
            return
        rows = Counter(self.cells.values())
        sources = Counter(self.cells[source] for source in {source for source, _ in self.pairs} & set(self.cells))
        skipped = {tuple(pair) for pair in base["skipped"]}
        bins = self.table("bins")
        grid = product(range(len(bins["tortuosity_edges"]) - 1), range(len(bins["crossing_starts"])))
        for points, pair in product(base["points"], [pair for pair in grid if pair not in skipped]):
            key = (points, *pair)
            if rows[key] != base["items_per_cell"]:
                yield "base", f"the recipe promises {base['items_per_cell']} rows in cell {key}, found {rows[key]}"
            if sources[key] != base["sources_per_cell"]:
                promised = base["sources_per_cell"]
                yield "confounded", f"the recipe promises {promised} sources in cell {key}, found {sources[key]}"
        for regime in REGIMES:
            for lanes in order["lanes"]:
                for points in order["points"]:
                    found = self.groups[regime, lanes, points]
                    if found != order["items_per_group"]:
                        yield (
                            "reading_order",
                            f"the recipe promises {order['items_per_group']} rows of {regime}, {lanes} lanes, {points} "
                            f"points, found {found}",
                        )


def _bin(edges: Sequence[float], value: float) -> int | None:
    """Return which of the ranges [edge, next edge) holds ``value``, or None."""
    found = bisect_right(edges, value) - 1
    return found if 0 <= found < len(edges) - 1 else None


checker = TraversalChecker
