"""Pixel certificate of 3D surface plots: counts the extrema from the PNG alone.

The axes of the picture show which of the six known cameras drew it, and the key, a colour bar, gives each colour its
height. A pixel and its height determine one point (x, y) of the ground, because the projection has no perspective. So
the visible pixels are projected back to a map of heights as seen from above. Places without a visible pixel take the
height of the nearest one, which adds no summit. Extrema are counted on that map as on any other plot.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import cos, radians, sin
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt
from scipy.spatial import KDTree

from planimeter.filters.certify.marvl_qa.certificate import count
from planimeter.filters.certify.marvl_qa.reading import PanelReading, UnreadableError, nearest_known
from planimeter.filters.certify.png import Pixels, indexed, look_up
from planimeter.filters.certify.readable import shown_at
from planimeter.items import Feature, Reading

CERTIFIER: Final = "pixels/unprojection"

#: Elevations and azimuths of the named cameras, degrees. A quarter of a turn further the box looks the same, and the
#: map is turned, which changes no count.
CAMERAS: Final = tuple((elevation, azimuth) for elevation in (40, 55, 70) for azimuth in (-60, -30))
#: px of the picture; the place of the middle of the surface's floor, px of half its side and of its relief.
SIZE: Final = (640, 720)
CENTRE: Final = (328, 318)
HALF_SIDE: Final = 195
RELIEF: Final = 0.25 * HALF_SIDE
#: Half the side of the box of the axes, in those of the surface, and its floor, in shares of the relief.
BOX: Final = 1.03
FLOOR: Final = -0.05
#: Rows and middle column of the key, and px to each side that belong to it.
KEY: Final = (slice(140, 500), 681)
MARGIN: Final = 12

#: The darkest pixel at a point of an axis is at most this light; an axis shows this share of its points.
AXIS_LIGHT: Final = 160
AXIS_SHARE: Final = 0.98
POINTS: Final = 200
#: Cells along each side of the map.
MAP: Final = 160
#: Pixels of the median that takes off stray cells at the edges of hidden ground.
MEDIAN: Final = 3
#: A pixel of a shrunk picture is no part of the surface if its colour is at least this far from all of the key's.
FAR: Final = 24.0
#: Largest share of its size at which a picture is read: 224 px.
SMOOTH: Final = 0.311
#: Every so many pixels of a shrunk picture are read.
STRIDE: Final = 2
#: A picture with fewer pixels in the colours of its key is unreadable.
FEWEST: Final = 20_000

Floats = npt.NDArray[np.float64]
Map = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Camera = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _View:
    """A parallel projection: px ``right`` and ``up`` that a point moves if x, y or height (0 to 1) rises by 1."""

    right: tuple[float, float, float]
    up: tuple[float, float, float]

    def place(self, x: Floats, y: Floats, height: Floats) -> tuple[Floats, Floats]:
        """Return the column and the row, px, at which the picture shows the points (x, y, height)."""
        column, row = (line[0] * x + line[1] * y + line[2] * height for line in (self.right, self.up))
        return CENTRE[0] + column, CENTRE[1] - row

    def ground(self, column: Floats, row: Floats, height: Floats) -> tuple[Floats, Floats]:
        """Return x and y, -1 to 1, of the points at ``height`` that the pixels (column, row) show."""
        (a, b, c), (d, e, f) = self.right, self.up
        across, upwards = column - CENTRE[0] - c * height, CENTRE[1] - row - f * height
        scale = a * e - b * d
        return (e * across - b * upwards) / scale, (a * upwards - d * across) / scale


def certify(png: bytes, feature: Feature) -> Reading:
    """Return as the answer the number of extrema of kind ``feature`` on the surface in ``png``.

    ``margin`` is the gap in persistence that ``certificate.count`` returns.
    """
    read = indexed(png)
    if read is None:
        return Reading(certifier=CERTIFIER, answer=None, reason="no picture")
    try:
        heights = read_map(*read)
    except UnreadableError as unreadable:
        return Reading(certifier=CERTIFIER, answer=None, reason=str(unreadable))
    number, margin = count(PanelReading(heights=heights), feature)
    return Reading(certifier=CERTIFIER, answer=str(number), margin=margin)


def read_map(indices: Pixels, colours: Pixels) -> Map:
    """Return the heights of a surface as seen from above: float32 (160, 160) in [0, 1], row 0 at y_max.

    ``indices`` has for each pixel of the picture an index into ``colours`` (n, 3), BGR.

    Raises:
        UnreadableError: if the picture does not have the size or the palette of a surface plot, its axes match no
            known camera (``CAMERAS``) or several, its colour bar is unreadable, or too few pixels have its colours.
    """
    return _filled(*carry_back(*read_pixels(indices, colours), MAP))


def read_pixels(indices: Pixels, colours: Pixels) -> tuple[Map, Mask, Camera]:
    """Return the height of each pixel with a colour of the key (colour bar), a mask of these pixels, and the camera.

    Raises:
        UnreadableError: as ``read_map``.
    """
    if indices.shape != SIZE or len(colours) > 256:
        raise UnreadableError("no surface plot")
    camera = camera_of(look_up(colours.max(axis=1), indices))
    return *_heights(indices, colours), camera


def carry_back(heights: Map, known: Mask, camera: Camera, size: int) -> tuple[Map, npt.NDArray[np.uint8]]:
    """Return a map of the surface as seen from above, (size, size), and a mask, 1 for cells that the picture shows.

    Each cell of the map is the mean height of the pixels that show it; row 0 is at y_max. ``heights`` are the heights
    at the picture's pixels, valid where ``known``; ``camera`` drew the picture.
    """
    rows, columns = np.nonzero(known)
    values = heights[known].astype(np.float64)
    x, y = _view(*camera).ground(columns.astype(np.float64) + 0.5, rows.astype(np.float64) + 0.5, values)
    inside = (np.abs(x) < 1.0) & (np.abs(y) < 1.0)
    column, row = ((size / 2 * (1.0 + shift[inside])).astype(np.intp) for shift in (x, -y))
    cell = row * size + column
    number = np.bincount(cell, minlength=size * size)
    total = np.bincount(cell, values[inside], minlength=size * size)
    means = (total / np.maximum(number, 1)).astype(np.float32).reshape(size, size)
    return means, (number > 0).astype(np.uint8).reshape(size, size)


def _filled(means: Map, seen: npt.NDArray[np.uint8]) -> Map:
    return np.asarray(cv2.medianBlur(nearest_known(means, seen), MEDIAN), np.float32)


def camera_of(light: Pixels) -> Camera:
    """Return (elevation, azimuth) in degrees of the camera that drew the picture with the brightness ``light``.

    It is the one of ``CAMERAS`` for which pixels are dark where it would draw the axes of the plot.

    Raises:
        UnreadableError: if this is true of none of them, or of several.
    """
    dark = cv2.erode(light, np.ones((3, 3), np.uint8)) <= AXIS_LIGHT
    found = [camera for camera in CAMERAS if _share_of_axes(dark, _view(*camera), camera) >= AXIS_SHARE]
    if len(found) != 1:
        raise UnreadableError("no axes of one camera")
    return found[0]


def _share_of_axes(dark: Mask, view: _View, camera: Camera) -> float:
    """Return the share of dark pixels on each axis, where ``camera`` would draw it: the least of the three axes."""
    near = np.sign([cos(radians(camera[1])), sin(radians(camera[1]))]) * BOX
    left = min(((-near[0], near[1]), (near[0], -near[1])), key=lambda at: view.right[0] * at[0] + view.right[1] * at[1])
    along, still = np.linspace(-BOX, BOX, POINTS), np.ones(POINTS)
    axes = (
        (along, near[1] * still, FLOOR * still),
        (near[0] * still, along, FLOOR * still),
        (left[0] * still, left[1] * still, np.linspace(FLOOR, 1.0 - FLOOR, POINTS)),
    )
    shares = []
    for axis in axes:
        columns, rows = (np.rint(values).astype(np.intp) for values in view.place(*axis))
        shares.append(float(dark[rows, columns].mean()))
    return min(shares)


@cache
def _view(elevation: int, azimuth: int) -> _View:
    up, out = radians(elevation), radians(azimuth)
    right = (-sin(out) * HALF_SIDE, cos(out) * HALF_SIDE, 0.0)
    upwards = (-sin(up) * cos(out) * HALF_SIDE, -sin(up) * sin(out) * HALF_SIDE, cos(up) * RELIEF)
    return _View(right, upwards)


def read_count(picture: Pixels, share: float, reduction: str, feature: Feature) -> Iterator[str | None]:
    """Yield once the number of extrema (``feature``) on a surface after shrinking, or None if it is unreadable.

    ``picture`` (BGR) has its original size, in which the camera is recognised. Heights are read after shrinking it by
    ``reduction`` to ``share`` of that size, or to ``SMOOTH`` if that is less, so that mesh lines disappear.
    """
    if picture.shape[:2] == SIZE:
        try:
            camera = camera_of(picture.max(axis=2))
            small = shown_at(picture, min(share, SMOOTH), reduction)
            heights = _filled(*carry_back(*heights_near(small, key_of(small)), camera, MAP))
            yield str(count(PanelReading(heights=heights), feature)[0])
        except UnreadableError:
            yield None


def key_of(picture: Pixels) -> Floats:
    """Return the colours (BGR) of the picture's key (colour bar) from its lower end."""
    return np.asarray(picture[KEY[0], KEY[1] - 3 : KEY[1] + 3].mean(axis=1)[::-1], np.float64)


