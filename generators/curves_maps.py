"""Crossing curves and their planar map: its faces, and the pairs of faces that share an arc (CurveBench, section 8).

Closed wavy curves are placed on the canvas so that they cross clearly; see ``throws``. An arrangement is accepted only
if it is legible: every face is wide and large enough, no face has a bottleneck, and no two faces are nearly equal in
area, because faces are numbered by area.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, pairwise, repeat
from operator import mul

import numpy as np
import shapely

from planimeter.generators.curves.config import LEAST_OPENING_PX, LEAST_STROKE_PX, LayoutError
from planimeter.generators.curves.throws import LONGEST, throw
from planimeter.items.planar_map import PlanarMapItem, PlanarMapLimits

#: More curves leave no room for clear crossings.
MOST_CURVES = 8

#: Limits with which the certifier distinguishes faces that share an arc from faces that are opposite at a crossing. The
#: apparent contact of opposite faces grows with the stroke width and with a smaller angle; see
#: ``filters.certify.curves_maps.LEAST_CONTACT``.
WIDEST_STROKE_PX, LEAST_DEGREES, STROKES_AN_ARC = 8.0, 30.0, 12


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanarMapConfig(PlanarMapLimits):
    """The recipe of pictures of crossing curves.

    ``curves``: the least and the greatest number of curves; the other fields: see ``PlanarMapLimits``.
    """

    curves: tuple[int, int] = (2, 4)

    def __post_init__(self) -> None:
        thin, wide = self.stroke_px
        faces = 2 * min(self.curves[1], MOST_CURVES) - 1
        paper = max(self.face_px2, math.pi / 4 * self.opening_px**2)
        needed = sum(accumulate(repeat(self.area_ratio, faces - 1), mul, initial=paper))
        usable, longest = max(self.canvas_px - 2 * self.margin_px, 0.0) ** 2, LONGEST * self.canvas_px
        # n connected curves cross at least 2 (n - 1) times and then have 2 n - 1 faces. The paper of each face contains
        # a disc of the diameter ``opening_px``. Two curves that cross do so at least twice.
        rules = {
            f"2 <= curves <= {MOST_CURVES}, got {self.curves}: one curve crosses nothing, and more leave no room for "
            "clear crossings": 2 <= self.curves[0] <= self.curves[1] <= MOST_CURVES,
            f"{LEAST_STROKE_PX} <= stroke_px <= {WIDEST_STROKE_PX}, got {self.stroke_px}: thinner strokes are lost, "
            "and wider ones hide which faces meet at a crossing": LEAST_STROKE_PX <= thin <= wide <= WIDEST_STROKE_PX,
            f"arc_px >= {STROKES_AN_ARC} strokes = {STROKES_AN_ARC * wide}, got {self.arc_px}: two faces that share a "
            "shorter arc look like faces that meet in a point": self.arc_px >= STROKES_AN_ARC * wide,
            f"{LEAST_DEGREES} <= crossing_degrees < 90, got {self.crossing_degrees}: strokes that cross at a smaller "
            "angle run along each other, and no two curves cross at 90 degrees everywhere": (
                LEAST_DEGREES <= self.crossing_degrees < 90
            ),
            f"opening_px >= {LEAST_OPENING_PX} and area_ratio >= 1.01, got {self.opening_px} and {self.area_ratio}: "
            "strokes close narrower faces, and nearer areas cannot be ranked": (
                self.opening_px >= LEAST_OPENING_PX and self.area_ratio >= 1.01
            ),
            f"at most {usable:.0f} px2 of paper, the canvas within its margins, got {needed:.3g} px2 for {faces} faces "
            "of at least face_px2, opening_px wide, each area_ratio times the next: take a larger canvas, fewer "
            "curves, or a smaller face_px2, opening_px or area_ratio": needed <= usable,
            f"arc_px <= {longest / 2:.0f} on a canvas of {self.canvas_px} px, got {self.arc_px}: no curve is long "
            "enough for two crossings; take a larger canvas or a smaller arc_px": 2 * self.arc_px <= longest,
        }
        for need, holds in rules.items():
            if not holds:
                raise ValueError(f"need {need}")


def draw_planar_map(config: PlanarMapConfig, rng: np.random.Generator, *, seed: int = 0) -> PlanarMapItem:
    """Return a random arrangement of crossing curves and its planar map; ``seed`` is stored in the item.

    Raises:
        LayoutError: if the arrangement is not legible; with the reason. Another attempt may succeed.
    """
    stroke = round(float(rng.uniform(*config.stroke_px)), 2)
    number = int(rng.integers(config.curves[0], config.curves[1] + 1))
    curves = throw(number, config, config.opening_px + stroke, rng)
    arcs = shapely.line_merge(shapely.node(shapely.MultiLineString([np.vstack([c, c[:1]]) for c in curves])))
    faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(arcs)))
    outside = shapely.difference(shapely.box(0, 0, config.canvas_px, config.canvas_px), shapely.union_all(faces))
    _paper(outside, stroke, config)
    by_area = sorted(((_paper(face, stroke, config), face) for face in faces), key=lambda pair: -pair[0])
    ranked = [paper for paper, _ in by_area]
    if ranked[-1] < config.face_px2:
        raise LayoutError("face too small")
    if any(a < config.area_ratio * b for a, b in pairwise(ranked)):
        raise LayoutError("faces of like area")
    return PlanarMapItem(
        curves=tuple(curves),
        areas=tuple(round(a, 1) for a in ranked),
        adjacent=_adjacent([outside, *(face for _, face in by_area)]),
        canvas_px=config.canvas_px,
        stroke_px=stroke,
        seed=seed,
    )


def _paper(face: shapely.Polygon, stroke: float, config: PlanarMapConfig) -> float:
    """Return the area (px^2) of the blank paper in a face: the part not covered by strokes of ``stroke`` px around it.

    Raises:
        LayoutError: if the paper is in several parts, or has a place narrower than ``config.opening_px``.
    """
    paper = shapely.buffer(face, -stroke / 2)
    opened = shapely.buffer(paper, -config.opening_px / 2)
    if shapely.get_num_geometries(paper) != 1 or shapely.get_num_geometries(opened) != 1 or shapely.is_empty(opened):
        raise LayoutError("face hardly open")
    return float(shapely.area(paper))


def _adjacent(faces: Sequence[shapely.Polygon]) -> tuple[tuple[int, int], ...]:
    borders = [shapely.boundary(face) for face in faces]
    # Faces opposite each other at a crossing share a point, which has no length.
    both = ((i, j, shapely.intersection(borders[i], borders[j])) for i, j in combinations(range(len(faces)), 2))
    return tuple((i, j) for i, j, shared in both if shapely.length(shared) > 1.0)
