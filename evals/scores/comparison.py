"""Models compared: paired differences on one dataset, macro averages over several, correlations with other benchmarks.

A model with several prompt variants is several models.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from planimeter.evals.scores.forms import Plot, Scored, Table
from planimeter.evals.scores.intervals import combined, sign_flip
from planimeter.evals.scores.intervals import differences as interval_of
from planimeter.evals.scores.summary import (
    INTERVALS,
    cell,
    coverage,
    headline,
    labelled,
    natural_order,
    of_rows,
    ranking,
    rates,
    stratified,
    summary,
)
from planimeter.items.errors import PlanimeterError

AVERAGE = "macro average"

_NOTE = (
    f"Difference: a less b, of the rows that both were asked; samples of a row count as their mean. {INTERVALS} p: "
    "permutation of the signs of the questions' summed differences, McNemar's exact test if each question is one row."
)
_AVERAGE = (
    "A dataset is the mean of the headline metric of its configs, each of which counts once; the macro average is the "
    "mean of the datasets, of models that have scores on all of them. In brackets: the 95% interval, in which a "
    "question counts once; datasets and configs are taken as independent. partial: what a model was not asked in full."
)


def differences(scored: Scored) -> list[Table]:
    """Return the paired differences of all models in the headline metric, by config and by stratum."""
    if scored.frame["model"].nunique() < 2:
        return []
    metric, lines, parts = headline(scored), list[pd.DataFrame](), list[dict[str, object]]()
    order = ranking(scored.frame, metric)
    for config in scored.frame["config"].unique():
        frame, axes = stratified(scored, config)
        rows = frame.drop_duplicates("id").set_index("id")
        means = frame.groupby(["id", "question", "model"])[metric].mean().unstack("model").reset_index("question")
        there = [model for model in order if model in means]
        own = [{"config": config, **_difference(means, *pair)} for pair in combinations(there, 2)]
        lines.append(pd.DataFrame(own).assign(p_holm=lambda table: _holm(table["p"])) if own else pd.DataFrame())
        for axis in axes:
            values = rows[axis].reindex(means.index)
            for value in natural_order(values.dropna().unique()):
                where = {"config": config, "stratum": axis, "value": value}
                parts += [where | _difference(means[values == value], *pair) for pair in combinations(there, 2)]
    plot = Plot("bars", ("a", "b"), ("difference",), series="metric", panel="config")
    tables = [("differences", "Paired differences", pd.concat(lines, ignore_index=True), (plot,))]
    tables += [("differences_by_stratum", "Paired differences by stratum", pd.DataFrame(parts), ())]
    note = f"{metric.replace('_', ' ').capitalize()}. {_NOTE} Holm's p allows for the number of pairs."
    units = dict.fromkeys(("a_mean", "b_mean"), "share")
    return [
        Table(name, title, frame=frame[frame["n"] > 0].reset_index(drop=True), note=note, units=units, plots=plots)
        for name, title, frame, plots in tables
        if len(frame)
    ]


def _difference(means: pd.DataFrame, a: str, b: str) -> dict[str, object]:
    both = means[["question", a, b]].dropna()
    less, questions = both[a] - both[b], both["question"]
    line: dict[str, object] = {"a": a, "b": b, "n": len(both), "questions": questions.nunique()}
    line |= {"a_mean": both[a].mean(), "b_mean": both[b].mean(), **cell("difference", interval_of(less, questions))}
    return line | {"p": sign_flip(less, questions)}


def _holm(p: "pd.Series[float]") -> "pd.Series[float]":
    """Return p-values that hold of all at once (Holm, 1979)."""
    ordered = p.sort_values(kind="stable")
    return (ordered * np.arange(len(ordered), 0, -1)).cummax().clip(upper=1.0).reindex(p.index)


def average(several: Sequence[Scored]) -> Table:
    """Return the headline of each model on each dataset, and their macro average, the best model first."""
    rows: dict[str, dict[str, object]] = {}
    for scored in map(labelled, several):
        metric, configs = headline(scored), scored.frame["config"].nunique()
        covered = coverage(scored, ["model"]).set_index("model")
        for name, lines in summary(scored.frame, ["config", "model"], [metric]).groupby("model"):
            line = rows.setdefault(str(name), {"model": name, "partial": []})
            line |= cell(scored.dataset, combined(rates(lines, metric), 1 / len(lines)))
            line["partial"] += [
                f"{scored.dataset}: {part}" for part in _partial(len(lines), configs, covered.loc[name])
            ]
    names = [scored.dataset for scored in several]
    frame = pd.DataFrame(rows.values())
    means = (np.stack(part, axis=-1) for part in zip(*(rates(frame, name) for name in names), strict=True))
    frame = frame.assign(**cell(AVERAGE, combined(means, 1 / len(names))), partial=frame["partial"].str.join("; "))
    columns = ["model", *(name for each in (AVERAGE, *names) for name in cell(each, range(3))), "partial"]
    frame = frame[columns].sort_values([AVERAGE, "model"], ascending=[False, True], ignore_index=True)
    return Table("average", "Macro average", frame=frame, note=_AVERAGE)


def _partial(configs: int, of_configs: int, covered: "pd.Series[int]") -> Iterator[str]:
    if configs < of_configs:
        yield f"{configs} of {of_configs} configs"
    elif covered["asked"] < covered["rows"]:
        yield f"{of_rows(covered['asked'], covered['rows'])} rows"


def correlations(scored: Scored, benchmarks: pd.DataFrame) -> Table:
    """Return Spearman's rho of models' scores with theirs elsewhere, its p and the number of models.

    ``benchmarks`` has the columns model, benchmark and score. Fewer than three models in common give no rho.

    Raises:
        PlanimeterError: if a column is missing or a score is not a number.
    """
    missing = [name for name in ("model", "benchmark", "score") if name not in benchmarks]
    if missing:
        raise PlanimeterError(f"the benchmarks have no column {missing[0]!r}; need model,benchmark,score")
    scores, metric = pd.to_numeric(benchmarks["score"], errors="coerce"), headline(scored)
    if scores.isna().any():
        which = benchmarks["model"][scores.isna()].iloc[0]
        raise PlanimeterError(f"the benchmarks have a score of {which!r} that is not a number; give one in each row")
    means = scored.frame.groupby(["config", "model"], sort=False)[metric].mean().rename("own").reset_index()
    lines = []
    for key, part in means.merge(benchmarks.assign(score=scores), on="model").groupby(["config", "benchmark"]):
        known = len(part) >= 3 and min(part["own"].nunique(), part["score"].nunique()) > 1
        lines.append((*key, *(spearmanr(part["own"], part["score"]) if known else (np.nan, np.nan)), len(part)))
    return Table(
        "correlations",
        "Correlation with other benchmarks",
        "section 4.4",
        frame=pd.DataFrame(lines, columns=["config", "benchmark", "rho", "p", "n"]),
        note=f"Spearman's rank correlation of {metric} with the score elsewhere, over the n models in both.",
    )
