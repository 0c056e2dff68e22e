"""Pictures of GeoGramBench figures: black lines on white with grey fills, as in a textbook.

A drawing is scaled to a square of 600 px with a margin for its labels, and drawn by matplotlib's Agg renderer without a
``Figure``. The result has 32 greys, which are enough for line art.
"""

import math
import re
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.transforms import IdentityTransform

from planimeter.items import Area, Caption, Dot, Drawing, Stroke
from planimeter.rendering.png import IndexedImage
from planimeter.rendering.reference import default_rc_params, font

SIZE: Final = 600
MARGIN: Final = 56
GREYS: Final = 32

#: Widths and lengths in px.
LINE: Final = 2.2
DASH: Final = (0.0, (9.0, 6.0))
DOT: Final = 4.6
#: Distance from a point to the middle of its label.
LABEL_GAP: Final = 21.0

_NAME: Final = font(26, "STIXGeneralItalic.ttf")
_NUMBER: Final = font(26, "STIXGeneral.ttf")
#: Labels of imported figures contain LaTeX; matplotlib renders most of it.
_FORMULA: Final = FontProperties(family="STIXGeneral", size=24, math_fontfamily="stix")
_PLAIN: Final = re.compile(r"\$\s*([A-Za-z]'*|\d+(?:\.\d+)?)\s*\$")


@default_rc_params()
def picture(drawing: Drawing) -> IndexedImage:
    """Return the picture of ``drawing``: uint8 (600, 600) indices into 32 greys.

    Raises:
        ValueError: if no stroke or fill has an extent, or matplotlib cannot render a label.
    """
    renderer = RendererAgg(SIZE, SIZE, 72)
    renderer.buffer_rgba()  # starts transparent; uncovered pixels become white below
    scale, shift = _fit(drawing)
    for mark in drawing.marks:
        match mark:
            case Area():
                _fill(renderer, _pixels(mark.points, scale, shift), mark.shade)
            case Stroke():
                _stroke(renderer, _pixels(mark.points, scale, shift), mark)
            case Dot():
                _dot(renderer, _pixels((mark.point,), scale, shift)[0])
            case Caption():
                _caption(renderer, mark, _pixels((mark.point,), scale, shift)[0])
    return IndexedImage(_greys(np.asarray(renderer.buffer_rgba())), _palette())


def _fit(drawing: Drawing) -> tuple[float, npt.NDArray[np.float64]]:
    """Return the scale (px for each drawing unit) and the shift (px, y up) that centre the drawing in the picture."""
    points = [p for m in drawing.marks if isinstance(m, Stroke | Area) for p in m.points]
    if not points:
        raise ValueError("need at least one stroke or fill for a picture, got labels and dots only")
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    extent = float(np.max(high - low))
    if extent <= 0:
        raise ValueError(f"need a drawing with an extent, got one point at {tuple(low)}")
    scale = (SIZE - 2 * MARGIN) / extent
    return scale, SIZE / 2 - scale * (low + high) / 2


def _pixels(
    points: tuple[tuple[float, float], ...], scale: float, shift: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    return np.asarray(points) * scale + shift


def _stroke(renderer: RendererAgg, points: npt.NDArray[np.float64], mark: Stroke) -> None:
    context = renderer.new_gc()
    context.set_foreground((0.0, 0.0, 0.0, 1.0), isRGBA=True)
    context.set_linewidth(LINE * mark.width)
    context.set_joinstyle("round")
    context.set_capstyle("butt" if mark.dashed else "round")
    if mark.dashed:
        context.set_dashes(*DASH)
    closed = len(points) > 2 and bool(np.allclose(points[0], points[-1]))
    codes = [Path.MOVETO] + [Path.LINETO] * (len(points) - 1)
    if closed:
        codes[-1] = Path.CLOSEPOLY
    renderer.draw_path(context, Path(points, codes), IdentityTransform())


def _fill(renderer: RendererAgg, points: npt.NDArray[np.float64], shade: float) -> None:
    context = renderer.new_gc()
    context.set_linewidth(0.0)
    renderer.draw_path(context, Path(points), IdentityTransform(), (shade, shade, shade, 1.0))


def _dot(renderer: RendererAgg, center: npt.NDArray[np.float64]) -> None:
    angles = np.linspace(0.0, 2.0 * np.pi, 33)
    _fill(renderer, center + DOT * np.column_stack([np.cos(angles), np.sin(angles)]), 0.0)


def _caption(renderer: RendererAgg, mark: Caption, at: npt.NDArray[np.float64]) -> None:
    plain = _PLAIN.fullmatch(mark.text)
    text = plain[1] if plain else mark.text
    formula = "$" in text or "\\" in text
    shape = _FORMULA if formula else _NUMBER if text.isdigit() else _NAME
    x, y = at + LABEL_GAP * np.asarray(mark.direction)
    width, height, descent = _extent(text, shape, formula)
    # Agg counts y downwards for text only; capitals are on the baseline.
    left = min(max(2, _nearest(x - width / 2)), max(2, _nearest(SIZE - width - 2)))
    baseline = _nearest(SIZE - y + (height - descent) / 2)
    renderer.draw_text(renderer.new_gc(), left, baseline, text, shape, 0.0, formula)


@lru_cache(maxsize=1024)
def _extent(text: str, shape: FontProperties, formula: bool) -> tuple[float, float, float]:
    """Return the width, height and descent (below the baseline) of ``text``, px; cached, as most texts are letters."""
    return RendererAgg(1, 1, 72).get_text_width_height_descent(text, shape, formula)


def _nearest(place: float) -> int:
    """Return the pixel nearest to ``place``; of two equally near ones, the one with the greater number.

    The middle of a figure is often halfway between pixels; the last bits of floats must not decide.
    """
    return math.floor(place + 0.5 + 1e-6)


def _greys(rgba: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    # The last two bytes of a pixel, blue and alpha, as one number.
    return _over_white()[rgba.view("<u2")[:, :, 1]]


@lru_cache(maxsize=1)
def _over_white() -> npt.NDArray[np.uint8]:
    """Return the palette index of each grey at each opacity over white, at grey + 256 * opacity: uint8 (65536,)."""
    alpha, grey = np.divmod(np.arange(1 << 16), 256)
    value = grey * alpha + 255 * (255 - alpha)
    return ((value * (GREYS - 1) + 255 * 255 // 2) // (255 * 255)).astype(np.uint8)


@lru_cache(maxsize=1)
def _palette() -> npt.NDArray[np.uint8]:
    greys = np.floor(np.linspace(0.0, 255.0, GREYS) + 0.5).astype(np.uint8)
    return np.repeat(greys[:, None], 3, axis=1)
