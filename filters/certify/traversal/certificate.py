"""Recovers the markers of a path, in order, from the PNG bytes alone.

Glyphs are the saturated regions of the picture; their colour is the nearest of eight reference colours, and their shape
follows from the share of the convex hull that they fill and from the harmonics of the outline. Two glyphs are joined if
the straight line between them, outside the glyphs, is inked from end to end. A picture is accepted only if the joined
pairs form one path through all glyphs, with the start marker at one end. Spurs (short side lines as distractors) are
lighter than ink, so they join nothing.

OpenCV computes connected regions, outlines, hulls and colours. Smooth paths are not straight between their glyphs;
there the certifier follows the line instead.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from numba import njit

from planimeter.filters.certify.png import indexed, look_up
from planimeter.filters.certify.traversal.line_following import follow
from planimeter.items import Reading

_Pixels = npt.NDArray[np.uint8]

CERTIFIER = "traversal: glyphs, inked joins, one path from the start"

#: Reference colours, sRGB, as their names are commonly understood; the nearest in hue and lightness wins.
_REFERENCE: dict[str, tuple[int, int, int]] = {
    "red": (210, 20, 15),
    "blue": (10, 35, 245),
    "green": (20, 145, 80),
    "orange": (240, 140, 35),
    "yellow": (240, 215, 5),
    "cyan": (65, 220, 250),
    "purple": (105, 45, 140),
    "brown": (90, 40, 12),
}
#: A pixel is coloured if its channels differ by more than the first figure, ink if all are below the second.
CHROMA, _INK = 40, 95
#: A glyph covers at least this share of the square of its width, and at least this many px.
LEAST_PIXELS = 40
#: Share of a join that must be inked, and the share above which a non-join is doubtful.
_JOINED, _DOUBTFUL = 0.97, 0.85


@dataclass(frozen=True, slots=True)
class _Glyph:
    """A glyph: its centre and half its extent, px, and its ``name``, "<color> <shape>", or "" if it is unclear."""

    x: float
    y: float
    reach: float
    name: str


def certify(png: bytes, start: str, n_points: int, *, curved: bool = False) -> Reading:
    """Return as the answer the markers in path order, separated by commas.

    ``start`` is the start marker and ``n_points`` the number of markers, as named in the prompt. With ``curved``,
    for smooth paths, the line is followed from glyph to glyph instead of testing straight joins. ``margin`` is the
    least inked share of a line between joined glyphs, less the greatest one between glyphs that are not joined.
    """
    picture = indexed(png)
    if picture is None:
        return _unread("not a picture")
    indices, colours = picture
    glyphs = _glyphs(indices, colours)
    if len(glyphs) != n_points:
        return _unread("number of glyphs")
    if any(not glyph.name for glyph in glyphs):
        return _unread("glyph not named")
    starts = [i for i, glyph in enumerate(glyphs) if glyph.name == start]
    if len(starts) != 1:
        return _unread("start marker not unique")
    if curved:
        darkness = look_up(1 - colours.max(axis=1).astype(np.float32) / 255, indices)
        shares = follow(darkness, [(g.x, g.y, g.reach) for g in glyphs])
    else:
        shares = _shares(indices, colours.max(axis=1) < _INK, glyphs)
    joined = shares >= _JOINED
    clear = float(shares[joined].min(initial=1.0) - shares[~joined].max(initial=0.0))
    if ((shares >= _DOUBTFUL) & ~joined).any():
        return _unread("doubtful join")
    order = walk(joined, starts[0])
    if order is None:
        return _unread("joins are not one path")
    return Reading(certifier=CERTIFIER, answer=", ".join(glyphs[i].name for i in order), margin=round(clear, 4))


def _unread(reason: str) -> Reading:
    return Reading(certifier=CERTIFIER, answer=None, reason=reason)


def _glyphs(indices: npt.NDArray[Any], colours: _Pixels) -> list[_Glyph]:
    """Return the glyphs from left to right; ``indices`` has for each pixel of the picture its index in ``colours``."""
    chroma = colours.max(axis=1) - colours.min(axis=1)
    coloured = look_up((chroma > CHROMA).astype(np.uint8), indices)
    glyphs = []
    for outline in cv2.findContours(coloured, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]:
        x, y, width, height = cv2.boundingRect(outline)
        inside = slice(y, y + height), slice(x, x + width)
        filled = cv2.drawContours(np.zeros((height, width), np.uint8), [outline], -1, 1, cv2.FILLED, offset=(-x, -y))
        mask = filled & coloured[inside]
        if np.count_nonzero(mask) < LEAST_PIXELS:
            continue
        color = _color(indices[inside], colours, mask)
        shape, cx, cy = _shape(mask.tobytes(), mask.shape)
        glyphs.append(_Glyph(x + cx, y + cy, max(width, height) / 2, f"{color} {shape}" if shape else ""))
    return sorted(glyphs, key=lambda glyph: (glyph.x, glyph.y))


def _color(indices: npt.NDArray[Any], colours: _Pixels, mask: _Pixels) -> str:
    """Return the name of the colour of the pixels under ``mask``, by their median."""
    core = cv2.erode(mask, np.ones((3, 3), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0)
    chosen = indices[core > 0] if core.any() else indices[mask > 0]
    # The inside of a glyph has one colour, and few pictures have more than eight of them.
    plain = (chosen == chosen[0]).all()
    return name_of(tuple(colours[chosen[0]].tolist() if plain else np.median(colours[chosen], axis=0).tolist()))


@lru_cache(maxsize=1024)
def name_of(bgr: tuple[float, float, float]) -> str:
    """Return the name of the reference colour nearest to ``bgr``, 0 to 255, in CIELAB."""
    colors = np.array([bgr[::-1], *_REFERENCE.values()], np.float32)[None] / 255
    lab = cv2.cvtColor(colors, cv2.COLOR_RGB2LAB)[0]
    gaps = np.sqrt(((lab[1:] - lab[0]) ** 2).sum(axis=1))
    return list(_REFERENCE)[int(np.argmin(gaps))]


@lru_cache(maxsize=256)
def _shape(pixels: bytes, size: tuple[int, int]) -> tuple[str, float, float]:
    """Return the name of the shape (empty if unclear) and the centre, x and y in px, of a glyph.

    ``pixels`` are the glyph's mask, 1 or 0, as bytes; ``size`` is (height, width). The centre is the vertex of the
    path. The result is cached, because the pictures of one path with and without spurs show equal glyphs.
    """
    mask = np.frombuffer(pixels, np.uint8).reshape(size)
    ys, xs = np.nonzero(mask)
    cx, cy = float(xs.mean()) + 0.5, float(ys.mean()) + 0.5
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    outline = max(contours, key=len)[:, 0, :].astype(np.float64) + 0.5
    hull = cv2.convexHull(outline.astype(np.float32))
    hull_area = max(float(cv2.contourArea(hull)), 1.0)
    solidity = float(cv2.contourArea(outline.astype(np.float32))) / hull_area
    radii = _radii(outline, cx, cy)
    power = np.abs(np.fft.rfft(radii))[:6] / max(float(radii.sum()), 1e-9)
    lobes = int(np.argmax(power[3:6])) + 3
    return _named(solidity, lobes, float(power[lobes])), cx, cy


def _named(solidity: float, lobes: int, strength: float) -> str:
    """Return the name of the shape of a glyph, or "" if it is unclear.

    ``solidity`` is the share of its hull that it fills; ``lobes`` is the strongest of harmonics 3 to 5 of its outline,
    with this ``strength``.

    Measured strengths on glyphs of radius 12 px: circles below 0.01, squares 0.07 (filled), triangles 0.13 to 0.14,
    stars 0.12 to 0.17 (half filled), pluses 0.20 to 0.24 (two thirds filled).
    """
    if strength < 0.03:
        return "circle" if solidity > 0.93 else ""
    if lobes == 3:
        return "tri" if solidity > 0.8 and strength > 0.09 else ""
    if lobes == 5:
        return "star" if solidity < 0.72 and strength > 0.07 else ""
    if solidity > 0.9 and strength < 0.12:
        return "square"
    return "plus" if solidity < 0.8 and strength > 0.14 else ""


def _radii(outline: npt.NDArray[np.float64], cx: float, cy: float) -> npt.NDArray[np.float64]:
    """Return the distances of a glyph's outline from its centre at 72 equally spaced angles."""
    dx, dy = outline[:, 0] - cx, outline[:, 1] - cy
    angles, radii = np.arctan2(dy, dx), np.hypot(dx, dy)
    order = np.argsort(angles, kind="stable")
    at = (np.arange(72) + 0.5) * 2 * math.pi / 72 - math.pi
    return np.interp(at, angles[order], radii[order], period=2 * math.pi)


