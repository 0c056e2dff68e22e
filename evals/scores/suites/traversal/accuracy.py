"""Accuracy by config and by what makes a path hard: TraversalBench's main results, figures 2, 3, 10 and 11, Table 2."""

from dataclasses import replace

import pandas as pd

from planimeter.evals.scores.forms import Plot
from planimeter.evals.scores.suites.traversal.replies import FACTORS, Replies, analysis
from planimeter.evals.scores.summary import summary

_METRICS = ("exact", "token_accuracy")
_BINS = "Bins are those of the dataset's columns tortuosity_bin and self_intersection_bin."
_FACTORS = {"tortuosity": "bin of tortuosity", "crossings": "bin of crossings", "points": "number of markers"}
_GRID = Plot(kind="heat", x="crossings", series="tortuosity", panel="model", xlabel="crossings", ylabel="tortuosity")
#: The hard examples of Table 2 and Appendix B.3.
_HARD_BINS, _HARD_POINTS = (4, 5), (13, 15, 17)
#: Cells of the hard examples; empty where all are taken together.
_AXES = dict.fromkeys(("points", "crossings", "tortuosity"), "Int64")


@analysis(
    title="Main results",
    source="section 3.2 and Table 2",
    needs=(),
    note="Exact match and token accuracy by part of the dataset; tokens are means of a reply.",
)
def main(replies: Replies) -> pd.DataFrame:
    """Return the headline figures of each part of the dataset (section 3.2), and mean tokens (Table 2)."""
    frame = pd.concat(replies.values(), ignore_index=True)
    bent, spurs = frame["config"] == "curved", frame["config"] == "confounded"
    frame["part"] = frame["config"]
    frame.loc[bent, "part"] += " " + frame.loc[bent, "smoothness"].map("{:g}".format).astype(str)
    frame.loc[spurs, "part"] += " " + frame.loc[spurs, "condition"].astype(str)
    frame, keys = pd.concat([frame, frame[spurs].assign(part="confounded")]), ["model", "part"]
    metrics = (*_METRICS, "answered", "exact_if_answered", "strict_exact")
    tokens = frame.groupby(keys)[["reasoning_tokens", "completion_tokens"]].mean().dropna(axis="columns", how="all")
    return summary(frame, keys, metrics).join(tokens, on=keys)


@analysis(
    title="Tortuosity and crossings",
    source="Figures 2 and 11",
    note=f"Paths without spurs. {_BINS}",
    plots=(
        replace(_GRID, name="grid_exact", metrics=("exact",), title="Exact match by tortuosity and crossings"),
        replace(
            _GRID,
            name="grid_token_accuracy",
            metrics=("token_accuracy",),
            title="Token accuracy by tortuosity and crossings",
        ),
    ),
)
def grid(replies: Replies) -> pd.DataFrame:
    """Return the rates of base paths by bins of tortuosity and of crossings (figures 2 and 11)."""
    return summary(replies["base"], ["model", "tortuosity", "crossings"], _METRICS)


@analysis(
    title="Accuracy by each factor",
    source="Figure 3",
    note=f"Base: the paths that were also shown with spurs, or all where none was. {_BINS}",
    plots=(
        Plot(
            kind="lines",
            x="value",
            panel="factor",
            metrics=("exact",),
            dashed=("part", "confounded", "with spurs"),
            labels={"factor": _FACTORS},
            ylabel="exact match",
        ),
    ),
)
def curves(replies: Replies) -> pd.DataFrame:
    """Return the rates by each factor, of base paths and of the same paths with spurs (figure 3).

    Where a model was asked some with spurs, its base paths are those alone.
    """
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
    title="Hard examples: answered, and right if answered",
    source="Table 2, B.3",
    note=f"Paths without spurs of 13, 15 and 17 points, both bins 4 or 5; a dash: all of them. {_BINS}",
    units={"reasoning_tokens": "number"},
    plots=(
        Plot(
            kind="heat",
            x=("crossings", "tortuosity"),
            series="points",
            panel=("model", "metric"),
            metrics=("exact", "answered", "exact_if_answered"),
            where="crossings.notna()",
            xlabel="bins of crossings, tortuosity",
            ylabel="markers",
        ),
    ),
)
def hard_subset(replies: Replies) -> pd.DataFrame:
    """Return exact match, answers, and exact match of what was answered, on the hard base paths (Table 2, B.3)."""
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
