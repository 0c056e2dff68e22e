"""The replies of one model to one config as arrays: which positions are right, and where crossings and spurs are met.

Positions are 0-based places in the list of markers. A crossing is met where the path runs through it for the first
time, on its ``first_segment`` k, between markers k and k + 1: the first marker past it is k + 1. A spur is met on the
segment that it is anchored on.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from planimeter.evals.scores.forms import Scored
from planimeter.evals.scores.resampling import Resamples
from planimeter.evals.scores.summary import models as ranking
from planimeter.evals.traversal.protocol import CONFIGS

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: Stands in arrays of positions where there is none; it lies behind every path.
NOWHERE = 1_000_000


@dataclass(frozen=True, eq=False)
class Replies:
    """Replies to the rows of one config: ``frame`` has the scores and the row's columns, the arrays a row for each.

    ``place`` (replies,) is the place of each among all replies of its model.
    """

    frame: pd.DataFrame
    place: Ints

    def __len__(self) -> int:
        """Return the number of replies."""
        return len(self.frame)

    def where(self, kept: npt.ArrayLike) -> "Replies":
        """Return those replies for which ``kept`` (replies,) is true."""
        chosen = np.asarray(kept, bool)
        return Replies(self.frame[chosen].reset_index(drop=True), self.place[chosen])

    @cached_property
    def points(self) -> Ints:
        """The number of markers of each path."""
        return self.frame["n_points"].to_numpy(np.int64)

    @cached_property
    def there(self) -> Bools:
        """Which positions each path has, as (replies, longest path)."""
        return np.arange(self.points.max(initial=0)) < self.points[:, None]

    @cached_property
    def right(self) -> Bools:
        """Which positions are right, as (replies, longest path)."""
        right = np.zeros(self.there.shape, bool)
        if len(self):
            right[self.there] = np.concatenate([np.asarray(cell, bool) for cell in self.frame["correct"]])
        return right

    @cached_property
    def prefix_right(self) -> Bools:
        """Whether all is right from the start to each position, as (replies, longest path)."""
        return np.logical_and.accumulate(self.right, axis=1)

    @cached_property
    def past_crossings(self) -> Ints:
        """The first position past each crossing, in the order met, as (replies, most crossings)."""
        counts = self.frame["crossings"].map(len).to_numpy(np.int64)
        segments = [crossing["first_segment"] for cell in self.frame["crossings"] for crossing in cell]
        return _in_rows(1 + np.array(segments, np.int64), counts)

    @cached_property
    def past_spurs(self) -> Ints:
        """The first position past the anchor of each spur, in the order met, as (replies, most spurs)."""
        counts = self.frame["confounders"].map(len).to_numpy(np.int64)
        anchors = np.array([spur[0] for cell in self.frame["confounders"] for spur in cell], float).reshape(-1, 2)
        paths = self._vertices[np.repeat(np.arange(len(self)), counts)]
        return _in_rows(1 + nearest_segments(paths, anchors), counts)

    @cached_property
    def rightwards(self) -> Bools:
        """Whether the path ends to the right of its start (Appendix B.4, LR)."""
        last = self._vertices[np.arange(len(self)), self.points - 1]
        return np.asarray(last[:, 0] > self._vertices[:, 0, 0]) if len(self) else np.zeros(0, bool)

    @cached_property
    def _vertices(self) -> Floats:
        """The vertices in pixels, as (replies, longest path, 2); NaN behind the end."""
        points = np.full((*self.there.shape, 2), np.nan)
        if len(self):
            points[self.there] = np.concatenate([np.stack([*cell]) for cell in self.frame["points"]])
        return points


@dataclass(frozen=True, eq=False, kw_only=True)
class Model:
    """The replies of one model under one prompt, by config, and the resamples of their questions (paths)."""

    name: str
    resamples: Resamples
    base: Replies
    confounded: Replies
    reading_order: Replies
    curved: Replies

    @cached_property
    def plain(self) -> Replies:
        """The replies to base paths that do not cross themselves: the control of crossings."""
        return self.base.where(self.base.frame["self_intersections"] == 0)

    @cached_property
    def crossing(self) -> Replies:
        """The replies to base paths that cross themselves."""
        return self.base.where(self.base.frame["self_intersections"] > 0)

    @cached_property
    def pairs(self) -> tuple[Replies, Floats, pd.DataFrame]:
        """The replies to confounded rows whose source was asked too, and of the latter what its samples have in mean:
        how often each position is right, as (replies, longest path), and the metrics.
        """
        ids, row = np.unique(self.base.frame["id"].to_numpy(str), return_inverse=True)
        times = np.bincount(row, minlength=len(ids))[:, None]
        right = np.zeros((len(ids), self.base.right.shape[1]))
        np.add.at(right, row, self.base.right)
        metrics = self.base.frame.groupby(row)[["exact", "token_accuracy"]].mean()
        source = pd.Index(ids).get_indexer(self.confounded.frame["source_id"].to_numpy(str))
        chosen = source[source >= 0]
        paired = self.confounded.where(source >= 0)
        return paired, (right / times)[chosen, : paired.right.shape[1]], metrics.iloc[chosen].reset_index(drop=True)


def models(scored: Scored) -> Iterator[Model]:
    """Yield each model of ``scored``, the best one first."""
    for name in ranking(scored.frame, "exact"):
        frame = scored.frame[scored.frame["model"] == name]
        parts = {config: _replies(scored, frame, config) for config in CONFIGS}
        yield Model(name=name, resamples=Resamples(frame["question"]), **parts)


#: The columns of each config's rows that the analyses take; ``correct`` and the metrics are the reply's.
_COLUMNS = ("n_points", "points", "crossings", "self_intersections", "tortuosity_bin", "self_intersection_bin")
_OWN: dict[str, tuple[str, ...]] = {
    "base": (),
    "confounded": ("source_id", "condition", "confounders"),
    "reading_order": ("regime", "lanes"),
    "curved": ("smoothness",),
}


def _replies(scored: Scored, frame: pd.DataFrame, config: str) -> Replies:
    columns = [*_COLUMNS, *_OWN[config]]
    place = np.flatnonzero(frame["config"] == config)
    rows = frame.iloc[place].reset_index(drop=True)
    if config not in scored.rows:
        return Replies(rows.reindex(columns=[*rows.columns, *columns]).iloc[:0], place[:0])
    return Replies(rows.join(scored.rows[config][columns], on="id"), place)


def nearest_segments(paths: Floats, anchors: Floats) -> Ints:
    """Return for each of ``anchors`` (m, 2) the segment of its path (m, n, 2; NaN behind the end) that it lies nearest
    to.
    """
    a, b = paths[:, :-1], paths[:, 1:]
    along, to = b - a, anchors[:, None] - a
    square = (along**2).sum(axis=2)
    share = np.clip((to * along).sum(axis=2) / np.where(square > 0, square, 1.0), 0.0, 1.0)
    gaps = ((to - share[:, :, None] * along) ** 2).sum(axis=2)
    return np.where(np.isnan(gaps), np.inf, gaps).argmin(axis=1) if len(anchors) else np.zeros(0, np.int64)


def _in_rows(positions: Ints, counts: Ints) -> Ints:
    """Return ``positions``, of which row k has the next ``counts[k]``, as sorted rows filled up with ``NOWHERE``."""
    there = np.arange(counts.max(initial=0)) < counts[:, None]
    places = np.full(there.shape, NOWHERE, np.int64)
    places[there] = positions
    return np.sort(places, axis=1)
