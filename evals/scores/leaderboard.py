"""Models over several datasets: the headline of each dataset, and the macro average, in which each counts once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from planimeter.evals.scores.forms import Scored, Table
from planimeter.evals.scores.intervals import combined
from planimeter.evals.scores.sides import ComparisonError, require_one_version
from planimeter.evals.scores.summary import cell, coverage, headline, labelled, of_rows, rates, summary

AVERAGE = "macro average"

#: An estimate and its bounds, (3,).
Rate = NDArray[np.float64]

NOTE = (
    "A dataset is the mean of the headline metric of its configs, each of which counts once; the macro average is the "
    "mean of the datasets, of models that have scores on all of them. In brackets: the 95% interval, in which a "
    "question counts once; datasets and configs are taken as independent. partial: what a model was not asked in full."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Leaderboard:
    """``table`` has a row a model, the best first, and the columns of each of ``datasets``.

    ``partial`` says by model and dataset how much the model was asked, where that is not all.
    """

    datasets: Sequence[str]
    table: Table
    partial: Mapping[tuple[str, str], str]


def leaderboard(files: Mapping[str, Scored]) -> Leaderboard:
    """Return the leaderboard of files of scores, by their names; several files of one dataset hold several models.

    Raises:
        ComparisonError: if a dataset has scores on two versions, or a model in two files.
    """
    require_one_version({name: (scored.dataset, scored.version) for name, scored in files.items()})
    means: dict[str, dict[str, Rate]] = {scored.dataset: {} for scored in files.values()}
    partial: dict[tuple[str, str], str] = {}
    for scored in map(labelled, files.values()):
        dataset, metric = scored.dataset, headline(scored)
        configs = {config for other in files.values() if other.dataset == dataset for config in other.frame["config"]}
        covered = coverage(scored, ["model"]).set_index("model")
        for name, lines in summary(scored.frame, ["config", "model"], [metric]).groupby("model"):
            model = str(name)
            if model in means[dataset]:
                raise ComparisonError(f"two files have scores of {model} on {dataset}; leave one of them out")
            means[dataset][model] = np.array(combined(rates(lines, metric), 1 / len(lines)))
            number, rows = (int(covered[count][model]) for count in ("asked", "rows"))
            if len(lines) < len(configs):
                partial[model, dataset] = f"{len(lines)} of {len(configs)} configs"
            elif number < rows:
                partial[model, dataset] = f"{of_rows(number, rows)} rows"
    return Leaderboard(datasets=list(means), table=_table(means, partial), partial=partial)


def _table(means: Mapping[str, Mapping[str, Rate]], partial: Mapping[tuple[str, str], str]) -> Table:
    lines = []
    for model in sorted({model for by_model in means.values() for model in by_model}):
        by_dataset = {dataset: by_model.get(model, np.full(3, np.nan)) for dataset, by_model in means.items()}
        line = {"model": model, **cell(AVERAGE, combined(np.transpose([*by_dataset.values()]), 1 / len(means)))}
        for dataset, rate in by_dataset.items():
            line |= cell(dataset, rate)
        lines.append(
            line | {"partial": "; ".join(f"{name}: {share}" for (who, name), share in partial.items() if who == model)}
        )
    frame = pd.DataFrame(lines).sort_values(AVERAGE, ascending=False, kind="stable", ignore_index=True)
    return Table("leaderboard", "Leaderboard", frame=frame, note=NOTE)
