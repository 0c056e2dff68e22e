"""The frozen records that pass between the rooms: what an item is, and what a reader recovered from it.

Records hold values and no behaviour beyond checking themselves. They are the only thing of ours that the certifiers
import, so nothing here computes an answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Feature = Literal["maxima", "minima"]
FEATURES: tuple[Feature, ...] = ("maxima", "minima")

PlotType = Literal["heatmap", "contour", "heatmap-contour"]
Colormap = Literal["viridis", "plasma", "inferno", "magma", ""]

Transformation = Literal["rotate_90_clockwise", "rotate_180", "translate_x", "translate_y"]
TRANSFORMATIONS: tuple[Transformation, ...] = ("rotate_90_clockwise", "rotate_180", "translate_x", "translate_y")

Option = Literal["rotate_90_clockwise", "rotate_180", "translate_x", "translate_y", "no_change"]
OPTIONS: tuple[Option, ...] = (*TRANSFORMATIONS, "no_change")


@dataclass(frozen=True, kw_only=True, slots=True)
class Domain:
    """The window of a plot in the units of its axes, y up."""

    x_min: float
    x_max: float
    y_min: float
    y_max: float

    def __post_init__(self) -> None:
        if not (self.x_min < self.x_max and self.y_min < self.y_max):
            raise ValueError(f"need x_min < x_max and y_min < y_max, got {self}")


@dataclass(frozen=True, kw_only=True, slots=True)
class PlotStyle:
    """How one panel is drawn; ``colormap`` is empty for contour plots and only for them."""

    plot_type: PlotType
    colormap: Colormap

    def __post_init__(self) -> None:
        if (self.plot_type == "contour") != (self.colormap == ""):
            raise ValueError(f"a contour plot has no colour map and every other plot has one, got {self}")

    def __str__(self) -> str:
        return f"{self.plot_type}/{self.colormap}" if self.colormap else self.plot_type


#: The nine styles of the paper (MaRVL-QA, A.4), in the order of their variant numbers.
STYLES: tuple[PlotStyle, ...] = (
    PlotStyle(plot_type="heatmap", colormap="viridis"),
    PlotStyle(plot_type="heatmap", colormap="plasma"),
    PlotStyle(plot_type="heatmap", colormap="inferno"),
    PlotStyle(plot_type="heatmap", colormap="magma"),
    PlotStyle(plot_type="heatmap-contour", colormap="viridis"),
    PlotStyle(plot_type="heatmap-contour", colormap="plasma"),
    PlotStyle(plot_type="heatmap-contour", colormap="inferno"),
    PlotStyle(plot_type="heatmap-contour", colormap="magma"),
    PlotStyle(plot_type="contour", colormap=""),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Surface:
    """One drawn instance of a function family, z = f(x, y).

    ``parameters`` are rounded as printed, so that ``expression`` (sympy syntax in ``x`` and ``y``) is the whole truth.
    """

    family: str
    tier: int
    parameters: Mapping[str, float]
    expression: str
    domain: Domain


@dataclass(frozen=True, kw_only=True, slots=True)
class Extremum:
    """A strict local extremum in the units of the axes."""

    x: float
    y: float
    z: float


@dataclass(frozen=True, kw_only=True, slots=True)
class CountingItem:
    """How many local maxima (or minima) does the surface show? (MaRVL-QA, section 3.2.1)"""

    surface: Surface
    feature: Feature
    extrema: tuple[Extremum, ...]
    seed: int


@dataclass(frozen=True, kw_only=True, slots=True)
class TransformationItem:
    """Which transformation leads from plot A to plot B? (MaRVL-QA, section 3.2.2)

    ``surface.domain`` is the window that both plots share. ``offset`` is signed, in axis units, 0 for rotations.
    ``options`` are the five choices in the order shown.
    """

    surface: Surface
    transformation: Transformation
    offset: float
    options: tuple[Option, ...]
    nrmse_identity: float
    nrmse_confusable: float
    seed: int

    def __post_init__(self) -> None:
        if sorted(self.options) != sorted(OPTIONS):
            raise ValueError(f"the options must be each of {OPTIONS} once, got {self.options}")
        if (self.offset == 0) != self.transformation.startswith("rotate"):
            raise ValueError(f"a translation has an offset and a rotation has none, got {self}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What a certifier recovered from what a model sees.

    ``answer`` is the canonical answer string, or None where the picture does not decide; ``reason`` then says why, in
    a few words that serve as a key of the funnel. ``margin`` says how clear the decision was, in the certifier's own
    unit.
    """

    certifier: str
    answer: str | None
    reason: str = ""
    margin: float = 0.0


# GeoGramBench: drawing programs and the questions about them.

Level = Literal["primitive", "compositional", "abstract"]
LEVELS: tuple[Level, ...] = ("primitive", "compositional", "abstract")

Language = Literal["asymptote", "matplotlib"]
LANGUAGES: tuple[Language, ...] = ("asymptote", "matplotlib")

Point = tuple[float, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class Stroke:
    """A drawn line through ``points`` (drawing units, y up); ``width`` is 1 for a normal line."""

    points: tuple[Point, ...]
    dashed: bool = False
    width: float = 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Area:
    """A filled polygon (drawing units, y up); ``shade`` runs from 0 (black) to 1 (white)."""

    points: tuple[Point, ...]
    shade: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Dot:
    """A marked point (drawing units, y up)."""

    point: Point


@dataclass(frozen=True, kw_only=True, slots=True)
class Caption:
    """A text beside ``point``, on the side of ``direction`` (y up; (0, 0) is centred on the point)."""

    text: str
    point: Point
    direction: Point


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawing:
    """What a drawing program leaves on the paper, in the order of painting."""

    marks: tuple[Stroke | Area | Dot | Caption, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class GeogramItem:
    """A problem about the figure that ``code`` draws (GeoGramBench, sections 3.1 and 3.2).

    ``givens`` is JSON: ``{"given": [[measure, value], ...], "asked": measure}``, each measure an expression over the
    names of the code, each value exact. ``answer_value`` is None where the answer is no number. ``drawing`` is None
    for an imported problem, whose picture only its own code can make.
    """

    template: str
    level: Level
    language: Language
    problem: str
    code: str
    givens: str
    answer_latex: str
    answer_value: float | None
    origin: str
    seed: int
    drawing: Drawing | None

    def __post_init__(self) -> None:
        if self.level not in LEVELS or self.language not in LANGUAGES:
            raise ValueError(f"need one of {LEVELS} and one of {LANGUAGES}, got {self.level} and {self.language}")


@dataclass(frozen=True, kw_only=True, slots=True)
class RawProblem:
    """A problem of an imported corpus as it stands there; ``line`` counts from 1 and names it in funnel and review."""

    line: int
    problem: str
    answer: str


@dataclass(frozen=True, kw_only=True, slots=True)
class CuratedProblem:
    """An imported problem on its way: the statement without its code, the bare code, what was done to them.

    ``doubts`` are reasons for a person to look at it; it is published when there are none.
    """

    line: int
    problem: str
    code: str
    language: Language
    answer_latex: str
    level: Level
    answer_value: float | None = None
    changes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
