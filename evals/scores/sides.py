"""Those that are compared, from files of scores, and which rows of two of them belong together.

A *side* is a model with its prompt variant, in one file of scores, and where conditions are compared, under one of
them. Sides are paired by row where they share rows, such as two models of one dataset; otherwise by question, such as a
path with confounders and the same path without: each row of the second side is then paired with the mean of the first
side's rows of that question.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from planimeter import evals
from planimeter.evals.scores.forms import FILE
from planimeter.evals.scores.summary import natural_order, strata
from planimeter.items.errors import PlanimeterError
from planimeter.items.suites import names

NOTHING = pd.Series(dtype=float)

#: Columns of scores without which nothing can be compared.
_NEEDED = ("id", "config", "split", "question", "model", "variant")


class ComparisonError(PlanimeterError, ValueError):
    """The scores cannot be compared; the message says why and what to do."""


@dataclass(frozen=True, eq=False)
class Side:
    """One of those that are compared. Only sides of the same ``group`` are paired."""

    label: str
    group: str
    frame: pd.DataFrame


@dataclass(frozen=True, eq=False)
class Comparison:
    """What is compared, by the metrics of ``suite``; ``strata`` holds for each config the strata of its rows by id."""

    suite: str
    sides: Sequence[Side]
    strata: Mapping[str, pd.DataFrame]

    @property
    def headline(self) -> str:
        """The metric by which models of this suite are ranked."""
        name: str = evals.suite(self.suite).HEADLINE
        return name

    @property
    def metrics(self) -> list[str]:
        """The metrics that all sides have."""
        names = evals.suite(self.suite).METRICS
        return [name for name in names if all(side.frame.get(name, NOTHING).notna().any() for side in self.sides)]

    @property
    def numbers(self) -> list[str]:
        """Those of the metrics that are no rates from 0 to 1, such as a signed error."""
        return [
            name
            for name in self.metrics
            if not all(side.frame[name].dropna().between(0, 1).all() for side in self.sides)
        ]

    @property
    def pairs(self) -> list[tuple[Side, Side]]:
        """The pairs of sides that may be compared, each once, in their order."""
        return [(a, b) for a, b in combinations(self.sides, 2) if a.group == b.group]


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of one file, on ``version`` of ``dataset``: ``frame`` and ``sizes`` as in ``forms``."""

    suite: str
    frame: pd.DataFrame
    dataset: str = ""
    version: str = ""
    sizes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def load(path: Path) -> Scores:
    """Return the scores in ``path``, a file or the folder that holds ``scores.parquet``.

    Raises:
        ComparisonError: if there are none, or they lack a column.
    """
    file = path / FILE if path.is_dir() else path
    try:
        table = pq.read_table(file)
    except FileNotFoundError:
        raise ComparisonError(f"{file}: no such file; `planimeter score` writes one") from None
    except (pa.ArrowException, OSError) as error:
        raise ComparisonError(f"{file}: no Parquet file of scores: {str(error).splitlines()[0]}") from None
    about = table.schema.metadata or {}
    suite, name, version = (about.get(key, b"").decode() for key in (b"suite", b"dataset", b"version"))
    missing = [name for name in _NEEDED if name not in table.column_names]
    known = suite in names()
    if missing or not known or not table.num_rows:
        what = f"has no column {missing[0]!r}" if missing else "holds no reply" if known else "names no suite"
        raise ComparisonError(f"{file} {what}; give what `planimeter score` wrote")
    return Scores(suite, table.to_pandas(), name, version, json.loads(about.get(b"rows", b"{}")))


def require_one_version(versions: Mapping[str, tuple[str, str]]) -> None:
    """Check that of each dataset there is one version only; ``versions`` has a dataset and its version by their place.

    The third number does not count: such versions have the same rows.

    Raises:
        ComparisonError: if two versions have different rows.
    """
    first: dict[str, tuple[str, str]] = {}
    for place, (dataset, version) in versions.items():
        other, known = first.setdefault(dataset, (place, version))
        if version.split(".")[:2] != known.split(".")[:2]:
            raise ComparisonError(
                f"{other} is of {dataset} {known} and {place} of {dataset} {version}, whose rows differ: "
                "compare scores on one version"
            )


