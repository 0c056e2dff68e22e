"""Rows of TraversalBench without pictures, and models of known behaviour that reply to them."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import simulated
from simulated import Row, holds

from planimeter.evals.scores.forms import Scored
from planimeter.evals.scores.summary import labelled
from planimeter.items import REGIMES
from planimeter.suites.traversal import scores as traversal

POINTS = (9, 13, 17)
#: The fewest crossings of each bin.
CROSSINGS = (0, 1, 2, 4, 6, 9, 13)
SKIPPED = ((0, 4), (0, 5), (0, 6))

#: The chance of each marker of a row to be right.
Chances = Callable[[str, Row, int], Sequence[float]]


def rows(items: int = 6) -> dict[str, list[Row]]:
    """Return ``items`` paths a cell, half of them sources of two confounded rows each, and the order of reading."""
    rng = np.random.default_rng(1)
    base, confounded = [], []
    cells = [(t, s, n) for t in range(6) for s in range(7) if (t, s) not in SKIPPED for n in POINTS]
    for t, s, n in cells:
        for item in range(items):
            path = path_row(rng, f"base-{t}{s}{n}{item}", n, t, s, CROSSINGS[s])
            base.append(path)
            confounded += twins(rng, path) if item % 2 == 0 else []
    lanes = [
        {**path_row(rng, f"lanes-{regime}{lanes}{n}{item}", n, 0, 0, 0), "regime": regime, "lanes": lanes}
        for regime, lanes, n in product(REGIMES, (2, 3, 4), POINTS)
        for item in range(3 if regime == "ltr_tb" and lanes == 2 else 1 + items)
    ]
    return {"base": base, "confounded": confounded, "reading_order": lanes}


def path_row(rng: np.random.Generator, name: str, n: int, t: int, s: int, crossings: int) -> Row:
    firsts = rng.integers(0, n - 2, crossings)
    met = [{"x": 0.0, "y": 0.0, "first_segment": int(k), "second_segment": n - 2} for k in firsts]
    row = {"id": name, "n_points": n, "points": rng.uniform(0, 600, (n, 2)).tolist(), "crossings": met}
    return row | {"self_intersections": crossings, "tortuosity_bin": t, "self_intersection_bin": s}


def twins(rng: np.random.Generator, path: Row) -> list[Row]:
    """Return the low and the high row of a path; a spur starts in the middle of a segment."""
    counts = {"low": int(rng.integers(2, 5)), "high": int(rng.integers(5, 8))}
    segments = rng.integers(0, path["n_points"] - 1, counts["high"])
    points = np.array(path["points"])
    anchors = (points[segments] + points[segments + 1]) / 2
    spurs = [[anchor.tolist(), [0.0, 0.0]] for anchor in anchors]
    shared = {**path, "source_id": path["id"]}
    return [
        {**shared, "id": f"{path['id']}-{condition}", "condition": condition}
        | {"confounders": spurs[:count], "segments": segments[:count].tolist()}
        for condition, count in counts.items()
    ]


def scored(
    dataset: Mapping[str, Sequence[Row]], models: Mapping[str, Chances], seed: int = 2, samples: int = 1
) -> Scored:
    """Return the scores of models that get each marker of a row right with a chance of their own."""

    def model(chances: Chances) -> simulated.Model:
        return lambda config, row, rng: rng.random(row["n_points"]) < np.asarray(chances(config, row, row["n_points"]))

    drawn = {name: model(chances) for name, chances in models.items()}
    return simulated.simulate("traversal", dataset, drawn, seed=seed, samples=samples)


def past(row: Any) -> list[int]:
    """Return the first position past each crossing, in the order met."""
    return sorted(crossing["first_segment"] + 1 for crossing in row["crossings"])


def found(scored: Scored) -> dict[str, pd.DataFrame]:
    """Return the tables of ``scored`` by name."""
    return {table.name: table.frame for table in traversal.tables(labelled(scored))}


def share_held(frame: pd.DataFrame, column: str, values: Any) -> float:
    truths = np.broadcast_to(np.asarray(values, float), len(frame))
    return float(np.mean([holds(row, column, value) for (_, row), value in zip(frame.iterrows(), truths, strict=True)]))


# --- models of known behaviour


def breaks_at_crossings(config: str, row: Row, n: int) -> list[float]:
    """80% before the first crossing, 40% behind it, 90% on paths without crossings."""
    met = past(row)
    return [0.8 if k < met[0] else 0.4 for k in range(n)] if met else [0.9] * n


def reads_rightwards(config: str, row: Row, n: int) -> list[float]:
    """85% on paths that end right of their start, 60% on others; by regime and lanes in the order of reading."""
    if config == "reading_order":
        regimes = {"ltr_tb": 0.9, "rtl_tb": 0.6, "ttb_rl": 0.5, "ttb_lr": 0.8}
        return [regimes[row["regime"]] - 0.1 * (row["lanes"] - 2)] * n
    return [0.85 if row["points"][-1][0] > row["points"][0][0] else 0.6] * n


def by_bins(config: str, row: Row, n: int) -> list[float]:
    return [0.95 - 0.04 * row["tortuosity_bin"] - 0.09 * row["self_intersection_bin"]] * n


def uniform(config: str, row: Row, n: int) -> list[float]:
    return [0.7] * n


@cache
def simulation(chances: Chances, items: int = 6) -> tuple[Scored, Mapping[str, pd.DataFrame]]:
    made = scored(rows(items), {"planted": chances})
    return made, found(made)
