"""Gray spurs (confounders): short lines that branch off the path and end blindly, away from all vertices and crossings.

A spur may start anywhere on a segment, not only at its middle; so nearly every path has room for spurs, whereas half of
the spurs in TraversalBench cross the path. Each path with spurs has two rows in the dataset: one with few spurs
(condition ``low``), and one with these and further spurs (``high``).
"""

import math
from dataclasses import dataclass

import numpy as np
from numba import njit

from planimeter.generators import seeding
from planimeter.generators.traversal.annealing import SLACK
from planimeter.generators.traversal.kernels import Floats
from planimeter.generators.traversal.limits import LATTICE, Limits
from planimeter.items import CONDITIONS, ConfoundedItem, ConfounderCondition, Point, TraversalItem

#: The address of the random stream of an item's spurs, below that of the item.
_STREAM = "confounders"


@dataclass(frozen=True, kw_only=True, slots=True)
class SpurLimits:
    """The limits of gray spurs, px and degrees; defaults as in TraversalBench (its field ``confounder_meta.params``).

    ``least_angle`` is an addition: without it a spur could run along the segment on which it starts.
    """

    length: tuple[float, float] = (60.0, 100.0)
    """Shortest and longest spur, px."""
    to_path: float = 10.0
    """Least distance from the path, px."""
    to_spur: float = 12.0
    """Least distance between two spurs, px."""
    to_crossing: float = 22.0
    """Least distance from a crossing, px."""
    to_glyph: float = 20.5
    """Least distance from the centre of a marker, px."""
    least_angle: float = 35.0
    """Least angle between a spur and its segment, degrees."""
    low: tuple[int, int] = (2, 4)
    """Least and greatest number of spurs in the condition `low`."""
    high: tuple[int, int] = (5, 7)
    """Least and greatest number of spurs in the condition `high`."""
    attempts: int = 4000
    """Random spurs that are tried on each segment."""

    def __post_init__(self) -> None:
        if not 0 < self.length[0] < self.length[1]:
            raise ValueError(f"need 0 < length[0] < length[1], got {self.length}")
        if not 0 < self.low[0] <= self.low[1] < self.high[0] <= self.high[1]:
            raise ValueError(f"need 0 < low[0] <= low[1] < high[0] <= high[1], got low={self.low} high={self.high}")
        if not (min(self.to_path, self.to_spur, self.to_crossing, self.to_glyph) > 0 and 0 < self.least_angle < 90):
            raise ValueError(f"need positive distances and 0 < least_angle < 90, got {self}")
        if self.attempts < 1:
            raise ValueError(f"need attempts > 0, got {self.attempts}")

    def counts(self, condition: ConfounderCondition) -> tuple[int, int]:
        """Return the least and the greatest number of spurs in ``condition``."""
        return self.low if condition == "low" else self.high


def confound(source: TraversalItem, spurs: SpurLimits, limits: Limits) -> tuple[ConfoundedItem, ConfoundedItem] | None:
    """Return ``source`` with spurs twice: with few (condition ``low``), and with more (condition ``high``).

    Returns None if the path has no room for the least number of spurs in ``high``. The result depends only on the
    points and the seed of ``source`` and on the limits.
    """
    key = seeding.spawn_key((_STREAM,))
    rng = np.random.default_rng(np.random.SeedSequence(seeding.without_variant(source.seed), spawn_key=key))
    few = int(rng.integers(spurs.low[0], spurs.low[1] + 1))
    many = int(rng.integers(spurs.high[0], spurs.high[1] + 1))
    placed = _place(source, many, spurs, limits, rng)
    if len(placed) < spurs.high[0]:
        return None
    sets = {"low": placed[:few], "high": placed}
    low, high = (
        ConfoundedItem(
            source=source,
            condition=condition,
            confounders=tuple(sets[condition]),
            seed=seeding.with_variant(source.seed, 1 + number),
        )
        for number, condition in enumerate(CONDITIONS)
    )
    return low, high


