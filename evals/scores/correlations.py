"""How scores here go with the same models' scores on other benchmarks, which a user gives."""

import numpy as np
import pandas as pd
from scipy.special import stdtr

from planimeter.evals.scores.forms import Table
from planimeter.evals.scores.sides import ComparisonError


def correlations(frame: pd.DataFrame, benchmarks: pd.DataFrame, metric: str) -> Table:
    """Return how models' scores here go with theirs elsewhere: Spearman's rho, its p and the number of models.

    ``benchmarks`` has the columns model, benchmark and score. Fewer than three models in common give no rho.

    Raises:
        ComparisonError: if a column is missing or a score is no number.
    """
    missing = [name for name in ("model", "benchmark", "score") if name not in benchmarks]
    if missing:
        raise ComparisonError(f"the benchmarks have no column {missing[0]!r}; need model,benchmark,score")
    scores = pd.to_numeric(benchmarks["score"], errors="coerce")
    if scores.isna().any():
        which = benchmarks["model"][scores.isna()].iloc[0]
        raise ComparisonError(f"the benchmarks have a score of {which!r} that is no number; give one in each row")
    means = frame.groupby(["config", "model"], sort=False)[metric].mean().rename("own").reset_index()
    joined = means.merge(benchmarks.assign(score=scores), on="model")
    lines = [
        {"config": config, "benchmark": benchmark, **_spearman(part["own"], part["score"])}
        for (config, benchmark), part in joined.groupby(["config", "benchmark"], sort=True)
    ]
    return Table(
        name="correlations",
        title="Correlation with other benchmarks",
        source="section 4.4",
        frame=pd.DataFrame(lines, columns=["config", "benchmark", "rho", "p", "n"]),
        note=f"Spearman's rank correlation of {metric} with the score elsewhere, over the n models in both.",
    )


def _spearman(x: "pd.Series[float]", y: "pd.Series[float]") -> dict[str, float]:
    n = len(x)
    first, second = x.rank(), y.rank()
    if n < 3 or first.nunique() == 1 or second.nunique() == 1:
        return {"rho": np.nan, "p": np.nan, "n": n}
    rho = float(np.corrcoef(first, second)[0, 1])
    left = max(0.0, 1 - rho * rho)
    p = 2 * float(stdtr(n - 2, -abs(rho) * np.sqrt((n - 2) / left))) if left else 0.0
    return {"rho": rho, "p": p, "n": n}
