"""Pixel certificate of pairs of 3D surface plots: the motion that turns the left surface into the right one.

The visible pixels of both halves are projected back to maps of heights as seen from above (``surface.py``), each by its
own camera. The maps are compared after every motion, on the cells that both show; a motion with a translation is tried
with every shift by whole cells that the question allows.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from planimeter.filters.certify.marvl_qa import surface
from planimeter.filters.certify.marvl_qa.certificate import choose
from planimeter.filters.certify.marvl_qa.motions import LEAST_SHIFT, MOST_SHIFT, by_motion
from planimeter.filters.certify.marvl_qa.reading import UnreadableError, halves
from planimeter.filters.certify.png import Pixels, indexed
from planimeter.filters.certify.readable import shown_at
from planimeter.items import Reading

CERTIFIER: Final = "pixels/unprojected-motions"
#: Cells along each side of a map; the fewest cells that both maps show, as a share of all.
SIZE: Final = 200
FEWEST: Final = 0.1

#: Heights in [0, 1] seen from above (n, n), row 0 at y_max, NaN where no pixel shows the surface.
Map = npt.NDArray[np.float32]
#: Heights of pixels, which of them are known, and elevation and azimuth of the camera.
PixelReading = tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_], surface.Camera]


def certify(png: bytes, options: Sequence[str]) -> Reading:
    """Return as the answer the 1-based number, in ``options``, of the motion from left to right surface."""
    try:
        return choose(residuals(*read_maps(png)), options, CERTIFIER)
    except UnreadableError as unreadable:
        return Reading(certifier=CERTIFIER, answer=None, reason=str(unreadable))


def read_maps(png: bytes) -> tuple[Map, Map]:
    """Return the maps of heights of both surfaces. Raises ``UnreadableError`` unless the picture shows two surfaces."""
    read = indexed(png)
    if read is None:
        raise UnreadableError("no picture")
    indices, colours = read
    return maps_of(surface.read_pixels(half, colours) for half in halves(indices))


def read_motion(picture: Pixels, share: float, reduction: str, options: Sequence[str]) -> Iterator[str | None]:
    """Yield once the 1-based number, among ``options``, of the motion in a shrunk picture, or None if none is clear.

    ``picture`` (BGR) has its original size, in which the cameras are recognised; heights are read after shrinking
    it to ``share`` of that by ``reduction``.
    """
    try:
        small = shown_at(picture, min(share, surface.SMOOTH), reduction)
        pairs = zip(np.split(picture, 2, axis=1), np.split(small, 2, axis=1), strict=True)
        maps = maps_of(
            (*surface.heights_near(half, surface.key_of(half)), surface.camera_of(whole.max(axis=2)))
            for whole, half in pairs
        )
        yield choose(residuals(*maps), options, CERTIFIER).answer
    except UnreadableError:
        yield None


def residuals(first: Map, second: Map) -> dict[str, float]:
    """Return {motion: RMS difference of the moved first map from the second}, as shares of the range of heights.

    Raises:
        UnreadableError: if a motion leaves too little ground that both show.
    """
    return by_motion(first, second, lambda field: field, _least_shifted, _rms)


def _least_shifted(a: Map, b: Map) -> float:
    """Return the least RMS difference of ``a`` from ``b`` over all allowed shifts of ``a`` along its rows."""
    size = len(a)
    shifts = range(int(np.ceil(LEAST_SHIFT * size)), int(MOST_SHIFT * size) + 1)
    return min(min(_rms(a[:, : size - d] - b[:, d:]), _rms(a[:, d:] - b[:, : size - d])) for d in shifts)


def _rms(difference: Map) -> float:
    shared = ~np.isnan(difference)
    number = np.count_nonzero(shared)
    if number < FEWEST * shared.size:
        raise UnreadableError("too little ground in common")
    return float(np.sqrt(np.square(np.where(shared, difference, np.float32(0))).sum() / number))


def maps_of(readings: Iterable[PixelReading]) -> tuple[Map, Map]:
    """Return the heights of two surfaces as seen from above. Raises ``UnreadableError`` unless there are two."""
    maps = []
    for heights, known, camera in readings:
        means, seen = surface.carry_back(heights, known, camera, SIZE)
        maps.append(np.where(seen > 0, means, np.float32(np.nan)))
    if len(maps) != 2:
        raise UnreadableError("not two surfaces")
    return maps[0], maps[1]
