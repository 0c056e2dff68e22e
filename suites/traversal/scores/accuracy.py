"""Accuracy by config and by causes of difficulty: figures 2, 3, 10 and 11 and Table 2 of the TraversalBench paper.

The docstrings of tables are the notes below them in the report.
"""

from dataclasses import replace

import pandas as pd

from planimeter.evals.scores.forms import Plot
from planimeter.evals.scores.summary import summary
from planimeter.suites.traversal.scores.replies import FACTORS, Replies, analysis

_METRICS = ("exact", "token_accuracy")
_FACTORS = {"tortuosity": "bin of tortuosity", "crossings": "bin of crossings", "points": "number of markers"}
_GRID = Plot("heat", "crossings", series="tortuosity", panel="model", xlabel="crossings", ylabel="tortuosity")
_GRIDS = tuple(
    replace(_GRID, name=f"grid_{metric}", metrics=(metric,), title=f"{words} by tortuosity and crossings")
    for metric, words in (("exact", "Exact match"), ("token_accuracy", "Token accuracy"))
)
_CURVES = Plot(
    "lines",
    "value",
    ("exact",),
    panel="factor",
    dashed=("part", "confounded", "with spurs"),
    labels={"factor": _FACTORS},
    ylabel="exact match",
)
_HARD = Plot(
    "heat",
    ("crossings", "tortuosity"),
    ("exact", "answered", "exact_if_answered"),
    series="points",
    panel=("model", "metric"),
    where="crossings.notna()",
    xlabel="bins of crossings, tortuosity",
    ylabel="markers",
)
#: The hard examples of Table 2 and Appendix B.3.
_HARD_BINS, _HARD_POINTS = (4, 5), (13, 15, 17)
#: Cells of the hard examples; empty for all together.
_AXES = dict.fromkeys(("points", "crossings", "tortuosity"), "Int64")


@analysis("Main results", "section 3.2 and Table 2", needs=())
def main(replies: Replies) -> pd.DataFrame:
    """Exact match and token accuracy by part of the dataset: a config, a condition of spurs or a smoothness. Numbers of
    tokens are means over replies.
    """
    frame = pd.concat(replies.values(), ignore_index=True)
    bent, spurs = frame["config"] == "curved", frame["config"] == "confounded"
    frame["part"] = frame["config"]
    frame.loc[bent, "part"] += " " + frame.loc[bent, "smoothness"].map("{:g}".format).astype(str)
    frame.loc[spurs, "part"] += " " + frame.loc[spurs, "condition"].astype(str)
    frame, keys = pd.concat([frame, frame[spurs].assign(part="confounded")]), ["model", "part"]
    metrics = (*_METRICS, "answered", "exact_if_answered", "strict_exact")
    tokens = frame.groupby(keys)[["reasoning_tokens", "completion_tokens"]].mean().dropna(axis="columns", how="all")
    return summary(frame, keys, metrics).join(tokens, on=keys)


@analysis("Tortuosity and crossings", "Figures 2 and 11", plots=_GRIDS)
def grid(replies: Replies) -> pd.DataFrame:
    """Accuracy on paths without spurs, by bins of tortuosity and of crossings, which are the dataset's columns
    tortuosity_bin and self_intersection_bin.
    """
    return summary(replies["base"], ["model", "tortuosity", "crossings"], _METRICS)


@analysis("Accuracy by each factor", "Figure 3", plots=(_CURVES,))
def curves(replies: Replies) -> pd.DataFrame:
    """Accuracy on paths without spurs (base) and with spurs (confounded). Base: only the paths that the model also saw
    with spurs; all paths, if it saw none with spurs. Bins are those of the dataset's columns tortuosity_bin and
    self_intersection_bin.
    """
    # If a model answered some with spurs, its base paths are those alone.
    base, confounded = replies["base"], replies["confounded"]
    asked, spurred = (
        pd.MultiIndex.from_frame(part[["model", name]]) for part, name in ((base, "id"), (confounded, "source_id"))
    )
    confounded = confounded[spurred.isin(asked)]
    base = base[asked.isin(spurred) | ~base["model"].isin(confounded["model"])]
    tables = []
    for factor in FACTORS:
        for part, frame in (("base", base), ("confounded", confounded)):
            table = summary(frame, ["model", factor], _METRICS).rename(columns={factor: "value"})
            table.insert(1, "factor", factor)
            table.insert(2, "part", part)
            tables.append(table)
    return pd.concat([table for table in tables if len(table)] or tables[:1], ignore_index=True)


@analysis(
    "Hard examples: answered, and right if answered",
    "Table 2, B.3",
    units={"reasoning_tokens": "number"},
    plots=(_HARD,),
)
def hard_subset(replies: Replies) -> pd.DataFrame:
    """Accuracy on paths without spurs that have 13, 15 or 17 points and are in bins 4 or 5 of tortuosity and of
    crossings; a dash means all these numbers or bins together. Bins are those of the dataset's columns tortuosity_bin
    and self_intersection_bin.
    """
    frame = replies["base"]
    bins = frame["tortuosity"].isin(_HARD_BINS) & frame["crossings"].isin(_HARD_BINS)
    frame = frame[bins & frame["points"].isin(_HARD_POINTS)]
    names, tables = ("exact", "answered", "exact_if_answered", "reasoning_tokens"), []
    metrics = [name for name in names if frame[name].notna().any()]
    for by in ((), ("points",), tuple(_AXES)):
        part = summary(frame, ["model", *by], metrics)
        columns = ["model", *_AXES, *(name for name in part if name not in ("model", *_AXES))]
        tables.append(part.reindex(columns=columns).astype(_AXES))
    return pd.concat(tables, ignore_index=True)
