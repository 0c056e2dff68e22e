"""What must hold in a TraversalBench row, and between a path and the rows that confound it; which quotas are promised.

Crossings and tortuosity are computed again from the points, which are multiples of 1/16 px, by
``filters.traversal.rules``, and of bent paths from the drawn line; of the generator nothing but its closed sets of
names and of training levels is used: ``filters.traversal.bent`` draws the line anew. The rules
of straight paths in the picture are the audit's (``planimeter audit traversal``), which the build runs on every row.
The sections named are the paper's.
"""

import math
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product

import numpy as np

from planimeter.evals.traversal import protocol
from planimeter.export.checks import Checker, Quota, digest
from planimeter.export.columns import Recipe, Row
from planimeter.export.suites.traversal import COLUMNS
from planimeter.filters.traversal.bent import bent_line, curvature_of
from planimeter.filters.traversal.lanes import in_lanes
from planimeter.filters.traversal.rules import MeasuredPath, judge_bent, measure
from planimeter.generators.traversal.cells import Bins
from planimeter.generators.traversal.curriculum import LEVELS
from planimeter.generators.traversal.limits import Limits
from planimeter.items import CONDITIONS, MARKER_COLORS, MARKER_SHAPES, REGIMES

_MARKERS = frozenset(f"{color} {shape}" for color in MARKER_COLORS for shape in MARKER_SHAPES)

#: Steps of a coordinate in a pixel.
_LATTICE = 16

#: Rounding of stored tortuosities and crossings.
_ROUNDING = 1e-6

#: Columns that all drawings of a path share.
_ALIKE = ("points", "markers", "self_intersections", "tortuosity_bin", "generator_family", "prompt", "answer")

#: Columns that a confounded row shares with its source.
_SHARED = ("points", "markers", "tortuosity", "self_intersections", "generator_family", "answer")


