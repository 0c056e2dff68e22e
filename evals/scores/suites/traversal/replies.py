"""Replies to paths with the columns of their rows, and these replies marker by marker.

Positions are 0-based places in the list of markers. A crossing is met where the path runs through it for the first
time, on its ``first_segment`` k, between markers k and k + 1: the first marker past it is k + 1. A spur is met on the
segment that it is anchored on.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from planimeter.evals.scores.forms import Scored
from planimeter.evals.traversal.protocol import CONFIGS

#: The columns of each config's rows that the analyses take; ``correct`` and the metrics are the reply's.
_COLUMNS = ("n_points", "points", "crossings", "self_intersections", "tortuosity_bin", "self_intersection_bin")
_OWN: Mapping[str, tuple[str, ...]] = {
    "base": (),
    "confounded": ("source_id", "condition", "confounders"),
    "reading_order": ("regime", "lanes"),
    "curved": ("smoothness",),
}


def replies(scored: Scored) -> dict[str, pd.DataFrame]:
    """Return for each config the replies to it with the columns of their rows.

    ``past_crossings`` and ``past_spurs`` are the first positions past each of them, in the order met, ``rightwards``
    whether the path ends to the right of its start (Appendix B.4, LR).
    """
    result = {}
    for config in CONFIGS:
        columns = [*_COLUMNS, *_OWN[config]]
        rows = scored.rows.get(config, pd.DataFrame(columns=columns, index=pd.Index([], name="id")))[columns]
        met = [sorted(int(crossing["first_segment"]) + 1 for crossing in cell) for cell in rows["crossings"]]
        ends = [points[-1][0] > points[0][0] for points in rows["points"]]
        rows = rows.assign(past_crossings=pd.Series(met, rows.index, dtype=object), rightwards=np.array(ends, float))
        if config == "confounded":
            spurs = zip(rows["points"], rows["confounders"], strict=True)
            past = [past_spurs(points, [spur[0] for spur in listed]) for points, listed in spurs]
            rows["past_spurs"] = pd.Series(past, rows.index, dtype=object)
        frame = scored.frame[scored.frame["config"] == config]
        result[config] = frame.join(rows, on="id", how="inner").reset_index(drop=True)
    return result


def past_spurs(points: Sequence[Sequence[float]], anchors: Sequence[Sequence[float]]) -> list[int]:
    """Return for each of ``anchors`` (m, 2) the first position past it, sorted: it lies on the nearest segment of the
    path ``points`` (n, 2).
    """
    vertices = np.stack([np.asarray(point, float) for point in points])
    ends = np.array([list(anchor) for anchor in anchors], float)
    a, along = vertices[:-1], np.diff(vertices, axis=0)
    to = ends.reshape(-1, 1, 2) - a
    square = (along**2).sum(axis=1)
    share = np.clip((to * along).sum(axis=2) / np.where(square > 0, square, 1.0), 0.0, 1.0)
    return sorted((1 + ((to - share[..., None] * along) ** 2).sum(axis=2).argmin(axis=1)).tolist())


def markers(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a line for each marker of the replies ``frame``, whose places there are in ``reply``: its ``position``,
    whether it is ``right``, whether all ``prefix`` up to it is, and whether the one ``before`` is right.
    """
    lengths = frame["correct"].map(len).to_numpy(np.int64)
    first = np.repeat(np.cumsum(lengths) - lengths, lengths)
    lines = pd.DataFrame({"reply": np.repeat(np.arange(len(frame)), lengths)})
    right = np.concatenate([np.zeros(0), *frame["correct"]]).astype(float)
    lines = lines.assign(position=np.arange(len(first)) - first, right=right)
    by_reply = lines.groupby("reply")["right"]
    lines = lines.assign(prefix=by_reply.cummin(), before=by_reply.shift())
    return lines.join(frame[["model", "id", "question", "n_points"]].reset_index(drop=True), on="reply")
