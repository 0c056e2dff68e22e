"""The paper's analyses of scored replies, as pure functions over rows and replies (sections 3.3, 4.1, 4.2; B.2, B.4).

Rows are the dataset's columns as dicts; ``Scored`` pairs one with its score. Positions are 0-based places in the list
of markers. A crossing is met where the path runs through it for the first time, on ``first_segment`` k, between
markers k and k + 1: the first marker that depends on it is k + 1. A spur is met on the segment that it is anchored on.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from planimeter.evals.traversal.protocol import Row, Score, grade, parse_leniently


@dataclass(frozen=True, kw_only=True, slots=True)
class Scored:
    """A row and the score of the reply to it."""

    row: Row
    score: Score


@dataclass(frozen=True, kw_only=True, slots=True)
class Mean:
    """A mean and how many values went into it; NaN of none."""

    value: float
    count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class LocalAccuracy:
    """Token accuracy at an offset from a crossing (0: the first marker past it) and at the matched positions."""

    offset: int
    crossing: Mean
    control: Mean


@dataclass(frozen=True, kw_only=True, slots=True)
class Orientation:
    """Accuracy by crossing bin for paths whose end lies right of the start (LR) or left of it (RL)."""

    self_intersection_bin: int
    left_to_right: Mean
    right_to_left: Mean


def scored(rows: Sequence[Row], replies: Mapping[str, str]) -> list[Scored]:
    """Score the leniently parsed reply to each row; a row without a reply counts as unanswered.

    Raises:
        ValueError: for replies to ids that no row has, which point to another dataset or version.
    """
    known = {str(row["id"]) for row in rows}
    strangers = sorted(set(replies) - known)
    if strangers:
        raise ValueError(
            f"{len(strangers)} replies answer ids that are not among the {len(known)} rows, such as {strangers[0]!r}; "
            "give the replies of this dataset and version"
        )
    parsed = ((row, parse_leniently(replies.get(str(row["id"]), ""))) for row in rows)
    return [Scored(row=row, score=grade(read, row["markers"])) for row, read in parsed]


def by_cell(results: Sequence[Scored]) -> dict[tuple[int, int], tuple[Mean, Mean]]:
    """Return (exact match, token accuracy) for each (tortuosity bin, crossing bin), as in figures 2 and 11."""
    groups = _grouped(results, ("tortuosity_bin", "self_intersection_bin"))
    return {(int(t), int(s)): _both(group) for (t, s), group in groups.items()}


def by_factor(results: Sequence[Scored], column: str) -> dict[Any, tuple[Mean, Mean]]:
    """Return (exact match, token accuracy) for each value of ``column``, as in figure 3 (and regimes and lanes)."""
    return {values[0]: _both(group) for values, group in _grouped(results, (column,)).items()}


def around_crossing(results: Sequence[Scored], k: int, reach: int = 3) -> list[LocalAccuracy]:
    """Return local token accuracy around the k-th crossing met (1 is the first), offsets -reach to reach (figure 5).

    The control takes, for every position that counts, the accuracy at the same position of paths with as many points
    and no crossing; positions without such paths are left out on both sides.

    Raises:
        ValueError: for k below 1.
    """
    if k < 1:
        raise ValueError(f"crossings are counted from 1, got {k}")
    plain = _plain_accuracy(results)
    local: dict[int, tuple[list[float], list[float]]] = {offset: ([], []) for offset in range(-reach, reach + 1)}
    for result in results:
        met = crossings_met(result.row)
        if len(met) < k:
            continue
        n = len(result.score.correct)
        for offset, (here, control) in local.items():
            position = met[k - 1] + offset
            if 0 <= position < n and (n, position) in plain:
                here.append(float(result.score.correct[position]))
                control.append(plain[n, position])
    return [
        LocalAccuracy(offset=offset, crossing=_mean(here), control=_mean(control))
        for offset, (here, control) in local.items()
    ]


def prefix_before_crossing(results: Sequence[Scored]) -> tuple[Mean, Mean]:
    """Return how often the whole prefix before the first crossing is right, and the matched control (Table 3).

    The prefix holds the markers up to the one before the crossing; the control is the share of crossing-free paths of
    as many points whose prefix of that length is right.
    """
    plain: defaultdict[int, list[tuple[bool, ...]]] = defaultdict(list)
    for result in results:
        if not result.row["crossings"]:
            plain[len(result.score.correct)].append(result.score.correct)
    here, control = [], []
    for result in results:
        met, n = crossings_met(result.row), len(result.score.correct)
        if met and plain[n]:
            length = met[0]
            here.append(float(all(result.score.correct[:length])))
            control.append(sum(all(correct[:length]) for correct in plain[n]) / len(plain[n]))
    return _mean(here), _mean(control)


def by_confounders_passed(confounded: Sequence[Scored], base: Sequence[Scored]) -> dict[int, tuple[Mean, Mean]]:
    """Return token accuracy by the number of spurs passed before a marker, and that of the same markers in ``base``.

    Rows are matched by ``source_id``; a confounded row without its source is left out (figure 6, right).
    """
    sources = {str(result.row["id"]): result.score for result in base}
    passed: defaultdict[int, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for result in confounded:
        source = sources.get(str(result.row["source_id"]))
        if source is None:
            continue
        segments = [anchor_segment(result.row["points"], spur[0]) for spur in result.row["confounders"]]
        for position, right in enumerate(result.score.correct):
            here, control = passed[sum(segment < position for segment in segments)]
            here.append(float(right))
            control.append(float(source.correct[position]))
    return {count: (_mean(here), _mean(control)) for count, (here, control) in sorted(passed.items())}


def by_orientation(results: Sequence[Scored]) -> list[Orientation]:
    """Return token accuracy by crossing bin for each coarse direction (B.4): is difficulty only a matter of reading?"""
    groups: defaultdict[int, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for result in results:
        points = result.row["points"]
        rightwards = points[-1][0] > points[0][0]
        groups[int(result.row["self_intersection_bin"])][0 if rightwards else 1].append(result.score.token_accuracy)
    return [
        Orientation(self_intersection_bin=s, left_to_right=_mean(right), right_to_left=_mean(left))
        for s, (right, left) in sorted(groups.items())
    ]


def crossings_met(row: Row) -> list[int]:
    """Return, for each crossing in the order met, the position of the first marker past it."""
    return sorted(int(crossing["first_segment"]) + 1 for crossing in row["crossings"])


def anchor_segment(points: Sequence[Sequence[float]], anchor: Sequence[float]) -> int:
    """Return the segment of the path that ``anchor`` lies nearest to."""
    gaps = [_to_segment(anchor, a, b) for a, b in pairwise(points)]
    return min(range(len(gaps)), key=gaps.__getitem__)


def _to_segment(p: Sequence[float], a: Sequence[float], b: Sequence[float]) -> float:
    dx, dy, wx, wy = b[0] - a[0], b[1] - a[1], p[0] - a[0], p[1] - a[1]
    square = dx * dx + dy * dy
    share = min(1.0, max(0.0, (wx * dx + wy * dy) / square)) if square else 0.0
    return math.hypot(wx - share * dx, wy - share * dy)


def _plain_accuracy(results: Sequence[Scored]) -> dict[tuple[int, int], float]:
    """Return token accuracy by (number of points, position) over the paths without crossings."""
    values: defaultdict[tuple[int, int], list[float]] = defaultdict(list)
    for result in results:
        if not result.row["crossings"]:
            for position, right in enumerate(result.score.correct):
                values[len(result.score.correct), position].append(float(right))
    return {key: sum(found) / len(found) for key, found in values.items()}


def _grouped(results: Sequence[Scored], columns: Sequence[str]) -> dict[tuple[Any, ...], list[Scored]]:
    groups: defaultdict[tuple[Any, ...], list[Scored]] = defaultdict(list)
    for result in results:
        groups[tuple(result.row[column] for column in columns)].append(result)
    return dict(sorted(groups.items()))


def _both(group: Sequence[Scored]) -> tuple[Mean, Mean]:
    return _mean([float(r.score.exact) for r in group]), _mean([r.score.token_accuracy for r in group])


def _mean(values: Sequence[float]) -> Mean:
    return Mean(value=math.fsum(values) / len(values) if values else math.nan, count=len(values))
