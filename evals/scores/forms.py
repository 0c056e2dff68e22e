"""The data classes of scoring: scored replies of models to a dataset, a table, the declaration of a plot, a figure."""

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
    "reason": "string: why no answer could be read, such as `unmarked`; `no reply` for a row without a reply",
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

    ``frame`` has a line for each model, prompt variant, evaluated row of the dataset and sample, sorted in this order,
    even if there is no reply. Its columns are ``COLUMNS`` and the metrics; a metric that a config does not have is NaN.
    ``rows`` contains for each config the rows of the dataset, without pictures, indexed by ``id``; ``sizes`` has the
    number of rows of each split of a config, evaluated or not.
    """

    suite: str
    frame: pd.DataFrame
    dataset: str = ""
    version: str = ""
    rows: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    sizes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def records(frame: pd.DataFrame) -> Iterator[Record]:
    """Yield each row of ``frame`` as a mapping of column names to plain Python values."""
    names = [str(name) for name in frame]
    for values in zip(*(frame[name].tolist() for name in frame), strict=True):
        yield dict(zip(names, values, strict=True))


def row_of(scored: Scored, config: str, name: str) -> Record:
    """Return the row of ``config`` with the id ``name``, as a mapping of its columns, without the picture."""
    return next(records(scored.rows[config].loc[[name]].rename_axis("id").reset_index()))


def several(columns: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return ``columns`` as a tuple of names; a single name becomes a tuple of one."""
    return (columns,) if isinstance(columns, str) else columns


@dataclass(frozen=True)
class Plot:
    """The declaration of a figure that shows the rates ``metrics`` of a table.

    ``x``, ``series`` and ``panel`` each name a column of the table or several, or ``"metric"`` for the names of the
    metrics: there is a panel for each value of ``panel``, and in it a rate for each value of ``x`` and ``series``.
    Bars and columns have their series side by side, stacked bars end to end, and a heat map has them as rows.
    ``labels`` maps a column's values, in the order to draw, to labels; other values are in natural order.
    ``dashed`` is (column, value, label): lines with this value are dashed. ``where`` is a query that selects rows.
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
    which the printed table shows as one. ``note`` explains the table in one or two sentences. ``units`` maps a column
    to ``"share"``, printed in per cent, or ``"number"``, printed unchanged; by default a column with an interval is a
    share unless its name ends in ``_error``, and any other column is a number. ``plots`` declare the table's figures.
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
        """Return the unit of the numbers in ``column``."""
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
