"""Pictures of paths, their markers (glyphs) and distracting segments (spurs), with the same bytes on every machine.

The share of a pixel that a shape covers follows from its distance to the outline, and is drawn in 64 grays and 16 steps
of each glyph colour. Path, glyph outlines and spurs are all gray, so that every mixture under the edge of a glyph is a
gray and the palette is exact: 64 + 8 x 16 colours. Pixels are computed with + - * / and square roots only.

A search chose the eight marker colours, each within the range of its name. It maximised the least distance (CIELAB)
between them, white, path and spur, for normal sight and for simulated protanopia, deuteranopia and tritanopia (Machado,
Oliveira and Fernandes, 2009): 37, 23.6, 23.2 and 27.9. With eight fixed names not much more is possible; shape
distinguishes glyphs of similar colours.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from numba import njit

from planimeter.generators.traversal.smooth import spline
from planimeter.items import MARKER_COLORS, MARKER_SHAPES, ConfoundedItem, TraversalItem
from planimeter.rendering.png import IndexedImage

Floats = npt.NDArray[np.float64]

#: sRGB of the marker colours, in the order of ``MARKER_COLORS``.
COLOR_VALUES: tuple[tuple[int, int, int], ...] = (
    (208, 19, 7),
    (3, 28, 255),
    (15, 148, 84),
    (239, 139, 36),
    (242, 216, 0),
    (65, 223, 253),
    (106, 42, 141),
    (90, 36, 9),
)

_GRAYS, _STEPS = 64, 16

#: Far above the rounding of distances, px.
_SAFE = 1e-6


@dataclass(frozen=True, kw_only=True, slots=True)
class TraversalStyle:
    """The widths (px) and sRGB grays of path, spurs and marker outlines, chosen for pictures of 672 x 672 px."""

    line_width: float = 3.4
    """Width of the path, px."""
    spur_width: float = 3.2
    """Width of the spurs, px."""
    outline: float = 1.3
    """Width of a marker's outline, inside its radius, px."""
    ink: int = 34
    """Gray of the path, 0 to 255."""
    spur_gray: int = 158
    """Gray of the spurs, 0 to 255."""

    def __post_init__(self) -> None:
        if not (self.line_width >= 1 and self.spur_width >= 1 and self.outline >= 1):
            raise ValueError(f"need widths of 1 px or more (below 1 px lines are not crisp), got {self}")
        if not 0 <= self.ink < self.spur_gray - 60 <= 180:
            raise ValueError(
                "spurs must differ from path and paper: need 0 <= ink, ink + 60 < spur_gray <= 240, got ink = "
                f"{self.ink} and spur_gray = {self.spur_gray}"
            )


def render(item: TraversalItem | ConfoundedItem, style: TraversalStyle) -> IndexedImage:
    """Return the square picture of ``item``: the spurs, the path over them, and the marker glyphs on top."""
    path = item.source if isinstance(item, ConfoundedItem) else item
    spurs = np.array(item.confounders if isinstance(item, ConfoundedItem) else ()).reshape(-1, 2, 2)
    level = (_GRAYS - 1) * (255 - style.spur_gray) / (255 - style.ink)
    indices = np.zeros((path.view, path.view), np.uint8)
    _lines(indices, spurs, style.spur_width / 2, level, drawn_line(path), style.line_width / 2, _GRAYS - 1.0)
    for (x, y), marker in zip(path.points, path.markers, strict=True):
        color, shape = marker.split()
        outline = _SHAPES[shape] * path.glyph_radius + np.array([x, y])
        base = _GRAYS + _STEPS * MARKER_COLORS.index(color)
        reach = path.glyph_radius + 2
        _glyph(indices, outline, x, y, reach, style.outline, base)
    return IndexedImage(indices, _palette(style))


def drawn_line(path: TraversalItem) -> Floats:
    """Return the vertices (m, 2), px, of the drawn line: the vertices of the path, or samples of its spline."""
    points = np.array(path.points)
    return spline(points, path.smoothness) if path.smoothness else points


