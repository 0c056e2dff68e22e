"""Reads a path from a shrunk picture: recognises shapes of glyphs by template matching, not by their outlines.

The certifier of unshrunk pictures names a glyph by its outline and accepts only nearly black pixels as ink. In a
picture that was small once, outlines are round and ink is grey. Here the colour is that of a glyph's most coloured
pixels, and the shape is that of the most similar blurred template; pixels darker than a threshold between path and
paper (or path and spurs) are ink; and the n - 1 pairs of the n glyphs with the most ink between them are joined, even
if doubtful: the result is only compared with the known answer.
"""

import math
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from planimeter.filters.certify.png import Pixels
from planimeter.filters.certify.readable import shown_at
from planimeter.filters.certify.traversal.certificate import CHROMA, LEAST_PIXELS, inked_shares, name_of, walk

#: Glyphs of the task: their radius and dark rim, px.
RADIUS: Final = 12.0
RIM: Final = 1.3
#: The side of a glyph's look is 2 * ``_HALF`` + 1 px; it is searched up to ``_SHIFT`` px from the blob's middle.
_HALF: Final = 16
_SHIFT: Final = 4
#: Lines end this far (px) from the middle of a glyph.
_WIDEST: Final = 13.0
#: Paper is lighter than this.
_PAPER: Final = 230
#: A glyph's look is the mean over this many places between the small pixels, each way.
_PLACES: Final = 2

_Floats = npt.NDArray[np.float32]


def read(picture: Pixels, share: float, reduction: str, *, start: str, n_points: int) -> str | None:
    """Return the markers in path order, separated by commas, or None if the picture does not show one path.

    ``picture`` is BGR in its original size; it is shrunk to ``share`` of that by ``reduction``, "area" or
    "bicubic". The prompt names ``start``, the start marker, and ``n_points``, the number of markers.
    """
    enlarged = shown_at(picture, share, reduction)
    blue, green, red = cv2.split(enlarged)
    lightest = np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)
    chroma = np.asarray(cv2.subtract(lightest, cv2.min(cv2.min(blue, green), red)), np.uint8)
    coloured = (chroma > CHROMA).astype(np.uint8)
    _, labels, stats, centres = cv2.connectedComponentsWithStats(coloured, connectivity=8)
    blobs = [blob for blob in range(1, len(stats)) if stats[blob, cv2.CC_STAT_AREA] >= LEAST_PIXELS]
    if len(blobs) != n_points:
        return None
    around = _HALF + _SHIFT
    wide = cv2.copyMakeBorder(chroma, around, around, around, around, cv2.BORDER_CONSTANT, value=0).astype(np.float32)
    names, x, y = [], np.empty(n_points), np.empty(n_points)
    for place, blob in enumerate(blobs):
        left, top, width, height = stats[blob, :4]
        box = (slice(top, top + height), slice(left, left + width))
        inside = labels[box] == blob
        depth, colours = chroma[box][inside], enlarged[box][inside]
        core = np.median(colours[depth >= np.quantile(depth, 0.7)], axis=0)
        column, row = (math.floor(middle + 0.5) for middle in centres[blob])
        window = wide[row : row + 2 * around + 1, column : column + 2 * around + 1]
        shape, dx, dy = _most_similar(window, share, reduction)
        names.append(f"{name_of(tuple(core.tolist()))} {shape}")
        x[place], y[place] = column + dx + 0.5, row + dy + 0.5
    if names.count(start) != 1:
        return None
    ink = lightest[(chroma <= CHROMA) & (lightest < _PAPER)].reshape(-1, 1)
    if not len(ink):
        return None
    limit, _ = cv2.threshold(ink, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    shares = inked_shares((lightest <= limit).astype(np.uint8), np.stack([x, y], axis=1), _WIDEST)
    pairs = np.triu_indices(n_points, 1)
    best = np.argsort(-shares[pairs], kind="stable")[: n_points - 1]
    joined = np.zeros(shares.shape, np.bool_)
    joined[pairs[0][best], pairs[1][best]] = True
    order = walk(joined | joined.T, names.index(start))
    return None if order is None else ", ".join(names[glyph] for glyph in order)


def _most_similar(window: _Floats, share: float, reduction: str) -> tuple[str, int, int]:
    """Return the shape whose template is most similar to a part of ``window``, and that part's offset, px."""
    matches = []
    for shape, look in _templates(share, reduction).items():
        _, likeness, _, (column, row) = cv2.minMaxLoc(cv2.matchTemplate(window, look, cv2.TM_CCOEFF_NORMED))
        matches.append((likeness, shape, column - _SHIFT, row - _SHIFT))
    return max(matches)[1:]


@lru_cache(maxsize=16)
def _templates(share: float, reduction: str) -> dict[str, _Floats]:
    """Return a blurred template (33, 33) of each shape: for each pixel the share that the glyph's colour covers.

    It is the mean over several positions of the glyph relative to the small pixels.
    """
    side, fine = 4 * _HALF, 8
    looks = {}
    for shape, outline in _outlines().items():
        samples = []
        for place in np.ndindex(_PLACES, _PLACES):
            middle = side / 2 + np.array(place) / (_PLACES * share)
            drawn = np.zeros((side * fine, side * fine), np.uint8)
            cv2.fillPoly(drawn, [np.round((outline * RADIUS + middle) * fine).astype(np.int32)], 255)
            fill = cv2.distanceTransform(drawn, cv2.DIST_L2, 5) > RIM * fine
            covered = cv2.resize(fill.astype(np.float32), (side, side), interpolation=cv2.INTER_AREA)
            small = shown_at(np.round(covered * 255).astype(np.uint8), share, reduction).astype(np.float32)
            samples.append(cv2.getRectSubPix(small, (2 * _HALF + 1,) * 2, tuple((middle - 0.5).tolist())))
        looks[shape] = np.mean(samples, axis=0)
    return looks


def _outlines() -> dict[str, npt.NDArray[np.float64]]:
    """Return the outlines (k, 2) of the five shapes within the unit circle, y down."""
    wide, long = 0.34, math.sqrt(1 - 0.34**2)
    corners = [(long, -wide), (long, wide), (wide, wide)]
    turned = [(c * x - s * y, s * x + c * y) for c, s in ((1, 0), (0, 1), (-1, 0), (0, -1)) for x, y in corners]
    return {
        "circle": _ring([0.9] * 48, 0.0),
        "square": _ring([1.0] * 4, 45.0),
        "tri": _ring([1.0] * 3, -90.0),
        "star": _ring([1.0, 0.46] * 5, -90.0),
        "plus": np.array(turned),
    }


def _ring(radii: list[float], start: float) -> npt.NDArray[np.float64]:
    angles = np.radians(start + 360.0 * np.arange(len(radii)) / len(radii))
    return np.stack([np.cos(angles), np.sin(angles)], axis=1) * np.array(radii)[:, None]
