"""The render-aware rules of a path as verdicts (TraversalBench, A.2), judged apart from the search that made it.

Every rule is judged on every path, so that an audit can count them all. Numbers are measured in float64; where one
lies within 1e-6 of its limit, and for every question of topology, rational arithmetic decides (``exact_geometry``).
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations, pairwise

import numpy as np

from planimeter.filters import exact_geometry as exact
from planimeter.filters.exact_geometry import Point
from planimeter.filters.verdict import Verdict
from planimeter.generators.traversal.cells import Bins
from planimeter.generators.traversal.limits import Limits

_Measure = tuple[float, Callable[[], Fraction]]


@dataclass(frozen=True, slots=True)
class MeasuredPath:
    """A path, px, with its exact crossings: (first segment, second segment), 0-based, and their float positions."""

    points: tuple[Point, ...]
    crossings: tuple[tuple[int, int], ...]
    positions: tuple[Point, ...]
    touching: int
    tortuosity: float

    @property
    def segments(self) -> tuple[tuple[Point, Point], ...]:
        """The segments in path order."""
        return tuple(pairwise(self.points))


def measure(points: Sequence[Point]) -> MeasuredPath:
    """Return ``points`` with crossings, touching pairs and tortuosity.

    Touching counts pairs of segments without a common vertex that share a point but do not cross, and neighbours that
    fold back onto each other.

    Raises:
        ValueError: for fewer than two points or a coordinate that is not finite.
    """
    path = tuple((float(x), float(y)) for x, y in points)
    if len(path) < 2 or not all(math.isfinite(v) for p in path for v in p):
        raise ValueError(f"need two or more points with finite coordinates, got {path}")
    segments = tuple(pairwise(path))
    boxes = [(*sorted((a[0], b[0])), *sorted((a[1], b[1]))) for a, b in segments]
    crossings, positions, touching = [], [], 0
    for i, j in combinations(range(len(segments)), 2):
        left, right, top, bottom = boxes[i]
        other = boxes[j]
        if j > i + 1 and (right < other[0] or other[1] < left or bottom < other[2] or other[3] < top):
            continue
        (a, b), (c, d) = segments[i], segments[j]
        if j == i + 1:
            touching += _folds_back(a, b, d)
        elif exact.crosses(a, b, c, d):
            crossings.append((i, j))
            x, y = exact.crossing_point(*(exact.rational(p) for p in (a, b, c, d)))
            positions.append((float(x), float(y)))
        elif exact.touches(a, b, c, d):
            touching += 1
    length = math.fsum(math.dist(a, b) for a, b in segments)
    apart = math.dist(path[0], path[-1])
    return MeasuredPath(path, tuple(crossings), tuple(positions), touching, length / apart if apart else math.inf)


def judge(path: MeasuredPath, limits: Limits) -> tuple[Verdict, ...]:
    """Return the verdict of every rule that does not depend on the cell, in a fixed order."""
    verdicts = [
        _shortest("segment length", limits.spacing, _segment_lengths(path)),
        _shortest("vertex spacing", limits.spacing, _vertex_gaps(path)),
        _shortest("segment clearance", limits.clearance, _segment_gaps(path)),
        _shortest("vertex clearance", limits.clearance, _vertex_to_segment(path)),
        _shortest("crossing clearance", limits.crossing_clearance, _crossing_to_vertex(path)),
        _shortest("crossing gap", limits.crossing_gap, _crossing_gaps(path)),
        _turn(path, limits),
        _crossing_angle(path, limits),
        _count("touching", path.touching),
        _count("triple point", _triple_points(path)),
        _extent(path, limits),
        _margin(path, limits),
    ]
    if limits.seam_tile:
        verdicts.append(_seams(path, limits))
    return tuple(verdicts)


def judge_cell(
    path: MeasuredPath, bins: Bins, *, tortuosity_bin: int, crossing_bin: int, stored_crossings: int
) -> tuple[Verdict, ...]:
    """Return the verdicts on the row's stored tortuosity bin, crossing bin and number of crossings."""
    known_t = 0 <= tortuosity_bin < len(bins.tortuosity_edges) - 1
    known_s = 0 <= crossing_bin < len(bins.crossing_starts)
    low, high = bins.tortuosity_range(tortuosity_bin) if known_t else (math.inf, -math.inf)
    fewest, most = bins.crossing_range(crossing_bin) if known_s else (1, 0)
    if known_s and crossing_bin == len(bins.crossing_starts) - 1:
        most = max(most, len(path.crossings))
    count, tortuosity = len(path.crossings), path.tortuosity
    return (
        _verdict("tortuosity bin", low <= tortuosity < high, tortuosity, high if tortuosity >= high else low),
        _verdict("crossing bin", fewest <= count <= most, count, most if count > most else fewest),
        _verdict("crossing count", count == stored_crossings, count, stored_crossings),
    )


