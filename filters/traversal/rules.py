"""Checks drawn paths by the rules of TraversalBench (A.2), independently of the generator's search.

A path is straight (of straight segments) or bent; the rules are the same. A piece is the part of the line from one
vertex to the next: one segment, or ``PIECES`` of them in a bent path. Orientations decide if two segments cross, and
are exact for our coordinates (multiples of 1/16 px, in bent lines 1/1024 px); shapely measures distances. Verdicts are
yielded in a fixed order, each computed when it is needed.

The line of a bent path is scipy's cubic Hermite spline through its vertices, independent of the renderer: only the
definition is shared with ``generators.traversal.smooth``, so that an error there shows as a difference here. If the
two splines differ in their last bits, a sample can be off by 1/1024 px.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import shapely
from scipy.interpolate import CubicHermiteSpline

from planimeter.filters.verdict import Verdict, at_least, at_most
from planimeter.generators.traversal.cells import Bins
from planimeter.generators.traversal.limits import PIECES, STEPS, Limits
from planimeter.items import Crossing, Point, Regime

Floats = npt.NDArray[np.float64]
Lines = npt.NDArray[np.object_]

#: Crossings this near to each other, px, are one point in which three or more segments meet.
_SAME_POINT = 1e-6

#: Most points of a measured path, in time and memory that grow with their fourth power; markers have 40 looks.
MOST_POINTS = 100


@dataclass(frozen=True, eq=False)
class MeasuredPath:
    """A path through the vertices ``points`` (n, 2), drawn as ``line`` (m, 2), px, and its crossings with itself.

    A piece is the part of the line from one vertex to the next. ``crossings`` are the pairs of pieces that cross,
    numbered from 0, sorted by piece and along the line; ``positions`` (k, 2) are the crossing points, px;
    ``angles`` (k,), 0 to 90 degrees. ``touching`` counts segments of the line that touch another one without
    crossing, or fold back onto the one before.
    """

    points: Floats
    line: Floats
    crossings: tuple[tuple[int, int], ...]
    positions: Floats
    angles: Floats
    touching: int

    @cached_property
    def stretches(self) -> Floats:
        """The points of each piece of the line, from vertex to vertex: (n - 1, points, 2)."""
        steps = _steps_to_a_piece(self.points, self.line)
        return np.stack([self.line[k : k + steps + 1] for k in range(0, len(self.line) - 1, steps)])

    @cached_property
    def pieces(self) -> Lines:
        """The pieces of the line, from vertex to vertex, as shapely linestrings in path order."""
        return np.asarray(shapely.linestrings(self.stretches))

    @property
    def tortuosity(self) -> float:
        """The length of the line over the distance between its ends, rounded; infinite for a closed line."""
        steps = np.diff(self.line, axis=0)
        length = math.fsum(np.sqrt(steps[:, 0] * steps[:, 0] + steps[:, 1] * steps[:, 1]).tolist())
        displacement = math.dist(self.line[0], self.line[-1])
        return round(length / displacement, 9) if displacement else math.inf

    @property
    def records(self) -> tuple[Crossing, ...]:
        """The crossings as a row of a dataset stores them."""
        return tuple(
            Crossing(x=round(x, 6), y=round(y, 6), first_segment=first, second_segment=second)
            for (x, y), (first, second) in zip(self.positions.tolist(), self.crossings, strict=True)
        )


def measure(points: Sequence[Point] | Floats, line: Floats | None = None) -> MeasuredPath:
    """Return the path through ``points`` (n, 2), px, and its crossings.

    The path is drawn as ``line`` (m, 2), by default with straight segments from vertex to vertex.

    Raises:
        ValueError: for fewer than two or more than ``MOST_POINTS`` points, or a coordinate that is not finite.
    """
    vertices = np.array(points, np.float64)
    is_path = vertices.ndim == 2 and vertices.shape[1] == 2 and 2 <= len(vertices) <= MOST_POINTS
    if not is_path or not np.isfinite(vertices).all():
        got = f"{vertices.tolist()}"[:200]
        raise ValueError(f"need 2 to {MOST_POINTS} points with finite coordinates, got {got}")
    line = vertices if line is None else line
    steps, size = np.diff(line, axis=0), _steps_to_a_piece(vertices, line)
    folds = (_cross(steps[:-1], steps[1:]) == 0) & ((steps[:-1] * steps[1:]).sum(axis=1) < 0)

    drawn = shapely.linestrings(np.stack([line[:-1], line[1:]], axis=1))
    first, second = shapely.STRtree(drawn).query(drawn)
    first, second = first[second > first + 1], second[second > first + 1]
    order = np.lexsort((second, first, second // size, first // size))
    first, second = first[order], second[order]
    u, v, w = steps[first], steps[second], line[second] - line[first]
    area, side, other = _cross(u, v), _cross(w, v), _cross(w, u)
    crosses = (side * (side - area) < 0) & (other * (other - area) < 0)
    touches = shapely.intersects(drawn[first[~crosses]], drawn[second[~crosses]])

    first, second, u, v, area, side = (values[crosses] for values in (first, second, u, v, area, side))
    return MeasuredPath(
        points=vertices,
        line=line,
        crossings=tuple(zip((first // size).tolist(), (second // size).tolist(), strict=True)),
        positions=line[first] + (side / area)[:, None] * u,
        angles=np.degrees(np.arctan2(np.abs(area), np.abs((u * v).sum(axis=1)))),
        touching=int(np.count_nonzero(folds) + np.count_nonzero(touches)),
    )


def judge(path: MeasuredPath, limits: Limits) -> Iterator[Verdict]:
    """Yield the verdict of each rule on ``path``, which has straight segments, except the rules in ``judge_cell``."""
    directions = np.diff(path.points, axis=0)
    yield at_least("segment length", least(np.linalg.norm(directions, axis=1)), limits.spacing)
    yield at_least("vertex spacing", _least_among(path.points), limits.spacing)
    yield _segment_clearance(path, limits)
    yield _vertex_clearance(path, limits)
    yield _crossing_clearance(path, limits)
    yield _crossing_gap(path, limits)
    yield _turn(directions[directions.any(axis=1)], limits)
    yield _crossing_angle(path, limits)
    yield _none("touching", path.touching)
    yield _none("triple point", int(np.count_nonzero(_among(path.positions) < _SAME_POINT)))
    yield _extent(path, limits)
    yield _margin(path, limits)


def judge_cell(
    path: MeasuredPath, bins: Bins, tortuosity_bin: int, crossing_bin: int, stored_crossings: int
) -> Iterator[Verdict]:
    """Yield the verdicts on a path's ranges of tortuosity and of crossings, and on the stored number of crossings."""
    known = 0 <= crossing_bin < len(bins.crossing_starts)
    fewest, most = bins.crossing_range(crossing_bin) if known else (1, 0)
    count = len(path.crossings)
    if known and crossing_bin == len(bins.crossing_starts) - 1:
        most = max(most, count)
    yield _tortuosity(path, bins, tortuosity_bin)
    yield Verdict.of("crossing bin", fewest <= count <= most, count, most if count > most else fewest)
    yield Verdict.of("crossing count", count == stored_crossings, count, stored_crossings)


