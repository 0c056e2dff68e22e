"""Checks between the columns of the rows of ``surface``, and the quotas of its recipe."""

import json
from collections.abc import Iterator

import numpy as np

from planimeter.export.checks import Quota
from planimeter.generators.marvl_qa.cameras import CAMERAS, Camera
from planimeter.generators.marvl_qa.curriculum import SURFACE
from planimeter.generators.marvl_qa.plan import family
from planimeter.items import STYLES
from planimeter.items.values import Recipe, Row
from planimeter.suites.marvl_qa.hard_checks import count_faults, count_quotas, printed_faults

_CAMERAS = frozenset((camera.elevation, camera.azimuth) for camera in CAMERAS)
_COLORMAPS = frozenset(style.colormap for style in STYLES) - {""}
#: Middle of the box's floor, px of half its side, and the rounding of places, which comes from rounded heights.
_CENTRE, _HALF_SIDE, _ROUNDING = (328, 318), 195, 0.0151
#: Points per axis of the drawn grid, and rounding of the heights at the ends of the key.
_POINTS, _ROUNDED_HEIGHT = 400, 1e-6


def faults(row: Row) -> Iterator[str]:
    """Yield the contradictions in a row of ``surface`` by rules that ``counting`` does not have."""
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
    """Yield a fault if the count is not one of the row's training level."""
    yield from count_faults(row, SURFACE)


def quotas(task: Recipe) -> Iterator[Quota]:
    """Yield the rows of each bin of counts."""
    yield from count_quotas("surface", task)


def _ends(row: Row) -> Iterator[str]:
    """Yield a fault unless the key ends at the lowest and the highest height of the drawn grid."""
    shares = (np.arange(_POINTS) + 0.5) / _POINTS
    x, y = (row[f"{axis}_min"] + shares * (row[f"{axis}_max"] - row[f"{axis}_min"]) for axis in "xy")
    heights = family(row["family"]).height(x[None, :], y[:, None], json.loads(row["parameters"]))
    for name, wanted in (("z_min", float(heights.min())), ("z_max", float(heights.max()))):
        if not abs(row[name] - wanted) <= _ROUNDED_HEIGHT:
            yield f"{name} must be {wanted:.6f}, an end of the range of heights, got {row[name]}"


def _places(row: Row, camera: Camera) -> Iterator[str]:
    """Yield a fault unless ``extrema_px`` are the projections of ``extrema`` by the camera."""
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
