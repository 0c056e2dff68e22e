"""Gray spurs: short lines that start on the path and lead nowhere, clear of everything that decides the answer.

An anchor may be anywhere on a segment, not only at its middle; with that freedom clean spurs fit on nearly every path,
whereas half of the spurs in the released data cross the path. The ``high`` set of a path contains its ``low`` set, so
that the two pictures differ by added spurs alone.
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

#: Second word of the address of an item's spurs.
_STREAM = "confounders"


@dataclass(frozen=True, kw_only=True, slots=True)
class SpurLimits:
    """The gray spurs, px and degrees; the defaults are those of the release (``confounder_meta.params``).

    ``least_angle`` is ours, so that a spur does not run along its own line.
    """

    length: tuple[float, float] = (60.0, 100.0)
    """Shortest and longest spur, px."""
    to_path: float = 10.0
    """Least distance from the path, px."""
    to_spur: float = 12.0
    """Least distance of two spurs, px."""
    to_crossing: float = 22.0
    """Least distance from a crossing, px."""
    to_glyph: float = 20.5
    """Least distance from the centre of a marker, px."""
    least_angle: float = 35.0
    """Least angle between a spur and its segment, degrees."""
    low: tuple[int, int] = (2, 4)
    """Least and greatest number of spurs in the condition `low`."""
    high: tuple[int, int] = (5, 7)
    """The same in the condition `high`."""
    attempts: int = 4000
    """Spurs that are tried before a path is rejected."""

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
        """Return the least and the greatest number of spurs of ``condition``."""
        return self.low if condition == "low" else self.high


def confound(source: TraversalItem, spurs: SpurLimits, limits: Limits) -> tuple[ConfoundedItem, ConfoundedItem] | None:
    """Return the ``low`` and the ``high`` row of ``source``, or None if its spurs do not fit.

    A function of the source (its points and seed) and the limits.
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
    """Draw up to ``count`` spurs, visiting the segments in random order so that they spread over the path."""
    path = np.array(source.points)
    crossings = np.array([(c.x, c.y) for c in source.crossings]).reshape(-1, 2)
    placed = np.zeros((count, 4))
    done = 0
    order = rng.permutation(len(path) - 1)
    clearances = _clearances(spurs, limits)
    for tries in (max(1, spurs.attempts // 40), spurs.attempts):
        for segment in order:
            if done == count:
                break
            done += _try(path, int(segment), spurs.length, tries, placed, done, crossings, clearances, rng)
    return [((float(a), float(b)), (float(c), float(d))) for a, b, c, d in placed[:done]]


def _clearances(spurs: SpurLimits, limits: Limits) -> Floats:
    """Return the numbers that ``_clear`` compares with: box, distances with slack (px), sine of the least angle."""
    return np.array(
        [
            limits.margin,
            limits.view - limits.margin,
            spurs.to_path + SLACK,
            spurs.to_spur + SLACK,
            spurs.to_crossing + SLACK,
            spurs.to_glyph + SLACK,
            round(math.sin(math.radians(spurs.least_angle)), 9),
        ]
    )


@njit(cache=True)
def _point_gap(px: float, py: float, spur: Floats) -> float:
    dx, dy, wx, wy = spur[2] - spur[0], spur[3] - spur[1], px - spur[0], py - spur[1]
    share = min(1.0, max(0.0, (wx * dx + wy * dy) / (dx * dx + dy * dy)))
    wx, wy = wx - share * dx, wy - share * dy
    return math.sqrt(wx * wx + wy * wy)


@njit(cache=True)
def _line_gap(a: Floats, b: Floats) -> float:
    """Return the distance of two line segments (x, y, x, y): 0 if they cross."""
    ux, uy, vx, vy = a[2] - a[0], a[3] - a[1], b[2] - b[0], b[3] - b[1]
    side_c, side_d = ux * (b[1] - a[1]) - uy * (b[0] - a[0]), ux * (b[3] - a[1]) - uy * (b[2] - a[0])
    side_a, side_b = vx * (a[1] - b[1]) - vy * (a[0] - b[0]), vx * (a[3] - b[1]) - vy * (a[2] - b[0])
    if side_a * side_b <= 0.0 and side_c * side_d <= 0.0:
        return 0.0
    ends = min(_point_gap(a[0], a[1], b), _point_gap(a[2], a[3], b))
    return min(ends, _point_gap(b[0], b[1], a), _point_gap(b[2], b[3], a))


@njit(cache=True)
def _clear(path: Floats, segment: int, spur: Floats, placed: Floats, crossings: Floats, clearances: Floats) -> bool:
    """Return True if ``spur`` (x, y, x, y), anchored on ``segment``, is clear of everything."""
    low, high, to_path, to_spur = clearances[0], clearances[1], clearances[2], clearances[3]
    to_crossing, to_glyph, least_sine = clearances[4], clearances[5], clearances[6]
    if min(spur[2], spur[3]) < low or max(spur[2], spur[3]) > high:
        return False
    dx, dy = spur[2] - spur[0], spur[3] - spur[1]
    ux, uy = path[segment + 1, 0] - path[segment, 0], path[segment + 1, 1] - path[segment, 1]
    sine = abs(ux * dy - uy * dx) / math.sqrt((ux * ux + uy * uy) * (dx * dx + dy * dy))
    if sine < least_sine:
        return False
    for k in range(path.shape[0]):
        if _point_gap(path[k, 0], path[k, 1], spur) < to_glyph:
            return False
    other = np.empty(4)
    for k in range(path.shape[0] - 1):
        if k != segment:
            other[0], other[1], other[2], other[3] = path[k, 0], path[k, 1], path[k + 1, 0], path[k + 1, 1]
            if _line_gap(spur, other) < to_path:
                return False
    for k in range(crossings.shape[0]):
        if _point_gap(crossings[k, 0], crossings[k, 1], spur) < to_crossing:
            return False
    nearest = np.inf
    for k in range(placed.shape[0]):
        nearest = min(nearest, _line_gap(spur, placed[k]))
    return nearest >= to_spur


@njit(cache=True)
def _try(path, segment, lengths, tries, placed, done, crossings, clearances, rng):  # type: ignore[no-untyped-def]
    """Draw spurs on ``segment`` until one is clear, ``tries`` at most; put it into ``placed[done]`` and return whether
    there is one.
    """
    spur = np.empty(4)
    for _ in range(tries):
        along, turn, stretch = rng.random(), rng.random(), rng.random()
        length = lengths[0] + 0.25 + stretch * (lengths[1] - lengths[0] - 0.5)
        angle = 2 * math.pi * turn
        way = math.cos(angle), math.sin(angle)
        for axis in range(2):
            anchor = path[segment, axis] + along * (path[segment + 1, axis] - path[segment, axis])
            spur[axis] = np.rint(anchor * LATTICE) / LATTICE
            spur[2 + axis] = np.rint((anchor + length * way[axis]) * LATTICE) / LATTICE
        if _clear(path, segment, spur, placed[:done], crossings, clearances):
            placed[done] = spur
            return True
    return False
