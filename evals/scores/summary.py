"""Numbers of groups of replies: what the tables of all suites are made of.

A table is declared as a ``Spec``: the metrics, and the strata whose values make its rows or its columns. Each rate
comes with its interval, clustered by question.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from planimeter import evals
from planimeter.evals.scores.forms import Scored, Table
from planimeter.evals.scores.intervals import clustered, differences, student
from planimeter.items.order import natural

BOUNDS = ("", "_low", "_high")

#: How to read a printed rate.
INTERVALS = "In brackets: the 95% interval, in which a question counts once, however many rows ask it."

#: Rates of what replies are like: where all are equal, such as all answered, an interval would say nothing of a model.
_FLAGS = ("answered", "cut_off", "errors", "lenient_less_strict")

#: By the ending of a metric's name; others are rates. Errors and differences are none, even where all are 0 or 1.
_MEANS = {"_error": student, "difference": differences, "drop": differences}

#: The stratum of what an axis does not speak of, such as the colour map of a contour plot.
NONE = "none"


@dataclass(frozen=True, kw_only=True)
class Spec:
    """A table of rates: a row a model (and prompt variant), in the order of the first metric.

    ``down``: strata whose values have their own rows; ``across``: strata of which each value has a column beside
    that of all rows, whose only metric is ``metrics[0]``. Rows whose value is ``NONE`` are in no column.
    """

    name: str
    title: str
    config: str
    metrics: tuple[str, ...]
    source: str = ""
    down: tuple[str, ...] = ()
    across: tuple[str, ...] = ()
    note: str = ""


def table(spec: Spec, frame: pd.DataFrame) -> Table:
    """Return the table that ``spec`` declares of ``frame``, whose rows are of one config and have its strata."""
    keys = sides(frame)
    result = summary(frame, (*keys, *spec.down), spec.metrics)
    for axis in spec.across:
        stratified = frame[frame[axis] != NONE]
        parts = summary(stratified, (*keys, axis), spec.metrics[:1])
        prefix = f"{axis} " if len(spec.across) > 1 else ""
        for value in natural_order(parts[axis].unique()):
            means = parts[parts[axis] == value].set_index(keys)
            named = {spec.metrics[0] + bound: f"{prefix}{value}{bound}" for bound in BOUNDS}
            result = result.join(means[[*named]].rename(columns=named), on=keys)
    note = " ".join(filter(None, (spec.note, INTERVALS)))
    result = ranked(result, frame, spec.metrics[0])
    return Table(name=spec.name, title=spec.title, source=spec.source, note=note, frame=result)


def summary(frame: pd.DataFrame, by: Sequence[str], metrics: Iterable[str], weights: str = "") -> pd.DataFrame:
    """Return a row for each combination of the columns ``by``, in natural order, with the metrics and their intervals.

    ``n`` counts replies, ``questions`` the clusters; ``weights`` is a column, without which replies weigh alike.
    """
    question = pd.factorize(frame["question"], sort=True)[0]
    values = {metric: frame[metric].to_numpy(dtype=float) for metric in metrics}
    weight = frame[weights].to_numpy(dtype=float) if weights else np.ones(len(frame))
    groups = frame.groupby(list(by), sort=False).indices if by else {(): np.arange(len(frame))}
    lines = []
    for key, where in groups.items():
        line: dict[str, object] = dict(zip(by, key if isinstance(key, tuple) else (key,), strict=True))
        line |= {"n": len(where), "questions": len(np.unique(question[where]))}
        for metric, column in values.items():
            mean = next((mean for ending, mean in _MEANS.items() if metric.endswith(ending)), clustered)
            interval = mean(column[where], question[where], weight[where])
            if metric in _FLAGS and pd.Series(column[where]).nunique() == 1:
                interval = replace(interval, low=np.nan, high=np.nan)
            line |= cell(metric, interval)
        lines.append(line)
    names = [*by, "n", "questions", *(metric + bound for metric in values for bound in BOUNDS)]
    lines.sort(key=lambda line: [_place(line[name]) for name in by])
    return pd.DataFrame(lines, columns=names)


def _place(value: object) -> tuple[object, ...]:
    """Return a key that puts numbers in their order, before texts in natural order."""
    return (0, value) if isinstance(value, (int, float, np.number)) else (1, natural(str(value)))


def shares(frame: pd.DataFrame, by: Sequence[str], column: str, values: Sequence[str]) -> pd.DataFrame:
    """Return for each combination of ``by`` the number of replies, and of them the share of each value of a column."""
    counts = frame.groupby([*by, column], sort=False).size().unstack(column, fill_value=0)
    counts = counts.reindex(columns=list(values), fill_value=0)
    result = counts.div(counts.sum(axis=1), axis=0)
    result.insert(0, "n", counts.sum(axis=1))
    result = result.reset_index().rename_axis(columns=None)
    return result.sort_values(list(by), key=lambda names: names.map(lambda name: natural(str(name))), ignore_index=True)


def cell(name: str, rate: Iterable[Any]) -> dict[str, Any]:
    """Return the three columns of a rate, which is an estimate with its bounds."""
    return dict(zip((name + bound for bound in BOUNDS), rate, strict=True))


def rates(frame: pd.DataFrame, name: str) -> tuple[pd.Series, pd.Series, pd.Series]:
    """Return the three columns of a rate: estimates, lower and upper bounds."""
    return frame[name], frame[name + "_low"], frame[name + "_high"]


def labelled(scored: Scored) -> Scored:
    """Return ``scored`` with the variant in the model's label, unless it is the default one, and no variants then.

    What is labelled already stays as it is.
    """
    frame = scored.frame
    plain = frame["variant"].isin((evals.DEFAULT, ""))
    if plain.all():
        return scored
    name = frame["model"].where(plain, frame["model"] + ", " + frame["variant"])
    return replace(scored, frame=frame.assign(model=name, variant=""))


def sides(frame: pd.DataFrame) -> list[str]:
    """Return the columns that identify who answered: the model, and the prompt variant if there are several."""
    return ["model", "variant"] if frame["variant"].nunique() > 1 else ["model"]


def places(frame: pd.DataFrame) -> list[str]:
    """Return the columns that identify what was asked: the config, and the split if a config has several."""
    return ["config", "split"] if (frame.groupby("config")["split"].nunique() > 1).any() else ["config"]


def headline(scored: Scored) -> str:
    """Return the metric by which models of this suite are ranked."""
    name: str = evals.suite(scored.suite).HEADLINE
    return name


def models(frame: pd.DataFrame, metric: str) -> list[str]:
    """Return the models, the best one first, equal ones by name."""
    means = frame.groupby("model")[metric].mean()
    return sorted(means.index, key=lambda name: (-means[name], natural(name)))


def ranked(table: pd.DataFrame, frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the rows of a summary of ``frame`` with the best model's first, by ``metric``, and each one's together."""
    return arranged(table, "model", models(frame, metric))


