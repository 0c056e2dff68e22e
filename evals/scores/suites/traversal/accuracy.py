"""Accuracy by config and by what makes a path hard: TraversalBench's main results, figures 2, 3, 10 and 11, Table 2."""

import pandas as pd

from planimeter.evals.scores.suites.traversal.local import Replies
from planimeter.evals.scores.summary import summary

FACTORS = {"tortuosity": "tortuosity_bin", "crossings": "self_intersection_bin", "points": "n_points"}
_METRICS = ("exact", "token_accuracy")
#: The hard examples of Table 2 and Appendix B.3.
_HARD_BINS, _HARD_POINTS = (4, 5), (13, 15, 17)


def main(replies: Replies) -> pd.DataFrame:
    """Return the headline figures of each part of the dataset (section 3.2), and mean tokens (Table 2)."""
    frame = _with_answers(pd.concat(replies.values(), ignore_index=True))
    bent, spurs = frame["config"] == "curved", frame["config"] == "confounded"
    frame["part"] = frame["config"]
    frame.loc[bent, "part"] += " " + frame.loc[bent, "smoothness"].map("{:g}".format).astype(str)
    frame.loc[spurs, "part"] += " " + frame.loc[spurs, "condition"].astype(str)
    frame, keys = pd.concat([frame, frame[spurs].assign(part="confounded")]), ["model", "part"]
    metrics = (*_METRICS, "answered", "exact_if_answered", "strict_exact")
    tokens = frame.groupby(keys)[["reasoning_tokens", "completion_tokens"]].mean().dropna(axis="columns", how="all")
    return summary(frame, keys, metrics).join(tokens, on=keys)


def grid(replies: Replies) -> pd.DataFrame:
    """Return the rates of base paths by bins of tortuosity and of crossings (figures 2 and 11)."""
    return _by(replies["base"], "tortuosity", "crossings")


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
            table = _by(frame, factor).rename(columns={factor: "value"})
            table.insert(1, "factor", factor)
            table.insert(2, "part", part)
            tables.append(table)
    return pd.concat([table for table in tables if len(table)] or tables[:1], ignore_index=True)


def hard_subset(replies: Replies) -> pd.DataFrame:
    """Return exact match, answers, and exact match of what was answered, on the hard base paths (Table 2, B.3)."""
    frame = _with_answers(replies["base"])
    bins = frame["tortuosity_bin"].isin(_HARD_BINS) & frame["self_intersection_bin"].isin(_HARD_BINS)
    frame = frame[bins & frame["n_points"].isin(_HARD_POINTS)]
    names, tables = ("exact", "answered", "exact_if_answered", "reasoning_tokens"), []
    metrics = tuple(name for name in names if frame[name].notna().any())
    for by in ((), ("points",), ("points", "crossings", "tortuosity")):
        part = _by(frame, *by, metrics=metrics)
        columns = ["model", *_AXES, *(name for name in part if name not in ("model", *_AXES))]
        tables.append(part.reindex(columns=columns).astype(_AXES))
    return pd.concat(tables, ignore_index=True)


#: Cells of the hard examples; empty where all are taken together.
_AXES = dict.fromkeys(("points", "crossings", "tortuosity"), "Int64")


def _with_answers(frame: pd.DataFrame) -> pd.DataFrame:
    """Return ``frame`` with the exact match of replies that could be read, NaN for the others."""
    return frame.assign(
        exact_if_answered=frame["exact"].where(frame["answered"].astype(bool)), answered=frame["answered"].astype(float)
    )


def _by(frame: pd.DataFrame, *factors: str, metrics: tuple[str, ...] = _METRICS) -> pd.DataFrame:
    columns = {FACTORS[name]: name for name in factors}
    return summary(frame, ["model", *columns], metrics).rename(columns=columns)
