"""Draws figures of one or several panels as SVG, by matplotlib in the style of ``planimeter.mplstyle``.

Draw within ``with sheet(...) as page:`` and read ``page.svg`` afterwards. Equal drawings have equal bytes.
"""

import io
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib.style
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FuncFormatter
from numpy.typing import ArrayLike

STYLE = Path(__file__).with_name("planimeter.mplstyle")

#: With ten colours, ninety series have different lines.
MARKERS = "osD^vPX*<"

#: Letters per inch of a title, and of a legend, whose handle is as wide as six; the height of a line in inches.
_LETTERS, _LETTERS_OF_LEGEND, _LINE = 9, 12, 0.17


@dataclass
class Sheet:
    """A figure that is being drawn: its ``panels``, row by row, ``across`` of them in each row.

    ``svg`` is its SVG text, set at the end of the ``with`` block of ``sheet``.
    """

    canvas: Canvas
    panels: list[Axes]
    across: int
    svg: str = field(default="", init=False)

    def title(self, panel: Axes, text: str) -> None:
        """Write ``text`` above ``panel``, in as many lines as its width requires."""
        panel.set_title("\n".join(textwrap.wrap(text, int(self.canvas.get_figwidth() / self.across * _LETTERS))))

    def legend(self) -> None:
        """Draw one legend with the labels of all panels below the panels, and increase the figure's height for it."""
        labelled: dict[str, Artist] = {}
        for panel in self.panels:
            for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
                labelled.setdefault(label, handle)
        if not labelled:
            return
        fitting = int(self.canvas.get_figwidth() * _LETTERS_OF_LEGEND / (6 + max(map(len, labelled))))
        columns = min(4, max(1, fitting))
        self.canvas.set_figheight(self.canvas.get_figheight() + _LINE * -(-len(labelled) // columns))
        self.canvas.legend(list(labelled.values()), list(labelled), loc="outside lower center", ncols=columns)


@contextmanager
def sheet(panels: int = 1, *, columns: int = 3, size: tuple[float, float] = (4.2, 2.8)) -> Iterator[Sheet]:
    """Yield an empty figure of ``panels`` panels, at most ``columns`` in a row, to draw on; then render it as SVG.

    ``size`` is width and height of a panel in inches.
    """
    across = max(1, min(columns, panels))
    down = -(-max(1, panels) // across)
    with matplotlib.style.context(STYLE, after_reset=True):
        canvas = Canvas(figsize=(size[0] * across, size[1] * down))
        FigureCanvasSVG(canvas)
        grid = canvas.subplots(down, across, squeeze=False).ravel().tolist()
        for unused in grid[panels:]:
            unused.remove()
        page = Sheet(canvas, grid[:panels], across)
        yield page
        written = io.StringIO()
        canvas.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    page.svg = '<svg class="planimeter-figure" ' + written.getvalue().partition("<svg ")[2]


def colour(index: int) -> str:
    """Return matplotlib's name of the colour of series ``index``, the same in all figures."""
    return f"C{index % 10}"


def percent(panel: Axes, *axes: str, signed: bool = False) -> None:
    """Label ``axes`` (``"x"``, ``"y"``), whose values are shares from 0 to 1, in per cent.

    If ``signed``, the values are differences of shares, labelled in percentage points with their sign.
    """
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
    """Draw a line with markers and, if ``low`` and ``high`` are given, the band between them; NaN leaves a gap.

    ``index`` is the number of the series, which determines its colour and marker.
    """
    marker = MARKERS[index % len(MARKERS)]
    panel.plot(x, y, "--" if dashed else "-", color=colour(index), marker=marker, label=label)
    if low is not None and high is not None:
        panel.fill_between(x, low, high, color=colour(index), alpha=0.08 if dashed else 0.15, linewidth=0)