def _verdict(check: str, kept: bool, measured: float, limit: float) -> Verdict:
    return Verdict(check=check, kept=kept, measured=float(measured), limit=float(limit), reason="" if kept else check)


def _shortest(check: str, limit: float, measures: Iterator[_Measure]) -> Verdict:
    """Judge the smallest of many lengths; only those near the limit are squared exactly."""
    least, kept = math.inf, True
    for value, square in measures:
        least = min(least, value)
        kept = kept and (value > limit + exact.DOUBT or exact.at_least(value, limit, square))
    return _verdict(check, kept, least, limit)


def _count(check: str, number: int) -> Verdict:
    return _verdict(check, number == 0, number, 0)


def _segment_lengths(path: MeasuredPath) -> Iterator[_Measure]:
    for a, b in path.segments:
        yield math.dist(a, b), partial(_square_gap, a, b)


def _vertex_gaps(path: MeasuredPath) -> Iterator[_Measure]:
    for a, b in combinations(path.points, 2):
        yield math.dist(a, b), partial(_square_gap, a, b)


def _to_segment(p: Point, a: Point, b: Point) -> float:
    dx, dy, wx, wy = b[0] - a[0], b[1] - a[1], p[0] - a[0], p[1] - a[1]
    square = dx * dx + dy * dy
    share = min(1.0, max(0.0, (wx * dx + wy * dy) / square)) if square else 0.0
    return math.hypot(wx - share * dx, wy - share * dy)


def _gap(p: Point, a: Point, b: Point) -> _Measure:
    return _to_segment(p, a, b), lambda: exact.square_to_segment(*(exact.rational(q) for q in (p, a, b)))


def _vertex_to_segment(path: MeasuredPath) -> Iterator[_Measure]:
    for k, vertex in enumerate(path.points):
        for i, (a, b) in enumerate(path.segments):
            if k not in (i, i + 1):
                yield _gap(vertex, a, b)


def _segment_gaps(path: MeasuredPath) -> Iterator[_Measure]:
    crossing = set(path.crossings)
    segments = path.segments
    for i, j in combinations(range(len(segments)), 2):
        if j > i + 1 and (i, j) not in crossing:
            (a, b), (c, d) = segments[i], segments[j]
            yield min((_gap(a, c, d), _gap(b, c, d), _gap(c, a, b), _gap(d, a, b)), key=lambda m: m[0])


def _meeting(path: MeasuredPath, pair: tuple[int, int]) -> exact.Rational:
    (a, b), (c, d) = path.segments[pair[0]], path.segments[pair[1]]
    return exact.crossing_point(*(exact.rational(p) for p in (a, b, c, d)))


def _square_gap(a: Point, b: Point) -> Fraction:
    return exact.square_gap(exact.rational(a), exact.rational(b))


def _square_to_vertex(path: MeasuredPath, pair: tuple[int, int], vertex: Point) -> Fraction:
    return exact.square_gap(_meeting(path, pair), exact.rational(vertex))


def _square_between(path: MeasuredPath, one: tuple[int, int], other: tuple[int, int]) -> Fraction:
    return exact.square_gap(_meeting(path, one), _meeting(path, other))


def _crossing_to_vertex(path: MeasuredPath) -> Iterator[_Measure]:
    for pair, position in zip(path.crossings, path.positions, strict=True):
        for vertex in path.points:
            yield math.dist(position, vertex), partial(_square_to_vertex, path, pair, vertex)


