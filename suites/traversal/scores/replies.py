"""The replies to paths, joined with the columns of their rows and split into markers.

Positions are indices into the list of markers, from 0. A crossing is met when the path passes it for the first time, on
its ``first_segment`` k, between markers k and k + 1: the first marker past it is k + 1. A spur, a distracting stroke,
is met on the segment where it starts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

import numpy as np
import pandas as pd

from planimeter.evals.scores.forms import Plot, Scored, Table, Unit
from planimeter.evals.traversal.grader import CONFIGS

#: The replies to each config.
Replies = Mapping[str, pd.DataFrame]

#: The columns of a path's difficulty; models are compared by these metrics.
FACTORS = ("tortuosity", "crossings", "points")
OUTCOMES = ("token_accuracy", "exact")

#: The columns of each config's rows that the analyses take; ``correct`` and the metrics are the reply's.
_BINS = {"tortuosity_bin": "tortuosity", "self_intersection_bin": "crossings", "n_points": "points"}
_DRAWN = ("points", "crossings", "confounders")
_OWN: Mapping[str, tuple[str, ...]] = {
    "base": (),
    "confounded": ("source_id", "condition", "confounders"),
    "reading_order": ("regime", "lanes"),
    "curved": ("smoothness",),
}


@dataclass(frozen=True, kw_only=True)
class Analysis(Table):
    """A table that ``make`` computes from the replies to each config; it requires replies to the configs ``needs``."""

    make: Callable[[Replies], pd.DataFrame]
    needs: tuple[str, ...] = ("base",)


def analysis(
    title: str,
    source: str,
    *,
    needs: tuple[str, ...] = ("base",),
    units: Mapping[str, Unit] = MappingProxyType({}),
    plots: tuple[Plot, ...] = (),
) -> Callable[[Callable[[Replies], pd.DataFrame]], Analysis]:
    """Return a decorator that turns a function into an ``Analysis``.

    The function's name becomes the table's name, and its docstring the note below the table.
    """
    declared = partial(Analysis, title=title, source=source, needs=needs, units=units, plots=plots)
    return lambda make: declared(make.__name__, note=" ".join(str(make.__doc__).split()), make=make)


def replies(scored: Scored) -> Replies:
    """Return the replies to each config, joined with columns of their rows and with the following ones.

    ``past_crossings``, ``past_spurs``: ascending positions of the first marker after each crossing or spur;
    ``rightwards``: 1 if the path ends to the right of its start (Appendix B.4, LR), otherwise 0; ``exact_if_answered``:
    the exact match of replies that could be read, NaN for the others.
    """
    result = {}
    for config in CONFIGS:
        columns = ["self_intersections", *_BINS, *_DRAWN[:2], *_OWN[config]]
        rows = scored.rows.get(config, pd.DataFrame(columns=columns, index=pd.Index([], name="id")))[columns]
        met = [sorted(int(crossing["first_segment"]) + 1 for crossing in cell) for cell in rows["crossings"]]
        ends = [points[-1][0] > points[0][0] for points in rows["points"]]
        rows = rows.assign(past_crossings=pd.Series(met, rows.index, dtype=object), rightwards=np.array(ends, float))
        if config == "confounded":
            spurs = zip(rows["points"], rows["confounders"], strict=True)
            past = [past_spurs(points, [spur[0] for spur in listed]) for points, listed in spurs]
            rows["past_spurs"] = pd.Series(past, rows.index, dtype=object)
        rows = rows.drop(columns=list(_DRAWN), errors="ignore").rename(columns=_BINS)
        frame = scored.frame[scored.frame["config"] == config]
        answered = frame["answered"].astype(bool)
        frame = frame.assign(exact_if_answered=frame["exact"].where(answered), answered=answered.astype(float))
        result[config] = frame.join(rows, on="id", how="inner").reset_index(drop=True)
    return result


def past_spurs(points: Sequence[Sequence[float]], anchors: Sequence[Sequence[float]]) -> list[int]:
    """Return the ascending positions of the first marker after each spur that starts at one of ``anchors`` (m, 2), px.

    An anchor belongs to the nearest segment of the path ``points`` (n, 2).
    """
    vertices = np.stack([np.asarray(point, float) for point in points])
    ends = np.array([list(anchor) for anchor in anchors], float)
    a, along = vertices[:-1], np.diff(vertices, axis=0)
    to = ends.reshape(-1, 1, 2) - a
    square = (along**2).sum(axis=1)
    share = np.clip((to * along).sum(axis=2) / np.where(square > 0, square, 1.0), 0.0, 1.0)
    return sorted((1 + ((to - share[..., None] * along) ** 2).sum(axis=2).argmin(axis=1)).tolist())


def markers(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table with one line for each marker of the path of each reply in ``frame``.

    ``reply``: the index of the reply in ``frame``; ``position``: that of the marker in the path; ``right``, ``prefix``,
    ``before``: 1 if the marker, all markers up to it, or the previous marker is right, otherwise 0; ``before`` is NaN
    for the first marker.
    """
    lengths = frame["correct"].map(len).to_numpy(np.int64)
    first = np.repeat(np.cumsum(lengths) - lengths, lengths)
    lines = pd.DataFrame({"reply": np.repeat(np.arange(len(frame)), lengths)})
    right = np.concatenate([np.zeros(0), *frame["correct"]]).astype(float)
    lines = lines.assign(position=np.arange(len(first)) - first, right=right)
    by_reply = lines.groupby("reply")["right"]
    lines = lines.assign(prefix=by_reply.cummin(), before=by_reply.shift())
    return lines.join(frame[["model", "id", "question", "points"]].reset_index(drop=True), on="reply")
