"""The rules for a drawing of nested curves (CurveBench, section 3), checked on the stored, rounded vertices.

The generator is built to meet them, but this module does not rely on that. Build and verifier use it. It computes
everything in other ways than the generator: nesting by shapely's predicates and areas, distances by a sweep instead of
buckets. So an error in the generator's geometry shows as a difference. Open arcs must keep the same distances as closed
curves, because an arc that nearly closes, or nearly touches a curve, does not look open.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import ne
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import shapely

from planimeter.filters.verdict import Verdict
from planimeter.items import CurvesItem

Curve = npt.NDArray[np.float64]

#: Two stretches of a curve face each other if the way along it is this many times as long as the straight one.
_AWAY = 4.5
#: Points along a curve are at most this many gaps apart.
_STEP = 0.65


def rings_of(curves: Sequence[Curve]) -> npt.NDArray[np.object_]:
    """Return the closed ``curves``, each (n, 2), as shapely linear rings."""
    owner = np.repeat(np.arange(len(curves)), [len(curve) for curve in curves])
    return np.asarray(shapely.linearrings(np.concatenate(curves), indices=owner))


def nested(rings: npt.NDArray[np.object_]) -> list[int] | None:
    """Return for each ring the number, from 1, of the ring directly around it, or 0; None if any rings meet.

    One sweep over all rings finds crossings, of a ring with itself too. Without crossings, one vertex of a ring shows
    which rings are around it. (The predicate "within" on pairs of polygons takes minutes on some labyrinths.)
    """
    if not shapely.is_simple(shapely.multilinestrings(rings)):
        return None
    polygons = shapely.polygons(rings)
    outer, inner = shapely.STRtree(shapely.get_point(rings, 0)).query(polygons, predicate="contains")
    smallest_first = np.argsort(shapely.area(polygons[outer]), kind="stable")
    around: dict[int, int] = {}
    for i, j in zip(inner[smallest_first].tolist(), outer[smallest_first].tolist(), strict=True):
        if i != j:
            around.setdefault(i, j + 1)
    return [around.get(i, 0) for i in range(len(rings))]


def least_distance(curves: Sequence[Curve], gap_px: float, arcs: Sequence[Curve] = ()) -> float:
    """Return the least distance (px) of two lines, or of two parts of a line, or ``gap_px`` if that is smaller.

    ``curves``, each (n, 2), are closed and ``arcs`` open. Two parts of one line are compared if the way between them
    along the line is over ``_AWAY`` times their distance. Lines are split into segments of at most ``_STEP`` times
    ``gap_px``, and the start of each is compared with the segments near it. Raises ``ValueError`` if a coordinate is
    not finite or ``gap_px`` is not above 0.
    """
    lines = [*curves, *arcs]
    corners = np.concatenate(lines)
    if not (gap_px > 0 and np.isfinite(corners).all()):
        raise ValueError(f"need finite coordinates and gap_px > 0, got gap_px = {gap_px}")
    segments = _divided(corners, np.array([*map(len, lines)]), len(curves), _STEP * gap_px)
    x, y, *_ = segments
    # Strips from top to bottom, in succession: the neighbours of a point are in its strip or in the next one.
    reach, strip = np.hypot(1, _STEP / 2) * gap_px + 1e-6, np.ptp(y)
    place = np.floor((x - x.min()) / reach) * strip + y
    order = np.argsort(place)
    place = place[order]
    return float(_least(gap_px, reach, strip, order, place, *segments))


def _divided(corners: Curve, sizes: npt.NDArray[np.int64], closed: int, longest: float) -> tuple[npt.NDArray[Any], ...]:
    """Split lines into segments no longer than ``longest``, for the search for near segments.

    ``corners`` are the vertices of all lines, ``sizes`` their number for each line; the first ``closed`` lines are
    closed. Return for each segment its start (x, y), vector (x, y), length, position along its line, preceding segment
    and line, and for each line its length if it is closed, else infinity.
    """
    first, is_closed = np.cumsum(sizes) - sizes, np.arange(len(sizes)) < closed
    last, after = first + sizes - 1, np.arange(1, len(corners) + 1)
    # An open line ends at its end.
    after[last] = np.where(is_closed, first, last)
    sides = corners[after] - corners
    long = np.sqrt(sides[:, 0] * sides[:, 0] + sides[:, 1] * sides[:, 1])
    pieces = np.maximum(np.ceil(long / longest), 1.0).astype(np.int64)
    corner, filled = np.repeat(np.arange(len(corners)), pieces), np.cumsum(pieces)
    piece = np.arange(filled[-1]) - (filled - pieces)[corner]
    share = np.zeros(filled[-1])
    np.divide(piece * (long / pieces)[corner], long[corner], out=share, where=piece > 0)
    x, y = (corners[corner] + share[:, None] * sides[corner]).T.copy()
    begin, end = (filled - pieces)[first], filled[last] - 1
    before, following = np.arange(-1, filled[-1] - 1), np.arange(1, filled[-1] + 1)
    before[begin], following[end] = np.where(is_closed, end, begin), np.where(is_closed, begin, end)
    step_x, step_y = x[following] - x, y[following] - y
    lengths = np.sqrt(step_x * step_x + step_y * step_y)
    ways = np.concatenate([[0.0], np.cumsum(lengths)])
    around = np.where(is_closed, ways[end + 1] - ways[begin], np.inf)
    return x, y, step_x, step_y, lengths, ways[:-1], before, np.repeat(np.arange(len(sizes)), end - begin + 1), around


@numba.njit(cache=True, error_model="numpy")
def _least(gap, reach, strip, order, place, *segments):  # type: ignore[no-untyped-def]
    """Return the least distance of two lines or parts as in ``least_distance``, or ``gap`` if that is smaller.

    Only near segments are compared. The plane is divided into vertical strips of width ``reach`` and length ``strip``;
    ``place`` is the position of a segment's start along all strips laid end to end, and ``order`` sorts segments by it.
    A segment is compared with near ones in its own strip and the next.
    """
    x, y, step_x, step_y, lengths, along, before, owner, around = segments
    least, beside = gap, 0
    for a in range(len(order)):
        i = order[a]
        while beside < len(order) and place[beside] < place[a] + strip - reach:
            beside += 1
        for b, last in ((a + 1, place[a] + reach), (beside, place[a] + strip + reach)):
            while b < len(order) and place[b] <= last:
                k = order[b]
                b += 1
                if (x[i] - x[k]) ** 2 + (y[i] - y[k]) ** 2 > reach**2:
                    continue
                for point, start in ((i, k), (k, i), (i, before[k]), (k, before[i])):
                    reach_x, reach_y = x[point] - x[start], y[point] - y[start]
                    share = (reach_x * step_x[start] + reach_y * step_y[start]) / max(lengths[start] ** 2, 1e-12)
                    share = min(max(share, 0.0), 1.0)
                    off_x, off_y = reach_x - share * step_x[start], reach_y - share * step_y[start]
                    distance = np.sqrt(off_x * off_x + off_y * off_y)
                    way = abs(along[start] + share * lengths[start] - along[point])
                    way = min(way, around[owner[point]] - way)
                    if distance < least and (owner[point] != owner[start] or way > _AWAY * distance + 1e-9):
                        least = distance
    return least


@dataclass(frozen=True, kw_only=True, slots=True)
class CurvesLimits:
    """Limits of the rules for a drawing of nested curves. The least distance, ``gap_px``, is set for each item."""

    border_px: float = 10.0
    """Least distance of a centre line from the edge, px."""
    paper_px: float = 3.0
    """Least white paper between two strokes, px."""
    stroke_px: float = 4.0
    """Least width of a stroke, px."""
    opening_px: float = 4.0
    """Least width, at its widest place, of the opening of a curve without other curves inside, px."""

    def __post_init__(self) -> None:
        if not min(self.border_px, self.paper_px, self.stroke_px, self.opening_px) > 0:
            raise ValueError(f"need lengths > 0, got {self}")


def judge(item: CurvesItem, limits: CurvesLimits) -> Iterator[Verdict]:
    """Yield the verdict of each rule on ``item``, in this order: simple, nesting, border, gap, stroke, opening."""
    rings = rings_of(item.curves)
    parents = nested(rings)
    # Curves with nesting are simple.
    broken = int(np.count_nonzero(~shapely.is_simple(rings))) if parents is None else 0
    yield Verdict.of("simple", broken == 0, broken, 0, "curve crosses itself")
    mismatches = len(item.parents) if parents is None else sum(map(ne, parents, item.parents))
    yield Verdict.of("nesting", mismatches == 0, mismatches, 0, "curves show another tree")
    points = np.concatenate([*item.curves, *item.arcs])
    border = float(min(points.min(), item.canvas_px - points.max()))
    yield Verdict.of("border", border >= limits.border_px, border, limits.border_px, "curve near the border")
    # Rounding moves a vertex by up to 0.007 px.
    least = max(item.gap_px, item.stroke_px + limits.paper_px) - 0.02
    gap = least_distance(item.curves, least, item.arcs)
    yield Verdict.of("gap", gap >= least, gap, least, "strokes too near")
    wide = item.stroke_px >= limits.stroke_px
    yield Verdict.of("stroke", wide, item.stroke_px, limits.stroke_px, "stroke too thin")
    closed = _count_closed(shapely.polygons(rings), item, limits)
    yield Verdict.of("opening", closed == 0, closed, 0, "curve hardly open")


def _count_closed(
    polygons: "np.ndarray[tuple[int], np.dtype[np.object_]]", item: CurvesItem, limits: CurvesLimits
) -> int:
    """Return the number of innermost curves whose white inside has no room for a disc of diameter ``opening_px``."""
    reach = (item.stroke_px + limits.opening_px) / 2
    childless = [i for i in range(len(item.parents)) if i + 1 not in item.parents]
    leaves = polygons[childless]
    # A strip of width w has area / perimeter near w / 2, other shapes of that width less: only those are tested.
    slim = shapely.area(leaves) < 1.2 * reach * shapely.length(leaves)
    return int(shapely.is_empty(shapely.buffer(leaves[slim], -reach, quad_segs=3)).sum())