def _crossing_gaps(path: MeasuredPath) -> Iterator[_Measure]:
    for (one, at_one), (other, at_other) in combinations(zip(path.crossings, path.positions, strict=True), 2):
        yield math.dist(at_one, at_other), partial(_square_between, path, one, other)


def _triple_points(path: MeasuredPath) -> int:
    """Count pairs of crossings at the same point, exactly: there three or more segments meet."""
    near = [
        (one, other)
        for (one, at_one), (other, at_other) in combinations(zip(path.crossings, path.positions, strict=True), 2)
        if math.dist(at_one, at_other) < exact.DOUBT
    ]
    return sum(_meeting(path, one) == _meeting(path, other) for one, other in near)


def _directions(path: MeasuredPath) -> list[Point]:
    return [(b[0] - a[0], b[1] - a[1]) for a, b in path.segments]


def _angle(u: Point, v: Point) -> float:
    """Return the angle between two directions, degrees from 0 to 180."""
    return math.degrees(math.atan2(abs(u[0] * v[1] - u[1] * v[0]), u[0] * v[0] + u[1] * v[1]))


def _exact_angle_at_most(u: Point, v: Point, limit: float) -> bool:
    """Compare cosines exactly; the limit's cosine is taken as the float64 nearest to it."""
    sign, square = exact.square_cosine(exact.rational(u), exact.rational(v))
    bound = Fraction(math.cos(math.radians(limit)))
    return sign * square >= (bound > 0 or -1) * bound**2


def _turn(path: MeasuredPath, limits: Limits) -> Verdict:
    largest, kept = 0.0, True
    for u, v in pairwise(_directions(path)):
        if (u == (0.0, 0.0)) or (v == (0.0, 0.0)):
            continue
        angle = _angle(u, v)
        largest = max(largest, angle)
        clear = abs(angle - limits.turn) > exact.DOUBT
        kept = kept and (angle < limits.turn if clear else _exact_angle_at_most(u, v, limits.turn))
    return _verdict("turn", kept, largest, limits.turn)


def _crossing_angle(path: MeasuredPath, limits: Limits) -> Verdict:
    least, kept = 90.0, True
    directions = _directions(path)
    for i, j in path.crossings:
        angle = _angle(directions[i], directions[j])
        folded = min(angle, 180 - angle)
        least = min(least, folded)
        if abs(folded - limits.crossing_angle) > exact.DOUBT:
            kept = kept and folded > limits.crossing_angle
        else:
            _, square = exact.square_cosine(exact.rational(directions[i]), exact.rational(directions[j]))
            kept = kept and square <= Fraction(math.cos(math.radians(limits.crossing_angle))) ** 2
    return _verdict("crossing angle", kept, least, limits.crossing_angle)


def _box(path: MeasuredPath) -> tuple[float, float, float, float]:
    coordinates = np.array(path.points)
    low, high = coordinates.min(axis=0), coordinates.max(axis=0)
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def _extent(path: MeasuredPath, limits: Limits) -> Verdict:
    x_low, y_low, x_high, y_high = _box(path)
    longer = max(x_high - x_low, y_high - y_low)
    return _verdict("extent", longer >= limits.extent, longer, limits.extent)


def _margin(path: MeasuredPath, limits: Limits) -> Verdict:
    """Judge the least distance from the picture's border; 1e-9 px are allowed for data that was scaled to fit."""
    x_low, y_low, x_high, y_high = _box(path)
    least = min(x_low, y_low, limits.view - x_high, limits.view - y_high)
    return _verdict("margin", least >= limits.margin - 1e-9, least, limits.margin)


def _seams(path: MeasuredPath, limits: Limits) -> Verdict:
    seams = range(limits.seam_tile, limits.view, limits.seam_tile)
    least = min((abs(value - seam) for point in path.points for value in point for seam in seams), default=math.inf)
    return _verdict("seam", least >= limits.seam_clearance, least, limits.seam_clearance)


def _folds_back(a: Point, b: Point, c: Point) -> bool:
    """Return whether bc runs back along ab."""
    dot = (a[0] - b[0]) * (c[0] - b[0]) + (a[1] - b[1]) * (c[1] - b[1])
    return exact.orientation(a, b, c) == 0 and dot > 0
