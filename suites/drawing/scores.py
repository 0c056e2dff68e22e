"""Scores of suites whose answers are graphs (trees, planar maps): rewards of 1, 0.3 and 0, and signed errors."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from planimeter.evals.scores.forms import Plot, Table
from planimeter.evals.scores.summary import INTERVALS, Rates, by_stratum

#: The rewards (CurveBench, figure 5): for everything, for the number alone, and for nothing.
REWARDS = {"reward_1": 1.0, "reward_0_3": 0.3, "reward_0": 0.0}


def with_rewards(frame: pd.DataFrame) -> pd.DataFrame:
    """Return ``frame`` with a column for each reward in ``REWARDS``: 1 where the reply earns it, otherwise 0."""
    given = {name: (frame["reward"].round(6) == reward).astype(float) for name, reward in REWARDS.items()}
    return frame.assign(**given)


def with_error(frame: pd.DataFrame, name: str, error: "pd.Series[float]") -> pd.DataFrame:
    """Return ``frame`` with the signed error ``name``, its absolute value ``absolute_NAME``, and 0 or 1 in
    ``NAME_under`` and ``NAME_over`` for an error below or above 0; all are NaN where the error is.
    """
    known = error.notna()
    return frame.assign(
        **{
            name: error,
            f"absolute_{name}": error.abs(),
            f"{name}_under": (error < 0).astype(float).where(known),
            f"{name}_over": (error > 0).astype(float).where(known),
        }
    )


def rewards(by: str, source: str = "") -> Rates:
    """Return a table of the share of replies with each reward, for each value of the column ``by``.

    ``source``: the figure or table of the paper that it reproduces.
    """
    labels = {name: f"reward {reward:g}" for name, reward in REWARDS.items()}
    plot = Plot("stacked", "model", series="metric", panel=by, labels={"metric": labels}, xlabel="share of replies")
    return Rates(
        "rewards",
        "Shares of the rewards",
        source,
        (*REWARDS, "answered", "cut_off"),
        rank="reward",
        down=by,
        note="Reward 1: all is right; 0.3: the number alone; 0: nothing. Cut off: at the limit of tokens.",
        plots=(plot,),
    )


def diagnostics(
    frame: pd.DataFrame, axes: Mapping[str, str], metrics: Sequence[str], shown: Mapping[str, str], table: Table
) -> Table:
    """Return ``table`` with the means of ``metrics`` for each value of each column in ``axes``, and with their plots.

    ``axes``: column -> its label in plots, empty for no plot; ``shown``: metric -> its label in plots. A question
    counts once, with the mean of its samples.
    """
    strata = [axis for axis in axes if axis in frame and frame[axis].notna().any()]
    samples = frame.groupby(["model", "id"], sort=False)
    if samples.size().nunique() > 1:
        frame = samples.agg({**dict.fromkeys(("question", *strata), "first"), **dict.fromkeys(metrics, "mean")})
    plot = Plot("lines", "value", panel="metric", labels={"metric": shown})
    plots = (
        replace(
            plot,
            name=f"diagnostics_{axis}",
            title=f"Where replies are wrong, by {axis}",
            where=f"stratum == '{axis}'",
            xlabel=axes[axis],
        )
        for axis in strata
        if axes[axis]
    )
    note = f"{table.note} {INTERVALS}"
    return replace(table, frame=by_stratum(frame.reset_index(), strata, metrics), note=note, plots=tuple(plots))
