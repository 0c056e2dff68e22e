"""Rows of TraversalBench without pictures, and models of known behaviour that reply to them."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from planimeter.items import REGIMES
from planimeter.scores.forms import Scored
from planimeter.scores.suites import traversal

POINTS = (9, 13, 17)
#: The fewest crossings of each bin.
CROSSINGS = (0, 1, 2, 4, 6, 9, 13)
SKIPPED = ((0, 4), (0, 5), (0, 6))

Chances = Callable[[str, Any, int], Sequence[float]]


def rows(
    items: int = 6, *, seed: int = 1, rightwards: Callable[[int], float] = lambda s: 0.5
) -> dict[str, pd.DataFrame]:
    """Return ``items`` paths a cell, half of them sources of two confounded rows each, and the order of reading.

    A path ends right of its start with the chance that ``rightwards`` gives for its bin of crossings.
    """
    rng = np.random.default_rng(seed)
    base, confounded = [], []
    for t in range(6):
        for s, least in enumerate(CROSSINGS):
            for n in POINTS if (t, s) not in SKIPPED else ():
                for item in range(items):
                    path = path_row(rng, f"base-{t}{s}{n}{item}", n, t, s, least)
                    ends_right = rng.random() < rightwards(s)
                    if (path["points"][-1][0] > path["points"][0][0]) != ends_right:
                        path["points"] = [[-x, y] for x, y in path["points"]]
                    base.append(path)
                    if item % 2 == 0:
                        confounded += twins(rng, path)
    lanes = [
        {**path_row(rng, f"lanes-{regime}{lanes}{n}{item}", n, 0, 0, 0), "regime": regime, "lanes": lanes}
        for regime in REGIMES
        for lanes in (2, 3, 4)
        for n in POINTS
        for item in range(3 if regime == "ltr_tb" and lanes == 2 else 1 + items)
    ]
    made = {"base": base, "confounded": confounded, "reading_order": lanes}
    return {config: pd.DataFrame(some).set_index("id") for config, some in made.items()}


def path_row(rng: np.random.Generator, name: str, n: int, t: int, s: int, crossings: int) -> dict[str, Any]:
    firsts = rng.integers(0, n - 2, crossings)
    return {
        "id": name,
        "n_points": n,
        "points": rng.uniform(0, 600, (n, 2)).tolist(),
        "self_intersections": crossings,
        "tortuosity_bin": t,
        "self_intersection_bin": s,
        "crossings": [{"x": 0.0, "y": 0.0, "first_segment": int(k), "second_segment": n - 2} for k in firsts],
    }


def twins(rng: np.random.Generator, path: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the low and the high row of a path; a spur starts in the middle of a segment."""
    counts = {"low": int(rng.integers(2, 5)), "high": int(rng.integers(5, 8))}
    segments = rng.integers(0, path["n_points"] - 1, counts["high"])
    points = np.array(path["points"])
    anchors = (points[segments] + points[segments + 1]) / 2
    return [
        {
            **path,
            "id": f"{path['id']}-{condition}",
            "source_id": path["id"],
            "condition": condition,
            "confounders": [[anchor.tolist(), [0.0, 0.0]] for anchor in anchors[:count]],
            "segments": segments[:count].tolist(),
        }
        for condition, count in counts.items()
    ]


def scored(
    dataset: Mapping[str, pd.DataFrame], models: Mapping[str, Chances], *, seed: int = 2, samples: int = 1
) -> Scored:
    """Return the scores of models that get each marker of a row right with a chance of their own."""
    rng = np.random.default_rng(seed)
    lines = []
    for model, chances in models.items():
        for config, some in dataset.items():
            for row in some.itertuples():
                for sample in range(samples):
                    right = rng.random(row.n_points) < np.asarray(chances(config, row, row.n_points))
                    lines.append(reply(model, config, row, sample, right.tolist()))
    return Scored(dataset="traversal", version="0", suite="traversal", frame=pd.DataFrame(lines), rows=dataset)


def reply(model: str, config: str, row: Any, sample: int, right: list[bool]) -> dict[str, Any]:
    metrics = {"exact": float(all(right)), "token_accuracy": sum(right) / len(right)}
    return {
        "id": row.Index,
        "config": config,
        "split": "test",
        "question": row.source_id if config == "confounded" else getattr(row, "pair_id", row.Index),
        "model": model,
        "variant": "default",
        "sample": sample,
        "finish_reason": "stop",
        "completion_tokens": 40.0,
        "reasoning_tokens": np.nan,
        "cost": np.nan,
        "answered": True,
        "reason": "",
        "read": "",
        "answer": "",
        "strict_reason": "",
        "correct": right,
        **metrics,
        **{f"strict_{name}": value for name, value in metrics.items()},
    }


def past(row: Any) -> list[int]:
    """Return the first position past each crossing, in the order met."""
    return sorted(crossing["first_segment"] + 1 for crossing in row.crossings)


def found(scored: Scored) -> dict[str, pd.DataFrame]:
    return {table.name: table.frame for table in traversal.tables(scored)}


def holds(row: Any, column: str, value: float) -> bool:
    """Whether the interval of a rate holds ``value``, and is one."""
    low, high = float(row[f"{column}_low"]), float(row[f"{column}_high"])
    return low <= value <= high and low <= float(row[column]) <= high and high - low > 0


def share_held(frame: pd.DataFrame, column: str, values: Any) -> float:
    told = np.broadcast_to(np.asarray(values, float), len(frame))
    return float(np.mean([holds(row, column, value) for (_, row), value in zip(frame.iterrows(), told, strict=True)]))


# --- models of known behaviour


def breaks_at_crossings(config: str, row: Any, n: int) -> list[float]:
    """80% before the first crossing, 40% behind it, 90% on paths without crossings."""
    met = past(row)
    return [0.8 if k < met[0] else 0.4 for k in range(n)] if met else [0.9] * n


def loses_track_at_spurs(config: str, row: Any, n: int) -> list[float]:
    """90%, and 10 points less for every spur passed."""
    segments = row.segments if config == "confounded" else []
    return [0.9 - 0.1 * sum(segment < k for segment in segments) for k in range(n)]


def tires_with_spurs(config: str, row: Any, n: int) -> list[float]:
    """90%, and everywhere 3 points less for each spur in the picture."""
    return [0.9 - 0.03 * (len(row.confounders) if config == "confounded" else 0)] * n


def reads_rightwards(config: str, row: Any, n: int) -> list[float]:
    """85% on paths that end right of their start, 60% on others; by regime and lanes in the order of reading."""
    if config == "reading_order":
        return [{"ltr_tb": 0.9, "rtl_tb": 0.6, "ttb_rl": 0.5, "ttb_lr": 0.8}[row.regime] - 0.1 * (row.lanes - 2)] * n
    return [0.85 if row.points[-1][0] > row.points[0][0] else 0.6] * n


def by_bins(config: str, row: Any, n: int) -> list[float]:
    return [0.95 - 0.04 * row.tortuosity_bin - 0.09 * row.self_intersection_bin] * n


def uniform(config: str, row: Any, n: int) -> list[float]:
    return [0.7] * n


@cache
def simulation(chances: Chances, items: int = 6) -> tuple[Scored, Mapping[str, pd.DataFrame]]:
    made = scored(rows(items), {"planted": chances})
    return made, found(made)
