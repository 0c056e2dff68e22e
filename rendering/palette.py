"""The colours of MaRVL-QA pictures: so few that the two panels of a pair share one 8-bit palette.

The palette of a panel begins with ``GREYS``, the same greys of frame and text in every panel. At most 120 further
colours follow, so that two panels in different colour maps need at most 256. A heatmap has 97 colour steps, or 81 if it
has contour lines; both look continuous (at most 1.2 units of L* a step). With these numbers, plateaus at simple
fractions of the range (1/2, 1/3, 1/4, 1/5) are inside a step; at its edge, the last bit of a float would decide.

A contour line on a heatmap has the map's colour at its height, mixed with white where the map is dark and with black
where it is light. Each line has ``COVERAGES`` colours, for anti-aliasing. Black alone is invisible in dark valleys, and
white alone on the near-white peaks of inferno and magma.
"""

from functools import lru_cache
from typing import Final

import matplotlib
import numpy as np
import numpy.typing as npt

from planimeter.items import Colormap

Colours = npt.NDArray[np.uint8]

GREYS: Final[Colours] = np.repeat(np.arange(0, 256, 17, dtype=np.uint8)[:, None], 3, axis=1)
WHITE: Final = len(GREYS) - 1

HEATMAP_STEPS: Final = 97
OVERLAY_STEPS: Final = 81
COVERAGES: Final = 3

#: Colours of a 3D surface, the shares of ink in the lines of its mesh, faint and full, and the least relative luminance
#: for dark ink.
SURFACE_STEPS: Final = 49
MESH_OPACITIES: Final = (0.26, 0.40)
MESH_DARK_FROM: Final = 0.13

#: Contour-only lines run from this grey (lowest level) to black (highest).
LIGHTEST_LINE: Final = 176
INK_STEPS: Final = 65

#: Share of ink in the colour of a line on a heatmap, and the least relative luminance for dark ink.
WHITE_OPACITY: Final = 0.62
DARK_OPACITY: Final = 0.50
DARK_FROM: Final = 0.40


def colours_at(colormap: Colormap, heights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the colours (n, 3), 0 to 255, of ``colormap`` at ``heights`` in [0, 1], by linear interpolation."""
    table = matplotlib.colormaps[colormap](np.arange(256))[:, :3] * 255.0
    return np.stack([np.interp(heights * 255.0, np.arange(256), table[:, band]) for band in range(3)], axis=1)


@lru_cache(maxsize=8)
def heatmap_palette(colormap: Colormap) -> Colours:
    """Return the palette of a heatmap without contour lines: greys, then ``HEATMAP_STEPS`` colours from low to high."""
    return _frozen(GREYS, _bytes(colours_at(colormap, np.linspace(0.0, 1.0, HEATMAP_STEPS))))


@lru_cache(maxsize=64)
def overlay_palette(colormap: Colormap, levels: tuple[float, ...]) -> Colours:
    """Return the palette of a heatmap with contour lines at ``levels`` (heights in [0, 1], ascending).

    It has the greys, ``OVERLAY_STEPS`` colours from low to high, then for each level ``COVERAGES`` colours of its line,
    for increasing coverage of a pixel.
    """
    ground = colours_at(colormap, np.asarray(levels))
    light = _relative_luminance(ground) >= DARK_FROM
    ink = np.where(light, 0.0, 255.0)[:, None]
    opacity = np.where(light, DARK_OPACITY, WHITE_OPACITY)[:, None]
    coverage = (np.arange(COVERAGES) + 1.0) / COVERAGES
    share = coverage[None, :, None] * opacity[:, None, :]
    lines = ground[:, None, :] * (1.0 - share) + ink[:, None, :] * share
    steps = colours_at(colormap, np.linspace(0.0, 1.0, OVERLAY_STEPS))
    return _frozen(GREYS, _bytes(steps), _bytes(lines.reshape(-1, 3)))


@lru_cache(maxsize=8)
def surface_palette(colormap: Colormap) -> Colours:
    """Return the palette of a 3D surface: greys, then ``SURFACE_STEPS`` colours from low to high, then mesh lines.

    Mesh lines are transparent: for each of ``MESH_OPACITIES``, they have one colour on each colour of the surface.
    """
    steps = colours_at(colormap, np.linspace(0.0, 1.0, SURFACE_STEPS))
    ink = np.where(_relative_luminance(steps) >= MESH_DARK_FROM, 0.0, 255.0)[:, None]
    return _frozen(GREYS, _bytes(steps), *(_bytes(steps + (ink - steps) * share) for share in MESH_OPACITIES))


@lru_cache(maxsize=1)
def contour_palette() -> Colours:
    """Return the palette of a contour plot: greys, then ``INK_STEPS`` greys from black to white for its lines."""
    return _frozen(GREYS, _bytes(np.repeat(np.linspace(0.0, 255.0, INK_STEPS)[:, None], 3, axis=1)))


def line_greys(count: int) -> npt.NDArray[np.float64]:
    """Return the greys of ``count`` contour lines from the lowest to the highest: float64 in 0 to 255."""
    return np.linspace(LIGHTEST_LINE, 0.0, count)


def _relative_luminance(colours: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the WCAG 2.1 luminance, 0 (black) to 1 (white), of sRGB ``colours`` (n, 3) in 0 to 255."""
    unit = colours / 255.0
    linear = np.where(unit <= 0.04045, unit / 12.92, ((unit + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


def _bytes(colours: npt.NDArray[np.float64]) -> Colours:
    return np.floor(colours + 0.5).astype(np.uint8)


def _frozen(*parts: Colours) -> Colours:
    """Return the concatenation of ``parts`` as a read-only array, because caches return the same array repeatedly."""
    palette = np.concatenate(parts)
    palette.flags.writeable = False
    return palette
