"""Accuracy marker by marker: around crossings and before the first, around spurs and by the spurs passed.

TraversalBench, sections 4.1 and 4.2 and Appendix B.2. Offset 0 is the first marker past a crossing or the anchor of a
spur. The control of a crossing is the accuracy at the same position of paths of as many points that do not cross
themselves; positions that no such path has are left out on both sides. The control of a spur is the same position of
the same path without spurs.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from planimeter.evals.scores.resampling import Draws, ratio
from planimeter.evals.scores.suites.traversal.positions import NOWHERE, Bools, Floats, Ints, Model, Replies

OFFSETS = tuple(range(-3, 4))
#: Crossings met that are looked at (figure 5).
CROSSINGS = (1, 2, 3, 4)
CONDITIONS = ("low", "high")


def around_crossings(model: Model) -> pd.DataFrame:
    """Return accuracy at each offset from the k-th crossing met, and at the matched positions (figure 5)."""
    here, control, counts = _matched(model)
    places = {"crossing": np.repeat(CROSSINGS, len(OFFSETS)), "offset": np.tile(OFFSETS, len(CROSSINGS))}
    return _with_replies(
        pd.DataFrame({**places, "n": counts.ravel(), **here.columns("accuracy"), **control.columns("control")})
    )


def crossing_drop(model: Model) -> pd.DataFrame:
    """Return by how much accuracy falls from the last marker before the k-th crossing to the first one past it, and
    between the same positions of the control.
    """
    here, control, counts = _matched(model)
    last, first = OFFSETS.index(-1), OFFSETS.index(0)
    every = slice(None)
    drop = here.at(every, last) - here.at(every, first)
    expected = control.at(every, last) - control.at(every, first)
    return _with_replies(
        pd.DataFrame(
            {
                "crossing": CROSSINGS,
                "n": counts[:, first],
                **here.at(every, last).columns("before"),
                **here.at(every, first).columns("past"),
                **drop.columns("drop"),
                **expected.columns("control_drop"),
                **(drop - expected).columns("beyond_control"),
            }
        )
    )


def prefix(model: Model) -> pd.DataFrame:
    """Return how often all is right up to the first crossing, and in as long prefixes of other paths (Table 3)."""
    here, control, counts = _matched(model, prefix=True)
    place = (slice(0, 1), OFFSETS.index(-1))
    before, expected = here.at(*place), control.at(*place)
    met = _met(model.crossing)[:, 0]
    columns = {**before.columns("prefix"), **expected.columns("control"), **(before - expected).columns("difference")}
    length = met.mean() if len(met) else np.nan
    return _with_replies(pd.DataFrame({"n": counts[place], "mean_length": length, **columns}))


def around_spur(model: Model) -> pd.DataFrame:
    """Return accuracy at each offset from the first spur met, and of the same path without spurs (figure 6, left)."""
    pairs, source, _ = model.pairs
    first = pairs.past_spurs[:, 0] if pairs.past_spurs.shape[1] else np.full(len(pairs), NOWHERE)
    positions = first[:, None] + np.array(OFFSETS)
    counted = (positions >= 0) & (positions < pairs.points[:, None])
    right, control = (_taken(values, positions) for values in (pairs.right, source))
    lines = []
    for condition in CONDITIONS:
        weights = counted & (pairs.frame["condition"] == condition).to_numpy()[:, None]
        frame = _against_source(model, pairs, right * weights, control * weights, weights)
        lines.append(frame.assign(condition=condition, offset=OFFSETS))
    return _with_replies(_first(pd.concat(lines, ignore_index=True), "condition", "offset"))


def by_spurs_passed(model: Model) -> pd.DataFrame:
    """Return accuracy by how many spurs were passed before a marker, and of the same markers of the path without spurs
    (figure 6, right).
    """
    pairs, source, _ = model.pairs
    places = np.arange(pairs.right.shape[1])
    passed = (pairs.past_spurs[:, :, None] <= places).sum(axis=1)
    counts = np.arange(passed.max(initial=0) + 1)
    totals = [
        np.stack([(weight * ((passed == count) & pairs.there)).sum(axis=1) for count in counts], axis=1)
        for weight in (pairs.right, source, pairs.there)
    ]
    return _with_replies(_first(_against_source(model, pairs, *totals).assign(spurs_passed=counts), "spurs_passed"))


def _against_source(model: Model, pairs: Replies, right: Floats, control: Floats, weights: Floats) -> pd.DataFrame:
    """Return the rates of confounded replies, of their sources and their difference; all three (pairs, groups)."""
    here, there = (model.resamples.shares(side, weights, pairs.place) for side in (right, control))
    columns = {**here.columns("accuracy"), **there.columns("control"), **(here - there).columns("difference")}
    return pd.DataFrame({"n": np.asarray(weights).sum(axis=0).astype(int), **columns})


@lru_cache(maxsize=2)
def _matched(model: Model, *, prefix: bool = False) -> tuple[Draws, Draws, Ints]:
    """Return accuracy at ``OFFSETS`` from the crossings, that of the control, and how many replies count.

    All are (crossings, offsets). With ``prefix`` a position is right if all up to it is.
    """
    crossing, plain, resamples = model.crossing, model.plain, model.resamples
    lengths, width = np.unique(crossing.points), crossing.right.shape[1]
    rights = (plain.prefix_right, crossing.prefix_right) if prefix else (plain.right, crossing.right)
    known = resamples.sums(_by_length(plain.there, plain, lengths, width), plain.place)
    # Accuracy of the control by (length, position).
    expected = ratio(resamples.sums(_by_length(rights[0], plain, lengths, width), plain.place), known)

    met, length = _met(crossing), np.searchsorted(lengths, crossing.points)
    past = np.zeros((len(crossing), len(CROSSINGS), len(lengths), width + 1), np.float32)
    row, k = np.indices(met.shape)
    past[row, k, length[row], np.minimum(met, width)] = 1
    # How many replies meet the k-th crossing, by (length, position).
    meeting = resamples.sums(past[..., :width], crossing.place)
    controls = [_expected(_shifted(meeting, offset), expected[:, None]) for offset in OFFSETS]

    positions = met[:, :, None] + np.array(OFFSETS)
    inside = (positions >= 0) & (positions < crossing.points[:, None, None])
    counted = inside & _taken(~np.isnan(expected[0])[length], positions)
    here = resamples.shares(_taken(rights[1], positions) & counted, counted, crossing.place)
    control = Draws(values=np.stack(controls, axis=-1), clusters=here.clusters)
    return here, control, counted.sum(axis=0)


def _shifted(counts: Floats, offset: int) -> Floats:
    """Return counts by position as counts by position plus ``offset``, along the last axis; none comes in."""
    shifted, width = np.zeros_like(counts), counts.shape[-1]
    shifted[..., max(offset, 0) : width + min(offset, 0)] = counts[..., max(-offset, 0) : width - max(offset, 0)]
    return shifted


def _expected(counts: Floats, accuracy: Floats) -> Floats:
    """Return the mean of ``accuracy`` over the last two axes, weighted by ``counts``; what is NaN does not count."""
    weights = np.where(np.isnan(accuracy), 0, counts)
    return ratio((weights * np.nan_to_num(accuracy)).sum(axis=(-2, -1)), weights.sum(axis=(-2, -1)))


def _by_length(right: Bools, plain: Replies, lengths: Ints, width: int) -> Bools:
    """Return ``right`` (replies, positions) as (replies, lengths, width): false but at the path's own length."""
    wide = np.zeros((len(plain), width), bool)
    shared = min(width, right.shape[1])
    wide[:, :shared] = right[:, :shared]
    return wide[:, None, :] & (plain.points[:, None] == lengths)[:, :, None]


def _met(replies: Replies) -> Ints:
    """Return the first position past each of ``CROSSINGS``, as (replies, crossings); ``NOWHERE`` without one."""
    places = np.full((len(replies), len(CROSSINGS)), NOWHERE, np.int64)
    shared = min(len(CROSSINGS), replies.past_crossings.shape[1])
    places[:, :shared] = replies.past_crossings[:, :shared]
    return places


def _taken(values: npt.NDArray[Any], positions: Ints) -> npt.NDArray[Any]:
    """Return what stands in each row of ``values`` (replies, width) at its ``positions`` (replies, ...); any beyond."""
    if not values.size:
        return np.zeros(positions.shape, values.dtype)
    places = np.clip(positions, 0, values.shape[1] - 1).reshape(len(values), -1)
    return np.take_along_axis(values, places, axis=1).reshape(positions.shape)


def _with_replies(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that rest on some replies."""
    return frame[frame["n"] > 0].reset_index(drop=True)


def _first(frame: pd.DataFrame, *names: str) -> pd.DataFrame:
    return frame[[*names, *(column for column in frame.columns if column not in names)]]