def _place(
    source: TraversalItem, count: int, spurs: SpurLimits, limits: Limits, rng: np.random.Generator
) -> list[tuple[Point, Point]]:
    """Return the start and end (px) of up to ``count`` spurs on the path of ``source``, fewer if there is no room.

    Segments are visited in random order, so that the spurs spread over the path.
    """
    path = np.array(source.points)
    segments = np.stack([path[:-1], path[1:]], axis=1)
    numbers = np.arange(len(segments))
    crossings = np.array([(c.x, c.y) for c in source.crossings]).reshape(-1, 2)
    clearances = np.array([spurs.to_path, spurs.to_spur, spurs.to_crossing, spurs.to_glyph]) + SLACK
    least_sine = round(math.sin(math.radians(spurs.least_angle)), 9)
    box = limits.margin, limits.view - limits.margin
    placed = np.zeros((count, 2, 2))
    done = 0
    order = rng.permutation(len(segments))
    for tries in (max(1, spurs.attempts // 40), spurs.attempts):
        for segment in order:
            if done == count:
                break
            obstacles = segments[numbers != segment], placed[:done], crossings, path
            spur = _try(segments[segment], spurs.length, tries, box, least_sine, obstacles, clearances, rng)
            if spur.size:
                placed[done] = spur
                done += 1
    return [((float(a), float(b)), (float(c), float(d))) for (a, b), (c, d) in placed[:done]]


@njit(cache=True)
def _try(segment, lengths, tries, box, least_sine, obstacles, clearances, rng):  # type: ignore[no-untyped-def]
    """Return the first of ``tries`` random spurs (2, 2; px) on ``segment`` (2, 2; px) that meets all limits, or (0, 2).

    A spur starts on ``segment``, at an angle with a sine of at least ``least_sine``, has one of ``lengths`` (least,
    greatest; px) and both coordinates of its end in ``box``, and is rounded to multiples of 1/16 px (``LATTICE``).
    ``obstacles`` are other segments, spurs, crossings and vertices, ``clearances`` the least distance from each, px.
    """
    others, placed, crossings, path = obstacles
    spur = np.empty((2, 2))
    step = segment[1] - segment[0]
    for _ in range(tries):
        along, turn, stretch = rng.random(), rng.random(), rng.random()
        length = lengths[0] + 0.25 + stretch * (lengths[1] - lengths[0] - 0.5)
        way = math.cos(2 * np.pi * turn), math.sin(2 * np.pi * turn)
        for axis in range(2):
            anchor = segment[0, axis] + along * step[axis]
            spur[0, axis] = np.rint(anchor * LATTICE) / LATTICE
            spur[1, axis] = np.rint((anchor + length * way[axis]) * LATTICE) / LATTICE
        dx, dy = spur[1] - spur[0]
        sine = abs(step[0] * dy - step[1] * dx) / math.sqrt((step[0] ** 2 + step[1] ** 2) * (dx * dx + dy * dy))
        if (
            box[0] <= min(spur[1]) <= max(spur[1]) <= box[1]
            and sine >= least_sine
            and _far(spur, path, clearances[3])
            and _clear(spur, others, clearances[0])
            and _far(spur, crossings, clearances[2])
            and _clear(spur, placed, clearances[1])
        ):
            return spur
    return spur[:0]


@njit(cache=True)
def _far(spur: Floats, points: Floats, least: float) -> bool:
    """True if all ``points`` (n, 2) are at least ``least`` px from ``spur``."""
    for point in points:  # noqa: SIM110 - numba compiles no generator
        if _gap(point, spur) < least:
            return False
    return True


@njit(cache=True)
def _clear(spur: Floats, lines: Floats, least: float) -> bool:
    """True if all ``lines`` (n, 2, 2) are at least ``least`` px from ``spur``."""
    for line in lines:
        if _crosses(spur, line) or min(_gap(spur[0], line), _gap(spur[1], line)) < least:
            return False
        if min(_gap(line[0], spur), _gap(line[1], spur)) < least:
            return False
    return True


@njit(cache=True)
def _crosses(a: Floats, b: Floats) -> bool:
    """True if the line segments ``a`` and ``b`` (2, 2) cross or touch, or are parts of one straight line."""
    (ux, uy), (vx, vy), (x, y), (dx, dy) = a[1] - a[0], b[1] - b[0], b[0] - a[0], b[1] - a[0]
    of_a = (ux * y - uy * x) * (ux * dy - uy * dx)
    of_b = (vy * x - vx * y) * (vx * (uy - y) - vy * (ux - x))
    return bool(of_a <= 0.0 and of_b <= 0.0)


@njit(cache=True)
def _gap(point: Floats, line: Floats) -> float:
    """Return the distance of ``point`` (2,) from the line segment ``line`` (2, 2).

    ``kernels.py`` has such a function too, which no other file may call: see there about the cache of numba.
    """
    dx, dy, x, y = line[1, 0] - line[0, 0], line[1, 1] - line[0, 1], point[0] - line[0, 0], point[1] - line[0, 1]
    share = min(1.0, max(0.0, (x * dx + y * dy) / (dx * dx + dy * dy)))
    return math.hypot(x - share * dx, y - share * dy)
