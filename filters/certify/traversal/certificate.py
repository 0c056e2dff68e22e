"""Reads a path's markers back from the PNG bytes alone.

Glyphs are the saturated blobs of the picture; colour is the nearest of eight reference hues, shape follows from area,
convex hull and the harmonics of the outline. Two glyphs are joined where the straight line between them, outside the
glyphs, runs over ink from end to end. A picture is read only if the joins form one path through all glyphs with the
named start at one end. Spurs are lighter than ink, so they join nothing.

Outlines, hulls and colour spaces are OpenCV's. Smooth paths are not straight between their glyphs and are
read by following the line instead. What is compiled takes + - * / and floor only.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from numba import njit

from planimeter.filters.certify.png import indexed, look_up
from planimeter.filters.certify.traversal.line_following import follow
from planimeter.items import Reading


@njit(cache=True)
def blobs(indices, wanted, step):  # type: ignore[no-untyped-def]
    """Return the rows and columns of pixels, the start of each 8-connected blob among them, and its box.

    ``indices``: (height, width), ``wanted``: a flag for each of their values. Only every ``step``-th row and column is
    searched, which misses no blob of more than (step - 1) ** 2 pixels. The last start is the end; boxes are (blobs, 4):
    top, left, bottom, right, the last two exclusive.
    """
    height, width = indices.shape
    seen = np.zeros((height, width), np.bool_)
    # Untouched memory costs nothing.
    rows, columns = np.empty(height * width, np.int32), np.empty(height * width, np.int32)
    starts, boxes = [0], [(0, 0, 0, 0)]
    done = end = 0
    for y in range(height):
        for x in range(0, width, 1 if y % step == 0 else step):
            if seen[y, x] or not wanted[indices[y, x]]:
                continue
            seen[y, x] = True
            rows[done], columns[done] = y, x
            end = done + 1
            top, left, bottom, right = y, x, y + 1, x + 1
            while done < end:
                row, column = rows[done], columns[done]
                top, left, bottom, right = (
                    min(top, row),
                    min(left, column),
                    max(bottom, row + 1),
                    max(right, column + 1),
                )
                for v in range(max(0, row - 1), min(height, row + 2)):
                    for u in range(max(0, column - 1), min(width, column + 2)):
                        if not seen[v, u] and wanted[indices[v, u]]:
                            seen[v, u] = True
                            rows[end], columns[end] = v, u
                            end += 1
                done += 1
            starts.append(done)
            boxes.append((top, left, bottom, right))
    return rows[:end].copy(), columns[:end].copy(), np.array(starts), np.array(boxes)[1:]


@njit(cache=True)
def inked_shares(indices, ink, x, y, lengths, widest):  # type: ignore[no-untyped-def]
    """Return for each pair of places the share of the straight line between them that is inked, (n, n), symmetric.

    ``indices``: (height, width), ``ink``: a flag for each of their values; ``lengths``: px, (n, n). The line is sampled
    every half pixel from ``widest`` px from one end to as far from the other; a sample counts as inked if any pixel of
    its 3 x 3 neighbourhood is: an error of half a pixel in a centre must not break a join. Pairs whose line passes a
    third place within ``widest`` px have 0.
    """
    n = len(x)
    shares = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            if _passes_a_third(x, y, i, j, widest):
                continue
            length = lengths[i, j]
            number, start, stop = 1, 0.5, 0.5
            if length > 2 * widest + 2:
                start, stop = widest / length, 1 - widest / length
                number = int(2 * (length - 2 * widest)) + 2
            step = (stop - start) / max(1, number - 1)
            inked = 0
            for k in range(number):
                at = stop if k == number - 1 else k * step + start
                row, column = math.floor(y[i] + at * (y[j] - y[i])), math.floor(x[i] + at * (x[j] - x[i]))
                inked += _touches(indices, ink, row, column)
            shares[i, j] = shares[j, i] = inked / number
    return shares


@njit(cache=True)
def _touches(indices, ink, row, column):  # type: ignore[no-untyped-def]
    height, width = indices.shape
    for v in range(max(0, row - 1), min(height, row + 2)):
        for u in range(max(0, column - 1), min(width, column + 2)):
            if ink[indices[v, u]]:
                return 1
    return 0


@njit(cache=True)
def _passes_a_third(x, y, i, j, reach):  # type: ignore[no-untyped-def]
    """Return True if the line from place ``i`` to ``j`` passes another within ``reach`` px: then it is two joins.

    Without this, three glyphs in a line would be joined pairwise.
    """
    sx, sy = x[j] - x[i], y[j] - y[i]
    square = max(sx * sx + sy * sy, 1e-9)
    for k in range(len(x)):
        if k not in (i, j):
            ax, ay = x[k] - x[i], y[k] - y[i]
            along = min(1.0, max(0.0, (ax * sx + ay * sy) / square))
            ax, ay = ax - along * sx, ay - along * sy
            if ax * ax + ay * ay < reach * reach:
                return True
    return False


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
#: Distance of the rows and columns that are searched for glyphs, less than the size of a glyph.
_SEARCHED = math.isqrt(LEAST_PIXELS - 1) + 1
#: Share of a join that must be inked, and the share above which a non-join is doubtful.
_JOINED, _DOUBTFUL = 0.97, 0.85


@dataclass(frozen=True, slots=True)
class _Glyph:
    x: float
    y: float
    reach: float
    name: str


def certify(png: bytes, start: str, n_points: int, *, curved: bool = False) -> Reading:
    """Read the markers in path order from ``png``.

    ``start`` is the start marker and ``n_points`` the number of markers, both as the prompt names them.
    ``curved`` follows the line from glyph to glyph instead of looking for straight joins: for smooth paths. The
    reading's answer is the comma-separated list; ``margin`` is the least inked share of a join less the greatest of a
    non-join.
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
    """Return the glyphs of the picture, left to right."""
    chroma = colours.max(axis=1) - colours.min(axis=1)
    rows, columns, starts, boxes = blobs(indices, chroma > CHROMA, _SEARCHED)
    glyphs = []
    for (start, end), (y, x, bottom, right) in zip(pairwise(starts.tolist()), boxes.tolist(), strict=True):
        if end - start < LEAST_PIXELS:
            continue
        height, width = bottom - y, right - x
        mask = np.zeros((height, width), np.uint8)
        mask[rows[start:end] - y, columns[start:end] - x] = 1
        color = _color(indices[y : y + height, x : x + width], colours, mask)
        shape, cx, cy = _shape(mask.tobytes(), mask.shape)
        glyphs.append(_Glyph(x + cx, y + cy, max(width, height) / 2, f"{color} {shape}" if shape else ""))
    return sorted(glyphs, key=lambda glyph: (glyph.x, glyph.y))