def _shares(indices: npt.NDArray[Any], ink: npt.NDArray[np.bool_], glyphs: list[_Glyph]) -> npt.NDArray[np.float64]:
    """Return the inked share of the straight line between each two glyphs, from rim to rim: (n, n)."""
    inked = look_up(ink.astype(np.uint8), indices)
    return inked_shares(inked, np.array([(g.x, g.y) for g in glyphs]), max(g.reach for g in glyphs) + 3.0)


def inked_shares(inked: _Pixels, places: npt.NDArray[np.float64], widest: float) -> npt.NDArray[np.float64]:
    """Return the share of the straight line between each two of ``places`` (n, 2) that is ``inked``: (n, n).

    The line is sampled every half pixel, except within ``widest`` px of its ends; a sample counts as inked if any pixel
    of its 3 x 3 neighbourhood is, to tolerate an error of half a pixel in a centre. If the line passes within
    ``widest`` px of a third place, the share is 0, because the parts before and after it count as separate lines.
    """
    shares = np.zeros((len(places), len(places)))
    first, second = np.tril_indices(len(places), -1)
    alone = ~_passes_a_third(places, first, second, widest)
    first, second = first[alone], second[alone]
    steps = places[second] - places[first]
    lengths = np.array([math.hypot(*step) for step in steps.tolist()])
    long = lengths > 2 * widest + 2
    start = np.divide(widest, lengths, out=np.full(len(first), 0.5), where=long)
    number = np.where(long, (2 * (lengths - 2 * widest)).astype(np.int64) + 2, 1)
    touched = np.asarray(cv2.dilate(inked, np.ones((3, 3), np.uint8)), np.uint8)
    shares[first, second] = shares[second, first] = _covered(touched, places[first], steps, start, number)
    return shares


