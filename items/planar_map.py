"""A question about the planar map of crossing curves, and the limits that keep their drawing legible."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class PlanarMapItem:
    """A question about the adjacent faces of crossing curves, which CurveBench, section 8, names as future work.

    Face 0 is the exterior; the others are numbered by area, the largest first. ``adjacent`` contains each pair of faces
    that share an arc (not only a crossing) once, the smaller number first, sorted. ``areas`` are px2, in the order of
    the faces from 1.
    """

    curves: "tuple[npt.NDArray[np.float64], ...]"
    areas: tuple[float, ...]
    adjacent: tuple[tuple[int, int], ...]
    canvas_px: int
    stroke_px: float
    seed: int


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanarMapLimits:
    """Limits that keep a drawing of crossing curves legible. Lengths are in px.

    ``canvas_px``: the side of the picture; ``margin_px``: least distance of a centre line from the edge; ``stroke_px``:
    least and greatest width of a line; ``crossing_degrees``: least angle between two curves; ``arc_px``: least length
    along a curve between two crossings; ``opening_px``: least width of a face between strokes, narrow passages
    included; ``face_px2``: least area of a face between strokes; ``area_ratio``: least ratio of the areas of two faces.
    """

    canvas_px: int = 1024
    margin_px: float = 24.0
    stroke_px: tuple[float, float] = (5.0, 5.0)
    crossing_degrees: float = 45.0
    arc_px: float = 60.0
    opening_px: float = 10.0
    face_px2: float = 600.0
    area_ratio: float = 1.01
