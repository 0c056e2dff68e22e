"""The records that pass between the steps: the scored replies of models to a dataset, a table, a figure."""

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal

import pandas as pd

from planimeter.items.values import Record

#: Columns of ``Scored.frame`` of every suite; the metrics of the suite's protocol follow, and then the same ones
#: with the prefix ``STRICT``.
COLUMNS: Mapping[str, str] = {
    "id": "string: id of the row",
    "config": "string",
    "split": "string",
    "question": "string: rows of one question are not independent (nine styles of one function, k samples of a row)",
    "model": "string: label of the model or solver",
    "variant": "string: name of the prompt variant, `default` for the published one",
    "sample": "int64: 0 to k - 1",
    "finish_reason": "string: stop, length, error, ..., or empty where the harness does not say",
    "completion_tokens": "float64: NaN where the harness does not say",
    "reasoning_tokens": "float64: NaN where the harness does not say",
    "cost": "float64: US dollars; NaN where the harness does not say",
    "answered": "bool: an answer could be read leniently",
    "reason": "string: why none could, such as `unmarked`; `no reply` for a row without one",
    "reply": "string: the reply itself",
    "reading": "string: what a reader model reads in the reply, or `none`; else empty",
    "reader": "string: the model, or the person, that read it",
    "with_reader": "float64: the headline metric, unmarked replies by their readings; NaN where no reader was asked",
    "read": "string: what was read leniently, in the words of the answers",
    "answer": "string: the true answer",
    "strict_reason": "string: why the strict reading refused",
    "correct": "list of bool: for a list of markers, which positions are right; else empty",
}
STRICT = "strict_"

#: The name of the file of scores.
FILE = "scores.parquet"

Unit = Literal["share", "number"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Scored:
    """The scores of every reply of some models to one dataset.

    ``frame`` has a row for each model, variant, row of the dataset (of the evaluated configs and splits) and sample,
    including those without a reply, sorted in this order; its columns are ``COLUMNS`` and the metrics, NaN if a config
    does not have one. ``rows`` contains for each config the columns of the dataset, without pictures, by ``id``;
    ``sizes`` the number of rows of each of its splits, evaluated or not.
    """

    suite: str
    frame: pd.DataFrame
    dataset: str = ""
    version: str = ""
    rows: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    sizes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def records(frame: pd.DataFrame) -> Iterator[Record]:
    """Yield the rows of a table as mappings of its columns to plain Python values."""
    names = [str(name) for name in frame]
    for values in zip(*(frame[name].tolist() for name in frame), strict=True):
        yield dict(zip(names, values, strict=True))


def row_of(scored: Scored, config: str, name: str) -> Record:
    """Return the row of the dataset with the id ``name``."""
    return next(records(scored.rows[config].loc[[name]].rename_axis("id").reset_index()))


def several(columns: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return one column, or several, as a tuple."""
    return (columns,) if isinstance(columns, str) else columns


@dataclass(frozen=True)
class Plot:
    """The declaration of a figure of a table: a panel for each value of ``panel``, and in it the rates ``metrics`` by
    the values of ``x`` and of ``series``.

    Each of the three is a column, or several; ``"metric"`` means the names of ``metrics``. The axis ``x`` has names
    in bars and stacked bars, which have ``series`` side by side or end to end; a heat map has ``series`` as its rows.
    ``labels`` maps for a column its values, in their order, to labels; other values are in natural order.
    ``dashed`` is a column, the value with dashed lines, and their label. ``where`` selects lines of the table.
    """

    kind: Literal["lines", "bars", "columns", "stacked", "heat"]
    x: str | tuple[str, ...]
    metrics: tuple[str, ...] = ()
    _: KW_ONLY
    series: str | tuple[str, ...] = "model"
    panel: str | tuple[str, ...] = ()
    labels: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
    dashed: tuple[str, str, str] = ("", "", "")
    where: str = ""
    name: str = ""
    title: str = ""
    source: str = ""
    note: str = ""
    xlabel: str = ""
    ylabel: str = ""


@dataclass(frozen=True)
class Table:
    """A table: ``name`` is its file's stem, such as ``t1_accuracy``, and ``source`` the paper's name for it.

    ``frame`` contains numbers, not text: a rate with its interval is three columns, ``x``, ``x_low`` and ``x_high``,
    which the printed table shows as one. ``note`` explains the table in one or two sentences.
    ``units`` of a column: ``"share"``, printed in per cent, or ``"number"``, printed unchanged; by default columns with
    an interval are shares, except errors (``_error``), and others are numbers. ``plots`` are its figures.
    """

    name: str
    title: str
    source: str = ""
    _: KW_ONLY
    frame: pd.DataFrame = field(default_factory=pd.DataFrame)
    note: str = ""
    units: Mapping[str, Unit] = field(default_factory=dict)
    plots: tuple[Plot, ...] = ()

    def unit(self, column: str) -> Unit:
        """Return the unit of a column."""
        is_share = column + "_low" in self.frame.columns and not column.endswith("_error")
        return self.units.get(column, "share" if is_share else "number")


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure as SVG: ``name`` is its file's stem, ``source`` the paper's name for it, ``note`` its explanation."""

    name: str
    title: str
    svg: str
    source: str = ""
    note: str = ""
