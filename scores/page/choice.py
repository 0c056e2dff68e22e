"""Which replies the page shows, of however many: each stratum with each outcome, and then wrong ones first.

The choice depends on the replies and their ids alone. Ids are digests, so that their order favours nothing; and since
it is the same for all models, their replies to one picture stand side by side.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from planimeter import evals
from planimeter.scores.forms import Scored
from planimeter.scores.summary import stratified

#: How many replies a page shows at most.
MOST_REPLIES = 240

OUTCOMES = ("wrong", "unread", "right")

_KEYS = ("config", "id", "model", "variant", "reason")

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
    whoever replied; then others, wrong ones first and by turns.
    """
    frame = pd.concat([_with_strata(scored, str(config)) for config in scored.frame["config"].unique()])
    axes = axes_of(frame)
    # Replies share few values: as categories they are sorted and told apart ten times as fast.
    frame = frame.astype(dict.fromkeys([*_KEYS, "outcome", *axes], "category"))
    frame = frame.sort_values(["config", "id", "model", "variant", "sample"], kind="stable")
    cells = [["config", axis, "outcome"] for axis in axes]
    chosen: list[int] = []
    for keys in (["config", "model", "variant", "outcome"], ["config", "outcome", "reason"], *cells):
        chosen += _lacking(frame, chosen, keys)
    chosen = chosen[:limit]
    missing = sum(len(_lacking(frame, chosen, keys)) for keys in cells)
    chosen += _more(frame, chosen)[: limit - len(chosen)]
    replies = scored.frame.loc[chosen].join(frame.loc[chosen, ["outcome", *axes]].astype(object))
    return Choice(replies=replies, total=len(frame), missing=missing)


def axes_of(frame: pd.DataFrame) -> list[str]:
    """Return the columns that hold strata."""
    return [name for name in map(str, frame) if name.startswith(AXIS)]


def outcomes(frame: pd.DataFrame, headline: str) -> pd.Series:
    """Return for each reply whether it is right by the metric ``headline``, wrong, or could not be read."""
    named = np.select([~frame["answered"].astype(bool), frame[headline] >= 1.0], ["unread", "right"], "wrong")
    return pd.Series(named, index=frame.index)


def _with_strata(scored: Scored, config: str) -> pd.DataFrame:
    """Return of the replies to ``config`` what decides the choice, and the strata of their rows."""
    frame, axes = stratified(scored, config)
    outcome = outcomes(frame, evals.suite(scored.suite).HEADLINE)
    return frame[[*_KEYS, "sample"]].assign(outcome=outcome).join(frame[axes].add_prefix(AXIS))


def _lacking(frame: pd.DataFrame, chosen: Sequence[int], keys: Sequence[str]) -> list[int]:
    """Return for each combination of ``keys`` that no chosen reply has the first one of it."""
    values = frame[[*keys]].dropna()
    kept = [number for number in chosen if number in values.index]
    firsts = pd.concat([values.loc[kept], values]).drop_duplicates().index
    return firsts[~firsts.isin(kept)].tolist()


def _more(frame: pd.DataFrame, chosen: Sequence[int]) -> list[int]:
    """Return the other replies: wrong ones first, of these those to pictures shown, configs and models in turn."""
    others = frame[~frame.index.isin(chosen)]
    order = pd.DataFrame(
        {
            "outcome": others["outcome"].map(OUTCOMES.index).astype(int),
            "new": ~others["id"].isin(frame.loc[[*chosen], "id"]),
            "turn": others.groupby(["config", "model", "variant", "outcome"], observed=True).cumcount(),
        }
    )
    return order.sort_values([*order], kind="stable").index.tolist()
