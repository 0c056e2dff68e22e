"""The rules that crossing curves have to keep, each judged on the stored curves (CurveBench, section 8).

The generator keeps them by construction; nothing here trusts that. Crossings, faces and adjacency are found once more
by ``arrangement``, in another way than the generator finds them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import shapely

from planimeter.filters.curves_maps.arrangement import Arrangement, arrangement, numbered, paper
from planimeter.filters.verdict import Verdict
from planimeter.items import PlanarMapItem

#: Vertices and areas are rounded, to 0.01 px and 0.1 px2: a limit may be missed by so much.
_ROUNDING_PX, _ROUNDING_PX2 = 0.02, 0.2


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanarMapLimits:
    """Lengths in px. ``border_px``: least distance of a centre line from the canvas edge; ``stroke_px``: least stroke;
    ``crossing_degrees``: least angle of two curves; ``arc_px``: least length along a curve between two crossings;
    ``opening_px``: least width of a face between strokes, necks included; ``face_px2``: least paper in a face;
    ``area_ratio``: least ratio of the papers of two faces."""

    border_px: float = 10.0
    stroke_px: float = 4.0
    crossing_degrees: float = 45.0
    arc_px: float = 60.0
    opening_px: float = 10.0
    face_px2: float = 600.0
    area_ratio: float = 1.01


def judge(item: PlanarMapItem, limits: PlanarMapLimits) -> tuple[Verdict, ...]:
    """Return the verdicts of every rule, in a fixed order: simple, border, stroke, crossing, arc, face, map.

    Where curves are not simple there is no map, and that is the only verdict.
    """
    try:
        planar_map = arrangement(item.curves)
    except ValueError:
        return (_verdict("simple", False, 0, 1, "no curves with clear crossings"),)
    points = np.vstack(item.curves)
    border = float(min(points.min(), item.canvas_px - points.max()))
    sine, least = float(planar_map.sines.min(initial=1.0)), float(np.sin(np.radians(limits.crossing_degrees)))
    papers = [paper(face, item.stroke_px) for face in planar_map.faces]
    outside = shapely.box(0, 0, item.canvas_px, item.canvas_px).difference(shapely.union_all(planar_map.faces))
    wrong = _wrong(item, planar_map, [float(shapely.area(white)) for white in papers])
    return (
        _verdict("simple", True, 1, 1, ""),
        _verdict("border", border >= limits.border_px, border, limits.border_px, "curve near the border"),
        _verdict("stroke", item.stroke_px >= limits.stroke_px, item.stroke_px, limits.stroke_px, "stroke too thin"),
        _verdict("crossing", sine >= least - 1e-3, sine, least, "crossing too acute"),
        _verdict("arc", _apart(planar_map, limits), planar_map.gap, limits.arc_px, _arc_reason(planar_map)),
        _face(papers, paper(outside, item.stroke_px), limits),
        _verdict("map", wrong == 0, wrong, 0, "curves draw another map"),
    )


def _verdict(check: str, kept: bool, measured: float, limit: float, reason: str) -> Verdict:
    return Verdict(check=check, kept=kept, measured=float(measured), limit=float(limit), reason="" if kept else reason)


def _apart(planar_map: Arrangement, limits: PlanarMapLimits) -> bool:
    return not planar_map.lonely and planar_map.gap >= limits.arc_px - _ROUNDING_PX


def _arc_reason(planar_map: Arrangement) -> str:
    return "curve crosses no other" if planar_map.lonely else "crossings too near"


def _face(papers: Sequence[shapely.Geometry], outside: shapely.Geometry, limits: PlanarMapLimits) -> Verdict:
    """Return whether every face can be seen, the unbounded one too, and no two are of nearly the same area."""
    areas = sorted((float(shapely.area(white)) for white in papers), reverse=True)
    reach = limits.opening_px / 2 - _ROUNDING_PX
    pinched = sum(not (_whole(white) and _whole(shapely.buffer(white, -reach))) for white in (outside, *papers))
    if areas[-1] < limits.face_px2 - _ROUNDING_PX2:
        return _verdict("face", False, areas[-1], limits.face_px2, "face too small")
    if pinched:
        return _verdict("face", False, pinched, 0, "face hardly open")
    ratio = min((a / b for a, b in pairwise(areas)), default=np.inf)
    return _verdict("face", ratio >= limits.area_ratio - 1e-3, ratio, limits.area_ratio, "faces of like area")


def _whole(area: shapely.Geometry) -> bool:
    return bool(shapely.get_num_geometries(area) == 1 and not shapely.is_empty(area))


def _wrong(item: PlanarMapItem, planar_map: Arrangement, areas: Sequence[float]) -> int:
    """Return how many stored faces and pairs differ from those of the curves, Euler's formula included."""
    ranked = sorted(areas, reverse=True)
    faces = abs(len(item.areas) - len(ranked)) + abs(planar_map.euler_faces - len(ranked))
    areas_off = sum(abs(a - b) > _ROUNDING_PX2 for a, b in zip(item.areas, ranked, strict=False))
    return faces + areas_off + len(set(item.adjacent) ^ set(numbered(planar_map, areas)))