def judge_bent(
    path: MeasuredPath, wanted: Sequence[tuple[int, int]], tortuosity_bin: int, limits: Limits, bins: Bins
) -> Iterator[Verdict]:
    """Yield the verdict of every rule that may be violated when the straight segments of a path are bent.

    ``wanted`` are the crossings before bending, as pairs of pieces (parts from vertex to vertex); the same pairs must
    cross afterwards. Only bent paths have a rule for neighbouring pieces: where they are 2 glyph radii or more from
    their common vertex, they must be as far apart as two straight segments at the sharpest turn allowed.
    """
    same = path.crossings == tuple(wanted)
    yield Verdict.of("same crossings", same, len(path.crossings), len(wanted))
    yield _none("touching", path.touching)
    yield _margin(path, limits)
    yield _extent(path, limits)
    yield _segment_clearance(path, limits)
    yield _neighbour_clearance(path, limits)
    yield _vertex_clearance(path, limits)
    yield _crossing_clearance(path, limits)
    yield _crossing_gap(path, limits)
    yield _crossing_angle(path, limits)
    yield _tortuosity(path, bins, tortuosity_bin)


def _steps_to_a_piece(points: Floats, line: Floats) -> int:
    return (len(line) - 1) // (len(points) - 1)


def _cross(u: Floats, v: Floats) -> Floats:
    return u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]


