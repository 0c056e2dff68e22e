"""MaRVL-QA: its reference models, and what the probes look at."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, ClassVar, cast

import numpy as np

from planimeter.evals.baselines.solver import Drawn, Majority, Reader, Solver
from planimeter.evals.baselines.thumbnails import Thumbnail, peaks, registered, thumbnails
from planimeter.evals.probes.part import Floats, Measures, Part, columns
from planimeter.filters.certify.marvl_qa.certificate import CountingCertifier, PairCertifier
from planimeter.filters.certify.marvl_qa.shrunk import Pairs, read_count
from planimeter.filters.certify.readable import Look
from planimeter.items import Option
from planimeter.items.values import Recipe, Row


class _Certificate(Reader):
    """One certifier for a row group: the pictures in it that show one function are read once."""

    slow = True
    kind: ClassVar[type[CountingCertifier | PairCertifier]]

    @cached_property
    def certifier(self) -> Any:
        return self.kind()

    def read(self, row: Row) -> str:
        image, question = (row[name] for name in self.columns)
        return self.certifier.certify(image["bytes"], question).answer or ""


class CountingCertificate(_Certificate):
    """Counts on the picture with the check that the rows were certified with; the feature is the prompt's."""

    columns = ("image", "feature")
    kind = CountingCertifier


class PairCertificate(_Certificate):
    """Registers both panels with the check that the rows were certified with; the options are the prompt's."""

    columns = ("image", "options")
    kind = PairCertifier


class CommonestCount(Majority):
    """The commonest count of the feature that is asked for, taken from the very rows."""

    columns = ("feature",)
    learns = ("answer", "feature")
    by = "feature"


class CommonestOption(Majority):
    """The commonest transformation, wherever it stands among the options."""

    columns = ("options",)
    learns = ("transformation",)

    def read(self, row: Row) -> str:
        return _numbered(super().read(row), row)


class AnyOption(Solver):
    """A random option."""

    columns = ("options",)

    def answer(self, row: Row, rng: np.random.Generator) -> str:
        return str(int(rng.integers(len(row["options"]))) + 1)


class ThumbnailPeaks(Reader):
    """Counts what stands out in a thumbnail of the plot."""

    columns = ("image", "feature")
    slow = True
    sized = True

    def read(self, row: Row) -> str:
        return "".join(str(peaks(small, row["feature"])) for small in thumbnails(row["image"]["bytes"], self.size, 1))


class ThumbnailPair(Reader):
    """Registers the thumbnails of both plots."""

    columns = ("image", "options")
    slow = True
    sized = True

    def read(self, row: Row) -> str:
        small = thumbnails(row["image"]["bytes"], self.size, 2)
        options = cast(Sequence[Option], row["options"])
        return _numbered(registered(small[0], small[1], options), row) if small else ""


def _numbered(option: str, row: Row) -> str:
    return str(row["options"].index(option) + 1)


SOLVERS: Mapping[str, Mapping[str, type[Solver]]] = {
    "certifier": {"counting": CountingCertificate, "transformation": PairCertificate},
    "majority": {"counting": CommonestCount, "transformation": CommonestOption},
    "random": {"counting": Drawn, "transformation": AnyOption},
    "thumbnail": {"counting": ThumbnailPeaks, "transformation": ThumbnailPair},
}


#: Sides of the thumbnails of which blind probes see one panel, px: of the moments, and of the picture itself.
_FINE, _COARSE = 32, 8

#: What was seen of pictures that were looked at one step below the size at which they are readable.
LOOKED = (
    "Looked at by eye one step smaller, all 22 pictures with coloured heights, alone or with lines, could still "
    "be answered. Plots of lines alone count as readable at their own size only, for the program ties a line's "
    "grey to the key: it gives up there, and not the picture, for all of 8 could be answered by eye at 160 px."
)

_METRICS = ("accuracy", "relaxed_10", "relaxed_20")
_STYLE = columns("plot_type", "colormap")
_STYLES = columns("plot_type_a", "colormap_a", "plot_type_b", "colormap_b")
_WINDOW = columns("x_min", "x_max", "y_min", "y_max")


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


def _order(row: Row) -> Measures:
    return {f"{option} at {place}": 1.0 for place, option in enumerate(row["options"])}


def _family(row: Row) -> str:
    return str(row["family"])


def _counted(recipe: Recipe, config: str) -> Callable[[Row], Look]:  # noqa: ARG001 - they look alike
    return lambda row: partial(read_count, feature=row["feature"])


def _paired(recipe: Recipe, config: str) -> Callable[[Row], Look]:  # noqa: ARG001 - they look alike
    pairs = Pairs()
    return lambda row: partial(pairs.read, options=row["options"])


PARTS: Mapping[str, Part] = {
    "counting": Part(
        guesses="count",
        targets=lambda rows: [str(row["count"]) for row in rows],
        group=_family,
        stratum=_family,
        metrics=_METRICS,
        style=_STYLE,
        blind={"style": _STYLE, "tick labels": _WINDOW},
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
        style=_STYLES,
        blind={"option order": _order, "style": _STYLES, "tick labels": _WINDOW},
        looks=_panels,
        shrunk=_paired,
        constants=5,
        pixels=(2, 4, 8, 16, 32),
    ),
}
