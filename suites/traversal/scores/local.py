"""Accuracy at single markers: around crossings, before the first crossing, around spurs, and after several spurs.

See TraversalBench, sections 4.1 and 4.2 and Appendix B.2. Offset 0 is the first marker after a crossing or after the
start of a spur. The control of a crossing is the accuracy at the same position in paths that have as many points and do
not cross themselves, weighted by the frequency of the position; positions without such a path are left out on both
sides. The control of a spur is the accuracy at the same position in the same path without spurs. The docstrings of
tables are the notes below them in the report.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from planimeter.evals.scores.forms import Plot
from planimeter.evals.scores.intervals import combined
from planimeter.evals.scores.summary import arranged, cell, rates, renamed, summary
from planimeter.suites.traversal.scores.replies import Replies, analysis, markers

OFFSETS = tuple(range(-3, 4))
#: The number of crossings analysed of those met (figure 5).
MOST_CROSSINGS = 4

CONDITIONS = ("low", "high")

#: The columns that match positions.
_PLACE = ["model", "points", "position"]

_MARKERS = Plot(
    "lines", "offset", ("accuracy", "control"), xlabel="markers past it", ylabel="token accuracy", panel="crossing"
)
_CROSSINGS = replace(_MARKERS, dashed=("metric", "control", "paths without crossings"))
_SPURS = replace(
    _MARKERS,
    dashed=("metric", "control", "without spurs"),
    source="Figure 6",
    panel="condition",
    labels={"condition": {name: name for name in CONDITIONS}},
)
_PASSED = replace(_SPURS, x="spurs_passed", panel=(), labels={}, xlabel="spurs passed before the marker")
_DROP = Plot("columns", "crossing", ("drop",), xlabel="crossing met", ylabel="drop (points)")


@analysis("Accuracy around the k-th crossing met", "Figure 5", plots=(_CROSSINGS,))
def around_crossings(replies: Replies) -> pd.DataFrame:
    """Token accuracy near the k-th crossing; offset 0 is the first marker after it. Control: the accuracy at the same
    position in paths that have as many points and do not cross themselves.
    """
    here, plain = _crossings(replies["base"])
    return _beside(here, _control(here, plain, ["crossing", "offset"]), ["crossing", "offset"], "right", "accuracy")


@analysis("Drop at the k-th crossing met", "Figure 5", plots=(_DROP,))
def crossing_drop(replies: Replies) -> pd.DataFrame:
    """Drop: the token accuracy at the last marker before the crossing minus that at the first marker after it. Control
    drop: the same difference at these positions in paths without crossings. Beyond control: drop minus control drop.
    """
    here, plain = (part.assign(drop=part["before"] - part["right"]) for part in _crossings(replies["base"]))
    here, keys = here[here["offset"] == 0], ["model", "crossing"]
    drops = _beside(here, _control(here, plain, ["crossing"]), ["crossing"], "drop", "drop")
    drops = drops.rename(columns=renamed("control", "control_drop") | renamed("difference", "beyond_control"))
    ends = summary(here, keys, ["before", "right"]).rename(columns=renamed("right", "past"))
    return ends.merge(drops.drop(columns=["n", "questions"]), on=keys)


@analysis("Prefixes before the first crossing", "Table 3")
def prefix(replies: Replies) -> pd.DataFrame:
    """Prefix: the share of replies in which all markers before the first crossing are right. Control: the same share
    for equally long prefixes of paths that have as many points and no crossings. A negative difference means that a
    path with crossings is harder even before the first one.
    """
    here, plain = _crossings(replies["base"])
    here = here[(here["crossing"] == 1) & (here["offset"] == -1)]
    table = _beside(here, _control(here, plain, []), [], "prefix", "prefix")
    lengths = (here["position"] + 1).groupby(here["model"]).mean()
    table.insert(2, "mean_length", table["model"].map(lengths))
    return table


@analysis("Accuracy around the first spur met", "Figure 6, left", needs=("base", "confounded"), plots=(_SPURS,))
def around_spur(replies: Replies) -> pd.DataFrame:
    """Token accuracy near the first spur; offset 0 is the first marker after its start. Control: the accuracy at the
    same position in the same path without spurs.
    """
    pairs, confounded = _spurs(replies)
    first = confounded["past_spurs"].str[0].astype(float)
    pairs["offset"] = pairs["position"] - pairs["reply"].map(first)
    pairs["condition"] = pairs["reply"].map(confounded["condition"])
    near = pairs[pairs["offset"].isin(OFFSETS)].astype({"offset": int})
    return arranged(summary(near, ["model", "condition", "offset"], _SPUR), "condition", CONDITIONS)


@analysis("Accuracy by spurs passed", "Figure 6, right", needs=("base", "confounded"), plots=(_PASSED,))
def by_spurs_passed(replies: Replies) -> pd.DataFrame:
    """Token accuracy by the number of spurs passed before the marker. Control: the accuracy at the same markers of the
    same paths without spurs; n is the number of markers.
    """
    pairs, confounded = _spurs(replies)
    paths = zip(confounded["past_spurs"], confounded["points"], strict=True)
    past = [np.searchsorted(spurs, range(points), side="right") for spurs, points in paths]
    starts = np.cumsum([0, *map(len, past)])
    pairs["spurs_passed"] = np.concatenate([*past, []]).astype(int)[starts[pairs["reply"]] + pairs["position"]]
    return summary(pairs, ["model", "spurs_passed"], _SPUR)


_SPUR = ("accuracy", "control", "difference")


def _spurs(replies: Replies) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the markers of replies to paths with spurs, each with its control, and all replies to paths with spurs.

    The control is the accuracy of the model at the same marker without spurs; markers without it are left out.
    """
    confounded = replies["confounded"]
    source = markers(replies["base"]).groupby(["model", "id", "position"])["right"].mean().rename("control")
    lines = markers(confounded)
    lines["source_id"] = lines["reply"].map(confounded["source_id"])
    pairs = lines.join(source, on=["model", "source_id", "position"], how="inner").rename(columns={"right": "accuracy"})
    return pairs.assign(difference=pairs["accuracy"] - pairs["control"]), confounded