def _color(indices: npt.NDArray[Any], colours: _Pixels, mask: _Pixels) -> str:
    """Name the colour of the pixels under ``mask`` by their median, in CIELAB."""
    core = cv2.erode(mask, np.ones((3, 3), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0)
    chosen = indices[core > 0] if core.any() else indices[mask > 0]
    # The inside of a glyph has one colour, and few pictures have more than eight of them.
    plain = (chosen == chosen[0]).all()
    return name_of(tuple(colours[chosen[0]].tolist() if plain else np.median(colours[chosen], axis=0).tolist()))


@lru_cache(maxsize=1024)
def name_of(bgr: tuple[float, float, float]) -> str:
    """Return the name of the reference colour that is nearest in CIELAB."""
    colors = np.array([bgr[::-1], *_REFERENCE.values()], np.float32)[None] / 255
    lab = cv2.cvtColor(colors, cv2.COLOR_RGB2LAB)[0]
    gaps = np.sqrt(((lab[1:] - lab[0]) ** 2).sum(axis=1))
    return list(_REFERENCE)[int(np.argmin(gaps))]


@lru_cache(maxsize=256)
def _shape(pixels: bytes, size: tuple[int, int]) -> tuple[str, float, float]:
    """Return (name or empty, x, y of the centre in px) of a glyph with these ``pixels``, 1 or 0, of (height, width).

    The centre is the vertex of the path: that of the glyph's vertices, which for a triangle is its centroid as well.
    The pictures of one path with and without spurs show the same glyphs, in succession.
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
    """Name the shape from the filled share of its hull and the strongest of the harmonics 3 to 5; empty if unclear.

    Measured on glyphs of radius 12 px: circles below 0.01, squares 0.07 (filled), triangles 0.13 to 0.14, stars 0.12 to
    0.17 (half filled), pluses 0.20 to 0.24 (two thirds filled).
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
    """Return the outline's distance from the centre at 72 equal angles."""
    dx, dy = outline[:, 0] - cx, outline[:, 1] - cy
    angles, radii = np.arctan2(dy, dx), np.hypot(dx, dy)
    order = np.argsort(angles, kind="stable")
    at = (np.arange(72) + 0.5) * 2 * math.pi / 72 - math.pi
    return np.interp(at, angles[order], radii[order], period=2 * math.pi)


def _shares(indices: npt.NDArray[Any], ink: npt.NDArray[np.bool_], glyphs: list[_Glyph]) -> npt.NDArray[np.float64]:
    """Return for each pair of glyphs the inked share of the straight line between them, from rim to rim."""
    lengths = np.array([[math.hypot(b.x - a.x, b.y - a.y) for b in glyphs] for a in glyphs])
    widest = max(glyph.reach for glyph in glyphs) + 3.0
    x, y = np.array([(glyph.x, glyph.y) for glyph in glyphs]).T.copy()
    shares: npt.NDArray[np.float64] = inked_shares(indices, ink, x, y, lengths, widest)
    return shares


def walk(joined: npt.NDArray[np.bool_], start: int) -> list[int] | None:
    """Return the order of the one path that the joins form from ``start``, or None if they form something else."""
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
