"""Several samples of the same row: pass@k, the chance that one of k is right, and maj@k, what a vote among k says."""

from math import comb

import numpy as np
import pandas as pd

from planimeter.evals.scores.summary import summary

KEYS = ["config", "split", "model", "variant", "question", "id"]


def pass_at(n: int, right: int, k: int) -> float:
    """Return the chance that at least one of ``k`` samples is right, drawn of ``n`` of which ``right`` are right.

    Without bias (Chen et al., 2021): 1 - C(n - right, k) / C(n, k); NaN where there are fewer than ``k``.
    """
    return 1 - comb(n - right, k) / comb(n, k) if k <= n else np.nan


def sampled(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return a row for each model and row of the dataset: ``n`` samples, ``right``, ``pass_at_1``, ..., ``maj_at_k``.

    ``metric`` is 0 or 1. Equal answers are those that were read alike, and all that are right; what could not be read
    has no vote. Where several answers lead, each is taken with the same chance. k doubles up to the most samples.
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
    """Return 1, 2, 4, ... and ``top``."""
    return sorted({*(2**power for power in range(top.bit_length()) if 2**power <= top), *([top] if top else [])})


def sample_summary(frame: pd.DataFrame, metric: str, by: list[str]) -> pd.DataFrame:
    """Return ``summary`` of pass@k and maj@k, clustered by question."""
    questions = sampled(frame, metric)
    return summary(questions, by, [name for name in map(str, questions) if name.startswith(("pass_at_", "maj_at_"))])
