"""Summarises scored replies by group, for the tables of all suites.

A suite declares a table as ``Rates``: its metrics, and the axes, such as ``level``, whose values (the strata) are the
table's rows or columns. Each rate has a 95% interval, clustered by question.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import lru_cache
from math import comb
from typing import TypeVar

import numpy as np
import pandas as pd

from planimeter import evals
from planimeter.evals.answers import UNMARKED
from planimeter.evals.scores.forms import Scored, Table, records, several
from planimeter.evals.scores.intervals import clustered, differences, student
from planimeter.items.order import natural

Value = TypeVar("Value")

BOUNDS = ("", "_low", "_high")

#: The note on printed rates.
INTERVALS = "In brackets: the 95% interval, in which a question counts once, however many rows ask it."

#: Properties of replies, such as "answered"; a rate of them has no interval if all replies have the same value.
_FLAGS = ("answered", "unmarked", "cut_off", "errors", "lenient_less_strict")

#: The estimator of a metric by the ending of its name; all others are rates, estimated by ``clustered``.
_MEANS = {"_error": student, "difference": differences, "drop": differences}

#: The value of an axis for rows to which it does not apply, such as the colour map of a contour plot.
NONE = "none"


@dataclass(frozen=True)
class Rates(Table):
    """The declaration of a table of the rates ``metrics`` with a row for each model; ``of`` computes it from replies.

    Models are ranked by the metric ``rank``, by default ``metrics[0]``. ``config`` and ``where``, a query, select
    replies. ``down``: axes, such as ``level``; each model has one row for each combination of their values. ``across``:
    axes; each of their values except ``NONE`` adds a column with the rate ``metrics[0]`` of the replies with this
    value. ``order``: maps an axis to its values in order; values of other axes are in natural order. Plots that name no
    metrics show the columns of ``across``.
    """

    metrics: tuple[str, ...] = ()
    _: KW_ONLY
    config: str = ""
    where: str = ""
    rank: str = ""
    down: str | tuple[str, ...] = ()
    across: str | tuple[str, ...] = ()
    order: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def of(self, frame: pd.DataFrame) -> Table:
        """Return the declared table, computed from the scored replies ``frame``, whose columns include the strata."""
        frame = frame[frame["config"] == self.config] if self.config else frame
        ranking, frame = frame, frame.query(self.where) if self.where else frame
        # A metric that the table does not show ranks models by all of their replies to these configs.
        ranking = ranking[ranking["config"].isin(frame["config"].unique())] if self.rank else frame
        metrics = [name for name in self.metrics if frame[name].notna().any()]
        down, across = map(several, (self.down, self.across))
        table = summary(frame, ("model", *down), metrics)
        for axis, values in self.order.items():
            table = arranged(table, axis, values) if axis in down else table
        names: list[str] = []
        for axis in across if len(frame) else ():
            by_value = summary(frame[frame[axis] != NONE], ("model", axis), self.metrics[:1])
            present = set(by_value[axis])
            for value in self.order.get(axis) or natural_order(present):
                if value in present:
                    names.append(f"{axis} {value}" if len(across) > 1 else value)
                    rates_of_value = by_value[by_value[axis] == value]
                    table = beside(table, rates_of_value, self.metrics[0], names[-1], ["model"])
        return replace(
            self,
            frame=ranked(table, ranking, self.rank or self.metrics[0]),
            note=" ".join(filter(None, (self.note, INTERVALS))),
            plots=tuple(
                plot if plot.metrics or plot.labels.get("metric") else replace(plot, metrics=tuple(names))
                for plot in self.plots
            ),
        )


def summary(frame: pd.DataFrame, by: Sequence[str], metrics: Iterable[str], weights: str = "") -> pd.DataFrame:
    """Return a table of the means of ``metrics``, with 95% intervals, for each group of replies by the columns ``by``.

    Lines are in natural order of the groups. The column ``n`` is the number of replies, ``questions`` the number of
    questions, by which intervals are clustered. ``weights`` names a column of weights; by default all are equal.
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
                interval = interval._replace(low=np.nan, high=np.nan)
            line |= cell(metric, interval)
        lines.append(line)
    names = [*by, "n", "questions", *(metric + bound for metric in values for bound in BOUNDS)]
    lines.sort(key=lambda line: [place(line[name]) for name in by])
    return pd.DataFrame(lines, columns=names)


def by_stratum(frame: pd.DataFrame, axes: Iterable[str], metrics: Sequence[str]) -> pd.DataFrame:
    """Return the ``summary`` of each model in each stratum.

    The column ``stratum`` is one of ``axes``, ``value`` a value on this axis. The first metric ranks the models.
    """
    parts = []
    for axis in axes:
        part = summary(frame, [axis, "model"], metrics)
        part = arranged(ranked(part, frame, metrics[0]), axis, part[axis].unique()).rename(columns={axis: "value"})
        part.insert(0, "stratum", axis)
        parts.append(part)
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def place(value: object) -> tuple[object, ...]:
    """Return a sort key of ``value``: numbers come before texts, and texts are in natural order."""
    return (0, value) if isinstance(value, (int, float, np.number)) else (1, natural(str(value)))


