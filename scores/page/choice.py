"""Which replies the page shows, of however many: each stratum with each outcome, and then more of the wrong ones.

The choice depends on the replies and their ids alone. Ids are digests, so that their order favours nothing; and since
it is the same for all models, their replies to one picture stand side by side.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from planimeter import evals
from planimeter.scores.forms import Scored

#: How many replies a page shows at most.
MOST_REPLIES = 240

OUTCOMES = ("wrong", "unread", "right")

#: Before the names of the columns that hold strata: "family" may be a metric's or a harness's name, too.
AXIS = "stratum_"


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The replies shown, most telling first; how many there are in all; how many (stratum, outcome) have none here."""

    replies: pd.DataFrame
    total: int
    missing: int


def choose(scored: Scored, limit: int = MOST_REPLIES) -> Choice:
    """Return at most ``limit`` rows of ``scored.frame``, with their ``outcome`` and a column for each axis of strata.

    First comes a reply for each model, config and outcome, then for each reason, then for each stratum and outcome,
    whoever replied; then wrong ones by turns, at first those to pictures that are shown in any case.
    """
    frame = scored.frame.reset_index(drop=True)
    frame = frame.assign(outcome=outcomes(frame, evals.suite(scored.suite).HEADLINE))
    frame = frame.merge(_strata(scored), how="left", on=["config", "id"])
    axes = [name for name in frame if name.startswith(AXIS)]
    frame[axes] = frame[axes].fillna("")
    frame = frame.sort_values(["config", "id", "model", "variant", "sample"], kind="stable", ignore_index=True)
    cells = [["config", axis, "outcome"] for axis in axes]
    chosen = pd.Index([], dtype="int64")
    for keys in (["config", "model", "variant", "outcome"], ["config", "outcome", "reason"], *cells):
        chosen = chosen.append(_lacking(frame, chosen, keys))
    chosen = chosen[:limit]
    missing = sum(len(_lacking(frame, chosen, keys)) for keys in cells)
    more = _wrong_by_turns(frame, chosen)[: limit - len(chosen)]
    return Choice(replies=frame.loc[chosen.append(more)], total=len(frame), missing=missing)


def outcomes(frame: pd.DataFrame, headline: str) -> pd.Series:
    """Return for each reply whether it is right by the metric ``headline``, wrong, or could not be read."""
    named = np.select([~frame["answered"].astype(bool), frame[headline] >= 1.0], ["unread", "right"], "wrong")
    return pd.Series(named, index=frame.index)


def _strata(scored: Scored) -> pd.DataFrame:
    """Return the strata of every row of the dataset that a model was asked, by config and id."""
    asked = scored.frame[["config", "id"]].drop_duplicates()
    found = []
    for config, ids in asked.groupby("config")["id"]:
        rows = scored.rows[str(config)].loc[ids]
        for name, row in zip(rows.index, rows.to_dict("records"), strict=True):
            strata = evals.strata(row, suite=scored.suite, config=str(config))
            found.append({"config": config, "id": name} | {AXIS + axis: value for axis, value in strata.items()})
    return pd.DataFrame(found, columns=None if found else ["config", "id"])


def _lacking(frame: pd.DataFrame, chosen: pd.Index, keys: Sequence[str]) -> pd.Index:
    """Return for each combination of ``keys`` that no chosen reply has the first one of it."""
    values = frame[[*keys]]
    if keys[1].startswith(AXIS):
        values = values[values[keys[1]] != ""]
    kept = chosen.intersection(values.index, sort=False)
    firsts = pd.concat([values.loc[kept], values]).drop_duplicates()
    return firsts.index[~firsts.index.isin(kept)]


def _wrong_by_turns(frame: pd.DataFrame, chosen: pd.Index) -> pd.Index:
    """Return the wrong replies that are not chosen: those to pictures shown first, then a config and model in turn."""
    wrong = frame[frame["outcome"] == "wrong"].drop(index=chosen, errors="ignore")
    turn = wrong.groupby(["config", "model", "variant"]).cumcount()
    order = pd.DataFrame({"new": ~wrong["id"].isin(frame.loc[chosen, "id"]), "turn": turn})
    return order.sort_values(["new", "turn"], kind="stable").index
