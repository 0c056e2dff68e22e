"""Figures as SVG, by matplotlib: the same bytes each time, with text as text, readable on white and on dark ground.

The ground is transparent. Ink is ``currentColor``, which follows the reader's colour scheme; the other colours have
enough contrast on both grounds, and shades are a colour's opacity. Draw within ``with sheet(...) as page:`` and take
``page.svg`` afterwards.
"""

import io
import textwrap
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure as Canvas
from matplotlib.rcsetup import cycler
from matplotlib.ticker import FuncFormatter
from numpy.typing import ArrayLike

#: Of each colour the contrast is above 3 with white and with #14171a. Repeated, they differ by their markers.
COLOURS = (
    "#2f7fb8", "#c8641e", "#2a9155", "#b0579f", "#a07c10", "#d1495b", "#1b93a0", "#7b6fd0", "#7d8a2e", "#8a8078",
)  # fmt: skip
MARKERS = "osD^vPX*<"
MORE, LESS = COLOURS[0], COLOURS[1]

#: Letters of a title that an inch of a panel holds, beside the labels of its axis.
_LETTERS = 9

#: Letters of a legend that an inch holds, with a space for the handle of six, and the height of its lines in inches.
_LETTERS_OF_LEGEND, _LINE = 12, 0.17

#: Stands for ink while matplotlib draws, and becomes ``currentColor``; no other colour is like it.
_INK = "#010203"
_SCHEME = (
    "<style>.planimeter-figure{color:#1d2126}"
    "@media(prefers-color-scheme:dark){.planimeter-figure{color:#e6e8ea}}</style>"
)
#: matplotlib checks the names; labels are no formulas, whatever dollar signs a model's name has.
_RC: Any = {
    "text.parse_math": False,
    "axes.prop_cycle": cycler(color=[_INK]),
    "svg.fonttype": "none",
    "svg.hashsalt": "planimeter",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.alpha": 0.15,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "xtick.major.size": 2,
    "ytick.major.size": 2,
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor"), _INK),
    **dict.fromkeys(("xtick.color", "ytick.color", "grid.color"), _INK),
}
#: matplotlib's settings belong to the whole process.
_LOCK = threading.RLock()


