"""The rules that a drawing of nested curves has to keep, each judged on the stored curves (CurveBench, section 3).

The generator keeps them by construction; nothing here trusts that, nor uses its geometry: all is taken from the rounded
vertices that are published, as the verifier takes it (``filters.curves.vertices``). Open arcs keep the same distances
as curves: one that nearly closes, or nearly touches a curve, is not open to the eye.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from operator import ne

import numpy as np
import shapely

from planimeter.filters.curves.vertices import least_distance, nested, rings_of
from planimeter.filters.verdict import Verdict
from planimeter.items import CurvesItem


@dataclass(frozen=True, kw_only=True, slots=True)
class CurvesLimits:
    """Limits of the rules on a drawing; centre lines keep the item's ``gap_px`` besides."""

    border_px: float = 10.0
    """Least distance of a centre line from the edge, px."""
    paper_px: float = 3.0
    """Least white paper between two strokes, px."""
    stroke_px: float = 4.0
    """Least width of a stroke, px."""
    opening_px: float = 4.0
    """Least width of a curve without others inside, at its widest place, px."""

    def __post_init__(self) -> None:
        if not min(self.border_px, self.paper_px, self.stroke_px, self.opening_px) > 0:
            raise ValueError(f"need lengths > 0, got {self}")


def judge(item: CurvesItem, limits: CurvesLimits) -> Iterator[Verdict]:
    """Yield the verdicts of every rule, in a fixed order: simple, nesting, border, gap, stroke, opening."""
    rings, shown = rings_of(item.curves), nested(item.curves)
    # Curves that lie in each other are simple.
    broken = int(np.count_nonzero(~shapely.is_simple(rings))) if shown is None else 0
    yield Verdict.of("simple", broken == 0, broken, 0, "curve crosses itself")
    wrong = len(item.parents) if shown is None else sum(map(ne, shown, item.parents))
    yield Verdict.of("nesting", wrong == 0, wrong, 0, "curves show another tree")
    points = np.vstack([*item.curves, *item.arcs])
    border = float(min(points.min(), item.canvas_px - points.max()))
    yield Verdict.of("border", border >= limits.border_px, border, limits.border_px, "curve near the border")
    # Rounding moves a vertex by up to 0.007 px.
    least = max(item.gap_px, item.stroke_px + limits.paper_px) - 0.02
    gap = least_distance(item.curves, least, item.arcs)
    yield Verdict.of("gap", gap >= least, gap, least, "strokes too near")
    wide = item.stroke_px >= limits.stroke_px
    yield Verdict.of("stroke", wide, item.stroke_px, limits.stroke_px, "stroke too thin")
    closed = _closed_up(shapely.polygons(rings), item, limits)
    yield Verdict.of("opening", closed == 0, closed, 0, "curve hardly open")


def _closed_up(polygons: "np.ndarray[tuple[int], np.dtype[np.object_]]", item: CurvesItem, limits: CurvesLimits) -> int:
    """Return how many curves without children have no open space of the least width."""
    reach = (item.stroke_px + limits.opening_px) / 2
    childless = [i for i in range(len(item.parents)) if i + 1 not in item.parents]
    slim = [i for i in childless if shapely.area(polygons[i]) < 40 * reach**2 or _slender(polygons[i], reach)]
    return sum(bool(shapely.is_empty(shapely.buffer(polygons[i], -reach, quad_segs=3))) for i in slim)


def _slender(polygon: shapely.Polygon, reach: float) -> bool:
    # A strip of width w has area / perimeter near w / 2; only such shapes need the exact test.
    return bool(shapely.area(polygon) < 1.2 * reach * shapely.length(polygon))