class TraversalChecker(Checker):
    """Keeps digests of what each source shares with the rows that confound it."""

    certified_by = "traversal: glyphs, inked joins, one path from the start"
    columns = COLUMNS
    remembered = ("sources", "confounded", "pairs", "drawings", "drawn")

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe)
        self.sources: dict[str, bytes] = {}
        #: By source and condition: what the last row shares with the source, and its spurs; how many rows there are.
        self.confounded: dict[tuple[str, str], tuple[bytes, bytes]] = {}
        self.pairs: Counter[tuple[str, str]] = Counter()
        #: By pair and smoothness: what its drawings share, and the id of the straight one; how many there are.
        self.drawings: dict[tuple[str, float], tuple[bytes, str]] = {}
        self.drawn: Counter[tuple[str, float]] = Counter()

    @cached_property
    def limits(self) -> Limits:
        """The rules of a path."""
        return Limits(**self.table("rules"))

    def faults(self, config: str, row: Row) -> Iterator[str]:
        """Yield what is wrong between the columns of ``row``."""
        yield from self._markers(config, row)
        yield from self._path(config, row)
        if self.trains(config):
            yield from _level(row)
        elif config == "base":
            self.sources[row["id"]] = digest(row, _SHARED)
        elif config == "confounded":
            yield from self._spurs(row)
        elif config == "curved":
            drawing = (row["pair_id"], row["smoothness"])
            self.drawings[drawing] = digest(row, _ALIKE), "" if row["smoothness"] else row["id"]
            self.drawn[drawing] += 1
        else:
            yield from _lanes(row)

    def together(self, *, sampled: bool) -> Iterator[tuple[str, str]]:  # noqa: ARG002 - what belongs together is sampled so
        """Yield what is wrong between the rows of a path."""
        yield from (("confounded", line) for line in self._pair_faults())
        yield from (("curved", line) for line in self._drawing_faults())

    def quotas(self) -> Iterator[Quota]:
        """Yield the rows of each training level, or of each cell, and those of each group of reading order."""
        yield from super().quotas()
        for config in ("base", "curved"):
            table = self.table(config)
            for cell in self._grid(table) if table and not self.trains(config) else ():
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
            yield f"markers are a colour and a shape of the protocol, got {sorted(set(markers) - _MARKERS)[0]!r}"
        if len(set(markers)) < len(markers):
            yield "a marker occurs twice in the picture"
        if row["answer"] != protocol.answer(markers):
            yield f"answer must be the markers in path order, got {row['answer'][:60]!r}"
        if row["prompt"] != protocol.prompt(markers[0], len(markers), config):
            yield "the prompt is not the protocol's for this start marker and number of markers"

    def _path(self, config: str, row: Row) -> Iterator[str]:
        points = np.array(row["points"], np.float64)
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2 or (points * _LATTICE % 1).any():
            yield "points must be two or more pairs of multiples of 1/16 px"
            return
        view = self.table("rules").get("view", 672)
        if points.min() < 0 or points.max() > row["view"] or row["view"] != view:
            yield f"points must lie in a view of {view} px, got up to {points.max()} in one of {row['view']}"
        path, what = measure(points), "points"
        if config == "curved":
            line = bent_line(points, row["smoothness"])
            curvature = curvature_of(line, points, row["glyph_radius"]) if row["smoothness"] else 0.0
            if not abs(curvature - row["curvature"]) < _ROUNDING:
                yield f"curvature of the drawn line is {curvature}, stored is {row['curvature']}"
            if row["smoothness"]:
                straight, path, what = path, measure(points, line), "drawn line"
                yield from self._bends(path, straight.crossings, row["tortuosity_bin"])
        found, tortuosity = list(zip(path.crossings, path.positions, strict=True)), path.tortuosity
        stored = [((c["first_segment"], c["second_segment"]), (c["x"], c["y"])) for c in row["crossings"]]
        if not len(found) == len(stored) == row["self_intersections"]:
            yield f"the path crosses itself {len(found)} times, stored are {row['self_intersections']}, {len(stored)}"
        elif any(a[0] != b[0] or math.dist(a[1], b[1]) > 1e-3 for a, b in zip(found, stored, strict=True)):
            yield "a stored crossing lies elsewhere than the path crosses itself"
        if not abs(tortuosity - row["tortuosity"]) < _ROUNDING:
            yield f"tortuosity of the {what} is {tortuosity}, stored is {row['tortuosity']}"
        # As stored: an edge between two bins is a round number, and so is what lies on it.
        table = self.table("bins")
        starts = [*table["crossing_starts"], table["crossing_cap"] + 1]
        bins = (_bin(table["tortuosity_edges"], round(tortuosity, 9)), _bin(starts, len(found)))
        if bins != (row["tortuosity_bin"], row["self_intersection_bin"]):
            yield f"bins must be {bins}, got {row['tortuosity_bin']} and {row['self_intersection_bin']}"

    def _bends(self, drawn: MeasuredPath, crossings: Sequence[tuple[int, int]], tortuosity_bin: int) -> Iterator[str]:
        """Judge the line of a bent path by every rule."""
        bins = Bins(**self.table("bins"))
        for verdict in judge_bent(drawn, crossings, tortuosity_bin, self.limits, bins):
            if not verdict.kept:
                yield f"the drawn line breaks a rule, {verdict.reason}: {verdict.measured}, not {verdict.limit}"

    def _spurs(self, row: Row) -> Iterator[str]:
        low, high = self.table("confounded").get(row["condition"], (2, 7))
        if not low <= len(row["confounders"]) <= high:
            yield f"{row['condition']} has {low} to {high} spurs, got {len(row['confounders'])}"
        pair = (row["source_id"], row["condition"])
        spurs = (digest({"spur": spur}, ["spur"]) for spur in row["confounders"])
        self.confounded[pair] = digest(row, _SHARED), b"".join(spurs)
        self.pairs[pair] += 1

    def _pair_faults(self) -> Iterator[str]:
        for source, condition in sorted((self.pairs - Counter(set(self.pairs))).elements()):
            yield f"the source {source} has another {condition} row"
        by_source: defaultdict[str, dict[str, tuple[bytes, bytes]]] = defaultdict(dict)
        for (source, condition), remembered in self.confounded.items():
            by_source[source][condition] = remembered
        for source, rows in by_source.items():
            if source not in self.sources:
                yield f"source_id {source} is no row of base"
                continue
            if set(rows) != set(CONDITIONS):
                yield f"each source has one row of each condition, {source} has {', '.join(rows)}"
                continue
            if any(shared != self.sources[source] for shared, _ in rows.values()):
                yield f"a row of the source {source} shows another path, or other markers"
            if not _apart(rows["low"][1]) <= _apart(rows["high"][1]):
                yield f"the spurs of the low row of {source} are not among those of its high row"

    def _drawing_faults(self) -> Iterator[str]:
        for pair, smoothness in sorted((self.drawn - Counter(set(self.drawn))).elements()):
            yield f"the pair {pair} has another row of smoothness {smoothness}"
        pairs: defaultdict[str, dict[float, tuple[bytes, str]]] = defaultdict(dict)
        for (pair, smoothness), alike in self.drawings.items():
            pairs[pair][smoothness] = alike
        dial = {0.0, *self.table("curved").get("smoothness", ())}
        for pair, drawings in pairs.items():
            if set(drawings) != dial:
                yield f"each pair has one row of each smoothness, {pair} has {', '.join(map(str, sorted(drawings)))}"
            elif drawings[0.0][1] != pair:
                yield f"pair_id {pair} is not the id of the straight drawing, {drawings[0.0][1]}"
            elif any(alike != drawings[0.0][0] for alike, _ in drawings.values()):
                yield f"a row of the pair {pair} shows another path, or other markers, or asks otherwise"

    def _grid(self, table: Recipe) -> Iterator[dict[str, int]]:
        """Yield the cells of a grid, by their columns."""
        skipped, bins = {tuple(pair) for pair in table["skipped"]}, self.table("bins")
        of_tortuosity, of_crossings = len(bins["tortuosity_edges"]) - 1, len(bins["crossing_starts"])
        for points, *pair in product(table["points"], range(of_tortuosity), range(of_crossings)):
            if tuple(pair) not in skipped:
                yield dict(zip(("n_points", "tortuosity_bin", "self_intersection_bin"), (points, *pair), strict=True))


def _level(row: Row) -> Iterator[str]:
    """Check what the row's training level asks of it."""
    level = LEVELS[row["level"] - 1]
    asked = {"n_points": level.points, "tortuosity_bin": level.tortuosity, "self_intersection_bin": level.crossings}
    for column, values in asked.items():
        if row[column] not in values:
            yield f"level {row['level']} has {column} in {values}, got {row[column]}"


def _lanes(row: Row) -> Iterator[str]:
    """Check that a path in reading order runs in its lanes."""
    if row["self_intersections"]:
        yield f"a path in lanes does not cross itself, got {row['self_intersections']} crossings"
    if not in_lanes(np.array(row["points"]), row["regime"], row["lanes"]):
        yield f"the path does not run in {row['lanes']} lanes in the direction {row['regime']}"


def _apart(digests: bytes) -> set[bytes]:
    return {digests[at : at + 16] for at in range(0, len(digests), 16)}


def _bin(edges: Sequence[float], value: float) -> int | None:
    """Return which of the ranges [edge, next edge) holds ``value``, or None."""
    found = bisect_right(edges, value) - 1
    return found if 0 <= found < len(edges) - 1 else None


checker = TraversalChecker