@lru_cache(maxsize=16)
def _palette(style: TraversalStyle) -> npt.NDArray[np.uint8]:
    """Return the 192 colours of a picture: 64 grays from white to ink, then 16 steps from ink to each marker colour."""
    ramp = np.linspace(255, style.ink, _GRAYS)
    grays = np.stack([ramp] * 3, axis=1)
    share = np.linspace(0.0, 1.0, _STEPS)[:, None]
    fills = [share * np.array(color) + (1 - share) * style.ink for color in COLOR_VALUES]
    return np.floor(np.concatenate([grays, *fills]) + 0.5).astype(np.uint8)


def _ring(radii: list[float], start: float) -> Floats:
    """Return the outline (k, 2) of a shape with vertices at ``radii`` and equal angles, the first at ``start`` degrees.

    Coordinates are relative to the centre, y down.
    """
    angles = [math.radians(start + 360.0 * i / len(radii)) for i in range(len(radii))]
    pairs = zip(radii, angles, strict=True)
    return np.array([[round(r * math.cos(a), 6), round(r * math.sin(a), 6)] for r, a in pairs])


def _plus(width: float) -> Floats:
    arm = math.sqrt(1 - width**2)
    corner = [(arm, -width), (arm, width), (width, width)]
    turns = [(1, 0), (0, 1), (-1, 0), (0, -1)]
    return np.array([[round(c * x - s * y, 6), round(s * x + c * y, 6)] for c, s in turns for x, y in corner])


#: Outlines inside the unit circle; the triangle points up.
_SHAPES: dict[str, Floats] = {
    "circle": _ring([0.9] * 48, 0.0),
    "square": _ring([1.0] * 4, 45.0),
    "tri": _ring([1.0] * 3, -90.0),
    "star": _ring([1.0, 0.46] * 5, -90.0),
    "plus": _plus(0.34),
}
if tuple(sorted(_SHAPES)) != tuple(sorted(MARKER_SHAPES)):
    raise LookupError(f"each of {MARKER_SHAPES} needs an outline, there are {tuple(_SHAPES)}")


@njit(cache=True)
def _lines(
    indices: npt.NDArray[np.uint8],
    spurs: Floats,
    spur_half: float,
    spur_level: float,
    line: Floats,
    half: float,
    level: float,
) -> None:
    """Draw ``spurs`` (k, 2, 2), then ``line`` (m, 2) over them, into ``indices``, which are all 0 before.

    ``half`` is half a width, px, and ``level`` a palette index. Drawing goes row by row, so that the buffers are small.
    A pixel gets the darkest shade of all segments that touch it, so that a crossing is no darker than a line.
    """
    height, width = indices.shape
    gray, under = np.zeros(width), np.zeros(width)
    for row in range(height):
        drawn = False
        for k in range(spurs.shape[0]):
            if _segment(gray, gray, row, spurs[k, 0], spurs[k, 1], spur_half, spur_level):
                drawn = True
        if drawn:
            under[:] = gray
        for k in range(line.shape[0] - 1):
            if _segment(gray, under, row, line[k], line[k + 1], half, level):
                drawn = True
        if drawn:
            for column in range(width):
                indices[row, column] = np.uint8(math.floor(gray[column] + 0.5))
            gray[:] = 0.0
            under[:] = 0.0