@njit(cache=True)
def _covered(
    touched: _Pixels,
    places: npt.NDArray[np.float64],
    steps: npt.NDArray[np.float64],
    start: npt.NDArray[np.float64],
    number: npt.NDArray[np.int64],
) -> npt.NDArray[np.float64]:
    """Return for each line the share of its samples on pixels that are 1 in ``touched`` (0 or 1).

    A line begins at ``places`` (x, y; px) and ends ``steps`` from there; ``start`` is the share of it, at both ends,
    without samples, and ``number`` the number of samples between.
    """
    shares = np.empty(len(number))
    for line in range(len(number)):
        (x, y), (dx, dy), stop = places[line], steps[line], 1 - start[line]
        apart = (stop - start[line]) / max(1, number[line] - 1)
        covered = 0
        for sample in range(number[line]):
            at = min(sample * apart + start[line], stop)
            covered += int(touched[int(y + at * dy), int(x + at * dx)])
        shares[line] = covered / number[line]
    return shares


def _passes_a_third(
    places: npt.NDArray[np.float64], first: npt.NDArray[np.intp], second: npt.NDArray[np.intp], reach: float
) -> npt.NDArray[np.bool_]:
    """Return a mask of the lines ``places[first]`` to ``places[second]`` that pass another place within ``reach`` px.

    Without this check, three glyphs on one line would all be joined in pairs.
    """
    steps, ways = (places[second] - places[first])[:, None], places - places[first][:, None]
    along = np.clip((ways * steps).sum(axis=2) / np.maximum((steps**2).sum(axis=2), 1e-9), 0.0, 1.0)
    near = ((ways - along[..., None] * steps) ** 2).sum(axis=2) < reach**2
    near[np.arange(len(first)), first] = near[np.arange(len(first)), second] = False
    return near.any(axis=1)


def walk(joined: npt.NDArray[np.bool_], start: int) -> list[int] | None:
    """Return the order of the glyphs on the path from ``start``, or None if the ``joined`` pairs do not form a path."""
    n = len(joined)
    degrees = joined.sum(axis=1)
    if degrees[start] != 1 or degrees.max() > 2 or int(degrees.sum()) != 2 * (n - 1):
        return None
    order, previous = [start], -1
    while len(order) < n:
        onward = [int(k) for k in np.flatnonzero(joined[order[-1]]) if k != previous]
        if len(onward) != 1:
            return None
        previous = order[-1]
        order.append(onward[0])
    return order
