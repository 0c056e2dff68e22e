"""Pictures of curves, nested or crossing: black lines on white paper, or nested ones in other styles.

Black on white has 16 greys, and coloured lines have 15 shades of each colour; a picture with texture, noise or
compression has 256 greys. All random choices of a style are derived from the item's seed.
"""

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from planimeter.generators.seeding import item_seed, rng_of
from planimeter.items import CurvesItem
from planimeter.items.planar_map import PlanarMapItem
from planimeter.rendering.png import IndexedImage
from planimeter.rendering.strokes import BLACK, LEVELS, dashes, shades, stroke

#: Inks of the coloured look, sRGB: dark enough to be visible, distinct enough to have names.
INKS = np.array([(20, 20, 20), (178, 24, 43), (33, 102, 172), (27, 120, 55), (118, 42, 131), (166, 97, 0)], np.uint8)

Gray = npt.NDArray[np.float32]


def render(item: CurvesItem) -> IndexedImage:
    """Return the picture of the nested curves ``item``, ``item.canvas_px`` px square, in the style ``item.look``."""
    if item.look.ink == "coloured":
        return _coloured(item)
    ink = np.zeros((item.canvas_px, item.canvas_px), np.uint8)
    _draw(ink, item, item.curves, item.arcs)
    if item.look.paper == "plain" and item.look.artefact == "none":
        return IndexedImage(ink, shades(BLACK))
    return _gray(_degraded(ink, item))


def render_map(item: PlanarMapItem) -> IndexedImage:
    """Return the picture of the crossing curves ``item``, ``item.canvas_px`` px square: black lines on white."""
    ink = np.zeros((item.canvas_px, item.canvas_px), np.uint8)
    for curve in item.curves:
        stroke(ink, curve, item.stroke_px, LEVELS, closed=True)
    return IndexedImage(ink, shades(BLACK))


def _draw(
    ink: npt.NDArray[np.uint8],
    item: CurvesItem,
    curves: Sequence[npt.NDArray[np.float64]],
    arcs: Sequence[npt.NDArray[np.float64]],
) -> None:
    dash, space = item.look.dash_px
    for line, closed in (*((curve, True) for curve in curves), *((arc, False) for arc in arcs)):
        if item.look.ink == "dashed":
            # Caps are round: the space in the recipe is the white part.
            for piece in dashes(line, dash, space + item.stroke_px, closed=closed):
                stroke(ink, piece, item.stroke_px, LEVELS, closed=False)
        else:
            stroke(ink, line, item.stroke_px, LEVELS, closed=closed)


def _coloured(item: CurvesItem) -> IndexedImage:
    rng = rng_of(item_seed(item.seed, ("look", "ink")))
    picked = rng.integers(0, len(INKS), len(item.curves) + len(item.arcs))
    indices = np.zeros((item.canvas_px, item.canvas_px), np.uint8)
    for colour in range(len(INKS)):
        ink = np.zeros_like(indices)
        curves = [c for c, k in zip(item.curves, picked, strict=False) if k == colour]
        arcs = [a for a, k in zip(item.arcs, picked[len(item.curves) :], strict=True) if k == colour]
        _draw(ink, item, curves, arcs)
        np.copyto(indices, ink + np.uint8(colour * LEVELS), where=ink > 0)
    return IndexedImage(indices, shades(INKS))


def _degraded(ink: npt.NDArray[np.uint8], item: CurvesItem) -> Gray:
    """Return ``ink`` (0 to ``LEVELS``) on the item's paper as greys (0 to 255), with its noise or compression."""
    rng = rng_of(item_seed(item.seed, ("look", "paper")))
    side = item.canvas_px
    paper = np.full((side, side), 255.0, np.float32)
    if item.look.paper == "textured":
        for cells, depth in ((6, 16.0), (40, 9.0), (side // 3, 7.0)):
            coarse = rng.random((cells, cells), np.float32) * np.float32(depth)
            paper -= cv2.resize(coarse, (side, side), interpolation=cv2.INTER_LINEAR)
    share = ink.astype(np.float32) / np.float32(LEVELS)
    gray: Gray = paper + (np.float32(25.0) - paper) * share
    if item.look.artefact == "scan_noise":
        gray = np.asarray(cv2.blur(gray, (2, 2)), np.float32) + rng.normal(0.0, 11.0, gray.shape).astype(np.float32)
        shade = np.linspace(0.0, 18.0, side, dtype=np.float32)
        gray = gray - (shade[None, :] if rng.random() < 0.5 else shade[:, None])
    if item.look.artefact == "jpeg":
        quality = int(rng.integers(12, 35))
        _, data = cv2.imencode(".jpg", _bytes(gray), [cv2.IMWRITE_JPEG_QUALITY, quality])
        gray = np.asarray(cv2.imdecode(data, cv2.IMREAD_GRAYSCALE), np.float32)
    return gray


def _bytes(gray: Gray) -> npt.NDArray[np.uint8]:
    return np.clip(np.rint(gray), 0, 255).astype(np.uint8)


def _gray(gray: Gray) -> IndexedImage:
    return IndexedImage(_bytes(gray), np.arange(256, dtype=np.uint8)[:, None].repeat(3, axis=1))
