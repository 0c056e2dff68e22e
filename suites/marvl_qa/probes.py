"""The baselines (reference models) of MaRVL-QA, and the inputs of the probes, which search for shortcuts.

A thumbnail baseline has only n x n grey values of a plot: the plot area, which is at the same position in every picture
of the suite, is cut out and reduced by averaging; in a contour plot, which is mostly white, dark ink counts as height.
Nothing is trained: an extremum counts if its prominence is a tenth of the range or more, and a translation is a whole
number of thumbnail pixels, up to a quarter of the axis.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from typing import Any, ClassVar, Final, cast

import cv2
import numpy as np
import numpy.typing as npt

from planimeter.evals.baselines.solver import Drawn, Majority, Reader, Solver
from planimeter.evals.probes.part import Floats, Measures, Part, columns, shrunk_by
from planimeter.filters.certify.marvl_qa import motions, surface_motions
from planimeter.filters.certify.marvl_qa.certificate import FINE_SWEEP, CountingCertifier, PairCertifier
from planimeter.filters.certify.marvl_qa.shrunk import FINE_STRIDE, Pairs, read_count
from planimeter.filters.certify.png import decoded
from planimeter.filters.certify.readable import Look
from planimeter.items import Option
from planimeter.items.motions import MOTIONS
from planimeter.items.values import Recipe, Row
from planimeter.suites.marvl_qa import surface_probes
from planimeter.suites.marvl_qa.thumbnails import Thumbnail, peaks

#: The plot area of a panel: rows and columns in px. A second panel begins ``PANEL_WIDTH`` px further to the right.
PLOT: Final = (slice(50, 530), slice(86, 566))
PANEL_WIDTH: Final = 640


def thumbnails(png: bytes, size: int, panels: int) -> list[Thumbnail]:
    """Return a thumbnail of the plot in each panel, float32 (``size``, ``size``), greater where the surface is higher.

    The list is empty if the picture does not have the width of ``panels`` panels.
    """
    return [
        np.asarray(cv2.resize(plot, (size, size), interpolation=cv2.INTER_AREA), np.float32)
        for plot in _plots(png, panels)
    ]


@lru_cache(maxsize=1)
def _plots(png: bytes, panels: int) -> list[npt.NDArray[np.uint8]]:
    """Return the plot area of each panel in grey, lighter where the surface is higher.

    The list is empty if the picture is not as wide as ``panels`` panels. The last picture is cached.
    """
    picture = decoded(png, cv2.IMREAD_GRAYSCALE)
    if picture is None or picture.shape[1] != panels * PANEL_WIDTH:
        return []
    plots = [picture[:, panel * PANEL_WIDTH :][PLOT] for panel in range(panels)]
    heights = [255 - plot if np.mean(plot == 255) > 0.5 else plot for plot in plots]
    return [np.ascontiguousarray(plot, np.uint8) for plot in heights]


def registered(first: Thumbnail, second: Thumbnail, options: Sequence[Option]) -> Option:
    """Return the transformation in ``options`` that turns ``first`` into the plot nearest to ``second``."""
    residuals: Mapping[Option, Callable[[], float]] = {
        "no_change": lambda: _difference(first, second),
        "rotate_90_clockwise": lambda: _difference(np.rot90(first, -1), second),
        "rotate_180": lambda: _difference(np.rot90(first, 2), second),
        "translate_x": lambda: _least_shifted(first, second),
        "translate_y": lambda: _least_shifted(first.T, second.T),
    }
    return min(options, key=lambda option: residuals[option]())


def _least_shifted(first: Thumbnail, second: Thumbnail, shifts: Sequence[int] = ()) -> float:
    """Return the least difference of ``first`` and ``second`` on their overlap, over shifts along the rows, both ways.

    ``shifts``: numbers of pixels, by default from 1 to a quarter of the row.
    """
    size = first.shape[1]
    return min(
        _difference(a[:, shift:], b[:, : size - shift])
        for shift in shifts or range(1, max(size // 4, 1) + 1)
        for a, b in ((first, second), (second, first))
    )


def _difference(first: Thumbnail, second: Thumbnail) -> float:
    return float(np.sqrt(np.mean(np.square(_standard(first) - _standard(second)))))


def _standard(part: Thumbnail) -> Thumbnail:
    """Return ``part`` with mean 0 and standard deviation 1, because colour maps have no common scale."""
    return np.asarray((part - part.mean()) / (float(part.std()) or 1.0), np.float32)


class _Certificate(Reader):
    """A baseline that answers with the result of a certifier, which reuses its analysis of a function in later rows."""

    slow = True
    kind: ClassVar[type[CountingCertifier | PairCertifier]]

    @cached_property
    def certifier(self) -> Any:
        return self.kind()

    def read(self, row: Row) -> str:
        image, question = (row[name] for name in self.columns)
        return self.certifier.certify(image["bytes"], question).answer or ""


class CountingCertificate(_Certificate):
    """A baseline that answers with the certifier's count of the feature in the prompt."""

    columns = ("image", "feature")
    kind = CountingCertifier


