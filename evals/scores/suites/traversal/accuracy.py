"""Accuracy by config and by what makes a path hard: TraversalBench's main results, figures 2, 3, 10 and 11, Table 2."""

import pandas as pd

from planimeter.evals.scores.suites.traversal.positions import Model
from planimeter.evals.scores.summary import summary

FACTORS = {"tortuosity": "tortuosity_bin", "crossings": "self_intersection_bin", "points": "n_points"}
_METRICS = ("exact", "token_accuracy")
#: The hard examples of Table 2 and Appendix B.3.
_HARD_BINS, _HARD_POINTS = (4, 5), (13, 15, 17)


def main(model: Model) -> pd.DataFrame:
    """Return the headline figures of each part of the dataset (section 3.2), and mean tokens (Table 2)."""
    every = (model.base, model.confounded, model.reading_order, model.curved)
    frame = pd.concat([replies.frame for replies in every], ignore_index=True)
    frame["part"] = frame["config"]
    bent = frame["config"] == "curved"
    frame.loc[bent, "part"] += " " + frame.loc[bent, "smoothness"].map("{:g}".format).astype(str)
    spurs = frame["config"] == "confounded"
    frame.loc[spurs, "part"] += " " + frame.loc[spurs, "condition"].astype(str)
    frame = _with_answers(frame)
    parts = [frame, frame[spurs].assign(part="confounded")]
    summaries = pd.concat(
        [summary(part, ("part",), (*_METRICS, "answered", "exact_if_answered", "strict_exact")) for part in parts]
    )
    tokens = pd.concat([part.groupby("part")[["reasoning_tokens", "completion_tokens"]].mean() for part in parts])
    return summaries.join(tokens, on="part").reset_index(drop=True)


def grid(model: Model) -> pd.DataFrame:
    """Return the rates of base paths by bins of tortuosity and of crossings (figures 2 and 11)."""
    return _by(model.base.frame, "tortuosity", "crossings")


def curves(model: Model) -> pd.DataFrame:
    """Return the rates by each factor, of base paths and of the same paths with spurs (figure 3).

    Where some were asked with spurs, the base paths are those alone.
    """
    pairs, _, _ = model.pairs
    base = model.base.where(model.base.frame["id"].isin(pairs.frame["source_id"])) if len(pairs) else model.base
    tables = []
    for factor in FACTORS:
        for part, replies in (("base", base), ("confounded", pairs)):
            table = _by(replies.frame, factor).rename(columns={factor: "value"})
            table.insert(0, "factor", factor)
            table.insert(1, "part", part)
            tables.append(table)
    return pd.concat([table for table in tables if len(table)] or tables[:1], ignore_index=True)


def hard_subset(model: Model) -> pd.DataFrame:
    """Return exact match, answers, and exact match of what was answered, on the hard base paths (Table 2, B.3)."""
    frame = _with_answers(model.base.frame)
    bins = frame["tortuosity_bin"].isin(_HARD_BINS) & frame["self_intersection_bin"].isin(_HARD_BINS)
    frame = frame[bins & frame["n_points"].isin(_HARD_POINTS)]
    tables = []
    for by in ((), ("points",), ("points", "crossings", "tortuosity")):
        part = _by(frame, *by, metrics=("exact", "answered", "exact_if_answered", "reasoning_tokens"))
        tables.append(part.reindex(columns=[*_AXES, *(name for name in part if name not in _AXES)]).astype(_AXES))
    table = pd.concat(tables, ignore_index=True)
    return table[table["n"] > 0]


#: Cells of the hard examples; empty where all are taken together.
_AXES = dict.fromkeys(("points", "crossings", "tortuosity"), "Int64")


def _with_answers(frame: pd.DataFrame) -> pd.DataFrame:
    """Return ``frame`` with the exact match of replies that could be read, NaN for the others."""
    return frame.assign(
        exact_if_answered=frame["exact"].where(frame["answered"].astype(bool)), answered=frame["answered"].astype(float)
    )


def _by(frame: pd.DataFrame, *factors: str, metrics: tuple[str, ...] = _METRICS) -> pd.DataFrame:
    columns = {FACTORS[name]: name for name in factors}
    return summary(frame, [*columns], metrics).rename(columns=columns)
