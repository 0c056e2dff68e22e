"""The rules that a drawing of nested curves has to keep, each judged on the stored curves (CurveBench, section 3).

The generator keeps them by construction; nothing here trusts that, nor uses its geometry: all is taken from the rounded
vertices that are published, in other ways, by build and verifier alike: which curve lies in which by shapely's
predicates and areas, distances by a k-d tree instead of buckets. A fault in the generator's geometry shows as a
difference. Open arcs keep the same distances as curves: one that nearly closes, or nearly touches a curve, is not open
to the eye.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import ne

import numpy as np
import numpy.typing as npt
import shapely
from scipy.spatial import cKDTree

from planimeter.filters.verdict import Verdict
from planimeter.items import CurvesItem

Curve = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

#: Two stretches of a curve face each other where the way along it is so many times as long as the straight one.
_AWAY = 4.5
#: Points along a curve are at most so many gaps apart.
_STEP = 0.65


def rings_of(curves: Sequence[Curve]) -> npt.NDArray[np.object_]:
    """Return closed ``curves``, (n, 2), as rings."""
    owner = np.repeat(np.arange(len(curves)), [len(curve) for curve in curves])
    return np.asarray(shapely.linearrings(np.vstack(curves), indices=owner))


def nested(curves: Sequence[Curve]) -> list[int] | None:
    """Return for each of closed ``curves``, (n, 2) px, the curve directly around it, from 1 on; 0 for none.

    None where a curve meets itself or another. One sweep over all curves finds out; after that one vertex says where
    its whole curve lies. (The predicate "within" on pairs of polygons takes minutes on some labyrinths.)
    """
    rings = rings_of(curves)
    points, owner = shapely.get_coordinates(rings, return_index=True)
    if not shapely.is_simple(shapely.multilinestrings(shapely.linestrings(points, indices=owner))):
        return None
    polygons = shapely.polygons(rings)
    outer, inner = shapely.STRtree(shapely.get_point(rings, 0)).query(polygons, predicate="contains")
    smallest_first = np.argsort(shapely.area(polygons[outer]), kind="stable")
    around: dict[int, int] = {}
    for i, j in zip(inner[smallest_first].tolist(), outer[smallest_first].tolist(), strict=True):
        if i != j:
            around.setdefault(i, j + 1)
    return [around.get(i, 0) for i in range(len(curves))]


def least_distance(curves: Sequence[Curve], gap_px: float, arcs: Sequence[Curve] = ()) -> float:
    """Return how near (px) two lines, or two facing stretches of one, come; at most ``gap_px``.

    ``curves``, (n, 2), are closed and ``arcs`` open. Each point, ``_STEP`` gaps from the next at most, is held against
    each segment whose nearer end is a neighbour.
    """
    lines = [*rings_of(curves), *(shapely.LineString(arc) for arc in arcs)]
    dense = [shapely.get_coordinates(line) for line in shapely.segmentize(lines, _STEP * gap_px)]
    dense[: len(curves)] = [ring[:-1] for ring in dense[: len(curves)]]
    points, owner = np.vstack(dense), np.repeat(np.arange(len(dense)), [len(line) for line in dense])
    first = np.cumsum([0, *map(len, dense)])
    after, before = np.arange(1, len(points) + 1), np.arange(-1, len(points) - 1)
    last = first[1:] - 1
    after[last], before[first[:-1]] = first[:-1], last
    # An open line ends where it ends.
    after[last[len(curves) :]], before[first[len(curves) : -1]] = last[len(curves) :], first[len(curves) : -1]
    x, y = points.T.copy()
    step_x, step_y = x[after] - x, y[after] - y
    lengths = _length(step_x, step_y)
    ends = np.concatenate([[0.0], np.cumsum(lengths)])
    along, around = ends[:-1], np.diff(ends[first])
    around[len(curves) :] = np.inf

    def facing(i: Indices, j: Indices, at: Curve, distance: Curve) -> npt.NDArray[np.bool_]:
        way = np.abs(along[j] + at - along[i])
        way = np.minimum(way, around[owner[i]] - way)
        return (owner[i] != owner[j]) | (way > _AWAY * distance + 1e-9)

    half = _STEP * gap_px / 2
    tree = cKDTree(points, balanced_tree=False, compact_nodes=False)
    i, k = tree.query_pairs(gap_px + half, output_type="ndarray").T.copy()
    straight = _length(x[i] - x[k], y[i] - y[k])
    # Most pairs are neighbours on one curve, however their segments lie.
    likely = facing(i, k, np.zeros(1), straight - half - half / _AWAY - 1e-6)
    i, k = i[likely], k[likely]
    i, k = np.concatenate([i, k, i, k]), np.concatenate([k, i, before[k], before[i]])
    reach_x, reach_y, along_x, along_y = x[i] - x[k], y[i] - y[k], step_x[k], step_y[k]
    share = np.clip((reach_x * along_x + reach_y * along_y) / np.maximum(lengths[k] ** 2, 1e-12), 0.0, 1.0)
    distance = _length(reach_x - share * along_x, reach_y - share * along_y)
    return float(distance[facing(i, k, share * lengths[k], distance)].min(initial=gap_px))


def _length(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.sqrt(x * x + y * y)


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