def cell(name: str, rate: Iterable[Value]) -> dict[str, Value]:
    """Return {name: estimate, name_low: lower bound, name_high: upper bound}; ``rate`` has these three values."""
    return dict(zip((name + bound for bound in BOUNDS), rate, strict=True))


def rates(frame: pd.DataFrame, name: str) -> tuple[pd.Series, pd.Series, pd.Series]:
    """Return the three columns of the rate ``name`` in a table: estimates, lower bounds and upper bounds."""
    return frame[name], frame[name + "_low"], frame[name + "_high"]


def renamed(old: str, new: str) -> dict[str, str]:
    """Return the new name of each of the three columns of the rate ``old``, by its old name."""
    return {old + bound: new + bound for bound in BOUNDS}


def beside(table: pd.DataFrame, lines: pd.DataFrame, metric: str, name: str, keys: list[str]) -> pd.DataFrame:
    """Return ``table`` joined by ``keys`` with the rate ``metric`` from the table ``lines``, renamed ``name``."""
    columns = renamed(metric, name)
    return table.join(lines.set_index(keys)[[*columns]].rename(columns=columns), on=keys)


def flags(frame: pd.DataFrame, column: str, values: Iterable[object]) -> pd.DataFrame:
    """Return ``frame`` with a column for each of ``values``: 1 where ``column`` has this value, else 0."""
    return frame.assign(**{str(value): (frame[column] == value).astype(float) for value in values})


def labelled(scored: Scored) -> Scored:
    """Return ``scored`` with prompt variants, except the default one, added to models' labels, as in "m, reasoned".

    The column ``variant`` is then empty; scores that are already labelled stay as they are.
    """
    frame = scored.frame
    plain = frame["variant"].isin((evals.DEFAULT, ""))
    if plain.all():
        return scored
    name = frame["model"].where(plain, frame["model"] + ", " + frame["variant"])
    return replace(scored, frame=frame.assign(model=name, variant=""))


def places(frame: pd.DataFrame) -> list[str]:
    """Return the columns by which tables group replies: config, and split if a config has replies to several splits."""
    return ["config", "split"] if (frame.groupby("config")["split"].nunique() > 1).any() else ["config"]


def headline(scored: Scored) -> str:
    """Return the name of the metric that ranks models on the suite of ``scored``."""
    name: str = evals.suite(scored.suite).HEADLINE
    return name


