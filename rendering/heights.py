"""Computes the scale of sampled heights and the heights at pixels, which all styles of a picture share."""

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

#: Spacings of contour lines in the whole range. An extremum with 12% persistence always has a separate line.
LEVEL_COUNT: Final = 10
#: Place of the lowest line, in spacings above the lowest height: the middle, or the first place away from all plateaus.
PHASES: Final = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74)
#: Samples within this many spacings of a line are on it; their share is compared in steps of four times the second
#: figure, which is below that of a plateau.
PLATEAU_REACH: Final = 0.06
PLATEAU_SHARE: Final = 0.01


@dataclass(frozen=True, kw_only=True, slots=True)
class HeightScale:
    """The scale of heights that both panels of a picture share: its ends ``low`` and ``high``, and the contour levels.

    ``levels`` are fractions of the range from ``low`` to ``high``, strictly between 0 and 1, ascending.
    """

    low: float
    high: float
    levels: tuple[float, ...]

    def __post_init__(self) -> None:
        if list(self.levels) != sorted(set(self.levels)) or not all(0.0 < level < 1.0 for level in self.levels):
            raise ValueError(f"need ascending levels between 0 and 1, got {self.levels}")

    def fractions(self, grid: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
        """Return ``grid`` on the scale, 0 at ``low`` and 1 at ``high``, clipped.

        The result is float32, without the last bits in which machines differ, because it decides colours and lines.
        """
        return np.clip((grid - self.low) / (self.high - self.low), 0.0, 1.0).astype(np.float32)


def scale_of_heights(*grids: npt.NDArray[np.float64], level_count: int = LEVEL_COUNT) -> HeightScale:
    """Return the scale from the lowest to the highest sample of all ``grids``, with ``level_count`` contour levels.

    The levels are evenly spaced. A level at the height of a plateau (the zero of a checkerboard, the plain between
    Gaussians) would trace float noise. Therefore one of ``PHASES`` shifts all levels together: the one that leaves
    fewest samples near a level. Raises ``ValueError`` if a height is not finite, or all are equal.
    """
    low = min(float(grid.min()) for grid in grids)
    high = max(float(grid.max()) for grid in grids)
    if not np.isfinite(high - low):
        raise ValueError("need finite heights: clip the surface, or sample it away from its poles")
    if not low < high:
        raise ValueError(f"need heights that differ, got {low} everywhere: the surface is flat")
    # Every second one of both axes.
    fractions = np.concatenate([_spacing_fractions(grid[::2, ::2], low, high, level_count).ravel() for grid in grids])
    best, phase = -1, PHASES[0]
    for other in PHASES:
        # Share of the surface on the lines, in steps below the share of a plateau.
        crowding = int(_near_lines(fractions, other) / fractions.size / (PLATEAU_SHARE * 4))
        if best < 0 or crowding < best:
            best, phase = crowding, other
        if best == 0:
            break
    return HeightScale(low=low, high=high, levels=tuple((k + phase) / level_count for k in range(level_count)))


def _spacing_fractions(
    samples: npt.NDArray[np.float64], low: float, high: float, level_count: int
) -> npt.NDArray[np.float64]:
    """Return the fractional part of the height of each of ``samples``, in spacings of ``level_count`` levels."""
    spacings = np.rint((samples - low) / (high - low) * 1e6) / 1e6 * level_count
    return np.asarray(spacings - np.floor(spacings))


def _near_lines(fractions: npt.NDArray[np.float64], phase: float) -> int:
    """Return the number of samples within ``PLATEAU_REACH`` of a level if ``phase`` shifts all levels; unit: spacings.

    ``fractions`` are the fractional parts of their heights, in the same unit.
    """
    distance = np.abs(fractions - phase)
    return int(np.count_nonzero(np.minimum(distance, 1.0 - distance) < PLATEAU_REACH))


def resample(grid: npt.NDArray[np.float32], size: int) -> npt.NDArray[np.float32]:
    """Return ``grid`` (n, n), sampled at cell centres, interpolated bilinearly to the centres of size x size pixels."""
    node, weight = _nodes(len(grid), size)
    # First between rows, then in a row.
    rows = grid[node] + (grid[node + 1] - grid[node]) * weight[:, None]
    left = rows[:, node]
    return left + (rows[:, node + 1] - left) * weight


@cache
def _nodes(cells: int, size: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float32]]:
    """Return for each pixel of a row the index of the last cell centre to its left, and the distance in cells."""
    position = np.clip((np.arange(size) + 0.5) / size * cells - 0.5, 0.0, cells - 1)
    node = np.minimum(position.astype(np.intp), cells - 2)
    return node, (position - node).astype(np.float32)


def nearest_level(pixels: npt.NDArray[np.float32], levels: tuple[float, ...]) -> npt.NDArray[np.uint8]:
    """Return for each of ``pixels`` the index of the nearest of ``levels``, which are evenly spaced: uint8."""
    spacing = (levels[-1] - levels[0]) / max(len(levels) - 1, 1)
    position = pixels * np.float32(1.0 / spacing) + np.float32(0.5 - levels[0] / spacing)
    return np.clip(position, 0, len(levels) - 1).astype(np.uint8)