class PairCertificate(_Certificate):
    """A baseline that answers with the option in the prompt that the certifier finds from both plots."""

    columns = ("image", "options")
    kind = PairCertifier


class FineCountingCertificate(CountingCertificate):
    """A baseline that answers with the count of the certifier of ``counting_hard``."""

    @cached_property
    def certifier(self) -> CountingCertifier:
        return CountingCertifier(FINE_SWEEP)


class MotionCertificate(Reader):
    """A baseline that answers with the option that the certifier of ``transformation_hard`` finds from both panels."""

    columns = ("image", "options")
    slow = True

    def read(self, row: Row) -> str:
        return motions.certify(row["image"]["bytes"], row["options"]).answer or ""


class CommonestCount(Majority):
    """A baseline that answers with the most frequent count of the asked feature in all rows."""

    columns = ("feature",)
    learns = ("answer", "feature")
    by = "feature"


class CommonestOption(Majority):
    """A baseline that finds the most frequent transformation of all rows in the row's options, and gives its number."""

    columns = ("options",)
    learns = ("transformation",)

    def read(self, row: Row) -> str:
        return _numbered(super().read(row), row)


class CommonestMotion(CommonestOption):
    """A baseline that finds the most frequent motion of all rows in the row's options, and gives its number."""

    learns = ("motion",)


class AnyOption(Solver):
    """A baseline that answers with a random option."""

    columns = ("options",)

    def answer(self, row: Row, rng: np.random.Generator) -> str:
        return str(int(rng.integers(len(row["options"]))) + 1)


class ThumbnailPeaks(Reader):
    """A baseline that counts the prominent extrema in a thumbnail of the plot."""

    columns = ("image", "feature")
    slow = True
    sized = True

    def read(self, row: Row) -> str:
        return "".join(str(peaks(small, row["feature"])) for small in thumbnails(row["image"]["bytes"], self.size, 1))


class ThumbnailPair(Reader):
    """A baseline that answers with the option that turns a thumbnail of plot A into the one nearest to plot B's."""

    columns = ("image", "options")
    slow = True
    sized = True

    def read(self, row: Row) -> str:
        small = thumbnails(row["image"]["bytes"], self.size, 2)
        options = cast(Sequence[Option], row["options"])
        return _numbered(registered(small[0], small[1], options), row) if small else ""


class ThumbnailMotion(Reader):
    """A baseline that answers with the motion that turns a thumbnail of plot A into the one nearest to plot B's."""

    columns = ("image", "options")
    slow = True
    sized = True

    def read(self, row: Row) -> str:
        small = thumbnails(row["image"]["bytes"], self.size, 2)
        return _numbered(moved(small[0], small[1]), row) if small else ""


def moved(first: Thumbnail, second: Thumbnail) -> str:
    """Return the name of the motion that turns ``first`` into the plot nearest to ``second``.

    Translations are whole numbers of pixels, up to 6% of the side.
    """
    size = len(first)
    shifts = range(1, max(round(motions.MOST_SHIFT * size), 1) + 1)
    residuals: dict[str, float] = {}
    for name, motion in MOTIONS.items():
        turned, target = motions.TURNED[motion.turn](first), second
        if motion.axis == "y":
            turned, target = turned.T, target.T
        residuals[name] = _least_shifted(turned, target, shifts) if motion.axis else _difference(turned, target)
    return min(residuals, key=residuals.__getitem__)


def _numbered(option: str, row: Row) -> str:
    return str(row["options"].index(option) + 1)


SOLVERS: Mapping[str, Mapping[str, type[Solver]]] = {
    "certifier": {
        "counting": CountingCertificate,
        "transformation": PairCertificate,
        "counting_hard": FineCountingCertificate,
        "transformation_hard": MotionCertificate,
        "surface": surface_probes.SurfaceCertificate,
        "surface_transformation": surface_probes.SurfaceMotionCertificate,
    },
    "majority": {
        "counting": CommonestCount,
        "transformation": CommonestOption,
        "counting_hard": CommonestCount,
        "transformation_hard": CommonestMotion,
        "surface": CommonestCount,
        "surface_transformation": CommonestMotion,
    },
    "random": {
        "counting": Drawn,
        "transformation": AnyOption,
        "counting_hard": Drawn,
        "transformation_hard": AnyOption,
        "surface": Drawn,
        "surface_transformation": AnyOption,
    },
    "thumbnail": {
        "counting": ThumbnailPeaks,
        "transformation": ThumbnailPair,
        "counting_hard": ThumbnailPeaks,
        "transformation_hard": ThumbnailMotion,
        "surface": surface_probes.ThumbnailSurface,
        "surface_transformation": surface_probes.ThumbnailSurfaceMotion,
    },
}