def least(distances: Floats) -> float:
    """Return the least of ``distances``; infinity if there are none."""
    return float(np.min(distances, initial=np.inf))


def _among(points: Floats) -> Floats:
    """Return the distances between all pairs of ``points`` (n, 2)."""
    first, second = np.triu_indices(len(points), 1)
    return np.asarray(np.linalg.norm(points[first] - points[second], axis=1))


def _least_among(points: Floats) -> float:
    return least(_among(points))


def _none(check: str, number: int) -> Verdict:
    return Verdict.of(check, number == 0, number, 0)


def _gap(ours: Lines, theirs: Lines, reach: float) -> float:
    """Return the least distance of ``ours[i]`` and ``theirs[i]`` over all i; infinity if all exceed ``reach``, px."""
    here, there = shapely.bounds(ours), shapely.bounds(theirs)
    close = ((here[:, :2] - there[:, 2:] <= reach) & (there[:, :2] - here[:, 2:] <= reach)).all(axis=1)
    return least(shapely.distance(ours[close], theirs[close]))


def _segment_clearance(path: MeasuredPath, limits: Limits) -> Verdict:
    """Judge the least distance between pieces (parts from vertex to vertex) that share no vertex and do not cross."""
    separate = np.triu(np.ones((len(path.pieces), len(path.pieces)), bool), 2)
    separate[tuple(np.array(path.crossings, np.intp).reshape(-1, 2).T)] = False
    first, second = np.nonzero(separate)
    gap = _gap(path.pieces[first], path.pieces[second], limits.clearance)
    return at_least("segment clearance", gap, limits.clearance)


def _neighbour_clearance(path: MeasuredPath, limits: Limits) -> Verdict:
    """Judge the distance of successive pieces, except within ``limits.clearance`` px of their common vertex."""
    limit, gap = limits.clearance * math.sin(math.radians(limits.turn)), math.inf
    for stretches, others in ((path.stretches[:-1], path.pieces[1:]), (path.stretches[1:], path.pieces[:-1])):
        away = stretches - path.points[1:-1, None]
        piece, sample = np.nonzero((away * away).sum(axis=2) >= limits.clearance**2)
        gap = min(gap, _gap(shapely.points(stretches[piece, sample]), others[piece], 2 * limit))
    return at_least("neighbour clearance", gap, limit)


def _vertex_clearance(path: MeasuredPath, limits: Limits) -> Verdict:
    """Judge the least distance of a vertex from the pieces (parts from vertex to vertex) that do not end at it."""
    vertices, pieces = np.ogrid[: len(path.points), : len(path.pieces)]
    vertex, piece = np.nonzero((vertices != pieces) & (vertices != pieces + 1))
    gap = _gap(shapely.points(path.points)[vertex], path.pieces[piece], limits.clearance)
    return at_least("vertex clearance", gap, limits.clearance)


def _crossing_clearance(path: MeasuredPath, limits: Limits) -> Verdict:
    gaps = np.linalg.norm(path.positions[:, None] - path.points, axis=2)
    return at_least("crossing clearance", least(gaps), limits.crossing_clearance)


def _crossing_gap(path: MeasuredPath, limits: Limits) -> Verdict:
    return at_least("crossing gap", _least_among(path.positions), limits.crossing_gap)


