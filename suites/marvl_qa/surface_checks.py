"""The checks of rows with 3D surface plots: columns that must agree."""

import json
from collections.abc import Iterator

import numpy as np

from planimeter.filters.marvl_qa.motion_readings import plots
from planimeter.filters.marvl_qa.shown import seen_heights
from planimeter.generators.marvl_qa.cameras import CAMERAS, PAIR_CAMERAS, Camera
from planimeter.generators.marvl_qa.curriculum import SURFACE
from planimeter.generators.marvl_qa.plan import family
from planimeter.items import STYLES
from planimeter.items.values import Recipe, Row
from planimeter.suites.marvl_qa.hard_checks import compared, count_faults, motion_faults, printed_faults

_CAMERAS = frozenset((camera.elevation, camera.azimuth) for camera in CAMERAS)
_PAIR_CAMERAS = frozenset((camera.elevation, camera.azimuth) for camera in PAIR_CAMERAS)
_COLORMAPS = frozenset(style.colormap for style in STYLES) - {""}
#: Middle of the box's floor, px of half its side, and the rounding of places, which comes from rounded heights.
_CENTRE, _HALF_SIDE, _ROUNDING = (328, 318), 195, 0.0151
#: Points per axis of the drawn grid, and rounding of the heights at the ends of the key.
_POINTS, _ROUNDED_HEIGHT = 400, 1e-6
#: Rounding of errors on what is shown, where a square that a sight line grazes may count or not.
_ERROR = 2e-4


def faults(row: Row) -> Iterator[str]:
    """Yield a line for each broken rule among those that ``surface`` has in addition to ``counting``."""
    angles = (row["elevation"], row["azimuth"])
    if angles not in _CAMERAS:
        yield f"elevation and azimuth must be those of one of {len(_CAMERAS)} cameras, got {angles[0]} and {angles[1]}"
    else:
        yield from _places(row, Camera(*angles))
    if row["colormap"] not in _COLORMAPS:
        yield f"colormap must be one of {', '.join(sorted(_COLORMAPS))}, got {row['colormap']!r}"
    printed = [*printed_faults(row)]
    yield from printed or _ends(row)


def level_faults(row: Row) -> Iterator[str]:
    """Yield a line if the count of ``row`` is outside the range of its training level of ``surface``."""
    yield from count_faults(row, SURFACE)


def pair_faults(row: Row, limits: Recipe) -> Iterator[str]:
    """Yield a line for each contradiction between the columns of a row of ``surface_transformation``."""
    yield from motion_faults(row, limits, _shown)
    for side in "ab":
        angles = (row[f"elevation_{side}"], row[f"azimuth_{side}"])
        if angles not in _PAIR_CAMERAS:
            number = len(_PAIR_CAMERAS)
            yield f"elevation_{side} and azimuth_{side} must be those of one of {number} cameras, got {angles}"
    if row["mesh"] and row["colormap_a"] != row["colormap_b"]:
        yield f"colormap_a and colormap_b must be equal with a mesh, got {row['colormap_a']} and {row['colormap_b']}"


def _shown(row: Row, limits: Recipe) -> Iterator[str]:
    """Yield a line if the range of heights or ``nrmse_options`` differs from a second computation.

    The errors are computed on the part of both surfaces that both cameras show.
    """
    try:
        grids = plots(row)
    except ValueError as error:
        yield f"expression cannot be evaluated: {error}"
        return
    low, high = (float(end([end(grid) for grid in grids])) for end in (np.min, np.max))
    yield from _range(row, low, high)
    a, b = (
        seen_heights((grid[::-1] - low) / (high - low), Camera(row[f"elevation_{side}"], row[f"azimuth_{side}"]))[::-1]
        for grid, side in zip(grids, "ab", strict=True)
    )
    yield from compared(row, a, b, limits, _ERROR)


def _ends(row: Row) -> Iterator[str]:
    """Yield a line unless ``z_min`` and ``z_max`` are the lowest and the highest height of the drawn grid."""
    shares = (np.arange(_POINTS) + 0.5) / _POINTS
    x, y = (row[f"{axis}_min"] + shares * (row[f"{axis}_max"] - row[f"{axis}_min"]) for axis in "xy")
    heights = family(row["family"]).height(x[None, :], y[:, None], json.loads(row["parameters"]))
    yield from _range(row, float(heights.min()), float(heights.max()))


def _range(row: Row, low: float, high: float) -> Iterator[str]:
    for name, wanted in (("z_min", low), ("z_max", high)):
        if not abs(row[name] - wanted) <= _ROUNDED_HEIGHT:
            yield f"{name} must be {wanted:.6f}, an end of the range of heights, got {row[name]}"


def _places(row: Row, camera: Camera) -> Iterator[str]:
    """Yield a line unless ``extrema_px`` are the positions of ``extrema`` in the picture that ``camera`` gives."""
    if not row["z_min"] < row["z_max"]:
        yield f"z_min must be less than z_max, got {row['z_min']} and {row['z_max']}"
        return
    points = np.array([[point[axis] for axis in "xyz"] for point in row["extrema"]])
    low, high = (np.array([row[f"{axis}_{end}"] for axis in "xyz"]) for end in ("min", "max"))
    x, y, z = ((points - low) / (high - low)).T
    right, up = camera.project(2 * x - 1, 2 * y - 1, z)
    wanted = np.stack([_CENTRE[0] + _HALF_SIDE * right, _CENTRE[1] - _HALF_SIDE * up], axis=1)
    found = np.array(row["extrema_px"], float)
    if found.shape != wanted.shape or np.abs(found - wanted).max() > _ROUNDING:
        yield f"extrema_px must be the places of extrema as the camera sees them, the first at {wanted[0].round(2)}"