def ranked(table: pd.DataFrame, frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return ``table``, a summary of the replies ``frame``, sorted by the models' means of ``metric``, best first."""
    return arranged(table, "model", ranking(frame, metric))


def ranking(frame: pd.DataFrame, metric: str) -> list[str]:
    """Return the models in ``frame`` by their mean ``metric``, best first; equal ones in natural order of names."""
    means = frame.groupby("model")[metric].mean()
    return sorted(means.index, key=lambda name: (-means[name], natural(name)))


def arranged(table: pd.DataFrame, column: str, order: Iterable[str]) -> pd.DataFrame:
    """Return the rows of ``table``, stably sorted by the position of their value of ``column`` in ``order``."""
    if table.empty:
        return table
    places = {value: place for place, value in enumerate(order)}
    return table.sort_values(column, key=lambda values: values.map(places), kind="stable", ignore_index=True)


def stratified(scored: Scored, config: str) -> tuple[pd.DataFrame, list[str]]:
    """Return the scores of one config with the strata of their rows as columns, and the names of these columns."""
    frame, strata = scored.frame[scored.frame["config"] == config], _strata_of(scored, config)
    return frame.drop(columns=[name for name in strata if name in frame]).join(strata, on="id"), list(strata.columns)


@lru_cache(maxsize=8)
def _strata_of(scored: Scored, config: str) -> pd.DataFrame:
    return strata(scored.rows[config], suite=scored.suite, config=config)


def with_strata(scored: Scored) -> pd.DataFrame:
    """Return the scores of all configs with the strata of their rows and the flags of ``with_flags`` as columns."""
    parts = [stratified(scored, str(config))[0] for config in scored.frame["config"].unique()]
    return with_flags(pd.concat(parts, ignore_index=True))


def with_flags(frame: pd.DataFrame) -> pd.DataFrame:
    """Return ``frame`` with four columns of 0 and 1 on each reply, whose means are rates.

    ``answered``: an answer could be read; ``unmarked``: the reply has no marked answer; ``cut_off``: it reached the
    limit of tokens; ``errors``: it ended in an error of the harness.
    """
    ends = {"cut_off": "length", "errors": "error"}
    ended = {name: (frame["finish_reason"] == reason).astype(float) for name, reason in ends.items()}
    unmarked = (frame["reason"] == UNMARKED).astype(float)
    return frame.assign(answered=frame["answered"].astype(float), unmarked=unmarked, **ended)


def strata(rows: pd.DataFrame, *, suite: str, config: str) -> pd.DataFrame:
    """Return the strata of ``rows`` of one config: a column for each axis, indexed by id like ``rows``."""
    row_records = records(rows.rename_axis("id").reset_index())
    return pd.DataFrame([evals.strata(row, suite=suite, config=config) for row in row_records], index=rows.index)


def natural_order(values: Iterable[object]) -> list[str]:
    """Return ``values`` as texts in natural order, in which "x10" follows "x9"."""
    return sorted(map(str, values), key=natural)


# --- several samples of a row


#: The columns that identify a row of the dataset and a model.
KEYS = ["config", "split", "model", "variant", "question", "id"]


def pass_at(n: int, right: int, k: int) -> float:
    """Return the probability that ``k`` samples drawn from ``n``, of which ``right`` are right, include a right one.

    Unbiased (Chen et al., 2021): 1 - C(n - right, k) / C(n, k); NaN if ``n`` < ``k``.
    """
    return 1 - comb(n - right, k) / comb(n, k) if k <= n else np.nan


def sampled(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return a table with a line for each model and row: number ``n`` of samples, number ``right``, pass@k and maj@k.

    ``metric`` is 0 or 1 for each sample. pass@k is given for the values of ``ks`` up to the largest number of samples,
    maj@k, the majority vote, only for this number. In the vote answers are equal if their parsed texts are, or if both
    are right; an unreadable reply has no vote, and each of several leading answers is chosen with equal probability.
    """
    votes = frame.assign(vote=frame["read"].where(frame[metric] != 1, "\N{CHECK MARK}"), right=frame[metric] == 1)
    result = votes.groupby(KEYS, sort=False).agg(n=("right", "size"), right=("right", "sum")).reset_index()
    top = int(result["n"].max()) if len(result) else 0
    for k in ks(top):
        chances = {(n, right): pass_at(n, right, k) for n, right in set(zip(result["n"], result["right"], strict=True))}
        result[f"pass_at_{k}"] = [chances[pair] for pair in zip(result["n"], result["right"], strict=True)]
    counts = (
        votes[votes["answered"].astype(bool)]
        .groupby([*KEYS, "vote"], sort=False)
        .agg(votes=("right", "size"), right=("right", "any"))
    )
    leaders = counts[counts["votes"] == counts.groupby(KEYS, sort=False)["votes"].transform("max")]
    chance = leaders.groupby(KEYS, sort=False)["right"].mean().rename(f"maj_at_{top}")
    return result.join(chance, on=KEYS).fillna({f"maj_at_{top}": 0.0})


def ks(top: int) -> list[int]:
    """Return the values of k for pass@k: powers of two up to ``top``, and ``top`` itself, in order; none if it is 0."""
    return sorted({*(2**power for power in range(top.bit_length())), top} - {0})


def sample_summary(frame: pd.DataFrame, metric: str, by: list[str]) -> pd.DataFrame:
    """Return the ``summary`` of the columns pass@k and maj@k of ``sampled``, clustered by question."""
    questions = sampled(frame, metric)
    return summary(questions, by, [name for name in map(str, questions) if name.startswith(("pass_at_", "maj_at_"))])


# --- the part of a dataset that each model was evaluated on


def coverage(scored: Scored, by: Sequence[str]) -> pd.DataFrame:
    """Return a table of the numbers of rows ``asked`` and of all ``rows``, for each combination of the columns ``by``.

    ``by`` are some of config, split, model and variant. ``asked`` counts the dataset's rows that a model was to answer,
    ``rows`` all rows of the splits that contain these.
    """
    keys = ["config", "split", "model", "variant"]
    counts = scored.frame.groupby(keys, sort=False)["id"].nunique().rename("asked").reset_index()
    sizes = [
        scored.sizes.get(config, {}).get(split, number)
        for config, split, number in zip(counts["config"], counts["split"], counts["asked"], strict=True)
    ]
    return counts.assign(rows=sizes).groupby(list(by), sort=False)[["asked", "rows"]].sum().reset_index()


def of_rows(number: int, rows: int) -> str:
    """Return "<number> of <rows>", such as "100 of 1,548"."""
    return f"{number:,} of {rows:,}"


def marked(scored: Scored) -> Scored:
    """Return ``scored`` with "(100 of 1,548 rows)" in the label of each model that was asked only a part of the rows.

    Therefore every table, figure and page distinguishes partial runs from full ones.
    """
    parts = coverage(scored, ["model", "variant"])
    parts = parts[parts["asked"] < parts["rows"]]
    labels = {
        (model, variant): f"{model} ({of_rows(number, rows)} rows)"
        for model, variant, number, rows in parts.itertuples(index=False)
    }
    if not labels:
        return scored
    sides = zip(scored.frame["model"], scored.frame["variant"], strict=True)
    return replace(scored, frame=scored.frame.assign(model=[labels.get(side, side[0]) for side in sides]))
