"""Two models, or one model under two conditions, compared on the same rows or questions; see ``sides``."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from planimeter.evals.scores.forms import Plot, Table, Unit
from planimeter.evals.scores.intervals import mcnemar, paired, sign_flip
from planimeter.evals.scores.sides import Comparison, ComparisonError
from planimeter.evals.scores.summary import INTERVALS, arranged, cell, natural_order, summary

_MEANS = ("a_mean", "b_mean")
_P = "p: permutation of the signs of the questions' summed differences, which tests the same as the interval."
SHARE: Unit = "share"
NUMBER: Unit = "number"


def tables(compared: Comparison) -> list[Table]:
    """Return the sides by config, the differences of all pairs, and those by stratum if strata are known.

    Raises:
        ComparisonError: if two sides have neither a row nor a question in common.
    """
    lines, parts = [], []
    for a, b in compared.pairs:
        matched, left = compared.match(a, b)
        for config, both in matched.groupby("config", sort=False):
            labels = {"config": config, "a": a, "b": b}
            metrics = [metric for metric in compared.metrics if both[metric].notna().any()]
            lines += [labels | _difference(both, metric) | left for metric in metrics]
            parts += [labels | line for line in _by_stratum(both, compared)]
    sides = arranged(summary(compared.frame, ["config", "side"], compared.metrics), "side", compared.sides)
    sides = arranged(sides, "config", natural_order(sides["config"].unique()))
    numbers = dict.fromkeys(compared.numbers, NUMBER)
    result = [Table("sides", "Those compared", frame=sides, note=INTERVALS, units=numbers)]
    result += _differences(pd.DataFrame(lines), compared)
    if not parts:
        return result
    frame = pd.DataFrame(parts).drop(columns=["metric", "only_a", "only_b", "p_mcnemar", "p_sign_test"])
    note = f"Difference: a less b in {compared.headline}. {INTERVALS} {_P}"
    units = dict.fromkeys(_MEANS, SHARE)
    return [*result, Table("differences_by_stratum", "Differences by stratum", frame=frame, note=note, units=units)]


def _difference(both: pd.DataFrame, metric: str) -> dict[str, object]:
    a, b, questions = both[metric], both[metric + "_b"], both["question"]
    known = a.notna() & b.notna()
    exact = bool(a[known].isin((0, 1)).all() and b[known].isin((0, 1)).all())
    rows = mcnemar(a, b)
    line: dict[str, object] = {"metric": metric, "n": int(known.sum()), "questions": int(questions[known].nunique())}
    line |= {"a_mean": a[known].mean(), "b_mean": b[known].mean(), **cell("difference", paired(a, b, questions))}
    line |= {"only_a": rows.only_a if exact else pd.NA, "only_b": rows.only_b if exact else pd.NA}
    line |= {"p": sign_flip(a, b, questions), "p_mcnemar": rows.p if exact else np.nan}
    return line | {"p_sign_test": mcnemar(a, b, questions).p}


def _by_stratum(both: pd.DataFrame, compared: Comparison) -> Iterator[dict[str, object]]:
    """Yield the differences in the headline metric for each value of each stratum of the second side's rows."""
    parts = [part for part in compared.strata.values() if part.index.isin(both["id"]).any()]
    for axis, strata in pd.concat(parts).items() if parts else ():
        values = both["id"].map(strata)
        for value in natural_order(values.dropna().unique()):
            yield {"stratum": axis, "value": value, **_difference(both[values == value], compared.headline)}


def _differences(lines: pd.DataFrame, compared: Comparison) -> list[Table]:
    """Return the differences in rates and, in another table, those in other metrics."""
    lines = arranged(lines, "config", lines["config"].unique())
    lines[["only_a", "only_b"]] = lines[["only_a", "only_b"]].astype("Int64")
    if len(compared.pairs) > 1:
        holm = lines.groupby(["config", "metric"])["p"].transform(_holm)
        lines.insert(lines.columns.tolist().index("p") + 1, "p_holm", holm)
    note = (
        f"Difference: a less b. {INTERVALS} {_P} Holm's p allows for how many pairs there are. Only a, only b: pairs "
        "that one side alone gets right, with McNemar's exact p, which takes rows as independent. The sign test "
        "asks how many questions each side is better in, however much. Unpaired: rows that the other side lacks."
    )
    is_number, columns = lines["metric"].isin(compared.numbers), ("difference", *_MEANS)
    headline = f"metric == '{compared.headline}'"
    plot = Plot("bars", ("a", "b"), ("difference",), series="metric", panel="config", where=headline)
    tables = []
    for name, chosen, unit, plots in (("", ~is_number, SHARE, (plot,)), (" of numbers", is_number, NUMBER, ())):
        frame, units = lines[chosen].reset_index(drop=True), dict.fromkeys(columns, unit)
        title = f"Differences{name}"
        tables.append(Table(title.lower().replace(" ", "_"), title, frame=frame, note=note, units=units, plots=plots))
    return tables[: 1 + bool(is_number.any())]


def _holm(p: "pd.Series[float]") -> "pd.Series[float]":
    """Return p-values that hold of all at once (Holm, 1979)."""
    ordered = p.sort_values(kind="stable")
    raised = (ordered * np.arange(len(ordered), 0, -1)).cummax().clip(upper=1.0)
    return raised.reindex(p.index)


def correlations(frame: pd.DataFrame, benchmarks: pd.DataFrame, metric: str) -> Table:
    """Return how models' scores here go with theirs elsewhere: Spearman's rho, its p and the number of models.

    ``benchmarks`` has the columns model, benchmark and score. Fewer than three models in common give no rho.

    Raises:
        ComparisonError: if a column is missing or a score is no number.
    """
    from scipy.stats import spearmanr

    missing = [name for name in ("model", "benchmark", "score") if name not in benchmarks]
    if missing:
        raise ComparisonError(f"the benchmarks have no column {missing[0]!r}; need model,benchmark,score")
    scores = pd.to_numeric(benchmarks["score"], errors="coerce")
    if scores.isna().any():
        which = benchmarks["model"][scores.isna()].iloc[0]
        raise ComparisonError(f"the benchmarks have a score of {which!r} that is no number; give one in each row")
    means = frame.groupby(["config", "model"], sort=False)[metric].mean().rename("own").reset_index()
    lines = []
    for key, part in means.merge(benchmarks.assign(score=scores), on="model").groupby(["config", "benchmark"]):
        known = len(part) >= 3 and min(part["own"].nunique(), part["score"].nunique()) > 1
        rho, p = spearmanr(part["own"], part["score"]) if known else (np.nan, np.nan)
        lines.append((*key, rho, p, len(part)))
    return Table(
        "correlations",
        "Correlation with other benchmarks",
        "section 4.4",
        frame=pd.DataFrame(lines, columns=["config", "benchmark", "rho", "p", "n"]),
        note=f"Spearman's rank correlation of {metric} with the score elsewhere, over the n models in both.",
    )
