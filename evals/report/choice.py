"""Which rows the page shows, of however many: the first of each model, config and outcome, by turns, wrong ones first.

The choice depends on the replies and their ids alone. Ids are digests, so that their order favours nothing.
"""

import numpy as np
import pandas as pd

from planimeter import evals
from planimeter.evals.scores.forms import Scored

#: So many replies are shown, or those to so many rows, if these have more.
MOST_REPLIES, LEAST_ROWS = 240, 60

OUTCOMES = ("wrong", "unread", "right")

_SIDE = ["model", "variant"]


def choose(scored: Scored, most: int = MOST_REPLIES, least_rows: int = LEAST_ROWS) -> pd.DataFrame:
    """Return the chosen rows of ``scored.frame`` with their ``outcome``: all replies to a row stand together.

    Of several samples of a model's reply to a row, the first of each outcome is shown.
    """
    frame = scored.frame.assign(outcome=outcomes(scored.frame, evals.suite(scored.suite).HEADLINE))
    frame = frame.sort_values(["config", "id", *_SIDE, "sample"], kind="stable")
    turn = frame.groupby(["config", *_SIDE, "outcome"], sort=False).cumcount()
    order = frame.assign(turn=turn, rank=frame["outcome"].map(OUTCOMES.index))
    order = order.sort_values(["turn", "rank"], kind="stable").drop_duplicates(["config", "id"])
    order = order.head(max(least_rows, most // max(1, frame.groupby(_SIDE).ngroups)))
    place = pd.Series(range(len(order)), pd.MultiIndex.from_frame(order[["config", "id"]]), name="place")
    shown = frame.drop_duplicates(["config", "id", *_SIDE, "outcome"]).join(place, on=["config", "id"], how="inner")
    return shown.sort_values(["config", "place", *_SIDE, "sample"], kind="stable")


def outcomes(frame: pd.DataFrame, headline: str) -> pd.Series:
    """Return for each reply whether it is right by the metric ``headline``, wrong, or could not be read."""
    named = np.select([~frame["answered"].astype(bool), frame[headline] >= 1.0], ["unread", "right"], "wrong")
    return pd.Series(named, index=frame.index)
