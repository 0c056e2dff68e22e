"""The rules of confounding spurs as verdicts (TraversalBench release, ``confounder_meta.params``).

A spur is (anchor, free end), px. Its segment is the one that its anchor lies on; distances to the path leave that
segment out, because the spur starts there, but beyond the anchor it must not meet it again either, which the least
angle sees to. Released spurs are judged by the same figures.
"""

import math
from collections.abc import Sequence
from itertools import combinations

from planimeter.filters.exact_geometry import Point, crosses, touches
from planimeter.filters.traversal.rules import MeasuredPath
from planimeter.filters.verdict import Verdict
from planimeter.generators.traversal.confounders import SpurLimits
from planimeter.generators.traversal.limits import Limits
from planimeter.items import ConfounderCondition

Spur = tuple[Point, Point]

#: How far from its segment an anchor may lie, px: the diagonal of half a lattice step, and a bit.
_ON_PATH = 0.05
#: Slack of the comparisons, px: spurs are measured in float64 and the generator keeps 0.02 px clear.
_NOISE = 1e-9


def judge_spurs(
    path: MeasuredPath, spurs: Sequence[Spur], condition: ConfounderCondition, rules: SpurLimits, limits: Limits
) -> tuple[Verdict, ...]:
    """Return the verdict of every rule on the spurs of one row, in a fixed order."""
    anchors = [_anchor(path, spur) for spur in spurs]
    lengths = [math.dist(*spur) for spur in spurs]
    longest, off_path = max(lengths, default=0.0), max((gap for _, gap in anchors), default=0.0)
    fewest, most = rules.counts(condition)
    count = len(spurs)
    return (
        _verdict("spur count", fewest <= count <= most, count, most if count > most else fewest),
        _above("spur length, least", min(lengths, default=math.inf), rules.length[0]),
        _verdict("spur length, greatest", longest <= rules.length[1] + _NOISE, longest, rules.length[1]),
        _verdict("spur anchor", off_path <= _ON_PATH, off_path, _ON_PATH),
        _above("spur to path", _to_path(path, spurs, [k for k, _ in anchors]), rules.to_path),
        _above("spur to spur", min((_gap(a, b) for a, b in combinations(spurs, 2)), default=math.inf), rules.to_spur),
        _above("spur to crossing", _to_points(path.positions, spurs), rules.to_crossing),
        _above("spur to glyph", _to_points(path.points, spurs), rules.to_glyph),
        _above("spur margin", _to_border(spurs, limits), limits.margin),
    )


def _verdict(check: str, kept: bool, measured: float, limit: float) -> Verdict:
    return Verdict(check=check, kept=kept, measured=float(measured), limit=float(limit), reason="" if kept else check)


def _above(check: str, measured: float, limit: float) -> Verdict:
    return _verdict(check, measured >= limit - _NOISE, measured, limit)


def _anchor(path: MeasuredPath, spur: Spur) -> tuple[int, float]:
    """Return (the segment nearest to the spur's anchor, its distance)."""
    gaps = [_to_point(spur[0], segment) for segment in path.segments]
    nearest = min(range(len(gaps)), key=gaps.__getitem__)
    return nearest, gaps[nearest]


def _to_path(path: MeasuredPath, spurs: Sequence[Spur], homes: Sequence[int]) -> float:
    gaps = (
        _gap(spur, segment)
        for spur, home in zip(spurs, homes, strict=True)
        for k, segment in enumerate(path.segments)
        if k != home
    )
    return min(gaps, default=math.inf)


def _to_points(points: Sequence[Point], spurs: Sequence[Spur]) -> float:
    return min((_to_point(point, spur) for point in points for spur in spurs), default=math.inf)


def _to_border(spurs: Sequence[Spur], limits: Limits) -> float:
    values = [value for spur in spurs for point in spur for value in point]
    return min((min(value, limits.view - value) for value in values), default=math.inf)


def _gap(one: Spur, other: Spur) -> float:
    """Return the distance of two segments, 0 where they meet."""
    if crosses(*one, *other) or touches(*one, *other):
        return 0.0
    return min(*(_to_point(p, other) for p in one), *(_to_point(p, one) for p in other))


def _to_point(p: Point, segment: Spur) -> float:
    (ax, ay), (bx, by) = segment
    dx, dy, wx, wy = bx - ax, by - ay, p[0] - ax, p[1] - ay
    square = dx * dx + dy * dy
    share = min(1.0, max(0.0, (wx * dx + wy * dy) / square)) if square else 0.0
    return math.hypot(wx - share * dx, wy - share * dy)