def _turn(directions: Floats, limits: Limits) -> Verdict:
    """Judge the sharpest turn between successive segments, in degrees; ``directions`` are (k, 2), none of them 0."""
    u, v = directions[:-1], directions[1:]
    turns = np.degrees(np.arctan2(np.abs(_cross(u, v)), (u * v).sum(axis=1)))
    return at_most("turn", float(turns.max(initial=0.0)), limits.turn)


def _crossing_angle(path: MeasuredPath, limits: Limits) -> Verdict:
    return at_least("crossing angle", float(path.angles.min(initial=90.0)), limits.crossing_angle)


def _extent(path: MeasuredPath, limits: Limits) -> Verdict:
    longer = float(np.ptp(path.line, axis=0).max())
    return at_least("extent", longer, limits.extent)


def _margin(path: MeasuredPath, limits: Limits) -> Verdict:
    return at_least("margin", least(np.minimum(path.line, limits.view - path.line)), limits.margin)


def _tortuosity(path: MeasuredPath, bins: Bins, tortuosity_bin: int) -> Verdict:
    known = 0 <= tortuosity_bin < len(bins.tortuosity_edges) - 1
    low, high = bins.tortuosity_range(tortuosity_bin) if known else (math.inf, -math.inf)
    measured = path.tortuosity
    return Verdict.of("tortuosity bin", low <= measured < high, measured, high if measured >= high else low)


def bent_line(points: Floats, smoothness: float) -> Floats:
    """Return ((n - 1) * PIECES + 1, 2), px: points of the spline of this ``smoothness`` through ``points`` (n, 2)."""
    reach = np.linalg.norm(np.diff(points, axis=0), axis=1)
    tangents = np.gradient(points, axis=0)  # half the chord of both neighbours, at an end the segment itself
    lengths = np.linalg.norm(tangents, axis=1)
    shorter = np.minimum(np.append(reach, np.inf), np.insert(reach, 0, np.inf))
    tangents *= (smoothness * shorter / np.maximum(lengths, 1e-9))[:, None]
    curve = CubicHermiteSpline(np.arange(len(points)), points, tangents)
    samples = curve(np.arange((len(points) - 1) * PIECES + 1) / PIECES)
    return np.asarray(np.rint(samples * STEPS) / STEPS, np.float64)


def curvature_of(line: Floats, points: Floats, radius: float) -> float:
    """Return the mean curvature (1/px) of the parts of ``line`` that are over ``radius`` px from all ``points``."""
    steps = np.diff(line @ np.array([1, 1j]))
    turns, lengths = np.abs(np.angle(steps[1:] * steps[:-1].conj())), (np.abs(steps[1:]) + np.abs(steps[:-1])) / 2
    gaps = line[1:-1, None] - points
    open_ = ((gaps * gaps).sum(axis=2) > radius * radius).all(axis=1)
    return float(turns[open_].sum() / lengths[open_].sum()) if open_.any() else 0.0


#: Of each regime: the direction of reading in a lane, and the direction from lane to lane; px, y down.
_DIRECTIONS: dict[Regime, tuple[tuple[int, int], tuple[int, int]]] = {
    "ltr_tb": ((1, 0), (0, 1)),
    "rtl_tb": ((-1, 0), (0, 1)),
    "ttb_rl": ((0, 1), (-1, 0)),
    "ttb_lr": ((0, 1), (1, 0)),
}


def in_lanes(path: npt.NDArray[np.float64], regime: Regime, lanes: int) -> bool:
    """Return True if ``path`` (n, 2) visits its vertices in the reading order ``regime`` of a text of ``lanes`` lines.

    The vertices are divided into ``lanes`` successive groups (the lines) of nearly equal size, the longer ones first.
    Each group must advance in the direction of reading, and lie before the next one in the other direction.
    """
    reading, following = (path @ np.array(direction) for direction in _DIRECTIONS[regime])
    blocks = np.array_split(np.arange(len(path)), lanes)
    advances = all(np.all(np.diff(reading[block]) > 0) for block in blocks)
    return advances and all(following[a].max() < following[b].min() for a, b in pairwise(blocks))
