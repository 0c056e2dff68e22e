"""The rules of a path as verdicts on a line that is not straight between its vertices: on what is drawn.

A piece is the stretch of line from one vertex to the next, ``PIECES`` straight steps. Coordinates are multiples of
1/1024 px, so that the orientation tests here are exact, and a crossing is counted if and only if it is drawn; the rest
is + - * / and square roots in one order, the same bits on every machine.

The rules are those of ``filters.traversal.rules``, piece for segment. Two are for curves alone: they cross themselves
in the pairs of pieces in which the straight path crosses itself, and neighbouring pieces keep apart, beyond 2r from
their vertex, as far as the sharpest turn of a straight path would.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit

from planimeter.filters.verdict import Verdict
from planimeter.generators.traversal.cells import Bins
from planimeter.generators.traversal.limits import PIECES, Limits
from planimeter.items import Crossing

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class DrawnPath:
    """A drawn line (m, 2), px, and its crossings, in whose records pieces stand for segments; ``sines`` of the angles.

    ``gap``: the least distance of two pieces that share no vertex and do not cross; ``neighbours``: that of neighbours,
    beyond 2r from their vertex; ``vertices``: that of a vertex and a piece that does not end in it, all px and infinite
    beyond 2r. ``touching`` counts pairs of steps that meet without crossing.
    """

    line: Floats
    crossings: tuple[Crossing, ...]
    sines: Floats
    gap: float
    neighbours: float
    vertices: float
    touching: int

    @property
    def tortuosity(self) -> float:
        """Length over displacement, rounded; infinite for a closed line."""
        steps = np.diff(self.line, axis=0)
        length = math.fsum(np.sqrt(steps[:, 0] * steps[:, 0] + steps[:, 1] * steps[:, 1]).tolist())
        apart = math.dist(self.line[0], self.line[-1])
        return round(length / apart, 9) if apart else math.inf


def measure_drawn(line: Floats, limits: Limits) -> DrawnPath:
    """Return the line (n * PIECES + 1, 2), px, with what the rules look at."""
    measured, gap, neighbours, vertices, touching = _measured(line, limits.clearance)
    crossings = tuple(
        Crossing(x=round(float(x), 6), y=round(float(y), 6), first_segment=int(i), second_segment=int(j))
        for x, y, i, j, _ in measured
    )
    return DrawnPath(line, crossings, measured[:, 4], gap, neighbours, vertices, touching)


def judge_drawn(
    path: DrawnPath, wanted: Sequence[tuple[int, int]], tortuosity_bin: int, limits: Limits, bins: Bins
) -> tuple[Verdict, ...]:
    """Return the verdict of every rule that bending can break, in a fixed order.

    ``wanted``: the pairs of segments in which the straight path crosses itself; ``tortuosity_bin``: its bin.
    """
    low, high = path.line.min(axis=0), path.line.max(axis=0)
    margin = min(float(low.min()), limits.view - float(high.max()))
    places = np.array([(crossing.x, crossing.y) for crossing in path.crossings]).reshape(-1, 2)
    between = _distances(places, places)[np.triu_indices(len(places), 1)]
    angle = math.degrees(math.asin(min(1.0, float(path.sines.min(initial=1.0)))))
    tortuosity, least = path.tortuosity, limits.clearance * math.sin(math.radians(limits.turn))
    edges = bins.tortuosity_range(tortuosity_bin)
    same = [(crossing.first_segment, crossing.second_segment) for crossing in path.crossings] == list(wanted)
    return (
        _verdict("same crossings", same, len(path.crossings), len(wanted)),
        _verdict("touching", path.touching == 0, path.touching, 0),
        _verdict("margin", margin >= limits.margin, margin, limits.margin),
        _verdict("extent", float((high - low).max()) >= limits.extent, float((high - low).max()), limits.extent),
        _at_least("segment clearance", path.gap, limits.clearance),
        _at_least("neighbour clearance", path.neighbours, least),
        _at_least("vertex clearance", path.vertices, limits.clearance),
        _at_least(
            "crossing clearance",
            float(_distances(places, path.line[::PIECES]).min(initial=math.inf)),
            limits.crossing_clearance,
        ),
        _at_least("crossing gap", float(between.min(initial=math.inf)), limits.crossing_gap),
        _at_least("crossing angle", angle, limits.crossing_angle),
        _verdict("tortuosity bin", edges[0] <= tortuosity < edges[1], tortuosity, edges[int(tortuosity >= edges[1])]),
    )


def _verdict(check: str, kept: bool, measured: float, limit: float) -> Verdict:
    return Verdict(check=check, kept=kept, measured=float(measured), limit=float(limit), reason="" if kept else check)


def _at_least(check: str, measured: float, limit: float) -> Verdict:
    return _verdict(check, measured >= limit, measured, limit)


def _distances(a: Floats, b: Floats) -> Floats:
    gaps = a[:, None] - b[None]
    distances: Floats = np.sqrt(gaps[:, :, 0] * gaps[:, :, 0] + gaps[:, :, 1] * gaps[:, :, 1])
    return distances


@njit(cache=True)
def _square_to_step(px: float, py: float, a: Floats, b: Floats) -> float:
    dx, dy, wx, wy = b[0] - a[0], b[1] - a[1], px - a[0], py - a[1]
    square = dx * dx + dy * dy
    share = min(1.0, max(0.0, (wx * dx + wy * dy) / square)) if square > 0.0 else 0.0
    wx, wy = wx - share * dx, wy - share * dy
    return wx * wx + wy * wy


@njit(cache=True)
def _boxes(line: Floats, size: int) -> Floats:
    """Return the boxes (k, 4: left, top, right, bottom) of the stretches of ``size`` steps."""
    boxes = np.empty(((line.shape[0] - 1) // size, 4))
    for k in range(boxes.shape[0]):
        for axis in range(2):
            low = high = line[k * size, axis]
            for i in range(k * size + 1, k * size + size + 1):
                low, high = min(low, line[i, axis]), max(high, line[i, axis])
            boxes[k, axis], boxes[k, 2 + axis] = low, high
    return boxes


@njit(cache=True)
def _apart(boxes: Floats, i: int, j: int, reach: float) -> bool:
    """Return whether boxes ``i`` and ``j`` lie further apart than ``reach`` px."""
    return (
        boxes[i, 0] - boxes[j, 2] > reach
        or boxes[j, 0] - boxes[i, 2] > reach
        or boxes[i, 1] - boxes[j, 3] > reach
        or boxes[j, 1] - boxes[i, 3] > reach
    )


@njit(cache=True)
def _measured(line: Floats, reach: float) -> tuple[Floats, float, float, float, int]:
    """Return crossings (k, 5: x, y, piece, piece, sine), least distances as ``DrawnPath`` has them, and touching steps.

    ``reach``: 2r, px; what lies further apart is not measured.
    """
    whole, steps = _boxes(line, PIECES), _boxes(line, 1)
    crossings = np.empty((line.shape[0], 5))
    count, touching = 0, 0
    gap, neighbours = 1e18, 1e18
    for a in range(len(whole)):
        for b in range(a, len(whole)):
            if _apart(whole, a, b, reach):
                continue
            before = count
            count, touched, least = _pair(line, steps, a, b, reach, crossings, count)
            touching += touched
            if b > a + 1 and count == before:
                gap = min(gap, least)
            if b == a + 1:
                i0, j0 = a * PIECES, b * PIECES
                neighbours = min(neighbours, _beyond(line, i0, j0, reach), _beyond(line, j0, i0, reach))
    return crossings[:count], math.sqrt(gap), math.sqrt(neighbours), math.sqrt(_vertices(line, whole, reach)), touching


@njit(cache=True)
def _pair(
    line: Floats, steps: Floats, a: int, b: int, reach: float, crossings: Floats, count: int
) -> tuple[int, int, float]:
    """Add those of pieces ``a`` and ``b`` to ``crossings``; return how many there are then, how many steps touch, and
    the least squared distance of steps that do not cross; of neighbours, and within a piece, only where they meet.
    """
    touching, least = 0, 1e18
    far = reach if b > a + 1 else 0.0
    for i in range(a * PIECES, a * PIECES + PIECES):
        for j in range(max(i + 1, b * PIECES), b * PIECES + PIECES):
            if _apart(steps, i, j, far):
                continue
            ux, uy = line[i + 1, 0] - line[i, 0], line[i + 1, 1] - line[i, 1]
            vx, vy = line[j + 1, 0] - line[j, 0], line[j + 1, 1] - line[j, 1]
            area = ux * vy - uy * vx
            if j == i + 1:
                touching += area == 0.0 and ux * vx + uy * vy < 0.0
                continue
            wx, wy = line[j, 0] - line[i, 0], line[j, 1] - line[i, 1]
            side_a, side_c = wx * vy - wy * vx, wx * uy - wy * ux
            if side_a * (side_a - area) < 0.0 and side_c * (side_c - area) < 0.0:
                if count < crossings.shape[0]:
                    along, sizes = side_a / area, math.sqrt(ux * ux + uy * uy) * math.sqrt(vx * vx + vy * vy)
                    crossings[count, 0], crossings[count, 1] = line[i, 0] + along * ux, line[i, 1] + along * uy
                    crossings[count, 2], crossings[count, 3], crossings[count, 4] = a, b, abs(area) / sizes
                    count += 1
                continue
            near = min(
                _square_to_step(line[i, 0], line[i, 1], line[j], line[j + 1]),
                _square_to_step(line[i + 1, 0], line[i + 1, 1], line[j], line[j + 1]),
                _square_to_step(line[j, 0], line[j, 1], line[i], line[i + 1]),
                _square_to_step(line[j + 1, 0], line[j + 1, 1], line[i], line[i + 1]),
            )
            touching += near == 0.0
            least = min(least, near)
    return count, touching, least


@njit(cache=True)
def _vertices(line: Floats, whole: Floats, reach: float) -> float:
    """Return the least squared distance of a vertex and a piece that does not end in it."""
    least = 1e18
    for k in range(len(whole) + 1):
        x, y = line[k * PIECES, 0], line[k * PIECES, 1]
        for a in range(len(whole)):
            if a in (k, k - 1) or max(whole[a, 0] - x, x - whole[a, 2], whole[a, 1] - y, y - whole[a, 3]) > reach:
                continue
            for i in range(a * PIECES, a * PIECES + PIECES):
                least = min(least, _square_to_step(x, y, line[i], line[i + 1]))
    return least


@njit(cache=True)
def _beyond(line: Floats, i0: int, j0: int, reach: float) -> float:
    """Return the least squared distance of a neighbour's steps from ``j0`` on and the samples of the piece from ``i0``
    on that lie further than ``reach`` px from the vertex of both.
    """
    vertex = line[max(i0, j0)]
    least = 1e18
    for i in range(i0, i0 + PIECES + 1):
        dx, dy = line[i, 0] - vertex[0], line[i, 1] - vertex[1]
        if dx * dx + dy * dy >= reach * reach:
            for j in range(j0, j0 + PIECES):
                least = min(least, _square_to_step(line[i, 0], line[i, 1], line[j], line[j + 1]))
    return least
