"""Reads the faces that crossing curves bound, and the pairs of adjacent faces, from the PNG alone.

Faces are the connected components of paper, numbered by their measured area, the largest first; the exterior is 0. Each
pixel of ink belongs to the nearest face. Two faces are adjacent if their pixels of ink touch along enough pixels in one
place. At a crossing, opposite faces touch too, but only along the width of the crossing. Such short contacts do not
count, not even in sum, because the same two faces may be opposite at several crossings.
"""

from collections.abc import Iterator
from itertools import pairwise

import cv2
import numpy as np
import numpy.typing as npt

from planimeter.filters.certify.png import greys
from planimeter.items import Reading

CERTIFIER = "planar-map-components"

#: Pixel edges along which two faces have to meet in one place. At a crossing of 45 degrees or more opposite faces meet
#: along fewer (see the tests), and along an arc of 12 strokes neighbours meet along more.
LEAST_CONTACT = 26

#: Paper in fewer pixels is a speck in the corner of a crossing.
SPECK_PX = 30


def read_planar_map(png: bytes, _prompt: str = "") -> Reading:
    """Return the planar map in ``png``: the number of bounded faces, then a line ``u v`` for each adjacent pair.

    ``margin`` is the least ratio of the areas of two faces with consecutive numbers.
    """
    gray = greys(png)
    if gray is None:
        return Reading(certifier=CERTIFIER, answer=None, reason="no picture")
    return _map(gray, 128.0)


def read_shrunk(gray: npt.NDArray[np.uint8]) -> Iterator[str | None]:
    """Yield the answer read from a shrunk and re-enlarged picture, once for each of two ink thresholds.

    ``gray`` is uint8 (height, width). The first threshold is the one for unshrunk pictures, the second is Otsu's.
    """
    yield _map(gray, 128.0).answer
    yield _map(gray, cv2.threshold(gray, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)[0] + 1.0).answer


def _map(gray: npt.NDArray[np.uint8], limit: float) -> Reading:
    """Return the planar map in a picture whose ink is the pixels with a grey below ``limit``."""
    ink = (gray < limit).astype(np.uint8)
    count, face_of = cv2.connectedComponents(1 - ink, connectivity=4)
    areas = np.bincount(face_of.ravel(), minlength=count)
    exterior = int(face_of[0, 0])
    solid = [f for f in range(1, count) if f != exterior and areas[f] >= SPECK_PX]
    order = sorted(solid, key=lambda f: (-areas[f], f))
    number = np.full(count, -1)
    number[[exterior, *order]] = np.arange(len(order) + 1)
    owner = _nearest_face(number[face_of])
    ratios = [areas[a] / areas[b] for a, b in pairwise(order)]
    lines = [str(len(order)), *(f"{u} {v}" for u, v in _adjacent(owner, len(order) + 1))]
    return Reading(certifier=CERTIFIER, answer="\n".join(lines), margin=float(min(ratios, default=2.0)))


def _adjacent(owner: npt.NDArray[np.int64], faces: int) -> list[tuple[int, int]]:
    """Return the sorted pairs of faces whose pixels touch in one place along ``LEAST_CONTACT`` or more pixel edges.

    ``owner`` is the face that each pixel belongs to, and ``faces`` the number of faces.
    """
    across, down = np.argwhere(owner[:, 1:] != owner[:, :-1]), np.argwhere(owner[1:] != owner[:-1])
    place, beyond = np.vstack([across, down]), np.vstack([np.add(across, (0, 1)), np.add(down, (1, 0))])
    a, b = owner[tuple(place.T)], owner[tuple(beyond.T)]
    pair = np.minimum(a, b) * faces + np.maximum(a, b)
    return [divmod(int(kind), faces) for kind in np.unique(pair) if _longest(place[pair == kind]) >= LEAST_CONTACT]


def _longest(where: npt.NDArray[np.int64]) -> int:
    """Return the size of the largest connected group of pixels ``where`` (n, 2); 0 if n is below ``LEAST_CONTACT``."""
    if len(where) < LEAST_CONTACT:
        return 0
    row, column = (where - where.min(axis=0)).T
    mask = np.zeros((int(row.max()) + 1, int(column.max()) + 1), np.uint8)
    mask[row, column] = 1
    _, part = cv2.connectedComponents(mask, connectivity=8)
    return int(np.bincount(part[row, column]).max())


def _nearest_face(number: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return for each pixel the number of the nearest face; ``number`` is the face of a paper pixel, or -1 on ink."""
    _, label = cv2.distanceTransformWithLabels(
        (number < 0).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_5, labelType=cv2.DIST_LABEL_PIXEL
    )
    paper = number >= 0
    number_of = np.zeros(int(label.max()) + 1, np.int64)
    number_of[label[paper]] = number[paper]
    return number_of[label]
