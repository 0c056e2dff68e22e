"""The frozen records that pass between the packages: items, and the answers that readers recover from them.

Records contain values, and no behaviour except their own checks. The certifiers import no other module of ours, so
nothing here computes an answer.
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
    """The drawing style of one panel; ``colormap`` is empty for contour plots and only for them."""

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
    """A question for the number of local maxima (or minima) of a surface (MaRVL-QA, section 3.2.1)."""

    surface: Surface
    feature: Feature
    extrema: tuple[Extremum, ...]
    seed: int


@dataclass(frozen=True, kw_only=True, slots=True)
class TransformationItem:
    """A question for the transformation that turns plot A into plot B (MaRVL-QA, section 3.2.2).

    ``surface.domain`` is the window that both plots share. ``offset`` is signed, in axis units, 0 for rotations.
    ``options`` are the five choices in the order of the prompt.
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
    """The answer that a certifier recovers from the model's input.

    ``answer`` is the canonical answer string, or None if the picture is ambiguous; ``reason`` is then a key of the
    funnel in a few words. ``margin`` measures the clarity of the decision in the certifier's own unit.
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
    """The crossing point of two segments of a path (px, y down); ``first_segment``, 0-based, is drawn first."""

    x: float
    y: float
    first_segment: int
    second_segment: int


@dataclass(frozen=True, kw_only=True, slots=True)
class TraversalItem:
    """A path with markers at its vertices: list them in order from the start (TraversalBench, section 2.1).

    ``points`` are px, y down, multiples of 1/16, the first is the start; ``markers`` are ``"<color> <shape>"`` in path
    order. ``view`` is the side of the picture, ``glyph_radius`` and ``glyph_pad`` px. Bins are 0-based, -1 for none.
    A ``smoothness`` above 0 draws a spline through the vertices; tortuosity and crossings are then those of the spline,
    and ``curvature`` is its mean outside of the markers, 1/px (``generators.traversal.smooth``).
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
            raise ValueError(f"need one marker for each of 2 or more points, got {len(self.markers)} and {self.points}")
        if self.markers[0] in self.markers[1:]:
            raise ValueError(f"the start marker must be unique in the picture, got {self.markers}")
        if self.self_intersections != len(self.crossings):
            raise ValueError(
                f"self_intersections must count the crossings, got {self.self_intersections} and {self.crossings}"
            )

    @property
    def n_points(self) -> int:
        """Number of vertices."""
        return len(self.points)


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfoundedItem:
    """A path with gray spurs that are not part of it (TraversalBench, section 2.1).

    Each confounder is (anchor on the path, free end). ``low`` has 2 to 4 of them, ``high`` 5 to 7.
    """

    source: TraversalItem
    condition: ConfounderCondition
    confounders: tuple[tuple[Point, Point], ...]
    seed: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadingOrderItem:
    """A path laid out in lanes that all run in one direction (TraversalBench, section 4.3)."""

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
    """The drawing style of curves; the default is black on white, as in the paper."""

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
    """A question for the nesting of regions (CurveBench, sections 3 and 4).

    ``parents[i]`` is the parent of node ``i + 1``, 0 the exterior; nodes are numbered canonically (see
    ``generators.curves.trees``), so that the answer is a function of the tree alone. ``curves[i]`` are the vertices
    (n, 2; x, y in px, y down; the last joins the first; multiples of 0.01) of the centre line around node ``i + 1``.
    ``arcs`` are open lines that bound nothing. ``gap_px`` is the least distance of two centre lines that the drawing
    requires.
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
            raise ValueError(f"need one curve a node, got {len(self.curves)} curves and {len(self.parents)} parents")


# GeoGramBench: drawing programs and the questions about them.

Level = Literal["primitive", "compositional", "abstract"]
LEVELS: tuple[Level, ...] = ("primitive", "compositional", "abstract")

Language = Literal["asymptote", "matplotlib"]
LANGUAGES: tuple[Language, ...] = ("asymptote", "matplotlib")
WORDS: Literal["words"] = "words"
#: The forms of a problem that has all of them, each a config of that name; words describe the figure of the others.
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
    """The marks that a drawing program paints, in the order of painting."""

    marks: tuple[Stroke | Area | Dot | Caption, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class GeogramItem:
    """A problem about the figure that ``code`` draws (GeoGramBench, sections 3.1 and 3.2).

    ``givens`` is JSON: ``{"given": [[measure, value], ...], "asked": measure}``, each measure an expression over the
    names of the code, each value exact. ``answer_value`` is None for a non-numeric answer. ``drawing`` is None
    for an imported problem: only its own code draws its picture. ``words`` describes the figure instead of
    ``code``, and ``stated`` is the statement without its note on the drawing; both are empty if not written.
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
    """An imported problem after ``changes``; with ``doubts``, which ``notes`` explain, it waits for a person."""

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
