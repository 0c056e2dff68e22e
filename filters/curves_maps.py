"""Computes the planar map that stored curves draw, from their vertices alone, and checks it by the rules for maps.

The filter of a build and the verifier use it. The generator is built to meet the rules (CurveBench, section 8), but
this module does not rely on that. The generator finds the faces that share an arc by the length of their common border;
this module finds them on the two sides of each arc. Euler's formula gives the number of faces a second time: closed
curves with V crossings, each of two curves, have 2 V arcs, so that C connected parts bound V + C faces.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt
import shapely

from planimeter.filters.curves.rules import Curve
from planimeter.filters.verdict import Verdict
from planimeter.items.planar_map import PlanarMapItem, PlanarMapLimits

#: Distance (px) from an arc at which its faces are sampled; legible faces are many times as wide.
_BESIDE = 0.5

#: Vertices and areas are rounded, to 0.01 px and 0.1 px2: the tolerance of limits.
_ROUNDING_PX, _ROUNDING_PX2 = 0.02, 0.2


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Arrangement:
    """The planar map of closed curves: its crossings, arcs and faces.

    ``crossings`` are (n, 2), px, and ``sines`` those of the angles between the two edges there, 0 to 1. ``gap`` is the
    least length (px) along a curve between two crossings, infinite without any. ``isolated`` counts curves without
    crossings, ``parts`` connected parts. ``faces`` are the bounded faces. ``adjacent`` are the sorted pairs of faces
    that share an arc, the smaller number first: 0 for the unbounded face, 1 + the index in ``faces`` for others.
    """

    crossings: Curve
    sines: Curve
    gap: float
    isolated: int
    parts: int
    faces: tuple[shapely.Polygon, ...]
    adjacent: tuple[tuple[int, int], ...]

    @property
    def euler_faces(self) -> int:
        """The number of bounded faces by Euler's formula."""
        return len(self.crossings) + self.parts


def arrangement(curves: Sequence[Curve]) -> Arrangement:
    """Return the planar map of closed ``curves``, each (n, 2), px.

    Raises:
        ValueError: if a curve has fewer than three vertices or crosses itself, or two overlap along a stretch.
    """
    if not curves or min(len(curve) for curve in curves) < 3:
        raise ValueError("need at least one curve, each of three or more vertices")
    rings = [shapely.LinearRing(curve) for curve in curves]
    if not all(shapely.is_simple(rings)):
        raise ValueError("a curve crosses itself")
    places: list[list[float]] = [[] for _ in curves]
    part_of = list(range(len(curves)))
    crossings, sines = [np.empty((0, 2))], [np.empty(0)]
    for j, i in combinations(range(len(curves)), 2):
        points = shapely.get_parts(shapely.intersection(rings[i], rings[j]))
        points = points[~shapely.is_empty(points)]
        if np.any(shapely.get_type_id(points)):
            raise ValueError("two curves share a stretch instead of crossing at points")
        if len(points):
            part_of = [part_of[j] if part == part_of[i] else part for part in part_of]
        here, there = (shapely.line_locate_point(rings[k], points) for k in (i, j))
        places[i] += here.tolist()
        places[j] += there.tolist()
        a, b = _directions(curves[i], here), _directions(curves[j], there)
        crossings.append(shapely.get_coordinates(points))
        sines.append(np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]))
    pieces = shapely.node(shapely.MultiLineString([shapely.LineString(ring) for ring in rings]))
    # Merged: otherwise the seam of a ring near a crossing leaves an arc too short to have a clear side.
    arcs = shapely.get_parts(shapely.line_merge(pieces))
    faces = tuple(shapely.get_parts(shapely.polygonize(arcs)).tolist())
    return Arrangement(
        crossings=np.vstack(crossings),
        sines=np.concatenate(sines),
        gap=min(map(_gap, rings, places)),
        isolated=sum(not where for where in places),
        parts=len(set(part_of)),
        faces=faces,
        adjacent=_adjacent(arcs, faces),
    )


def numbered(planar_map: Arrangement, areas: Sequence[float]) -> tuple[tuple[int, int], ...]:
    """Return the pairs ``planar_map.adjacent``, with faces numbered from 1 by ``areas``, the largest first; sorted."""
    order = sorted(range(len(areas)), key=lambda i: -areas[i])
    number = {0: 0, **{i + 1: rank for rank, i in enumerate(order, start=1)}}
    pairs = [(number[u], number[v]) for u, v in planar_map.adjacent]
    return tuple(sorted((min(pair), max(pair)) for pair in pairs))


def _directions(curve: Curve, places: Curve) -> Curve:
    """Return the unit vectors (n, 2) of the edges of ``curve`` at ``places``, positions along it in px."""
    step = np.roll(curve, -1, axis=0) - curve
    lengths = np.sqrt((step**2).sum(axis=1))
    on = np.searchsorted(np.cumsum(lengths), places).clip(max=len(curve) - 1)
    return np.asarray(step[on] / lengths[on, None])


def _gap(ring: shapely.LinearRing, places: Sequence[float]) -> float:
    along = sorted(places)
    return min((b - a for a, b in pairwise([*along, *(p + ring.length for p in along[:1])])), default=np.inf)


