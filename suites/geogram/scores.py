"""Tables and figures of model results on GeoGramBench: accuracy, properties of replies, and paired problems."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd

from planimeter.evals.geogram.grader import NO_BOX, SOURCE_AXES
from planimeter.evals.scores.evidence import Evidence
from planimeter.evals.scores.forms import Plot, Scored, Table
from planimeter.evals.scores.intervals import combined, differences, sign_flip
from planimeter.evals.scores.summary import (
    BOUNDS,
    INTERVALS,
    NONE,
    Rates,
    cell,
    ranked,
    rates,
    renamed,
    sample_summary,
    with_strata,
)
from planimeter.items import LEVELS
from planimeter.items.values import Row

_ACCURACY = "accuracy"

#: Shorter lines of code, such as a closing bracket, may occur in a reply by chance.
_SHORTEST_LINE = 12


_BARS = (Plot("bars", "model", series="metric", xlabel=_ACCURACY),)
_LEVELS = Rates(
    "t1_levels",
    "Accuracy by level",
    "Table 1",
    (_ACCURACY,),
    across="level",
    order={"level": LEVELS},
    note="Mean of levels counts each level once, and all each problem. pass@k: one of k samples is right; maj@k: the "
    "answer given most often is.",
    plots=_BARS,
)
_LANGUAGES = Rates(
    "languages", "Accuracy by the language of the figure", metrics=(_ACCURACY,), across="language", plots=_BARS
)
_SOURCES = tuple(
    Rates(
        axis,
        f"Accuracy by the {noun} that the source states",
        "Figure 2",
        (_ACCURACY,),
        down=axis,
        where=f"{axis} != '{NONE}'",
        note="The paper's figure compares problems in words with problems with code; each dataset has one bar of it.",
        plots=(Plot("columns", axis, (_ACCURACY,), ylabel=_ACCURACY, xlabel=f"{noun} by the source"),),
    )
    for axis, noun in zip(SOURCE_AXES, ("level", "difficulty"), strict=True)
)
_REPLIES = Rates(
    "replies",
    "What replies are like",
    "RQ 1-3",
    ("quotes_code", "no_box", "cut_off", "completion_tokens", "strict_accuracy"),
    rank=_ACCURACY,
    down="level",
    order={"level": LEVELS},
    note="Shares of replies that repeat a line of the code, box nothing, or reached the limit of tokens.",
    units={"completion_tokens": "number"},
)


def tables(scored: Scored) -> list[Table]:
    """Return the tables of the scored replies: accuracy by level and by language, and properties of replies.

    Accuracy by level is Table 1 of the GeoGramBench paper. There are further tables if rows state the difficulty that
    their source gives, or if problems are paired.
    """
    frame = with_strata(scored)
    problems = pd.concat([scored.rows[config] for config in scored.rows])
    replies = _REPLIES.of(_with_signs(frame, problems["code"]))
    result = [_with_means(_LEVELS.of(frame), frame), _LANGUAGES.of(frame), replies]
    result += [source.of(frame) for source in _SOURCES if source.down in frame and (frame[source.down] != NONE).any()]
    if "pair_id" in problems:
        result.append(_pairs(frame.assign(pair=frame["id"].map(problems["pair_id"]))))
    return result


def _with_means(table: Table, frame: pd.DataFrame) -> Table:
    """Return ``table``, each model's accuracy by level, with added columns.

    They are the mean of the levels and, if ``frame`` has several samples of a problem, pass@k and maj@k. The accuracy
    over all problems, which ``table`` has already, is renamed to "all".
    """
    levels = [level for level in LEVELS if level in table.frame]
    result = table.frame.rename(columns=renamed(_ACCURACY, "all"))
    by_level = [np.stack(part, axis=-1) for part in zip(*(rates(result, level) for level in levels), strict=True)]
    result = result.assign(**cell("mean_of_levels", combined(by_level, 1 / len(levels))))
    if frame["sample"].max() > 0:
        several = sample_summary(frame, _ACCURACY, ["model"]).drop(columns=["n", "questions"])
        result = result.merge(several.drop(columns=[*cell("pass_at_1", BOUNDS)]), on="model")
    return replace(table, frame=result)


def _with_signs(frame: pd.DataFrame, code: "pd.Series[str]") -> pd.DataFrame:
    """Return ``frame``, a row for each reply, with two added columns of 1.0 (true) and 0.0 (false).

    ``quotes_code``: the reply repeats a line of the drawing code; ``no_box``: it lacks a boxed answer. ``code`` has the
    drawing code of each problem, by its id.
    """
    lines = {name: {line.strip() for line in text.splitlines()} for name, text in code.items()}
    long = {name: [line for line in some if len(line) >= _SHORTEST_LINE] for name, some in lines.items()}
    replies = zip(frame["id"], frame["reply"], strict=True)
    return frame.assign(
        quotes_code=[float(any(line in reply for line in long[name])) for name, reply in replies],
        no_box=(frame["strict_reason"] == NO_BOX).astype(float),
    )


def _pairs(frame: pd.DataFrame) -> Table:
    """Return the table that compares every two forms of figures by the accuracy on problems that exist in both.

    Replies with the same ``pair`` in ``frame`` are to the same problem; ``language`` is the form of its figure.
    """
    lines: list[dict[str, object]] = []
    with_pair = frame[frame["pair"].notna() & (frame["pair"].astype(str) != "")]
    for model, part in with_pair.groupby("model", sort=False):
        means = part.groupby(["pair", "language"])[_ACCURACY].mean().unstack()
        for first, second in combinations(map(str, means.columns), 2):
            both = means[[first, second]].dropna()
            a, b = both[first], both[second]
            line: dict[str, object] = {"model": model, "first": first, "second": second, "n": len(both)}
            line |= {"first_accuracy": a.mean(), "second_accuracy": b.mean()}
            line |= cell("difference", differences(a - b, both.index))
            lines.append(line | {"p": sign_flip(a - b, both.index)})
    return Table(
        "pairs",
        "The same problem in two forms",
        "Figures 1 and 7",
        frame=ranked(pd.DataFrame(lines), frame, _ACCURACY),
        note="Difference: the accuracy in the first form of the figure less that in the second, of problems in both. "
        f"p: permutation of the signs of problems, McNemar's exact test if there is one sample. {INTERVALS}",
        units={"first_accuracy": "share", "second_accuracy": "share"},
    )


def evidence(config: str, row: Row, read: str, correct: Sequence[bool]) -> Evidence:  # noqa: ARG001 - shared signature
    """Return the evidence on the grade of a reply: the problem and its program."""
    return Evidence(texts=(("problem", row["problem"]), ("program", row["code"])))
