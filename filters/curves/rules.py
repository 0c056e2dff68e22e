"""The rules that a drawing of nested curves has to keep, each judged on the stored curves (CurveBench, section 3).

The generator keeps them by construction; nothing here trusts that. Simplicity and containment are decided by shapely
on the rounded vertices that are published, distances by ``clearance`` to the reach that matters. Open arcs keep the
same distances as curves: one that nearly closes, or nearly touches a curve, is not open to the eye.
"""

from dataclasses import dataclass

import numpy as np
import shapely

from planimeter.filters.verdict import Verdict
from planimeter.generators.curves.clearance import least_gap
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


def judge(item: CurvesItem, limits: CurvesLimits) -> tuple[Verdict, ...]:
    """Return the verdicts of every rule, in a fixed order: simple, nesting, border, gap, stroke, opening."""
    owner = np.repeat(np.arange(len(item.curves)), [len(c) for c in item.curves])
    rings = shapely.linearrings(np.vstack(item.curves), indices=owner)
    polygons = shapely.polygons(rings)
    simple = shapely.is_simple(rings)
    broken = int(np.count_nonzero(~simple))
    verdicts = [_verdict("simple", broken == 0, broken, 0, "curve crosses itself")]
    wrong = _misplaced(polygons, item.parents) if not broken else len(item.parents)
    verdicts.append(_verdict("nesting", wrong == 0, wrong, 0, "curves show another tree"))
    points = np.vstack([*item.curves, *item.arcs])
    border = float(min(points.min(), item.canvas_px - points.max()))
    verdicts.append(_verdict("border", border >= limits.border_px, border, limits.border_px, "curve near the border"))
    # Rounding moves a vertex by up to 0.007 px.
    least = max(item.gap_px, item.stroke_px + limits.paper_px) - 0.02
    gap = least_gap(item.curves, item.arcs, item.gap_px, least + 1.0)
    verdicts.append(_verdict("gap", gap >= least, gap, least, "strokes too near"))
    wide = item.stroke_px >= limits.stroke_px
    verdicts.append(_verdict("stroke", wide, item.stroke_px, limits.stroke_px, "stroke too thin"))
    closed = _closed_up(polygons, item, limits)
    verdicts.append(_verdict("opening", closed == 0, closed, 0, "curve hardly open"))
    return tuple(verdicts)


def _verdict(check: str, kept: bool, measured: float, limit: float, reason: str) -> Verdict:
    return Verdict(check=check, kept=kept, measured=float(measured), limit=float(limit), reason="" if kept else reason)


def _misplaced(polygons: "np.ndarray[tuple[int], np.dtype[np.object_]]", parents: tuple[int, ...]) -> int:
    """Return how many curves do not lie directly inside the curve of their parent; all of them if any two meet.

    One sweep over all rings finds out whether two meet; after that one vertex says where its whole curve lies. (The
    predicate "within" on pairs of polygons takes minutes on some labyrinths.)
    """
    rings = shapely.get_exterior_ring(polygons)
    points, owner = shapely.get_coordinates(rings, return_index=True)
    if not shapely.is_simple(shapely.multilinestrings(shapely.linestrings(points, indices=owner))):
        return len(parents)
    corners = shapely.get_point(rings, 0)
    inner, outer = shapely.STRtree(corners).query(polygons, predicate="contains")[::-1]
    areas = shapely.area(polygons)
    around: dict[int, list[int]] = {i: [] for i in range(len(parents))}
    for i, j in zip(inner.tolist(), outer.tolist(), strict=True):
        if i != j:
            around[i].append(j)
    return sum(
        (min(around[i], key=lambda j: areas[j]) + 1 if around[i] else 0) != parent for i, parent in enumerate(parents)
    )


def _closed_up(polygons: "np.ndarray[tuple[int], np.dtype[np.object_]]", item: CurvesItem, limits: CurvesLimits) -> int:
    """Return how many curves without children have no open space of the least width."""
    reach = (item.stroke_px + limits.opening_px) / 2
    childless = [i for i in range(len(item.parents)) if i + 1 not in item.parents]
    slim = [i for i in childless if shapely.area(polygons[i]) < 40 * reach**2 or _slender(polygons[i], reach)]
    return sum(bool(shapely.is_empty(shapely.buffer(polygons[i], -reach, quad_segs=3))) for i in slim)


def _slender(polygon: shapely.Polygon, reach: float) -> bool:
    # A strip of width w has area / perimeter near w / 2; only such shapes need the exact test.
    return bool(shapely.area(polygon) < 1.2 * reach * shapely.length(polygon))
