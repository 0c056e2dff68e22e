"""Crossing curves and the planar map that they draw: faces and which of them share an arc (CurveBench, section 8).

Closed wavy curves are thrown on the canvas; an arrangement is taken only if it can be read: every crossing is wide and
clear of the next one, every face opens, no face pinches, and no two faces are of nearly the same area, because faces
are numbered by area.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import shapely

from generators.curves.config import LEAST_STROKE_PX, LayoutError
from generators.curves.outlines import Curve
from generators.items import PlanarMapItem


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanarMapConfig:
    """``curves``: how many, both ends included; ``crossing_degrees``: least angle of two curves; ``arc_px``: least
    length between two crossings; ``opening_px``: least width of a face, necks included; ``area_ratio``: least ratio of
    the areas of two faces."""

    curves: tuple[int, int] = (2, 4)
    canvas_px: int = 1024
    margin_px: float = 24.0
    stroke_px: float = 5.0
    crossing_degrees: float = 45.0
    arc_px: float = 60.0
    opening_px: float = 10.0
    area_ratio: float = 1.03

    def __post_init__(self) -> None:
        if not 2 <= self.curves[0] <= self.curves[1] <= 8:
            raise ValueError(f"need 2 <= curves <= 8, got {self.curves}: more leave no room for clear crossings")
        if self.stroke_px < LEAST_STROKE_PX or self.arc_px < 12 * self.stroke_px:
            raise ValueError(f"need stroke_px >= {LEAST_STROKE_PX} and arc_px >= 12 strokes, got {self}")


def draw_planar_map(config: PlanarMapConfig, rng: np.random.Generator, *, seed: int = 0) -> PlanarMapItem:
    """Return one candidate; raises LayoutError with the reason why the arrangement cannot be read."""
    count = int(rng.integers(config.curves[0], config.curves[1] + 1))
    curves = [_wavy(config, rng) for _ in range(count)]
    rings = [shapely.LinearRing(c) for c in curves]
    if not all(ring.is_simple for ring in rings):
        raise LayoutError("curve crosses itself")
    _check_crossings(curves, config)
    arcs = shapely.line_merge(shapely.node(shapely.MultiLineString([np.vstack([c, c[:1]]) for c in curves])))
    parts = shapely.get_parts(arcs)
    if float(shapely.length(parts).min()) < config.arc_px:
        raise LayoutError("crossings too near")
    _check_room(parts, config)
    faces = list(shapely.get_parts(shapely.polygonize(parts)))
    outside = shapely.difference(shapely.box(0, 0, config.canvas_px, config.canvas_px), shapely.union_all(faces))
    open_areas = [_open_area(face, config) for face in (outside, *faces)]
    order = sorted(range(1, len(open_areas)), key=lambda i: -open_areas[i])
    ranked = [open_areas[i] for i in order]
    if any(a < config.area_ratio * b for a, b in pairwise(ranked)):
        raise LayoutError("faces of like area")
    numbered = [outside, *(faces[i - 1] for i in order)]
    return PlanarMapItem(
        curves=tuple(curves),
        areas=tuple(round(a, 1) for a in ranked),
        adjacent=_adjacent(numbered),
        canvas_px=config.canvas_px,
        stroke_px=config.stroke_px,
        seed=seed,
    )


def _wavy(config: PlanarMapConfig, rng: np.random.Generator) -> Curve:
    t = np.arange(160) / 160 * 2 * np.pi
    size = config.canvas_px * rng.uniform(0.16, 0.34)
    orders = np.arange(2, 5)
    waves = rng.uniform(-0.18, 0.18, 3)[:, None] * np.cos(orders[:, None] * t + rng.random(3)[:, None] * 2 * np.pi)
    radius = size * (1 + waves.sum(axis=0))
    curve = np.stack([radius * np.cos(t), radius * np.sin(t) * rng.uniform(0.7, 1.0)], axis=1)
    angle = rng.random() * 2 * np.pi
    curve = curve @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    low, high = config.margin_px - curve.min(axis=0), config.canvas_px - config.margin_px - curve.max(axis=0)
    return np.round(curve + low + rng.random(2) * np.maximum(high - low, 0.0), 2)


def _check_crossings(curves: Sequence[Curve], config: PlanarMapConfig) -> None:
    least = np.sin(np.radians(config.crossing_degrees))
    for i, a in enumerate(curves):
        for b in curves[:i]:
            crossed = shapely.intersection(shapely.LinearRing(a), shapely.LinearRing(b))
            for point in shapely.get_parts(crossed):
                if point.is_empty:
                    continue
                if point.geom_type != "Point":
                    raise LayoutError("curves overlap")
                ta, tb = _tangent(a, point), _tangent(b, point)
                if abs(ta[0] * tb[1] - ta[1] * tb[0]) < least:
                    raise LayoutError("crossing too acute")


def _tangent(curve: Curve, point: shapely.Point) -> Curve:
    nearest = int(np.argmin(((curve - (point.x, point.y)) ** 2).sum(axis=1)))
    step = curve[(nearest + 1) % len(curve)] - curve[nearest - 1]
    return np.asarray(step / np.sqrt((step**2).sum()))


def _check_room(arcs: Sequence[shapely.LineString], config: PlanarMapConfig) -> None:
    """Raise LayoutError unless arcs that meet in no crossing keep apart, and every curve crosses another."""
    for i, a in enumerate(arcs):
        if a.is_closed:
            raise LayoutError("curve crosses no other")
        for b in arcs[:i]:
            distance = a.distance(b)
            if 0 < distance < config.opening_px + config.stroke_px:
                raise LayoutError("arcs too near")


def _open_area(face: shapely.Polygon, config: PlanarMapConfig) -> float:
    """Return the area of the paper in a face; raises LayoutError where it is pinched or hardly open."""
    paper = shapely.buffer(face, -config.stroke_px / 2)
    opened = shapely.buffer(paper, -config.opening_px / 2)
    if len(shapely.get_parts(opened)) != 1 or shapely.is_empty(opened):
        raise LayoutError("face hardly open")
    return float(shapely.area(paper))


def _adjacent(faces: Sequence[shapely.Polygon]) -> tuple[tuple[int, int], ...]:
    borders = [shapely.boundary(face) for face in faces]
    return tuple(
        (i, j)
        for i in range(len(faces))
        for j in range(i + 1, len(faces))
        # Faces opposite each other at a crossing share a point, which has no length.
        if shapely.length(shapely.intersection(borders[i], borders[j])) > 1.0
    )