@dataclass
class Sheet:
    """A figure in the making: its panels, row by row, ``across`` in each; ``svg`` once the ``with`` block is left."""

    canvas: Canvas
    panels: list[Axes]
    across: int
    svg: str = field(default="", init=False)

    def title(self, panel: Axes, text: str) -> None:
        """Write above a panel what may be a long name of a model, in as many lines as its width asks for."""
        letters = int(self.canvas.get_figwidth() / self.across * _LETTERS)
        panel.set_title("\n".join(textwrap.wrap(text, letters)))

    def legend(self) -> None:
        """Put one legend of all panels' labels below the figure, as many side by side as its width holds."""
        labelled: dict[str, Artist] = {}
        for panel in self.panels:
            for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
                labelled.setdefault(label, handle)
        if not labelled:
            return
        held = self.canvas.get_figwidth() * _LETTERS_OF_LEGEND / (6 + max(map(len, labelled)))
        columns = min(4, max(1, int(held)))
        self.canvas.set_figheight(self.canvas.get_figheight() + _LINE * -(-len(labelled) // columns))
        self.canvas.legend(list(labelled.values()), list(labelled), loc="outside lower center", ncols=columns)


@contextmanager
def sheet(panels: int = 1, *, columns: int = 3, size: tuple[float, float] = (4.2, 2.8)) -> Iterator[Sheet]:
    """Yield a sheet of so many panels, at most ``columns`` side by side, each of ``size`` (width, height) in inches."""
    across = max(1, min(columns, panels))
    down = -(-max(1, panels) // across)
    with _LOCK, matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_RC)
        canvas = Canvas(figsize=(size[0] * across, size[1] * down), layout="constrained")
        FigureCanvasSVG(canvas)
        grid = canvas.subplots(down, across, squeeze=False).ravel().tolist()
        for unused in grid[panels:]:
            unused.remove()
        page = Sheet(canvas, grid[:panels], across)
        yield page
        page.svg = _svg(canvas)


def colour(index: int) -> str:
    """Return the colour of the model or series number ``index``, the same in all figures."""
    return COLOURS[index % len(COLOURS)]


def percent(panel: Axes, *axes: str, signed: bool = False) -> None:
    """Label the axes (``"x"``, ``"y"``) of shares in per cent, or of differences in points with their sign."""
    for name in axes:
        axis = panel.xaxis if name == "x" else panel.yaxis
        form = "{:+.0f}" if signed else "{:.0f}%"
        axis.set_major_formatter(FuncFormatter(lambda share, _, form=form: form.format(100 * share).replace("+0", "0")))


def line(
    panel: Axes,
    x: ArrayLike,
    y: ArrayLike,
    low: ArrayLike | None = None,
    high: ArrayLike | None = None,
    *,
    index: int = 0,
    label: str | None = None,
    dashed: bool = False,
) -> None:
    """Draw a line with markers and, where ``low`` and ``high`` are given, the band between them; NaN leaves a gap."""
    marker, linestyle = MARKERS[index % len(MARKERS)], "--" if dashed else "-"
    panel.plot(x, y, linestyle, color=colour(index), marker=marker, markersize=4, linewidth=1.5, label=label)
    if low is not None and high is not None:
        panel.fill_between(x, low, high, color=colour(index), alpha=0.08 if dashed else 0.15, linewidth=0)


def bars(
    panel: Axes,
    names: Sequence[str],
    series: Mapping[str, tuple[ArrayLike, ArrayLike | None, ArrayLike | None]],
    *,
    across: bool = True,
) -> None:
    """Draw for each of ``names`` a bar of each series (values, low, high) with whiskers.

    Bars lie, the first name at the top, or stand unless ``across``. A single series without a name has no label.
    """
    width = 0.8 / max(1, len(series))
    places = np.arange(len(names), dtype=float)
    for number, (label, (values, low, high)) in enumerate(series.items()):
        shift = places + width * (number - (len(series) - 1) / 2)
        heights = np.asarray(values, dtype=float)
        draw = panel.barh if across else panel.bar
        # For matplotlib a label that begins with an underscore is none.
        draw(shift, heights, width * 0.92, color=colour(number), label=label or "_", linewidth=0)
        if low is not None and high is not None:
            spread = np.abs(np.vstack([heights - np.asarray(low, float), np.asarray(high, float) - heights]))
            (x, y), (xerr, yerr) = ((heights, shift), (spread, None)) if across else ((shift, heights), (None, spread))
            panel.errorbar(x, y, yerr, xerr, fmt="none", ecolor=_INK, elinewidth=0.9, capsize=2)
    _named(panel, names, "y" if across else "x")


def stacked(panel: Axes, names: Sequence[str], parts: Mapping[str, ArrayLike]) -> None:
    """Draw for each of ``names`` one lying bar made of ``parts``, the first name at the top."""
    left = np.zeros(len(names))
    for number, (label, shares) in enumerate(parts.items()):
        portions = np.nan_to_num(np.asarray(shares, dtype=float))
        panel.barh(np.arange(len(names)), portions, 0.72, left=left, label=label, linewidth=0, color=colour(number))
        left += portions
    _named(panel, names, "y")


def heat(panel: Axes, values: ArrayLike, rows: Sequence[str], columns: Sequence[str]) -> None:
    """Draw a table of cells, the first row at the top, each with its number: shares in per cent, differences in points.

    ``values`` (rows, columns) shade the cells: from 0 to 1 in one colour; if any is below 0, to the farthest from 0 in
    two. Cells that are NaN are crossed out.
    """
    cells = np.asarray(values, dtype=float)
    signed = bool((cells < 0).any())
    top = float(np.nanmax(np.abs(cells))) if signed else 1.0
    panel.grid(visible=False)
    panel.set(xlim=(-0.5, len(columns) - 0.5), ylim=(len(rows) - 0.5, -0.5))
    for (row, column), value in np.ndenumerate(cells):
        corner = (column - 0.5, row - 0.5)
        if np.isnan(value):
            ends = ([corner[0] + 0.2, corner[0] + 0.8], [corner[1] + 0.8, corner[1] + 0.2])
            panel.plot(*ends, color=_INK, alpha=0.25, linewidth=0.8)
            continue
        alpha = 0.75 * min(1.0, abs(float(value)) / top)
        shade = matplotlib.patches.Rectangle(corner, 1, 1, color=MORE if value >= 0 else LESS, alpha=alpha, linewidth=0)
        panel.add_patch(shade)
        # Adding 0 turns -0.0 into 0.0.
        text = f"{round(100 * value, 1) + 0:+.1f}" if signed else f"{100 * value:.0f}"
        panel.text(column, row, text, ha="center", va="center", fontsize=8)
    panel.set_xticks(range(len(columns)), list(columns), ha="center")
    if max(map(len, columns), default=0) > 6:
        panel.tick_params(axis="x", rotation=35)
        for label in panel.get_xticklabels():
            label.set(ha="right", rotation_mode="anchor")
    panel.set_yticks(range(len(rows)), list(rows))
    panel.tick_params(length=0)
    for spine in panel.spines.values():
        spine.set_visible(False)


def _named(panel: Axes, names: Sequence[str], axis: Literal["x", "y"]) -> None:
    (panel.set_yticks if axis == "y" else panel.set_xticks)(range(len(names)), list(names))
    if axis == "y":
        panel.set_ylim(len(names) - 0.4, -0.6)
    panel.tick_params(axis=axis, length=0)
    panel.grid(visible=False, axis=axis)


def _svg(canvas: Canvas) -> str:
    written = io.StringIO()
    canvas.savefig(written, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = written.getvalue().replace(_INK, "currentColor")
    text = text[text.index("<svg") :].replace("<svg ", '<svg class="planimeter-figure" ', 1)
    head = text.index(">") + 1
    return text[:head] + _SCHEME + text[head:]
