"""The parts of a MaRVL-QA panel around its data: frame, ticks, numbers, axis names, title, frame of the height key.

All pictures have one layout, so that a certifier finds the plot area by its frame: a panel is 640 x 600 px, the plot
area 480 x 480 px inside a line of 1 px. To the right is the height key, a narrow bar as tall as the plot area and
labelled only "low" and "high": models see which heights are greater, and cannot read numbers off it.

Text and lines are drawn by matplotlib's Agg renderer without a ``Figure``, whose bookkeeping takes ten times as long as
the drawing.
"""

from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.font_manager import FontProperties
from matplotlib.ticker import MaxNLocator

from planimeter.items import Domain, Transformation
from planimeter.rendering.palette import WHITE
from planimeter.rendering.reference import default_rc_params, font

PANEL_WIDTH: Final = 640
PANEL_HEIGHT: Final = 600
PLOT_SIZE: Final = 480
PLOT_LEFT: Final = 86
PLOT_TOP: Final = 50
PLOT: Final = (slice(PLOT_TOP, PLOT_TOP + PLOT_SIZE), slice(PLOT_LEFT, PLOT_LEFT + PLOT_SIZE))
KEY_LEFT: Final = PLOT_LEFT + PLOT_SIZE + 20
KEY_WIDTH: Final = 18
KEY: Final = (PLOT[0], slice(KEY_LEFT, KEY_LEFT + KEY_WIDTH))

#: Index into ``palette.GREYS`` of frames and ticks; text is drawn in the same grey.
INK: Final = 2
TICK_LENGTH: Final = 5

#: Room around a word, px: to its left and right, above its baseline and below.
_ASIDE, _ASCENT, _DESCENT = 4, 24, 8

Greys = npt.NDArray[np.uint8]

TICK_FONT: Final = font(13)
NAME_FONT: Final = font(15, "DejaVuSans-Oblique.ttf")
TITLE_FONT: Final = font(18)


def in_picture(domain: Domain, x: float, y: float) -> tuple[float, float]:
    """Return the position of (x, y), in axis units, in the picture of a panel: px from its upper left corner, y down.

    Rounded to 0.01 and equal on every processor: only sums, products and quotients are used.
    """
    across = (x - domain.x_min) / (domain.x_max - domain.x_min)
    down = (domain.y_max - y) / (domain.y_max - domain.y_min)
    return round(PLOT_LEFT + PLOT_SIZE * across, 2), round(PLOT_TOP + PLOT_SIZE * down, 2)


def shift_in_picture(domain: Domain, transformation: Transformation, offset: float) -> float:
    """Return a translation by ``offset`` axis units as px: positive to the right or down; 0.0 for rotations."""
    if transformation == "translate_x":
        return round(PLOT_SIZE * offset / (domain.x_max - domain.x_min), 2)
    return round(-PLOT_SIZE * offset / (domain.y_max - domain.y_min), 2) if transformation == "translate_y" else 0.0


@lru_cache(maxsize=64)
def frame_layer(domain: Domain, title: str) -> Greys:
    """Return the panel without its data: uint8 (600, 640) indices into ``palette.GREYS``, read-only.

    The ticks of the axes follow ``domain``; ``title`` is written above the plot area and may be empty.
    """
    layer = np.full((PANEL_HEIGHT, PANEL_WIDTH), WHITE, np.uint8)
    bottom, right, middle = PLOT_TOP + PLOT_SIZE, PLOT_LEFT + PLOT_SIZE, PLOT_TOP + PLOT_SIZE / 2
    for position, label in ticks(domain.x_min, domain.x_max):
        write(layer, label, TICK_FONT, PLOT_LEFT + position, bottom + 21, "centre")
        layer[bottom + 1 : bottom + 1 + TICK_LENGTH, PLOT_LEFT + round(position)] = INK
    for position, label in ticks(domain.y_min, domain.y_max):
        write(layer, label, TICK_FONT, PLOT_LEFT - 11, bottom - 1 - position + 5, "right")
        layer[bottom - 1 - round(position), PLOT_LEFT - 1 - TICK_LENGTH : PLOT_LEFT - 1] = INK
    write(layer, "x", NAME_FONT, PLOT_LEFT + PLOT_SIZE / 2, bottom + 46, "centre")
    write(layer, "y", NAME_FONT, 20, middle + 5, "centre")
    write(layer, "high", TICK_FONT, KEY_LEFT + KEY_WIDTH / 2, PLOT_TOP - 9, "centre")
    write(layer, "low", TICK_FONT, KEY_LEFT + KEY_WIDTH / 2, bottom + 19, "centre")
    write(layer, title, TITLE_FONT, PLOT_LEFT + PLOT_SIZE / 2, PLOT_TOP - 17, "centre")
    box(layer, PLOT_TOP, bottom, PLOT_LEFT, right)
    box(layer, PLOT_TOP, bottom, KEY_LEFT, KEY_LEFT + KEY_WIDTH)
    layer.flags.writeable = False
    return layer


