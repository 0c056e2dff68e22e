"""The tables and figures of GeoGramBench: by level, by samples, what replies are like, and paired problems."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from planimeter.evals.report.evidence import Evidence, Record
from planimeter.evals.scores import drawing
from planimeter.evals.scores.charts import bars_by
from planimeter.evals.scores.forms import STRICT, Figure, Scored, Table
from planimeter.evals.scores.intervals import Interval, paired, sign_flip
from planimeter.evals.scores.samples import ks, sample_summary
from planimeter.evals.scores.summary import (
    BOUNDS,
    INTERVALS,
    Spec,
    arranged,
    cell,
    models,
    ranked,
    rates,
    sides,
    summary,
    table,
    with_ends,
    with_strata,
)
from planimeter.items import LEVELS

_ACCURACY = "accuracy"

#: Shorter lines of code, such as a closing bracket, may stand in any reply.
_SHORTEST_LINE = 12


def tables(scored: Scored) -> list[Table]:
    """Return Table 1, what replies are like, and the pairs of problems if the dataset has any."""
    frame = with_strata(scored)
    problems = pd.concat([scored.rows[config] for config in scored.rows])
    result = [_levels(frame), _replies(frame, problems["code"])]
    if "pair_id" in problems:
        result.append(_pairs(frame.assign(pair=frame["id"].map(problems["pair_id"]))))
    return result


def figures(scored: Scored) -> list[Figure]:
    """Return accuracy by level and by language, and pass@k if there are several samples."""
    frame = with_strata(scored)
    levels = [level for level in LEVELS if (frame["level"] == level).any()]
    result = [
        bars_by("t1_levels", "Accuracy by level", "Table 1", frame, "level", _ACCURACY, levels),
        bars_by("languages", "Accuracy by the language of the figure", "", frame, "language", _ACCURACY),
    ]
    return [*result, _pass_at(frame)] if frame["sample"].max() > 0 else result


def _levels(frame: pd.DataFrame) -> Table:
    """Return the accuracy by level, of all problems, and as the mean of the levels, with pass@k and maj@k."""
    spec = Spec(name="", title="", config="", metrics=(_ACCURACY,), across=("level",))
    by_level, keys = table(spec, frame).frame, sides(frame)
    levels = [level for level in LEVELS if level in by_level]
    result = by_level[[*keys, "n", "questions", *(level + bound for level in levels for bound in BOUNDS)]]
    result = result.assign(**_mean_of(by_level, levels))
    result[[f"all{bound}" for bound in BOUNDS]] = by_level[[_ACCURACY + bound for bound in BOUNDS]]
    if frame["sample"].max() > 0:
        several = sample_summary(frame, _ACCURACY, keys).drop(columns=["n", "questions"])
        several = several.drop(columns=["pass_at_1" + bound for bound in BOUNDS])
        result = result.merge(several, on=keys)
    note = (
        "Mean of levels counts each level once, and all each problem. pass@k: one of k samples is right; maj@k: the "
        f"answer given most often is. {INTERVALS}"
    )
    return Table(name="t1_levels", title="Accuracy by level", source="Table 1", frame=result, note=note)


def _mean_of(table: pd.DataFrame, columns: Sequence[str]) -> dict[str, "pd.Series[float]"]:
    """Return the mean of independent rates; their distances to a bound add up squared (Zou and Donner, 2008)."""
    estimates = table[columns].to_numpy(dtype=float)
    mean, bounds = estimates.mean(axis=1), {}
    for sign, bound in ((-1, "_low"), (1, "_high")):
        away = table[[column + bound for column in columns]].to_numpy(dtype=float) - estimates
        bounds[f"mean_of_levels{bound}"] = pd.Series(mean + sign * np.sqrt((away**2).sum(axis=1)) / len(columns))
    return {"mean_of_levels": pd.Series(mean), **bounds}


def _replies(frame: pd.DataFrame, code: "pd.Series[str]") -> Table:
    lines = {name: {line.strip() for line in text.splitlines()} for name, text in code.items()}
    long = {name: [line for line in some if len(line) >= _SHORTEST_LINE] for name, some in lines.items()}
    replies = zip(frame["id"], frame["reply"], strict=True)
    flagged = with_ends(frame).assign(
        quotes_code=[float(any(line in reply for line in long[name])) for name, reply in replies],
        no_box=(frame["strict_reason"] == "no boxed answer").astype(float),
        strictly_right=frame[STRICT + _ACCURACY],
    )
    metrics = ["quotes_code", "no_box", "cut_off", "completion_tokens", "strictly_right"]
    metrics = [name for name in metrics if not flagged[name].isna().all()]
    table = arranged(summary(flagged, [*sides(frame), "level"], metrics), "level", LEVELS)
    return Table(
        name="replies",
        title="What replies are like",
        source="RQ 1-3",
        frame=ranked(table, frame, _ACCURACY),
        note="Shares of replies that repeat a line of the code, box nothing, or reached the limit of tokens. "
        f"{INTERVALS}",
        units={"completion_tokens": "number"},
    )


def _pairs(frame: pd.DataFrame) -> Table:
    """Return how the forms of the same problem compare, two at a time; ``pair`` names the problem."""
    keys, lines = sides(frame), []
    with_pair = frame[frame["pair"].notna() & (frame["pair"].astype(str) != "")]
    for key, part in with_pair.groupby(keys, sort=False):
        means = part.groupby(["pair", "language"])[_ACCURACY].mean().unstack()
        for place, first in enumerate(means.columns):
            for second in means.columns[place + 1 :]:
                both = means[[first, second]].dropna()
                pair = paired(both[first], both[second], both.index)
                lines.append(dict(zip(keys, key, strict=True)) | _pair(str(first), str(second), both, pair))
    return Table(
        name="pairs",
        title="The same problem in two forms",
        source="Figures 1 and 7",
        frame=ranked(pd.DataFrame(lines), frame, _ACCURACY),
        note="Difference: the accuracy in the first form of the figure less that in the second, of problems in both. "
        f"p: permutation of the signs of problems, McNemar's exact test if there is one sample. {INTERVALS}",
        units={"first_accuracy": "share", "second_accuracy": "share"},
    )


def _pair(first: str, second: str, both: pd.DataFrame, pair: Interval) -> dict[str, object]:
    line: dict[str, object] = {"first": first, "second": second, "n": len(both)}
    line |= {"first_accuracy": both[first].mean(), "second_accuracy": both[second].mean()}
    return line | cell("difference", pair) | {"p": sign_flip(both[first], both[second], both.index)}


def _pass_at(frame: pd.DataFrame) -> Figure:
    names, top = models(frame, _ACCURACY), int(frame["sample"].max()) + 1
    curves = sample_summary(frame, _ACCURACY, ["model"]).set_index("model")
    with drawing.sheet(size=(5.2, 3.2)) as page:
        panel = page.panels[0]
        for index, name in enumerate(names):
            columns = [rates(curves.loc[[name]], f"pass_at_{k}") for k in ks(top)]
            points = (np.concatenate([column[place] for column in columns]) for place in range(3))
            drawing.line(panel, range(len(columns)), *points, index=index, label=name)
        panel.set_xticks(range(len(ks(top))), [str(k) for k in ks(top)])
        panel.set(xlabel="k", ylabel="pass@k", ylim=(-0.02, 1.02))
        drawing.percent(panel, "y")
        page.legend(3)
    note = "Bands: 95% intervals, clustered by problem."
    return Figure(name="pass_at_k", title="One of k samples is right", svg=page.svg, note=note)


def evidence(config: str, row: Record, read: str, correct: Sequence[bool]) -> Evidence:  # noqa: ARG001 - shared signature
    """Return what to show of a reply."""
    return Evidence(texts=(("problem", row["problem"]), ("program", row["code"])))
