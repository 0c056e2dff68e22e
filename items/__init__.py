"""Frozen dataclasses that all packages share: items (questions with answers) and readings (answers of certifiers).

They only store and validate values. Certifiers, which recover answers from pictures or code, import this module, and
must share no computation with the generators.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

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
    """The window of a plot: the ranges of its axes, in axis units, y up."""

    x_min: float
    x_max: float
    y_min: float
    y_max: float

    def __post_init__(self) -> None:
        if not (self.x_min < self.x_max and self.y_min < self.y_max):
            raise ValueError(f"need x_min < x_max and y_min < y_max, got {self}")


@dataclass(frozen=True, kw_only=True, slots=True)
class PlotStyle:
    """The drawing style of one panel; ``colormap`` is empty for contour plots and only for them."""

    plot_type: PlotType
    colormap: Colormap

    def __post_init__(self) -> None:
        if (self.plot_type == "contour") != (self.colormap == ""):
            raise ValueError(f"need an empty colormap for contour plots and a named one for others, got {self}")

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
    """One drawn instance of a function family, z = f(x, y), with its window and the numbers in its formula.

    ``parameters`` are rounded as printed, so that ``expression`` (sympy syntax in ``x`` and ``y``) gives the drawn
    heights exactly. ``tier`` is the difficulty of the family, 1 to 5.
    """

    family: str
    tier: int
    parameters: Mapping[str, float]
    expression: str
    domain: Domain


@dataclass(frozen=True, kw_only=True, slots=True)
class Extremum:
    """A strict local extremum: its place (x, y) and height z, in axis units."""

    x: float
    y: float
    z: float


@dataclass(frozen=True, kw_only=True, slots=True)
class CountingItem:
    """A question that asks for the number of local maxima (or minima) of a surface (MaRVL-QA, section 3.2.1)."""

    surface: Surface
    feature: Feature
    extrema: tuple[Extremum, ...]
    seed: int


@dataclass(frozen=True, kw_only=True, slots=True)
class TransformationItem:
    """A question that asks for the transformation that turns plot A into plot B (MaRVL-QA, section 3.2.2).

    ``surface.domain`` is the window of both plots. ``offset`` is signed, in axis units, 0 for rotations. ``options``
    are the five answer choices in the order of the prompt. Errors are RMSE divided by the range of heights of plot A:
    ``nrmse_identity`` between B and A, ``nrmse_confusable`` the least one between B and A moved by a wrong option.
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
            raise ValueError(f"need each of {OPTIONS} once as options, got {self.options}")
        if (self.offset == 0) != self.transformation.startswith("rotate"):
            raise ValueError(f"need an offset for translations and 0 for rotations, got {self}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """The answer that a certifier recovers from the input of a model.

    ``answer`` is the canonical answer string, or None if the picture does not determine it; then ``reason`` says why in
    a few words, and rejections are counted by reason. ``margin`` measures how clear the decision is, in a unit that
    depends on the certifier.
    """

    certifier: str
    answer: str | None
    reason: str = ""
    margin: float = 0.0


# --- TraversalBench -------------------------------------------------------------------------------------------------

Point = tuple[float, float]

#: The vocabulary of markers (TraversalBench, A.6).
MARKER_SHAPES: tuple[str, ...] = ("circle", "square", "tri", "star", "plus")
MARKER_COLORS: tuple[str, ...] = ("red", "blue", "green", "orange", "yellow", "cyan", "purple", "brown")

ConfounderCondition = Literal["low", "high"]
CONDITIONS: tuple[ConfounderCondition, ...] = ("low", "high")

Regime = Literal["ltr_tb", "rtl_tb", "ttb_rl", "ttb_lr"]
REGIMES: tuple[Regime, ...] = ("ltr_tb", "rtl_tb", "ttb_rl", "ttb_lr")


@dataclass(frozen=True, kw_only=True, slots=True)
class Crossing:
    """A crossing of two segments of a path: its point (px, y down) and the segments' numbers (from 0) in path order."""

    x: float
    y: float
    first_segment: int
    second_segment: int


@dataclass(frozen=True, kw_only=True, slots=True)
class TraversalItem:
    """A question that asks for the order of the markers along a path (TraversalBench, section 2.1).

    ``points`` are in px, y down, multiples of 1/16, and begin with the start; ``markers`` are ``"<color> <shape>"`` in
    path order. ``view``, the side of the picture, ``glyph_radius``, that of a marker, and ``glyph_pad``, the free space
    around it, are in px. ``tortuosity_bin`` and ``self_intersection_bin`` number the ranges of difficulty from 0; -1
    means outside all of them. A ``smoothness`` above 0 draws a spline through the vertices; tortuosity and crossings
    are then those of the spline, and ``curvature`` is its mean curvature outside the markers, 1/px.
    """

    points: tuple[Point, ...]
    markers: tuple[str, ...]
    tortuosity: float
    self_intersections: int
    tortuosity_bin: int
    self_intersection_bin: int
    crossings: tuple[Crossing, ...]
    generator_family: str
    view: int
    glyph_radius: float
    glyph_pad: float
    seed: int
    smoothness: float = 0.0
    curvature: float = 0.0

    def __post_init__(self) -> None:
        if len(self.points) < 2 or len(self.points) != len(self.markers):
            got = f"{len(self.points)} points and {len(self.markers)} markers"
            raise ValueError(f"need 2 or more points and one marker for each, got {got}")
        if self.markers[0] in self.markers[1:]:
            raise ValueError(f"the start marker must be unique in the picture, got {self.markers}")
        if self.self_intersections != len(self.crossings):
            got = f"{self.self_intersections} and {len(self.crossings)}"
            raise ValueError(f"self_intersections must be the number of crossings, got {got}")

    @property
    def n_points(self) -> int:
        """The number of vertices."""
        return len(self.points)


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfoundedItem:
    """A question about a path among gray spurs, short side lines that are not part of it (TraversalBench, section 2.1).

    Each of ``confounders`` is one spur: (anchor on the path, free end), px. ``condition`` is ``low`` for 2 to 4 spurs,
    ``high`` for 5 to 7.
    """

    source: TraversalItem
    condition: ConfounderCondition
    confounders: tuple[tuple[Point, Point], ...]
    seed: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadingOrderItem:
    """A question about a path that runs through parallel ``lanes`` like lines of text (TraversalBench, section 4.3).

    ``regime`` is the order of reading: ``ltr_tb`` is from left to right in each lane, and from the top lane to the
    bottom.
    """

    path: TraversalItem
    regime: Regime
    lanes: int


# Nested curves (CurveBench) ------------------------------------------------------------------------------------------

CurveCategory = Literal["easy", "polygon", "topographical", "maze", "counting"]
CURVE_CATEGORIES: tuple[CurveCategory, ...] = ("easy", "polygon", "topographical", "maze", "counting")

Ink = Literal["black", "coloured", "dashed"]
Paper = Literal["plain", "textured"]
Artefact = Literal["none", "scan_noise", "jpeg"]


@dataclass(frozen=True, kw_only=True, slots=True)
class CurvesLook:
    """The drawing style of curves; the default is black on white, as in the CurveBench paper."""

    ink: Ink = "black"
    """Colour and kind of the lines."""
    paper: Paper = "plain"
    """The background of the lines."""
    artefact: Artefact = "none"
    """The degradation of the finished picture."""
    dash_px: tuple[float, float] = (16.0, 5.0)
    """Length of a dash and of the space after it, for dashed ink, px."""

    def __post_init__(self) -> None:
        if self.ink == "coloured" and (self.paper != "plain" or self.artefact != "none"):
            raise ValueError(
                f"coloured ink needs plain paper and no artefact, got paper={self.paper!r} artefact={self.artefact!r}"
            )
        if not min(self.dash_px) > 0:
            raise ValueError(f"need dash_px > 0, got {self.dash_px}")


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class CurvesItem:
    """A question that asks for the nesting of curves (CurveBench, sections 3 and 4).

    ``parents[i]`` is the parent of node ``i + 1``, 0 the exterior; nodes are numbered canonically
    (``generators.curves.trees``), so that the answer depends on the tree alone. ``curves[i]`` are the vertices (n, 2)
    of the centre line around node ``i + 1``: x and y in px, y down, multiples of 0.01; the last vertex joins the first.
    ``arcs`` are open lines that bound nothing. ``gap_px`` is the least allowed distance of two centre lines.
    """

    category: CurveCategory
    parents: tuple[int, ...]
    depth: int
    canonical: str
    curves: "tuple[npt.NDArray[np.float64], ...]"
    arcs: "tuple[npt.NDArray[np.float64], ...]"
    canvas_px: int
    stroke_px: float
    gap_px: float
    look: CurvesLook
    seed: int

    def __post_init__(self) -> None:
        if len(self.parents) != len(self.curves):
            raise ValueError(
                f"need a parent for each curve, got {len(self.curves)} curves and {len(self.parents)} parents"
            )


# GeoGramBench: drawing programs and the questions about them.

Level = Literal["primitive", "compositional", "abstract"]
LEVELS: tuple[Level, ...] = ("primitive", "compositional", "abstract")

Language = Literal["asymptote", "matplotlib"]
LANGUAGES: tuple[Language, ...] = ("asymptote", "matplotlib")
WORDS: Literal["words"] = "words"
#: The forms of a paired problem, each a config of that name: a program in either language, or words in place of one.
FORMS: tuple[str, ...] = (*LANGUAGES, WORDS)


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
    """A text next to ``point``, on the side of ``direction`` (y up; (0, 0) is centred on the point)."""

    text: str
    point: Point
    direction: Point


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawing:
    """The marks that a drawing program paints (lines, fills, dots, texts), in the order of painting."""

    marks: tuple[Stroke | Area | Dot | Caption, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class GeogramItem:
    """A problem about the figure that ``code`` draws (GeoGramBench, sections 3.1 and 3.2).

    ``givens`` is JSON: ``{"given": [[measure, value], ...], "asked": measure}``; a measure is an expression in names of
    ``code``, such as ``area(A,D,F)``, and each value is exact. ``answer_value`` is None for a non-numeric answer.
    ``drawing`` is None for an imported problem: only its own code draws its picture. ``words`` describes the figure in
    sentences that can replace ``code``; ``stated`` is the text to print with them: ``problem``, without the remark
    that the drawing is not to scale. Either may be empty.
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
    words: str = ""
    stated: str = ""

    def __post_init__(self) -> None:
        if self.level not in LEVELS or self.language not in LANGUAGES:
            raise ValueError(f"need one of {LEVELS} and one of {LANGUAGES}, got {self.level} and {self.language}")


@dataclass(frozen=True, kw_only=True, slots=True)
class CuratedProblem:
    """An imported problem after curation; ``changes`` lists the changes that curation made.

    ``doubts``: reasons for which a person must review it; ``notes``: details of these reasons.
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
    notes: tuple[str, ...] = ()
