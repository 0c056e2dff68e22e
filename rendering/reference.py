"""matplotlib's default settings: nothing that a user keeps in a matplotlibrc may change a byte of a picture.

The fonts are the files that matplotlib brings along, so that no font of the system is searched for or found.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import matplotlib
from matplotlib.font_manager import FontProperties

#: What Agg, the tracing of paths and the setting of text read from the settings.
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
    """Set the defaults of what is read; use as ``@default_rc_params()`` on functions that make paths or draw.

    ``matplotlib.rc_context`` would put away all of the settings and take a millisecond for it.
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
    """Return the font in ``file``, one of those that matplotlib brings along, at ``size`` points."""
    return FontProperties(family="DejaVu Sans", fname=Path(matplotlib.get_data_path(), "fonts", "ttf", file), size=size)