def heights_near(picture: Pixels, bar: Floats) -> tuple[Map, Mask]:
    """Return for each pixel the height of the nearest colour of ``bar``, and a mask of pixels with a near one.

    ``bar`` has the colours of the picture's key, as from ``key_of``.

    Raises:
        UnreadableError: if too few pixels have a near colour.
    """
    far, place = KDTree(bar).query(picture[::STRIDE, ::STRIDE].reshape(-1, 3).astype(np.float64))
    heights, known = np.zeros(SIZE, np.float32), np.zeros(SIZE, np.bool_)
    sampled = heights[::STRIDE, ::STRIDE].shape
    heights[::STRIDE, ::STRIDE] = (place / (len(bar) - 1.0)).reshape(sampled)
    known[::STRIDE, ::STRIDE] = (far <= FAR).reshape(sampled)
    known[:, KEY[1] - 2 * MARGIN :] = False
    if np.count_nonzero(known) * STRIDE**2 < FEWEST:
        raise UnreadableError("colours off the key")
    return heights, known


def _heights(indices: Pixels, colours: Pixels) -> tuple[Map, Mask]:
    """Return the height, 0 to 1, of each pixel with a colour of the key (colour bar), and a mask of these pixels."""
    bar = indices[KEY][::-1]
    steps = bar[np.concatenate([[0], np.flatnonzero(np.diff(bar.astype(np.int16))) + 1])]
    codes = colours.astype(np.int32) @ np.array([1, 1 << 8, 1 << 16], np.int32)
    heights = (
        {int(codes[step]): k / (len(steps) - 1) for k, step in enumerate(steps.tolist())} if len(steps) > 1 else {}
    )
    if len(heights) < max(len(steps), 2):
        raise UnreadableError("no order of colours in the key")
    table = np.array([heights.get(code, -1.0) for code in codes.tolist()], np.float32)
    found = look_up(table, indices)
    known = found >= 0
    known[:, KEY[1] - MARGIN : KEY[1] + MARGIN] = False
    if np.count_nonzero(known) < FEWEST:
        raise UnreadableError("colours off the key")
    return found, known
