"""Accuracy marker by marker: around crossings and before the first, around spurs and by the spurs passed.

TraversalBench, sections 4.1 and 4.2 and Appendix B.2. Offset 0 is the first marker past a crossing or the anchor of a
spur. The control of a crossing is the accuracy at the same position of paths of as many points that do not cross
themselves, weighted by how often the position occurs; positions that no such path has are left out on both sides. The
control of a spur is the same position of the same path without spurs.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from planimeter.evals.scores.forms import Plot
from planimeter.evals.scores.intervals import combined
from planimeter.evals.scores.suites.traversal.replies import Replies, analysis, markers
from planimeter.evals.scores.summary import BOUNDS, arranged, cell, rates, summary

OFFSETS = tuple(range(-3, 4))
#: How many of the crossings met are looked at (figure 5).
MOST_CROSSINGS = 4

CONDITIONS = ("low", "high")

#: What positions are matched by.
_PLACE = ["model", "points", "position"]

_CONTROL = "Control: the same position of paths of as many points that do not cross themselves."
_MARKERS = Plot(
    kind="lines",
    x="offset",
    series="model",
    metrics=("accuracy", "control"),
    dashed=("metric", "control", ""),
    xlabel="markers past it",
    ylabel="token accuracy",
)
_PAIRED = replace(_MARKERS, dashed=("metric", "control", "without spurs"), source="Figure 6")


@analysis(
    title="Accuracy around the k-th crossing met",
    source="Figure 5",
    note=f"Offset 0 is the first marker past the crossing. {_CONTROL}",
    plots=(
        replace(
            _MARKERS,
            panel="crossing",
            dashed=("metric", "control", "paths without crossings"),
        ),
    ),
)
def around_crossings(replies: Replies) -> pd.DataFrame:
    """Return accuracy at each offset from the k-th crossing met, and at the matched positions (figure 5)."""
    here, plain = _crossings(replies["base"])
    return _beside(here, _control(here, plain, ["crossing", "offset"]), ["crossing", "offset"], "right", "accuracy")


@analysis(
    title="Drop at the k-th crossing met",
    source="Figure 5",
    note=(
        "Drop: accuracy at the last marker before the crossing less that at the first one past it; control drop: "
        "the same of paths without crossings; beyond control: their difference."
    ),
    plots=(Plot(kind="columns", x="crossing", metrics=("drop",), xlabel="crossing met", ylabel="drop (points)"),),
)
def crossing_drop(replies: Replies) -> pd.DataFrame:
    """Return by how much accuracy falls from the last marker before the k-th crossing to the first one past it, and
    between the same positions of the control.
    """
    here, plain = (part.assign(drop=part["before"] - part["right"]) for part in _crossings(replies["base"]))
    here, keys = here[here["offset"] == 0], ["model", "crossing"]
    drops = _beside(here, _control(here, plain, ["crossing"]), ["crossing"], "drop", "drop")
    drops = drops.rename(columns=_names("control", "control_drop") | _names("difference", "beyond_control"))
    ends = summary(here, keys, ["before", "right"]).rename(columns=_names("right", "past"))
    return ends.merge(drops.drop(columns=["n", "questions"]), on=keys)


@analysis(
    title="Prefixes before the first crossing",
    source="Table 3",
    note=(
        "How often all markers before the first crossing are right, and equally long prefixes of paths of as many "
        "points without crossings; a negative difference: paths that will cross are harder before they do."
    ),
)
def prefix(replies: Replies) -> pd.DataFrame:
    """Return how often all is right up to the first crossing, and in as long prefixes of other paths (Table 3)."""
    here, plain = _crossings(replies["base"])
    here = here[(here["crossing"] == 1) & (here["offset"] == -1)]
    table = _beside(here, _control(here, plain, []), [], "prefix", "prefix")
    lengths = (here["position"] + 1).groupby(here["model"]).mean()
    table.insert(2, "mean_length", table["model"].map(lengths))
    return table


@analysis(
    title="Accuracy around the first spur met",
    source="Figure 6, left",
    needs=("base", "confounded"),
    note="Offset 0 is the first marker past the spur's anchor; control: the same position without spurs.",
    plots=(replace(_PAIRED, panel="condition", labels={"condition": {name: name for name in CONDITIONS}}),),
)
def around_spur(replies: Replies) -> pd.DataFrame:
    """Return accuracy at each offset from the first spur met, and of the same path without spurs (figure 6, left)."""
    pairs, confounded = _spurs(replies)
    first = confounded["past_spurs"].str[0].astype(float)
    pairs["offset"] = pairs["position"] - pairs["reply"].map(first)
    pairs["condition"] = pairs["reply"].map(confounded["condition"])
    near = pairs[pairs["offset"].isin(OFFSETS)].astype({"offset": int})
    return arranged(summary(near, ["model", "condition", "offset"], _SPUR), "condition", CONDITIONS)


@analysis(
    title="Accuracy by spurs passed",
    source="Figure 6, right",
    needs=("base", "confounded"),
    note="n counts markers; control: the same markers of the same paths without spurs.",
    plots=(replace(_PAIRED, x="spurs_passed", xlabel="spurs passed before the marker"),),
)
def by_spurs_passed(replies: Replies) -> pd.DataFrame:
    """Return accuracy by how many spurs were passed before a marker, and of the same markers of the path without spurs
    (figure 6, right).
    """
    pairs, confounded = _spurs(replies)
    paths = zip(confounded["past_spurs"], confounded["points"], strict=True)
    past = [np.searchsorted(spurs, range(points), side="right") for spurs, points in paths]
    starts = np.cumsum([0, *map(len, past)])
    pairs["spurs_passed"] = np.concatenate([*past, []]).astype(int)[starts[pairs["reply"]] + pairs["position"]]
    return summary(pairs, ["model", "spurs_passed"], _SPUR)


_SPUR = ("accuracy", "control", "difference")


def _spurs(replies: Replies) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the markers of replies to paths with spurs whose source was asked too, and these replies."""
    confounded = replies["confounded"]
    source = markers(replies["base"]).groupby(["model", "id", "position"])["right"].mean().rename("control")
    lines = markers(confounded)
    lines["source_id"] = lines["reply"].map(confounded["source_id"])
    pairs = lines.join(source, on=["model", "source_id", "position"], how="inner").rename(columns={"right": "accuracy"})
    return pairs.assign(difference=pairs["accuracy"] - pairs["control"]), confounded


