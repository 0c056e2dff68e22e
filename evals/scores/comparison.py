"""Comparison of models: paired differences on one dataset, macro averages over several, correlations with other
benchmarks.

Each prompt variant of a model counts as a separate model.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from planimeter.evals.scores.forms import Plot, Scored, Table, Unit, records
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
    f"Difference: a minus b, over the rows that both were asked; samples of a row count as their mean. {INTERVALS} p: "
    "permutation of the signs of the questions' summed differences, McNemar's exact test if each question is one row."
)
_AVERAGE = (
    "A dataset is the mean of the headline metric of its configs, each of which counts once; the macro average is the "
    "mean of the datasets, of models that have scores on all of them. In brackets: the 95% interval, in which a "
    "question counts once; datasets and configs are taken as independent. partial: datasets of which a model was asked "
    "only a part."
)


def differences(scored: Scored) -> list[Table]:
    """Return tables of the differences of each pair of models in the headline metric, on the rows that both answered.

    There is a table by config and one by stratum; with only one model there is no table.
    """
    if scored.frame["model"].nunique() < 2:
        return []
    metric, lines, parts = headline(scored), list[pd.DataFrame](), list[dict[str, object]]()
    order = ranking(scored.frame, metric)
    for config in scored.frame["config"].unique():
        frame, axes = stratified(scored, config)
        rows = frame.drop_duplicates("id").set_index("id")
        means = frame.groupby(["id", "question", "model"])[metric].mean().unstack("model").reset_index("question")
        present = [model for model in order if model in means]
        own = pd.DataFrame([{"config": config, **line} for line in _pairs(means, present)])
        lines.append(own.assign(p_holm=_holm(own["p"])) if len(own) else own)
        for axis in axes:
            values = rows[axis].reindex(means.index)
            for value in natural_order(values.dropna().unique()):
                where = {"config": config, "stratum": axis, "value": value}
                parts += [where | line for line in _pairs(means[values == value], present)]
    plot = Plot("bars", ("a", "b"), ("difference",), series="metric", panel="config")
    note = f"{metric.replace('_', ' ').capitalize()}. {_NOTE} Holm's p allows for the number of pairs."
    units: dict[str, Unit] = dict.fromkeys(("a_mean", "b_mean"), "share")
    overall, by_stratum = pd.concat(lines, ignore_index=True), pd.DataFrame(parts)
    named = {"Paired differences": overall, "Paired differences by stratum": by_stratum}
    return [
        Table(
            title.removeprefix("Paired ").replace(" ", "_"),
            title,
            frame=frame,
            note=note,
            units=units,
            plots=(plot,) if frame is overall else (),
        )
        for title, frame in named.items()
        if len(frame)
    ]


def _pairs(means: pd.DataFrame, models: Sequence[str]) -> Iterator[dict[str, object]]:
    """Yield a line of a table of differences for each pair of ``models`` that have scores on a common row.

    ``means`` has a line for each row of the dataset, with its question and the mean score of each model.
    """
    for a, b in combinations(models, 2):
        both = means[["question", a, b]].dropna()
        less, questions = both[a] - both[b], both["question"]
        line: dict[str, object] = {"a": a, "b": b, "n": len(both), "questions": questions.nunique()}
        line |= {"a_mean": both[a].mean(), "b_mean": both[b].mean(), **cell("difference", interval_of(less, questions))}
        if len(both):
            yield line | {"p": sign_flip(less, questions)}


def _holm(p: "pd.Series[float]") -> "pd.Series[float]":
    """Return the p-values ``p``, adjusted for multiple tests (Holm, 1979)."""
    ordered = p.sort_values(kind="stable")
    return (ordered * np.arange(len(ordered), 0, -1)).cummax().clip(upper=1.0).reindex(p.index)


def average(several: Sequence[Scored]) -> Table:
    """Return a table of each model's headline score on each dataset, and its macro average, best model first."""
    rows: dict[str, dict[str, object]] = {}
    partial: dict[str, list[str]] = {}
    for scored in map(labelled, several):
        metric, configs = headline(scored), scored.frame["config"].nunique()
        covered = {line["model"]: (line["asked"], line["rows"]) for line in records(coverage(scored, ["model"]))}
        for name, lines in summary(scored.frame, ["config", "model"], [metric]).groupby("model"):
            model, (asked, number) = str(name), covered[name]
            rows.setdefault(model, {"model": model}).update(
                cell(scored.dataset, combined(rates(lines, metric), 1 / len(lines)))
            )
            if len(lines) < configs:
                partial.setdefault(model, []).append(f"{scored.dataset}: {len(lines)} of {configs} configs")
            elif asked < number:
                partial.setdefault(model, []).append(f"{scored.dataset}: {of_rows(asked, number)} rows")
    names = [scored.dataset for scored in several]
    frame = pd.DataFrame(rows.values())
    means = (np.stack(part, axis=-1) for part in zip(*(rates(frame, name) for name in names), strict=True))
    frame = frame.assign(**cell(AVERAGE, combined(means, 1 / len(names))))
    frame["partial"] = ["; ".join(partial.get(model, ())) for model in frame["model"]]
    columns = ["model", *(name for each in (AVERAGE, *names) for name in cell(each, range(3))), "partial"]
    frame = frame[columns].sort_values([AVERAGE, "model"], ascending=[False, True], ignore_index=True)
    return Table("average", "Macro average", frame=frame, note=_AVERAGE)


def correlations(scored: Scored, benchmarks: pd.DataFrame) -> Table:
    """Return a table of Spearman's rho between models' scores on this dataset and on others, by config and benchmark.

    ``benchmarks`` has the columns model, benchmark and score. With fewer than three common models rho is NaN.

    Raises:
        PlanimeterError: if a column is missing or a score is not a number.
    """
    missing = [name for name in ("model", "benchmark", "score") if name not in benchmarks]
    if missing:
        raise PlanimeterError(f"the benchmarks have no column {missing[0]!r}; need the columns model,benchmark,score")
    scores, metric = pd.to_numeric(benchmarks["score"], errors="coerce"), headline(scored)
    if scores.isna().any():
        which = benchmarks["model"][scores.isna()].iloc[0]
        raise PlanimeterError(f"the score of {which!r} in the benchmarks is not a number; correct or remove the row")
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