def comparison(
    files: Mapping[str, Scores],
    *,
    between: tuple[str, Sequence[str]] | None = None,
    rows: Mapping[str, pd.DataFrame] | None = None,
) -> Comparison:
    """Return the sides in ``files``, which are named by where they come from, in their order, then the best first.

    ``between``: a column of the scores, or a stratum, and the values of it that are conditions. ``rows``: those of the
    dataset, by config and id, whose strata are wanted.

    Raises:
        ComparisonError: if two files are of different suites, or fewer than two sides are left.
    """
    suites = {scores.suite for scores in files.values()}
    if len(suites) > 1:
        raise ComparisonError(f"the scores are of different suites: {', '.join(sorted(suites))}; compare within one")
    suite = suites.pop()
    divided = {
        config: strata(frame, suite=suite, config=config)
        for config, frame in (rows or {}).items()
        if config in evals.suite(suite).CONFIGS
    }
    everything = pd.concat([scores.frame.assign(file=name) for name, scores in files.items()], ignore_index=True)
    keys = ["model", *(name for name in ("variant", "file") if everything[name].nunique() > 1)]
    if everything.groupby("model")[["variant", "file"]].nunique().max(axis=None) == 1:
        keys = ["model"]
    if between is not None:
        keys = [key for key in keys if key != between[0]]
        everything = everything.assign(condition=_conditions(everything, between[0], divided))
    groups = [("", everything)]
    if keys:
        groups = [(", ".join(map(str, key)), frame) for key, frame in everything.groupby(keys, sort=False)]
    sides = [side for label, frame in groups for side in _sides(label, frame, between)]
    if len(sides) < 2:
        labels = ", ".join(side.label for side in sides) or "nothing"
        raise ComparisonError(f"need two sides to compare, found {labels}; give more scores, or --between COLUMN=A,B")
    if between is None:
        sides.sort(key=lambda side: -side.frame[evals.suite(suite).HEADLINE].mean())
    return Comparison(suite=suite, sides=sides, strata=divided)


def match(a: Side, b: Side, metrics: Sequence[str]) -> tuple[pd.DataFrame, dict[str, object]]:
    """Return a line for each pair, with a column ``metric`` (a) and ``metric_b`` each, and how many rows are left over.

    Samples of a row count as their mean. ``id`` is that of the second side's row.

    Raises:
        ComparisonError: if nothing is in common.
    """
    rows_a, rows_b = (_rows(side.frame, metrics) for side in (a, b))
    keys = ["config", "split", "id"]
    both = rows_a.drop(columns="question").merge(rows_b, on=keys, suffixes=("", "_b"))
    by = "row"
    if both.empty:
        by = "question"
        same = set(rows_a["config"]) == set(rows_b["config"])
        keys = ["config", "question"] if same else ["question"]
        means = rows_a.groupby(keys, sort=False)[list(metrics)].mean().reset_index()
        both = means.merge(rows_b, on=keys, suffixes=("", "_b"))
        if not same:
            both["config"] = " / ".join(" ".join(natural_order(rows["config"].unique())) for rows in (rows_a, rows_b))
    if both.empty:
        raise ComparisonError(
            f"{a.label} and {b.label} have neither a row nor a question in common; are the datasets the same?"
        )
    left = [int((~rows.set_index(keys).index.isin(both.set_index(keys).index)).sum()) for rows in (rows_a, rows_b)]
    return both, {"paired_by": by, "unpaired_a": left[0], "unpaired_b": left[1]}


def _conditions(frame: pd.DataFrame, column: str, divided: Mapping[str, pd.DataFrame]) -> "pd.Series[str]":
    if column in frame:
        return frame[column].astype(str)
    parts = [part[column] for part in divided.values() if column in part]
    if not parts:
        known = [*_NEEDED, *natural_order({name for part in divided.values() for name in part})]
        raise ComparisonError(
            f"--between: neither the scores nor the strata have {column!r}; there are: {', '.join(known)}"
        )
    return frame["id"].map(pd.concat(parts)).astype(str)


def _sides(label: str, frame: pd.DataFrame, between: tuple[str, Sequence[str]] | None) -> list[Side]:
    if between is None:
        return [Side(label, "", frame)]
    column, values = between
    missing = [value for value in values if not (frame["condition"] == value).any()]
    if missing:
        there = ", ".join(natural_order(frame["condition"].unique())[:20])
        raise ComparisonError(f"--between: {label} has no reply with {column}={missing[0]}; there are: {there}")
    name = "" if column == "model" else f"{label}: "
    return [Side(f"{name}{value}", label, frame[frame["condition"] == value]) for value in values]


def _rows(frame: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    return frame.groupby(["config", "split", "id", "question"], sort=False)[list(metrics)].mean().reset_index()