def arranged(table: pd.DataFrame, column: str, order: Iterable[str]) -> pd.DataFrame:
    """Return the rows in the order that ``order`` gives the values of a column; equal ones stay as they are."""
    places = {value: place for place, value in enumerate(order)}
    return table.sort_values(column, key=lambda values: values.map(places), kind="stable", ignore_index=True)


def stratified(scored: Scored, config: str) -> tuple[pd.DataFrame, list[str]]:
    """Return the scores of one config with the strata of their rows as columns, and the names of the strata."""
    frame, strata = scored.frame[scored.frame["config"] == config], _strata_of(scored, config)
    return frame.drop(columns=[name for name in strata if name in frame]).join(strata, on="id"), list(strata.columns)


@lru_cache(maxsize=8)
def _strata_of(scored: Scored, config: str) -> pd.DataFrame:
    return strata(scored.rows[config], suite=scored.suite, config=config)


def with_strata(scored: Scored) -> pd.DataFrame:
    """Return the scores of all configs with the strata of their rows as columns."""
    parts = [stratified(scored, str(config))[0] for config in scored.frame["config"].unique()]
    return pd.concat(parts, ignore_index=True)


def with_ends(frame: pd.DataFrame) -> pd.DataFrame:
    """Return ``frame`` with ``answered`` as 0 and 1, and ``cut_off``: whether a reply reached the limit of tokens."""
    cut_off = (frame["finish_reason"] == "length").astype(float)
    return frame.assign(answered=frame["answered"].astype(float), cut_off=cut_off)


def strata(rows: pd.DataFrame, *, suite: str, config: str) -> pd.DataFrame:
    """Return the strata of the rows of one config, by id as ``rows`` is."""
    names = ["id", *map(str, rows.columns)]
    values = zip(rows.index, *(rows[name].tolist() for name in names[1:]), strict=True)
    records = (dict(zip(names, row, strict=True)) for row in values)
    return pd.DataFrame([evals.strata(row, suite=suite, config=config) for row in records], index=rows.index)


def natural_order(values: Iterable[object]) -> list[str]:
    """Return different values as text, in natural order."""
    return sorted(map(str, values), key=natural)