def _crossings(base: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the markers near the first crossings of each path, and all markers of paths without crossings (controls).

    Markers near crossings are left out if no control has the same position and number of points.
    """
    lines = markers(base)
    plain = lines[lines["reply"].map(base["self_intersections"]) == 0]
    met = base["past_crossings"].str[:MOST_CROSSINGS].explode().dropna().astype(int).rename("past").rename_axis("reply")
    around = met.reset_index().assign(crossing=met.groupby("reply").cumcount().to_numpy() + 1)
    around = around.merge(pd.DataFrame({"offset": OFFSETS}), how="cross")
    around["position"] = around["past"] + around["offset"]
    here = around.merge(lines, on=["reply", "position"])
    return here.merge(plain[_PLACE].drop_duplicates(), on=_PLACE), plain


def _control(here: pd.DataFrame, plain: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return the control markers of each group of ``here``: those of ``plain`` at the same positions, with weights.

    The columns ``by`` give the groups. ``weight``: the number of the group's markers at the position divided by the
    number of ``plain`` markers there.
    """
    needed = here.groupby([*_PLACE, *by]).size().rename("needed").reset_index()
    control = plain.merge(needed, on=_PLACE)
    there = plain.groupby(_PLACE).size().rename("there")
    return control.assign(weight=control["needed"] / control.join(there, on=_PLACE)["there"])


def _beside(here: pd.DataFrame, control: pd.DataFrame, by: Sequence[str], value: str, name: str) -> pd.DataFrame:
    """Return the mean of ``value`` for the markers ``here`` (as ``name``) and for ``control``, and their difference.

    The two means come from different paths; there is one line for each model and group, given by the columns ``by``.
    """
    keys = ["model", *by]
    table = summary(here, keys, [value]).rename(columns=renamed(value, name))
    expected = summary(control, keys, [value], weights="weight").drop(columns=["n", "questions"])
    table = table.merge(expected.rename(columns=renamed(value, "control")), on=keys, how="left")
    pairs = [np.stack(part, axis=-1) for part in zip(rates(table, name), rates(table, "control"), strict=True)]
    return table.assign(**cell("difference", combined(pairs, (1, -1))))
