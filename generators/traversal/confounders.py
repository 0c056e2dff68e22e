"""Gray spurs (confounders): short lines that branch off the path and end blindly, away from all vertices and crossings.

A spur may start anywhere on a segment, not only at its middle; so nearly every path has room for spurs, whereas half of
the spurs in TraversalBench cross the path. Each path with spurs has two rows in the dataset: one with few spurs
(condition ``low``), and one with these and further spurs (``high``).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely

from planimeter.generators import seeding
from planimeter.generators.traversal.annealing import SLACK
from planimeter.generators.traversal.kernels import Floats
from planimeter.generators.traversal.limits import LATTICE, Limits
from planimeter.items import CONDITIONS, ConfoundedItem, ConfounderCondition, Point, TraversalItem

#: The address of the random stream of an item's spurs, below that of the item.
_STREAM = "confounders"

#: Spurs that are drawn together: about the mean number of draws until one is clear.
_TOGETHER = 60


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
    lines, numbers = shapely.linestrings(segments), np.arange(len(segments))
    # Obstacles and the least distance from each; those of the path and of earlier spurs are added below.
    obstacles = [(shapely.multipoints(path), spurs.to_glyph)]
    if source.crossings:
        obstacles.append((shapely.multipoints([(c.x, c.y) for c in source.crossings]), spurs.to_crossing))
    placed: list[Floats] = []
    order = rng.permutation(len(segments))
    for tries in (max(1, spurs.attempts // 40), spurs.attempts):
        for segment in order:
            if len(placed) == count:
                break
            others = [(shapely.multilinestrings(lines[numbers != segment]), spurs.to_path)]
            if placed:
                others.append((shapely.multilinestrings(np.array(placed)), spurs.to_spur))
            spur = _try(segments[segment], spurs, limits, tries, others + obstacles, rng)
            if spur is not None:
                placed.append(spur)
    return [((float(a), float(b)), (float(c), float(d))) for (a, b), (c, d) in placed]


def _try(
    segment: Floats,
    spurs: SpurLimits,
    limits: Limits,
    tries: int,
    obstacles: Sequence[tuple[shapely.Geometry, float]],
    rng: np.random.Generator,
) -> Floats | None:
    """Return the first of ``tries`` random spurs (2, 2; px) on ``segment`` (2, 2; px) that meets all limits, or None.

    ``obstacles``: shapes, each with the least distance (px) of a spur from it.
    """
    for first in range(0, tries, _TOGETHER):
        before = rng.bit_generator.state
        drawn = _draw(segment, spurs.length, min(_TOGETHER, tries - first), rng)
        clear = _clear(segment, drawn, spurs, limits, obstacles)
        if len(clear):
            # Advance the stream only past the spur that is used, as if spurs were drawn one by one.
            rng.bit_generator.state = before
            rng.random((int(clear[0]) + 1, 3))
            spur: Floats = drawn[clear[0]]
            return spur
    return None


def _draw(segment: Floats, lengths: tuple[float, float], number: int, rng: np.random.Generator) -> Floats:
    """Return random spurs (number, 2, 2; px) that start on ``segment``, rounded to multiples of 1/16 px (``LATTICE``).

    ``lengths``: the least and greatest length, px.
    """
    along, turn, stretch = rng.random((number, 3)).T
    length = lengths[0] + 0.25 + stretch * (lengths[1] - lengths[0] - 0.5)
    way = np.stack([np.cos(2 * np.pi * turn), np.sin(2 * np.pi * turn)], axis=1)
    anchors = segment[0] + along[:, None] * (segment[1] - segment[0])
    return np.rint(np.stack([anchors, anchors + length[:, None] * way], axis=1) * LATTICE) / LATTICE


def _clear(
    segment: Floats,
    drawn: Floats,
    spurs: SpurLimits,
    limits: Limits,
    obstacles: Sequence[tuple[shapely.Geometry, float]],
) -> npt.NDArray[np.intp]:
    """Return the indices of those of the spurs ``drawn`` (number, 2, 2; px) on ``segment`` that meet all limits.

    These are the margins, the least angle with ``segment``, and the least distance from each of ``obstacles``.
    """
    ends, (ux, uy), (dx, dy) = drawn[:, 1], segment[1] - segment[0], (drawn[:, 1] - drawn[:, 0]).T
    sine = np.abs(ux * dy - uy * dx) / np.sqrt((ux * ux + uy * uy) * (dx * dx + dy * dy))
    inside = (ends.min(axis=1) >= limits.margin) & (ends.max(axis=1) <= limits.view - limits.margin)
    left = np.flatnonzero(inside & (sine >= round(math.sin(math.radians(spurs.least_angle)), 9)))
    lines = shapely.linestrings(drawn[left])
    for obstacle, least in obstacles:
        clear = ~shapely.dwithin(lines, obstacle, least + SLACK)
        left, lines = left[clear], lines[clear]
    return left
