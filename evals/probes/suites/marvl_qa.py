"""What the probes look at in MaRVL-QA."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from planimeter.evals.baselines.thumbnails import Thumbnail, thumbnails
from planimeter.evals.probes.part import Floats, Measures, Part, Row
from planimeter.filters.certify.marvl_qa.shrunk import Pairs, read_count
from planimeter.filters.certify.readable import Look

#: Sides of the thumbnails of which blind probes see one panel, px: of the moments, and of the picture itself.
_FINE, _COARSE = 32, 8

#: What was seen of pictures that were looked at one step below the size at which they are readable.
LOOKED = (
    "Looked at by eye one step smaller, all 22 pictures with coloured heights, alone or with lines, could still "
    "be answered. Plots of lines alone count as readable at their own size only, for the program ties a line's "
    "grey to the key: it gives up there, and not the picture, for all of 8 could be answered by eye at 160 px."
)

_METRICS = ("accuracy", "relaxed_10", "relaxed_20")
_OF_PANELS = tuple(f"{what}_{panel}" for panel in "ab" for what in ("plot_type", "colormap"))


def moments(panel: Thumbnail) -> Floats:
    """Return the centre (x, y; shares of the side), spreads (xx, yy, xy), and mean and deviation of the heights."""
    heights = np.asarray(panel, np.float64) - panel.min()
    heights /= max(float(heights.max()), 1.0)
    weights = heights / max(float(heights.sum()), 1e-9)
    side = len(panel)
    along = (np.arange(side) - (side - 1) / 2) / side
    across = along[:, None]
    x, y = float((weights * along).sum()), float((weights * across).sum())
    spreads = (
        float((weights * along**2).sum()) - x * x,
        float((weights * across**2).sum()) - y * y,
        float((weights * along * across).sum()) - x * y,
    )
    return np.array([x, y, *spreads, heights.mean(), heights.std()])


def _panels(png: bytes) -> Mapping[str, Floats]:
    """Return what a blind probe sees of each panel alone."""
    panels = {}
    for name, small in zip("AB", thumbnails(png, _FINE, 2), strict=False):
        cell = _FINE // _COARSE
        panels[f"plot {name} alone: moments"] = moments(small)
        panels[f"plot {name} alone: {_COARSE} x {_COARSE} px"] = (
            small.reshape(_COARSE, cell, _COARSE, cell).mean(axis=(1, 3)).ravel()
        )
    return panels


def _texts(names: tuple[str, ...]) -> Callable[[Row], Measures]:
    return lambda row: {name: str(row[name]) for name in names}


def _window(row: Row) -> Measures:
    return {name: float(row[name]) for name in ("x_min", "x_max", "y_min", "y_max")}


def _order(row: Row) -> Measures:
    return {f"{option} at {place}": 1.0 for place, option in enumerate(row["options"])}


def _family(row: Row) -> str:
    return str(row["family"])


def _counted(recipe: Mapping[str, Any], config: str) -> Callable[[Row], Look]:  # noqa: ARG001 - they look alike
    return lambda row: partial(read_count, feature=row["feature"])


def _paired(recipe: Mapping[str, Any], config: str) -> Callable[[Row], Look]:  # noqa: ARG001 - they look alike
    pairs = Pairs()
    return lambda row: partial(pairs.read, options=row["options"])


PARTS: Mapping[str, Part] = MappingProxyType(
    {
        "counting": Part(
            guesses="count",
            targets=lambda rows: [str(row["count"]) for row in rows],
            group=_family,
            stratum=_family,
            metrics=_METRICS,
            style=_texts(("plot_type", "colormap")),
            blind={"style": _texts(("plot_type", "colormap")), "tick labels": _window},
            shrunk=_counted,
            constants=20,
            pixels=(4, 8, 16, 24, 32),
        ),
        "transformation": Part(
            guesses="transformation",
            targets=lambda rows: [str(row["transformation"]) for row in rows],
            group=_family,
            stratum=_family,
            metrics=_METRICS[:1],
            style=_texts(_OF_PANELS),
            blind={"option order": _order, "style": _texts(_OF_PANELS), "tick labels": _window},
            looks=_panels,
            shrunk=_paired,
            constants=5,
            pixels=(2, 4, 8, 16, 32),
        ),
    }
)