def ticks(low: float, high: float, length: float = PLOT_SIZE - 1) -> tuple[tuple[float, str], ...]:
    """Return (position in px, label) of each tick of an axis: at most seven round values from ``low`` to ``high``.

    Positions are from the low end of an axis of ``length`` px.
    """
    values = MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    step = float(values[1] - values[0])
    digits = next(n for n in range(12) if abs(round(step, n) - step) < 1e-6 * step)
    slack = 1e-9 * (high - low)
    ticks = []
    for value in values:
        if low - slack <= value <= high + slack:
            label = f"{value:.{digits}f}".replace("-", "\N{MINUS SIGN}")
            zero = label.strip("\N{MINUS SIGN}0.") == ""
            position = float(value - low) / (high - low) * length
            ticks.append((position, label.lstrip("\N{MINUS SIGN}") if zero else label))
    return tuple(ticks)


def write(layer: Greys, text: str, font: FontProperties, x: float, baseline: float, anchor: str) -> None:
    """Draw ``text`` on ``layer`` with its baseline at ``baseline`` px, y down.

    The middle of the text is at ``x`` px if ``anchor`` is "centre", else its right end is there.
    """
    width, _ = _word(text, font, 0)
    left = round(x - width / 2 if anchor == "centre" else x - width)
    _, greys = _word(text, font, left % 2)
    top, start = round(baseline) - _ASCENT, left - left % 2 - _ASIDE
    # A word too long for the margin ends at the edge of the panel.
    greys = greys[:, max(-start, 0) :]
    part = layer[top : top + greys.shape[0], max(start, 0) : max(start, 0) + greys.shape[1]]
    np.minimum(part, greys[:, : part.shape[1]], out=part)


@lru_cache(maxsize=1024)
@default_rc_params()
def _word(text: str, font: FontProperties, odd: int) -> tuple[float, Greys]:
    """Return the width of ``text``, px, and a picture of it as greys (height, width).

    The text begins ``_ASIDE + odd`` px from the left of the picture; its baseline is at ``_ASCENT`` px. ``odd`` is 1
    if the text begins at an odd x in the panel, else 0; the greys depend on it, since Agg rounds halves to even.
    """
    width = RendererAgg(1, 1, 72).get_text_width_height_descent(text, font, False)[0]
    renderer = RendererAgg(round(width) + 2 * _ASIDE, _ASCENT + _DESCENT, 72)
    renderer.draw_text(renderer.new_gc(), _ASIDE + odd, _ASCENT, text, font, 0.0)
    alpha = np.asarray(renderer.buffer_rgba())[:, :, 3].astype(np.float64) / 255.0
    return width, np.floor(WHITE - alpha * (WHITE - INK) + 0.5).astype(np.uint8)


def box(layer: Greys, top: int, bottom: int, left: int, right: int) -> None:
    """Draw the outline of a rectangle on ``layer``, a line of 1 px just outside [top, bottom) x [left, right)."""
    layer[top - 1, left - 1 : right + 1] = layer[bottom, left - 1 : right + 1] = INK
    layer[top - 1 : bottom + 1, left - 1] = layer[top - 1 : bottom + 1, right] = INK