def _adjacent(arcs: npt.NDArray[np.object_], faces: Sequence[shapely.Polygon]) -> tuple[tuple[int, int], ...]:
    """Return the pairs of faces on the two sides of each arc.

    The sides are sampled next to the middle of the arc's longest edge.
    """
    beside: list[Curve] = []
    for arc in arcs:
        points = shapely.get_coordinates(arc)
        step = np.diff(points, axis=0)
        lengths = np.sqrt((step**2).sum(axis=1))
        longest = int(np.argmax(lengths))
        normal = np.array([-step[longest, 1], step[longest, 0]]) / lengths[longest]
        middle = points[longest] + step[longest] / 2
        beside += [middle + _BESIDE * normal, middle - _BESIDE * normal]
    owner = np.zeros(len(beside), np.int64)
    inside, face = shapely.STRtree(faces).query(shapely.points(np.array(beside)), predicate="within")
    owner[inside] = face + 1
    sides = np.sort(owner.reshape(-1, 2), axis=1)
    return tuple(sorted({(int(u), int(v)) for u, v in sides.tolist() if u != v}))


def judge(item: PlanarMapItem, limits: PlanarMapLimits) -> tuple[Arrangement | None, tuple[Verdict, ...]]:
    """Return the planar map that the curves draw, and the verdict of each rule.

    The rules, in this order: "simple", "border", "stroke", "crossing", "arc", "face" and "map". If a curve crosses
    itself or curves overlap, the map is None, and the only verdict is that of "simple".
    """
    try:
        drawn = arrangement(item.curves)
    except ValueError:
        return None, (Verdict.of("simple", False, 0, 1, "no curves with clear crossings"),)
    points = np.vstack(item.curves)
    border, (thinnest, widest) = float(min(points.min(), item.canvas_px - points.max())), limits.stroke_px
    margin, spaced = limits.margin_px, not drawn.isolated and drawn.gap >= limits.arc_px - _ROUNDING_PX
    sine, least = float(drawn.sines.min(initial=1.0)), float(np.sin(np.radians(limits.crossing_degrees)))
    outside = shapely.box(0, 0, item.canvas_px, item.canvas_px).difference(shapely.union_all(drawn.faces))
    # White areas between strokes, of the unbounded face and of each of the others.
    around, *papers = shapely.buffer([outside, *drawn.faces], -item.stroke_px / 2).tolist()
    mismatches = _count_mismatches(item, drawn, [float(shapely.area(white)) for white in papers])
    return drawn, (
        Verdict.of("simple", True, 1, 1, ""),
        Verdict.of("border", border >= margin - _ROUNDING_PX, border, margin, "curve near the border"),
        Verdict.of("stroke", thinnest <= item.stroke_px <= widest, item.stroke_px, thinnest, "stroke too thin or wide"),
        Verdict.of("crossing", sine >= least - 1e-3, sine, least, "crossing too acute"),
        Verdict.of("arc", spaced, drawn.gap, limits.arc_px, "curve crosses no other, or crossings too near"),
        _open_face(papers, around, limits),
        Verdict.of("map", mismatches == 0, mismatches, 0, "curves draw another map"),
    )


def _open_face(papers: Sequence[shapely.Geometry], outside: shapely.Geometry, limits: PlanarMapLimits) -> Verdict:
    """Return the verdict of the check "face": faces must be large, connected, wide enough, and differ enough in area.

    ``papers`` are the white parts of the bounded faces between strokes, ``outside`` that of the unbounded face.
    """
    areas = sorted((float(shapely.area(white)) for white in papers), reverse=True)
    reach = limits.opening_px / 2 - _ROUNDING_PX
    pinched = sum(
        not (_is_connected(white) and _is_connected(shapely.buffer(white, -reach))) for white in (outside, *papers)
    )
    if areas[-1] < limits.face_px2 - _ROUNDING_PX2:
        return Verdict.of("face", False, areas[-1], limits.face_px2, "face too small")
    if pinched:
        return Verdict.of("face", False, pinched, 0, "face hardly open")
    ratio = min((a / b for a, b in pairwise(areas)), default=np.inf)
    return Verdict.of("face", ratio >= limits.area_ratio - 1e-3, ratio, limits.area_ratio, "faces of like area")


def _is_connected(area: shapely.Geometry) -> bool:
    return bool(shapely.get_num_geometries(area) == 1 and not shapely.is_empty(area))


def _count_mismatches(item: PlanarMapItem, drawn: Arrangement, areas: Sequence[float]) -> int:
    """Return the number of stored face areas and adjacent pairs that differ from the drawn ones.

    If the stored or Euler's number of faces differs from the drawn one, the difference is added.
    """
    ranked = sorted(areas, reverse=True)
    faces = abs(len(item.areas) - len(ranked)) + abs(drawn.euler_faces - len(ranked))
    areas_off = sum(abs(a - b) > _ROUNDING_PX2 for a, b in zip(item.areas, ranked, strict=False))
    return faces + areas_off + len(set(item.adjacent) ^ set(numbered(drawn, areas)))
