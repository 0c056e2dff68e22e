"""Sets matplotlib to its default settings and the fonts it includes, so that drawing is equal on all machines.

Neither a user's matplotlibrc nor a font of the system changes a byte.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import matplotlib
from matplotlib.font_manager import FontProperties

#: Settings that Agg, the tracing of paths and the layout of text read.
_READ: Final = (
    "agg.path.chunksize",
    "font.enable_last_resort",
    "path.simplify",
    "path.simplify_threshold",
    "text.hinting",
    "text.hinting_factor",
    "text.kerning_factor",
)

_DEFAULTS: Final[Any] = {name: matplotlib.rcParamsDefault[name] for name in _READ}


@contextmanager
def default_rc_params() -> Iterator[None]:
    """Set matplotlib's settings for drawing to their defaults, in a ``with`` block or in a decorated function.

    ``matplotlib.rc_context`` would save all settings, which takes a millisecond.
    """
    before: Any = {name: matplotlib.rcParams[name] for name in _READ}
    if before == _DEFAULTS:
        # Writing settings takes longer than drawing a word.
        yield
        return
    matplotlib.rcParams.update(_DEFAULTS)
    try:
        yield
    finally:
        matplotlib.rcParams.update(before)


def font(size: float, file: str = "DejaVuSans.ttf") -> FontProperties:
    """Return the font of ``file``, one of the font files that matplotlib includes, at ``size`` points."""
    return FontProperties(family="DejaVu Sans", fname=Path(matplotlib.get_data_path(), "fonts", "ttf", file), size=size)
