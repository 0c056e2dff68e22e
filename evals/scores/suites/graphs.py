"""What the suites share whose answers are graphs: rewards of 1, 0.3 and 0, strata, and signed errors of a number."""

from collections.abc import Mapping, Sequence

import pandas as pd

from planimeter.evals.scores import drawing
from planimeter.evals.scores.forms import Figure, Table
from planimeter.evals.scores.summary import natural_order, ranked, rates, summary, with_ends

#: The rewards that there are, and what each is for (CurveBench, figure 5): all, the number alone, and nothing.
REWARDS = {"reward_1": 1.0, "reward_0_3": 0.3, "reward_0": 0.0}
_OPACITIES = (0.95, 0.5, 0.18)
#: With more models than that, bands hide each other.
_MOST_BANDS = 4


def with_shares(frame: pd.DataFrame) -> pd.DataFrame:
    """Return ``frame`` with a column of 0 and 1 for each of ``REWARDS``, and as ``with_ends`` has it."""
    shares = {name: (frame["reward"].round(6) == reward).astype(float) for name, reward in REWARDS.items()}
    return with_ends(frame).assign(**shares)


def with_error(frame: pd.DataFrame, name: str, error: "pd.Series[float]") -> pd.DataFrame:
    """Return ``frame`` with a signed error ``name``, its size ``absolute_name``, and whether it is below or above 0:
    ``name_under``, ``name_over``. All are NaN where the error is.
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


def by_stratum(frame: pd.DataFrame, axes: Sequence[str], metrics: Sequence[str]) -> pd.DataFrame:
    """Return the metrics by model and by each of the strata ``axes``, whose names and values are two columns.

    The first metric ranks the models.
    """
    parts = []
    for axis in axes:
        part = summary(_by_row(frame, axis, metrics), [axis, "model"], metrics).rename(columns={axis: "value"})
        part.insert(0, "stratum", axis)
        parts.append(part)
    return ranked(pd.concat(parts, ignore_index=True), frame, metrics[0])


def _by_row(frame: pd.DataFrame, axis: str, metrics: Sequence[str]) -> pd.DataFrame:
    """Return ``frame`` with the means of each row's samples, if rows have not all as many: each row counts once."""
    samples = frame.groupby(["model", "id"], sort=False)
    if samples.size().nunique() < 2:
        return frame
    kept = {"question": "first", axis: "first", **dict.fromkeys(metrics, "mean")}
    return samples.agg(kept).reset_index()


def rewards(frame: pd.DataFrame, by: Sequence[str], source: str) -> Table:
    """Return the shares of each reward by model and by the columns ``by``."""
    table = ranked(summary(frame, [*by, "model"], [*REWARDS, "answered", "cut_off"]), frame, "reward")
    return Table(
        name="rewards",
        title="Shares of the rewards",
        source=source,
        frame=table,
        note="Reward 1: all is right; 0.3: the number alone; 0: nothing. Cut off: at the limit of tokens.",
    )


def reward_figure(table: Table, by: str, values: Sequence[str]) -> Figure:
    """Return stacked bars of the rewards, a panel for each of ``values`` of the column ``by``."""
    rows = table.frame
    models = list(rows["model"].unique())
    with drawing.sheet(len(values), columns=3, size=(3.6, 0.9 + 0.3 * len(models))) as page:
        for panel, value in zip(page.panels, values, strict=True):
            lines = rows[rows[by] == value].set_index("model").reindex(models)
            shares = {f"reward {reward:g}": lines[name] for name, reward in REWARDS.items()}
            drawing.stacked(panel, models, shares, alphas=_OPACITIES)
            for place, share in enumerate(lines["reward_1"]):
                panel.text(1.02, place, "–" if pd.isna(share) else f"{share:.1%}", va="center", fontsize=8)
            panel.set(title=str(value), xlim=(0, 1.3), xlabel="share of replies")
            panel.set_xticks([0, 0.5, 1])
            drawing.percent(panel, "x")
        page.legend()
    return Figure(
        name="rewards",
        title="Shares of the rewards",
        source=table.source,
        svg=page.svg,
        note="Behind each bar: the share of reward 1.",
    )


def stratum_figure(table: pd.DataFrame, stratum: str, axis: str, metrics: Mapping[str, str], source: str) -> Figure:
    """Return a panel for each of ``metrics`` (column: label): lines by the values of ``stratum``, one for each model.

    ``table`` is as ``by_stratum`` returns it and ``axis`` labels the values. A metric called error is a number, any
    other one a share.
    """
    part = table[table["stratum"] == stratum]
    values, models = natural_order(part["value"].unique()), part["model"].unique()
    with drawing.sheet(len(metrics), columns=3, size=(3.3, 2.5)) as page:
        for panel, (metric, label) in zip(page.panels, metrics.items(), strict=True):
            for index, model in enumerate(models):
                rate, *bounds = rates(part[part["model"] == model].set_index("value").reindex(values), metric)
                band = bounds if len(models) <= _MOST_BANDS else ()
                drawing.line(panel, range(len(values)), rate, *band, index=index, label=model)
            panel.set_xticks(range(len(values)), values)
            panel.set(xlabel=axis, ylabel=label)
            if metric.endswith("_error"):
                panel.axhline(0, color="gray", linewidth=0.8)
            else:
                panel.set(ylim=(-0.02, 1.02))
                drawing.percent(panel, "y")
        page.legend()
    return Figure(
        name=f"diagnostics_{stratum}",
        title=f"Where replies are wrong, by {stratum}",
        source=source,
        svg=page.svg,
        note="Bands: 95%, clustered by row.",
    )
