"""Judges whether a camera shows every extremum of a 3D surface plot, and finds the ground that it shows.

The ground is the (x, y) plane. Above each of its points is the line of sight from the camera that just passes over the
surface in front; a surface lower than this line is hidden there. Both heights follow exactly from the grid.

A minimum is shown if its bottom and a ring around it are visible. A maximum is shown if its top is visible and each
point of the ring is visible or known to be lower, because the line of sight above it is already below the top. So the
back of a hill may be hidden by the hill itself, which proves that the ground falls there, but not by another hill.
"""

from math import cos, pi, sin

import numpy as np
import numpy.typing as npt
from scipy.ndimage import map_coordinates, shift

from planimeter.filters.verdict import Verdict
from planimeter.generators.marvl_qa.cameras import RELIEF, Camera
from planimeter.items import Domain, Extremum, Feature

Grid = npt.NDArray[np.float64]

CHECK = "shown"
HIDDEN = "an extremum is hidden"

#: Radius of the ring, as a share of the window, and its points.
RING = 0.015
DIRECTIONS = 16
#: Steps of a sight line, in cells of the grid.
STEP = 1.0
#: A point this far below its sight line, as a share of the range of heights, still counts as visible.
TOUCH = 1e-6


def judge_shown(
    heights: Grid, domain: Domain, feature: Feature, extrema: tuple[Extremum, ...], camera: Camera
) -> Verdict:
    """Judge whether ``camera`` shows all ``extrema`` of ``heights``, a grid of n x n cells of ``domain``."""
    number = int(shown(heights, domain, feature, extrema, camera).sum())
    return Verdict.of(CHECK, number == len(extrema), number, len(extrema), HIDDEN)


def shown(
    heights: Grid, domain: Domain, feature: Feature, extrema: tuple[Extremum, ...], camera: Camera
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return a mask (n,) of the ``extrema`` that ``camera`` shows."""
    size = len(heights)
    fractions = (heights - heights.min()) / np.ptp(heights)
    ring = [(RING * size * cos(2 * pi * k / DIRECTIONS), RING * size * sin(2 * pi * k / DIRECTIONS)) for k in range(16)]
    column = [(point.x - domain.x_min) / (domain.x_max - domain.x_min) * size - 0.5 for point in extrema]
    row = [(domain.y_max - point.y) / (domain.y_max - domain.y_min) * size - 0.5 for point in extrema]
    around = np.array([(0.0, 0.0), *ring])
    places = np.stack([np.array(row), np.array(column)], axis=1)[:, None, :] + around
    own, grazing = sight_lines(fractions, places, camera)
    visible = grazing <= own + TOUCH
    if feature == "minima":
        return np.asarray(visible.all(axis=1))
    return np.asarray(visible[:, 0] & (np.maximum(own, grazing)[:, 1:] < own[:, :1]).all(axis=1))


def seen_heights(fractions: Grid, camera: Camera) -> Grid:
    """Return the heights that ``camera`` shows, (n / 2, n / 2), NaN where it shows none, as shares of the range.

    The surface is drawn of squares of 2 x 2 cells of ``fractions`` (n, n); each square has their mean height.
    """
    side = len(fractions) // 2
    squares = np.asarray(fractions.reshape(side, 2, side, 2).mean(axis=(1, 3)))
    return np.where(visible_ground(squares, camera), squares, np.nan)


def visible_ground(fractions: Grid, camera: Camera) -> npt.NDArray[np.bool_]:
    """Return a mask of the cells of ``fractions`` (n, n), heights as shares of the range, that ``camera`` shows.

    It computes the heights of ``sight_lines`` for all cells at once, with a shift of the whole grid for each step.
    """
    rise, direction = _sight(len(fractions), camera)
    grazing = np.full(fractions.shape, -1.0)
    for step in np.arange(STEP, 1.0 / rise + STEP, STEP).tolist():
        ahead = shift(fractions, -step * direction, order=1, cval=-1.0)
        np.maximum(grazing, ahead - step * rise, out=grazing)
    return np.asarray(grazing <= fractions + TOUCH)


def sight_lines(fractions: Grid, places: Grid, camera: Camera) -> tuple[Grid, Grid]:
    """Return the heights of the surface and of the line of sight over it at ``places``, as shares of the range.

    ``places`` are (..., 2), row and column. The line of sight just passes over the surface in front; a place is
    hidden if the line is higher than the surface there.
    """
    rise, direction = _sight(len(fractions), camera)
    steps = np.arange(0.0, 1.0 / rise + STEP, STEP)
    along = places[..., None, :] + steps[:, None] * direction
    heights = map_coordinates(fractions, np.moveaxis(along, -1, 0), order=1, mode="nearest")
    beyond = ((along < -0.5) | (along > len(fractions) - 0.5)).any(axis=-1)
    lines = np.where(beyond, -1.0, heights - steps * rise)
    return heights[..., 0], lines.max(axis=-1)


def _sight(size: int, camera: Camera) -> tuple[float, Grid]:
    """Return the rise of a line of sight per cell towards ``camera``, and its direction along rows and columns.

    The rise is a share of the range of heights; ``size`` is the number of cells of a side.
    """
    east, north, up = camera.towards
    level = np.hypot(east, north)
    return float(up / level * 2 / size / RELIEF), np.array([-north, east]) / level