def _crossings(base: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the markers around the first crossings met, at positions that have a control, and those of the control."""
    lines = markers(base)
    plain = lines[lines["reply"].map(base["self_intersections"]) == 0]
    met = base["past_crossings"].str[:MOST_CROSSINGS].explode().dropna().astype(int).rename("past").rename_axis("reply")
    around = met.reset_index().assign(crossing=met.groupby("reply").cumcount().to_numpy() + 1)
    around = around.merge(pd.DataFrame({"offset": OFFSETS}), how="cross")
    around["position"] = around["past"] + around["offset"]
    here = around.merge(lines, on=["reply", "position"])
    return here.merge(plain[_PLACE].drop_duplicates(), on=_PLACE), plain


def _control(here: pd.DataFrame, plain: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return the markers ``plain`` once for each group of ``here`` by which a position of theirs is needed, and as
    ``weight`` how often it is, for each marker that is there.
    """
    needed = here.groupby([*_PLACE, *by]).size().rename("needed").reset_index()
    control = plain.merge(needed, on=_PLACE)
    there = plain.groupby(_PLACE).size().rename("there")
    return control.assign(weight=control["needed"] / control.join(there, on=_PLACE)["there"])


def _beside(here: pd.DataFrame, control: pd.DataFrame, by: Sequence[str], value: str, name: str) -> pd.DataFrame:
    """Return the means of ``value`` of markers, as ``name``, of their control, and the difference of the two, which are
    of other paths.
    """
    keys = ["model", *by]
    table = summary(here, keys, [value]).rename(columns=_names(value, name))
    expected = summary(control, keys, [value], weights="weight").drop(columns=["n", "questions"])
    table = table.merge(expected.rename(columns=_names(value, "control")), on=keys, how="left")
    pairs = [np.stack(part, axis=-1) for part in zip(rates(table, name), rates(table, "control"), strict=True)]
    return table.assign(**cell("difference", combined(pairs, (1, -1))))


def _names(old: str, new: str) -> dict[str, str]:
    """Return the new name of each of the three columns of a rate."""
    return {old + bound: new + bound for bound in BOUNDS}
