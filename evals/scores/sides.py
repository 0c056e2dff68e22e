"""What is compared, from files of scores, and which rows of two sides belong together.

A *side* is a model with its prompt variant, in one file of scores, and where conditions are compared, under one of
them. Sides are paired by row where they share rows, such as two models of one dataset; otherwise by question, such as a
path with confounders and the same path without: each row of the second side is then paired with the mean of the first
side's rows of that question.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from planimeter import evals
from planimeter.evals.scores.forms import FILE, Scored
from planimeter.evals.scores.summary import natural_order, strata
from planimeter.export.foreign import open_file, parse_json
from planimeter.items.errors import PlanimeterError
from planimeter.items.suites import names

#: Columns of scores without which nothing can be compared.
_NEEDED = ("id", "config", "split", "question", "model", "variant")


class ComparisonError(PlanimeterError, ValueError):
    """The scores cannot be compared; the message says why and what to do."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """What is compared, by the metrics of ``suite``: ``sides``, in their order, whose scores are ``frame``.

    ``side`` is a column of it; only sides of the same ``group`` are paired. ``strata`` holds for each config the strata
    of its rows by id.
    """

    suite: str
    sides: Sequence[str]
    frame: pd.DataFrame
    strata: Mapping[str, pd.DataFrame]

    @property
    def headline(self) -> str:
        """The metric by which models of this suite are ranked."""
        name: str = evals.suite(self.suite).HEADLINE
        return name

    @cached_property
    def metrics(self) -> list[str]:
        """The metrics that all sides have."""
        known = [name for name in evals.suite(self.suite).METRICS if name in self.frame]
        return [name for name in known if self.frame[name].notna().groupby(self.frame["side"]).any().all()]

    @cached_property
    def numbers(self) -> list[str]:
        """Those of the metrics that are no rates from 0 to 1, such as a signed error."""
        return [name for name in self.metrics if not self.frame[name].dropna().between(0, 1).all()]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of sides that may be compared, each once, in their order."""
        groups = self.frame.drop_duplicates("side").set_index("side")["group"]
        return [(a, b) for a, b in combinations(self.sides, 2) if groups[a] == groups[b]]

    def match(self, a: str, b: str) -> tuple[pd.DataFrame, dict[str, object]]:
        """Return a line for each pair, with a column ``metric`` (a) and ``metric_b`` each, and how many rows are left.

        Samples of a row count as their mean. ``id`` is that of the second side's row.

        Raises:
            ComparisonError: if nothing is in common.
        """
        by, keys, metrics = "row", ["config", "split", "id"], self.metrics
        means = self.frame.groupby(["side", *keys, "question"], sort=False)[metrics].mean().reset_index()
        first, second = (means[means["side"] == side].drop(columns="side") for side in (a, b))
        both = first.drop(columns="question").merge(second, on=keys, suffixes=("", "_b"))
        if both.empty:
            configs = [natural_order(rows["config"].unique()) for rows in (first, second)]
            by, keys = "question", ["config", "question"] if configs[0] == configs[1] else ["question"]
            both = first.groupby(keys, sort=False)[metrics].mean().reset_index()
            both = both.merge(second, on=keys, suffixes=("", "_b"))
            if configs[0] != configs[1]:
                both["config"] = " / ".join(map(" ".join, configs))
        if both.empty:
            raise ComparisonError(
                f"{a} and {b} have neither a row nor a question in common; are the datasets the same?"
            )
        paired = pd.MultiIndex.from_frame(both[keys])
        left = [int((~pd.MultiIndex.from_frame(rows[keys]).isin(paired)).sum()) for rows in (first, second)]
        return both, {"paired_by": by, "unpaired_a": left[0], "unpaired_b": left[1]}


def load(path: Path) -> Scored:
    """Return the scores in ``path``, a file or the folder that holds ``scores.parquet``.

    Raises:
        ComparisonError: if there are none, or they lack a column.
    """
    file = path / FILE if path.is_dir() else path
    try:
        with open_file(file) as opened:
            table = pq.read_table(opened)
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
    try:
        sizes = parse_json(about.get(b"rows", b"{}"))
    except ValueError as error:
        raise ComparisonError(f"{file}: {error}; give what `planimeter score` wrote") from None
    return Scored(suite=suite, frame=table.to_pandas(), dataset=name, version=version, sizes=sizes)


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
    files: Mapping[str, Scored],
    *,
    between: tuple[str, Sequence[str]] | None = None,
    rows: Mapping[str, pd.DataFrame] | None = None,
) -> Comparison:
    """Return the comparison of the sides in ``files``, which are named by where they come from, in the order of their
    headline or of the conditions.

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
    frame = pd.concat([scores.frame.assign(file=name) for name, scores in files.items()], ignore_index=True)
    column, values = between or ("", ())
    several = bool((frame.groupby("model")[["variant", "file"]].nunique() > 1).any(axis=None))
    apart = [name for name in ("variant", "file") if several and frame[name].nunique() > 1]
    keys = [key for key in ("model", *apart) if key != column]
    frame["group"] = frame[keys].agg(", ".join, axis=1) if keys else ""
    if between is None:
        means = frame.groupby("group", sort=False)[evals.suite(suite).HEADLINE].mean()
        sides = list(means.sort_values(ascending=False, kind="stable").index)
        frame = frame.assign(side=frame["group"], group="")
    else:
        frame["side"] = _conditions(frame, column, divided)
        sides = [_side(frame, column, group, value) for group in frame["group"].unique() for value in values]
        frame = frame[frame["side"].isin(values)]
        frame = frame.assign(side=[_label(column, *part) for part in zip(frame["group"], frame["side"], strict=True)])
    if len(sides) < 2:
        labels = ", ".join(sides) or "nothing"
        raise ComparisonError(f"need two sides to compare, found {labels}; give more scores, or --between COLUMN=A,B")
    return Comparison(suite=suite, sides=sides, frame=frame, strata=divided)


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


def _side(frame: pd.DataFrame, column: str, group: str, value: str) -> str:
    conditions = frame.loc[frame["group"] == group, "side"]
    if not (conditions == value).any():
        there = ", ".join(natural_order(conditions.unique())[:20])
        raise ComparisonError(f"--between: {group} has no reply with {column}={value}; there are: {there}")
    return _label(column, group, value)


def _label(column: str, group: str, value: str) -> str:
    return value if column == "model" else f"{group}: {value}"
