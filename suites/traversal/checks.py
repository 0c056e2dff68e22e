"""The checks of TraversalBench rows: each one alone, all rows of one path together, and the quotas of the recipe.

``filters.traversal.rules`` computes crossings and tortuosity again from the points, which are multiples of 1/16 px, and
for smooth paths from the curve, which it draws again. From the generator's code come only the limits, the ranges of
difficulty and the training levels. The legibility of paths of straight segments is not checked here: the build checks
it for every row, and ``planimeter audit traversal`` can do so again. Section numbers are those of the TraversalBench
paper.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from functools import cached_property
from itertools import product

import numpy as np

from planimeter.evals.traversal import grader
from planimeter.export.checks import Bond, Checker, Quota, broken_rules
from planimeter.filters.traversal.rules import bent_line, curvature_of, in_lanes, judge_bent, measure
from planimeter.generators.traversal.cells import Bins, grid_cells
from planimeter.generators.traversal.curriculum import LEVELS
from planimeter.generators.traversal.limits import Limits
from planimeter.items import CONDITIONS, MARKER_COLORS, MARKER_SHAPES, REGIMES
from planimeter.items.values import Recipe, Row
from planimeter.suites.traversal.rows import COLUMNS

_MARKERS = frozenset(f"{color} {shape}" for color in MARKER_COLORS for shape in MARKER_SHAPES)

#: Steps of a coordinate in a pixel.
_LATTICE = 16

#: Rounding of stored tortuosities and crossings.
_ROUNDING = 1e-6

#: Columns that name a cell of the grid, or of a training level.
_CELL = ("n_points", "tortuosity_bin", "self_intersection_bin")

_SHARED = ("points", "markers", "self_intersections", "generator_family", "answer")
_BONDS = {
    "source": Bond("confounded", "conditions, with `base`", (*_SHARED, "tortuosity")),
    "pair": Bond("curved", "values of smoothness", (*_SHARED, "tortuosity_bin", "prompt")),
}


class TraversalChecker(Checker):
    """The checks of rows: each one alone, and the columns and spurs (distracting strokes) of all rows of one path."""

    certified_by = "traversal: glyphs, inked joins, one path from the start"
    columns = COLUMNS
    bonds = _BONDS
    remembered = ("spurs",)

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe)
        #: (source, condition) -> the spurs of that row.
        self.spurs: dict[tuple[str, str], set[str]] = {}

    @cached_property
    def limits(self) -> Limits:
        """The limits that every path must meet, from the recipe."""
        return Limits(**self.table("rules"))

    @cached_property
    def bins(self) -> Bins:
        """The ranges (bins) of tortuosity and of numbers of crossings, from the recipe."""
        return Bins(**self.table("bins"))

    def faults(self, config: str, row: Row) -> Iterator[str]:
        yield from self._markers(config, row)
        yield from self._path(config, row)
        if self.trains(config):
            yield from _level(row)
        elif config == "base":
            self.bind("source", row["id"], "", row)
        elif config == "confounded":
            yield from self._spurs(row)
        elif config == "curved":
            self.bind("pair", row["pair_id"], row["smoothness"], row)
            if not row["smoothness"] and row["pair_id"] != row["id"]:
                yield f"pair_id must be the id of the straight drawing, {row['id']}, got {row['pair_id']}"
        else:
            yield from _lanes(row)

    def wholes(self, bond: str) -> Sequence[frozenset[object]]:
        """Return the allowed sets of rows of one path; a row is named by its smoothness or its condition of spurs.

        If ``bond`` is "pair": a row for smoothness 0 and for each smoothness of the recipe. If it is "source": only
        the row without spurs (""), or this row, the one with few spurs ("low") and the one with many ("high").
        """
        if bond == "pair":
            return [frozenset({0.0, *self.table("curved").get("smoothness", ())})]
        return [frozenset({""}), frozenset({"", *CONDITIONS})]

    def together(self, *, sampled: bool) -> Iterator[tuple[str, str]]:
        """Yield (config, fault) for each path whose rows are incomplete, disagree, or have contradictory spurs."""
        yield from super().together(sampled=sampled)
        for (source, condition), spurs in self.spurs.items():
            if condition == "low" and not spurs <= self.spurs.get((source, "high"), set()):
                yield "confounded", f"{source}: some spurs of the condition low are not spurs of the condition high"

    def quotas(self) -> Iterator[Quota]:
        """Yield the required numbers of rows: of each training level or, in test sets, of each cell and group of lanes.

        A cell is a number of points with a range of tortuosity and one of crossings; a group is a direction of reading
        with a number of lanes and of points.
        """
        yield from super().quotas()
        for config in ("base", "curved"):
            table = {} if self.trains(config) else self.table(config)
            skipped = {(t, s) for t, s in table.get("skipped", ())}
            for place in grid_cells(self.bins, table.get("points", ()), skipped):
                cell = dict(zip(_CELL, astuple(place), strict=True))
                yield Quota(config, cell, table["items_per_cell"] * (1 + len(table.get("smoothness", ()))))
                if config == "base":
                    for condition in CONDITIONS:
                        yield Quota("confounded", {**cell, "condition": condition}, table.get("sources_per_cell", 0))
        order = self.table("reading_order")
        for regime, lanes, points in product(REGIMES, order.get("lanes", ()), order.get("points", ())):
            group = {"regime": regime, "lanes": lanes, "n_points": points}
            yield Quota("reading_order", group, order["items_per_group"])

    def _markers(self, config: str, row: Row) -> Iterator[str]:
        markers = row["markers"]
        if not row["n_points"] == len(markers) == len(row["points"]):
            yield f"n_points, markers and points differ: {row['n_points']}, {len(markers)}, {len(row['points'])}"
            return
        if not set(markers) <= _MARKERS:
            unknown = sorted(set(markers) - _MARKERS)
            yield f"each marker must be a colour and a shape of the protocol, got {unknown[0]!r}"
        if len(set(markers)) < len(markers):
            yield "no marker may occur twice in a picture"
        if row["answer"] != grader.answer(markers):
            yield f"answer must be the markers in path order, got {row['answer'][:60]!r}"
        if row["prompt"] != grader.prompt(markers[0], len(markers), config):
            yield "prompt must be the protocol's prompt for this start marker and number of markers"

    def _path(self, config: str, row: Row) -> Iterator[str]:
        points = np.array(row["points"], np.float64)
        if len(points) < 2 or (points * _LATTICE % 1).any():
            yield "points must be two or more pairs of multiples of 1/16 px"
            return
        view = self.table("rules").get("view", 672)
        if points.min() < 0 or points.max() > row["view"] or row["view"] != view:
            yield f"points must be from 0 to {view} px, the view of the recipe; got {points.max()}, view {row['view']}"
        path, what = measure(points), "points"
        if config == "curved":
            line = bent_line(points, row["smoothness"])
            curvature = curvature_of(line, points, row["glyph_radius"]) if row["smoothness"] else 0.0
            if not abs(curvature - row["curvature"]) < _ROUNDING:
                yield f"curvature must be {curvature}, that of the drawn line, got {row['curvature']}"
            if row["smoothness"]:
                straight, path, what = path, measure(points, line), "drawn line"
                verdicts = judge_bent(path, straight.crossings, row["tortuosity_bin"], self.limits, self.bins)
                yield from broken_rules(verdicts)
        found, tortuosity = list(zip(path.crossings, path.positions, strict=True)), path.tortuosity
        stored = [((c["first_segment"], c["second_segment"]), (c["x"], c["y"])) for c in row["crossings"]]
        if not len(found) == len(stored) == row["self_intersections"]:
            yield (
                f"the path crosses itself {len(found)} times, but self_intersections is {row['self_intersections']} "
                f"and crossings has {len(stored)}"
            )
        elif any(a[0] != b[0] or math.dist(a[1], b[1]) > 1e-3 for a, b in zip(found, stored, strict=True)):
            yield "crossings must be where the path crosses itself, with the segments that meet there"
        if not abs(tortuosity - row["tortuosity"]) < _ROUNDING:
            yield f"tortuosity must be {tortuosity}, that of the {what}, got {row['tortuosity']}"
        bins = self.bins.tortuosity_bin(tortuosity), self.bins.crossing_bin(len(found))
        if bins != (row["tortuosity_bin"], row["self_intersection_bin"]):
            got = f"{row['tortuosity_bin']} and {row['self_intersection_bin']}"
            yield f"tortuosity_bin and self_intersection_bin must be {bins[0]} and {bins[1]}, got {got}"

    def _spurs(self, row: Row) -> Iterator[str]:
        low, high = self.table("confounded").get(row["condition"], (2, 7))
        if not low <= len(row["confounders"]) <= high:
            yield f"the condition {row['condition']} has {low} to {high} spurs, got {len(row['confounders'])}"
        self.spurs[row["source_id"], row["condition"]] = set(map(repr, row["confounders"]))
        self.bind("source", row["source_id"], row["condition"], row)


def _level(row: Row) -> Iterator[str]:
    """Yield a line for a number of points or a range (bin) of tortuosity or crossings that the level does not allow."""
    level = LEVELS[row["level"] - 1]
    for column, values in zip(_CELL, (level.points, level.tortuosity, level.crossings), strict=True):
        if row[column] not in values:
            yield f"{column} must be one of {values} at level {row['level']}, got {row[column]}"


def _lanes(row: Row) -> Iterator[str]:
    """Yield a line if the path of ``row`` crosses itself, or does not run in lanes, like lines of text."""
    if row["self_intersections"]:
        yield f"a path in lanes must not cross itself, got {row['self_intersections']} crossings"
    if not in_lanes(np.array(row["points"]), row["regime"], row["lanes"]):
        yield f"the path does not run in {row['lanes']} lanes in the direction {row['regime']}"


checker = TraversalChecker
