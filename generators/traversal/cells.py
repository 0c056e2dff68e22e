"""The cells of TraversalBench: combinations of a number of points, a range of tortuosity and a range of crossings."""

import math
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from planimeter.generators.traversal.limits import Limits


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Cell:
    """A number of points with a range of tortuosity and a range of crossings, given by their indices in ``Bins``."""

    n_points: int
    tortuosity_bin: int
    crossing_bin: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Bins:
    """The ranges (bins) of tortuosity (length over distance of the ends) and of numbers of crossings of paths.

    Tortuosity bin b is ``[tortuosity_edges[b], tortuosity_edges[b + 1])``. Crossing bin b starts at
    ``crossing_starts[b]`` and ends before the next start; the last one ends at ``crossing_cap``, inclusive. In the
    TraversalBench paper (2.1, Table 4) it has no end; here the cap limits the search, and paths above it have no bin.
    """

    tortuosity_edges: tuple[float, ...] = (1.0, 1.3, 2.0, 3.0, 4.5, 6.5, 9.0)
    """Edges of the bins of tortuosity, length over displacement."""
    crossing_starts: tuple[int, ...] = (0, 1, 2, 4, 6, 9, 13)
    """Least number of crossings in each bin."""
    crossing_cap: int = 20
    """Greatest number of crossings in the last bin."""

    def __post_init__(self) -> None:
        edges, starts = self.tortuosity_edges, self.crossing_starts
        if len(edges) < 2 or edges[0] < 1.0 or any(a >= b for a, b in pairwise(edges)):
            raise ValueError(f"need two or more increasing tortuosity_edges, the first >= 1, got {edges}")
        if not starts or starts[0] < 0 or any(a >= b for a, b in pairwise(starts)):
            raise ValueError(f"need increasing crossing_starts, the first >= 0, got {starts}")
        if self.crossing_cap < starts[-1]:
            raise ValueError(
                f"need crossing_cap >= {starts[-1]}, the start of the last bin, got {self.crossing_cap}; raise it or "
                "shorten crossing_starts"
            )

    def tortuosity_range(self, index: int) -> tuple[float, float]:
        """Return the tortuosities at which the bin ``index`` begins (included) and ends (excluded)."""
        return self.tortuosity_edges[index], self.tortuosity_edges[index + 1]

    def crossing_range(self, index: int) -> tuple[int, int]:
        """Return the least and the greatest number of crossings of the bin ``index``, both included."""
        starts = self.crossing_starts
        last = self.crossing_cap if index + 1 == len(starts) else starts[index + 1] - 1
        return starts[index], last

    def tortuosity_bin(self, tortuosity: float) -> int | None:
        """Return the index of the bin that contains ``tortuosity``, or None if no bin does."""
        index = bisect_right(self.tortuosity_edges, tortuosity) - 1
        return index if 0 <= index < len(self.tortuosity_edges) - 1 else None

    def crossing_bin(self, crossings: int) -> int | None:
        """Return the index of the bin that contains the number ``crossings``, or None if no bin does."""
        index = bisect_right(self.crossing_starts, crossings) - 1
        return index if index >= 0 and crossings <= self.crossing_cap else None


def grid_cells(bins: Bins, points: Sequence[int], skipped: Collection[tuple[int, int]]) -> tuple[Cell, ...]:
    """Return all combinations of ``points``, tortuosity bin and crossing bin, except pairs of bins in ``skipped``.

    ``points``: the numbers of points. Cells are ordered by points, tortuosity bin and crossing bin.
    """
    return tuple(
        Cell(n_points=n, tortuosity_bin=t, crossing_bin=s)
        for n in points
        for t in range(len(bins.tortuosity_edges) - 1)
        for s in range(len(bins.crossing_starts))
        if (t, s) not in skipped
    )


def check_cell(cell: Cell, bins: Bins, limits: Limits) -> None:
    """Raise an error if no path can be in ``cell``.

    Raises:
        ValueError: if a bin does not exist, or ``limits`` make its number of crossings or its tortuosity impossible.
    """
    limits.check_points(cell.n_points)
    if not 0 <= cell.tortuosity_bin < len(bins.tortuosity_edges) - 1:
        raise ValueError(
            f"there is no tortuosity bin {cell.tortuosity_bin}; edges are {bins.tortuosity_edges}, and the first bin "
            "is 0"
        )
    if not 0 <= cell.crossing_bin < len(bins.crossing_starts):
        raise ValueError(
            f"there is no crossing bin {cell.crossing_bin}; starts are {bins.crossing_starts}, and the first bin is 0"
        )
    segments = cell.n_points - 1
    most = (segments - 1) * (segments - 2) // 2
    least = bins.crossing_range(cell.crossing_bin)[0]
    if least > most:
        raise ValueError(
            f"{cell.n_points} points give at most {most} crossings, but the bin starts at {least}; use more points or "
            "a bin of fewer crossings"
        )
    lowest, highest = bins.tortuosity_range(cell.tortuosity_bin)
    longest = segments * math.sqrt(2) * limits.room / limits.spacing
    if lowest > longest:
        raise ValueError(
            f"tortuosity {lowest} is impossible: {segments} segments in a square of {limits.room:.1f} px give at most "
            f"{longest:.1f} if the ends of the path are at least {limits.spacing} px apart; use more points, a wider "
            "view or a bin of lower tortuosity"
        )
    shortest = segments * limits.spacing / (math.sqrt(2) * limits.room)
    if highest <= shortest:
        raise ValueError(
            f"tortuosity below {highest} is impossible: {segments} segments of at least {limits.spacing} px in a "
            f"square of {limits.room:.1f} px give at least {shortest:.2f}; use fewer points, a wider view or a bin of "
            "higher tortuosity"
        )