#: Sides of the one-panel thumbnails for blind probes, px: for the moments, and for the picture itself.
_FINE, _COARSE = 32, 8

_METRICS = ("accuracy", "relaxed_10", "relaxed_20")
_STYLE = columns("plot_type", "colormap")
_STYLES = columns("plot_type_a", "colormap_a", "plot_type_b", "colormap_b")
_WINDOW = columns("x_min", "x_max", "y_min", "y_max")


def moments(panel: Thumbnail) -> Floats:
    """Return the moments of heights: centroid, covariances (xx, yy, xy), mean, standard deviation; the side is 1."""
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
    """Return the inputs, by name, of the blind probes that see only one of the two plots in ``png``."""
    return _alone(thumbnails(png, _FINE, 2))


def _alone(plots: Sequence[Thumbnail]) -> Mapping[str, Floats]:
    """Return, by name, inputs of blind probes that see one of ``plots`` alone: its moments, and itself at 8 x 8 px."""
    panels = {}
    for name, small in zip("AB", plots, strict=False):
        cell = _FINE // _COARSE
        panels[f"plot {name} alone: moments"] = moments(small)
        panels[f"plot {name} alone: {_COARSE} x {_COARSE} px"] = (
            small.reshape(_COARSE, cell, _COARSE, cell).mean(axis=(1, 3)).ravel()
        )
    return panels


def _order(row: Row) -> Measures:
    return {f"{option} at {place}": 1.0 for place, option in enumerate(row["options"])}


def _family(row: Row) -> str:
    return str(row["family"])


def _paired(recipe: Recipe, config: str) -> Callable[[Row], Look]:  # noqa: ARG001 - they look alike
    pairs = Pairs()
    return lambda row: partial(pairs.read, options=row["options"])


def _maps(png: bytes) -> Mapping[str, Floats]:
    """Return the inputs, by name, of the blind probes that see only one of the two 3D surfaces, as a map of heights."""
    maps = [np.nan_to_num(one, nan=float(np.nanmean(one))) for one in surface_motions.read_maps(png)]
    small = [cv2.resize(one, (_FINE, _FINE), interpolation=cv2.INTER_AREA) for one in maps]
    return _alone([np.asarray(one, np.float32) for one in small])


_COLORMAPS = columns("colormap_a", "colormap_b")
_VIEWS = columns("elevation_a", "azimuth_a", "elevation_b", "azimuth_b")
_DRAWN = columns("elevation_a", "azimuth_a", "elevation_b", "azimuth_b", "colormap_a", "colormap_b", "mesh")
_MOTION_PART: Final = Part(
    guesses="motion",
    targets=lambda rows: [str(row["motion"]) for row in rows],
    stratum=_family,
    metrics=_METRICS[:1],
    style=_COLORMAPS,
    blind={"option order": _order, "style": _COLORMAPS, "tick labels": _WINDOW},
    looks=_panels,
    shrunk=shrunk_by(motions.read_motion, "options"),
    constants=18,
    pixels=(8, 16, 24, 32, 48),
)
PARTS: Mapping[str, Part] = {
    "counting": Part(
        guesses="count",
        targets=lambda rows: [str(row["count"]) for row in rows],
        group=_family,
        stratum=_family,
        metrics=_METRICS,
        style=_STYLE,
        blind={"style": _STYLE, "tick labels": _WINDOW},
        shrunk=shrunk_by(read_count, "feature"),
        constants=20,
        pixels=(4, 8, 16, 24, 32),
    ),
    "transformation": Part(
        guesses="transformation",
        targets=lambda rows: [str(row["transformation"]) for row in rows],
        group=_family,
        stratum=_family,
        metrics=_METRICS[:1],
        style=_STYLES,
        blind={"option order": _order, "style": _STYLES, "tick labels": _WINDOW},
        looks=_panels,
        shrunk=_paired,
        constants=5,
        pixels=(2, 4, 8, 16, 32),
    ),
    "counting_hard": Part(
        guesses="count",
        targets=lambda rows: [str(row["count"]) for row in rows],
        stratum=_family,
        metrics=_METRICS,
        style=_STYLE,
        blind={"style": _STYLE, "tick labels": _WINDOW},
        shrunk=shrunk_by(partial(read_count, stride=FINE_STRIDE), "feature"),
        constants=20,
        pixels=(8, 16, 24, 32, 48),
    ),
    "transformation_hard": _MOTION_PART,
    "surface": surface_probes.PART,
    "surface_transformation": replace(
        _MOTION_PART,
        style=_DRAWN,
        blind={**_MOTION_PART.blind, "view": _VIEWS},
        looks=_maps,
        shrunk=shrunk_by(surface_motions.read_motion, "options"),
    ),
}
