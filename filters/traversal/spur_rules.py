"""The rules of confounding spurs as verdicts (TraversalBench release, ``confounder_meta.params``).

A spur is (anchor, free end), px. Its piece is the one that its anchor lies on; distances to the path leave that piece
out, because the spur starts there, but beyond the anchor it must not meet it again either, which the least angle sees
to. Released spurs are judged by the same figures.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import shapely

from planimeter.filters.traversal.rules import MeasuredPath, least
from planimeter.filters.verdict import Verdict, at_least, at_most
from planimeter.generators.traversal.confounders import SpurLimits
from planimeter.generators.traversal.limits import Limits
from planimeter.items import ConfounderCondition, Point

#: How far from its piece an anchor may lie, px: the diagonal of half a lattice step, and a bit.
_ON_PATH = 0.05


def judge_spurs(
    path: MeasuredPath,
    spurs: Sequence[tuple[Point, Point]],
    condition: ConfounderCondition,
    rules: SpurLimits,
    limits: Limits,
) -> Iterator[Verdict]:
    """Yield the verdict of every rule on the spurs of one row."""
    ends = np.array(spurs, np.float64).reshape(len(spurs), 2, 2)
    lines, lengths = np.asarray(shapely.linestrings(ends)), np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    anchors = shapely.distance(shapely.points(ends[:, 0])[:, None], path.pieces)
    own = np.arange(len(path.pieces)) == anchors.argmin(axis=1)[:, None]
    fewest, most = rules.counts(condition)
    yield Verdict.of("spur count", fewest <= len(ends) <= most, len(ends), most if len(ends) > most else fewest)
    yield at_least("spur length, least", least(lengths), rules.length[0])
    yield at_most("spur length, greatest", float(lengths.max(initial=0.0)), rules.length[1])
    yield at_most("spur anchor", float(anchors.min(axis=1).max(initial=0.0)), _ON_PATH)
    yield at_least("spur to path", least(shapely.distance(lines[:, None], path.pieces)[~own]), rules.to_path)
    pairs = np.triu_indices(len(lines), 1)
    yield at_least("spur to spur", least(shapely.distance(*(lines[side] for side in pairs))), rules.to_spur)
    for check, places, limit in (
        ("spur to crossing", path.positions, rules.to_crossing),
        ("spur to glyph", path.points, rules.to_glyph),
    ):
        yield at_least(check, least(shapely.distance(lines[:, None], shapely.points(places))), limit)
    yield at_least("spur margin", least(np.minimum(ends, limits.view - ends)), limits.margin)