@njit(cache=True)
def _segment(gray: Floats, under: Floats, row: int, start: Floats, end: Floats, half: float, level: float) -> bool:
    """Draw one pixel row of a segment with round ends into ``gray``; return False if the row is not near the segment.

    A covered pixel gets ``level``, a partly covered one a mixture with ``under``; but no ``gray`` becomes lighter.
    The centre of pixel (row, column) is y = row + 0.5, x = column + 0.5.
    """
    ax, ay, bx, by = start[0], start[1], end[0], end[1]
    if ay > by:
        ax, ay, bx, by = bx, by, ax, ay
    reach = half + 0.5
    if row < math.floor(ay - reach - 0.5) or row >= math.ceil(by + reach + 0.5):
        return False
    dx, dy = bx - ax, by - ay
    square = dx * dx + dy * dy
    y = row + 0.5
    first, last = 0.0, 1.0
    if dy > 0.0:
        first = min(1.0, max(0.0, (y - reach - ay) / dy))
        last = max(0.0, min(1.0, (y + reach - ay) / dy))
    left, right = min(ax + first * dx, ax + last * dx), max(ax + first * dx, ax + last * dx)
    for column in range(max(0, int(left - reach - 1.0)), min(gray.shape[0], int(right + reach + 1.0))):
        wx, wy = column + 0.5 - ax, y - ay
        share = 0.0 if square == 0.0 else min(1.0, max(0.0, (wx * dx + wy * dy) / square))
        wx, wy = wx - share * dx, wy - share * dy
        cover = min(1.0, max(0.0, reach - math.sqrt(wx * wx + wy * wy)))
        shade = under[column] + (level - under[column]) * cover
        if shade > gray[column]:
            gray[column] = shade
    return True


@njit(cache=True)
def _inside(outline: Floats, x: float, y: float) -> float:
    """Return the distance (px) of (x, y) from the border of the polygon ``outline``, negative outside the polygon."""
    n = outline.shape[0]
    least, odd = 1e18, False
    j = n - 1
    for i in range(n):
        ax, ay, bx, by = outline[j, 0], outline[j, 1], outline[i, 0], outline[i, 1]
        dx, dy, wx, wy = bx - ax, by - ay, x - ax, y - ay
        # The point of the edge that is nearest to (x, y), as a share of the way from a to b.
        share = min(1.0, max(0.0, (wx * dx + wy * dy) / (dx * dx + dy * dy)))
        px, py = wx - share * dx, wy - share * dy
        least = min(least, px * px + py * py)
        if (ay > y) != (by > y) and x < ax + (y - ay) / dy * dx:
            odd = not odd
        j = i
    return math.sqrt(least) if odd else -math.sqrt(least)


@njit(cache=True)
def _glyph(
    indices: npt.NDArray[np.uint8], outline: Floats, x: float, y: float, reach: float, rim: float, base: int
) -> None:
    """Draw a glyph at (x, y) into ``indices``: its border in ink, ``rim`` px wide inside ``outline``, and its fill.

    ``base`` is the palette index of the first of the 16 steps of its colour. Only pixels within ``reach`` px of (x, y)
    are visited. For most, the distance from (x, y) is enough: pixels near the centre are filled, and those beyond the
    farthest vertex are outside. For the others, the distance from ``outline`` is computed.
    """
    core = _inside(outline, x, y) - rim - 0.5
    farthest = 0.0
    for k in range(outline.shape[0]):
        farthest = max(farthest, math.sqrt((outline[k, 0] - x) ** 2 + (outline[k, 1] - y) ** 2))
    for row in range(max(0, int(y - reach)), min(indices.shape[0], int(y + reach) + 2)):
        for column in range(max(0, int(x - reach)), min(indices.shape[1], int(x + reach) + 2)):
            away = math.sqrt((column + 0.5 - x) ** 2 + (row + 0.5 - y) ** 2)
            if away > farthest + 0.5 + _SAFE:
                continue
            if away < core - _SAFE:
                indices[row, column] = base + 15
                continue
            depth = _inside(outline, column + 0.5, row + 0.5)
            fill = min(1.0, max(0.0, depth - rim + 0.5))
            if fill > 0.0:
                indices[row, column] = base + math.floor(fill * 15.0 + 0.5)
            elif depth > -0.5:
                under = float(indices[row, column])
                indices[row, column] = math.floor(under + (63.0 - under) * min(1.0, depth + 0.5) + 0.5)
