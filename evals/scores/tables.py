"""Makes all tables of scored replies, the shared ones and those of a suite, and writes tables and figures as files.

A suite may declare a module ``results`` with ``tables(scored)``; a figure is a plot of a table. In tables, a model with
several prompt variants is several models.
"""

from collections.abc import Iterable
from dataclasses import replace
from numbers import Integral, Real
from pathlib import Path

import numpy as np
import pandas as pd
from rich.cells import cell_len

from planimeter.evals.answers import PROTOCOL
from planimeter.evals.scores.comparison import differences
from planimeter.evals.scores.figures import draw
from planimeter.evals.scores.forms import STRICT, Figure, Plot, Scored, Table, Unit, records
from planimeter.evals.scores.summary import (
    INTERVALS,
    arranged,
    beside,
    by_stratum,
    coverage,
    headline,
    ks,
    labelled,
    places,
    sample_summary,
    stratified,
    summary,
    with_flags,
)
from planimeter.export.atomic import explain_os_errors, write_file
from planimeter.export.foreign import path_below
from planimeter.export.spreadsheets import csv_of
from planimeter.items.suites import declared
from planimeter.items.values import Row


def tables(scored: Scored) -> list[Table]:
    """Return all non-empty tables of ``scored``: those that every suite has, then those that its suite declares.

    Raises:
        LookupError: if there is no such suite, or its module cannot be imported.
    """
    suite, named = declared(scored.suite), labelled(scored)
    if not len(scored.frame):
        return []
    further = suite.load("results").tables(named) if suite.results else []
    return [versioned(table) for table in (*shared(named), *differences(named), *further) if len(table.frame)]


def versioned(table: Table) -> Table:
    """Return ``table`` with the grading protocol's version in its note: scores of two versions are not comparable."""
    return replace(table, note=f"{table.note} Protocol {PROTOCOL}.".strip())


def figures(tables: Iterable[Table]) -> list[Figure]:
    """Return the figures that ``tables`` declare as plots, except those whose query selects no line of the table."""
    plots = [(table, plot) for table in tables for plot in table.plots]
    return [draw(table, plot) for table, plot in plots if not plot.where or len(table.frame.query(plot.where))]


def shared(scored: Scored) -> list[Table]:
    """Return the tables that every suite has: ranking, reasons why replies have no answer, and scores by stratum.

    If rows have several samples, there is also a table of pass@k and maj@k.
    """
    result = [_overview(scored), _failures(scored.frame)]
    if scored.frame["sample"].max() > 0 and scored.frame[headline(scored)].dropna().isin((0, 1)).all():
        result.append(_samples(scored))
    return result + [_strata(scored, config) for config in scored.frame["config"].unique()]


def _overview(scored: Scored) -> Table:
    frame, metric, by = with_flags(scored.frame), headline(scored), [*places(scored.frame), "model"]
    frame["lenient_less_strict"] = frame[metric] - frame[STRICT + metric]
    columns = [metric, "unmarked", STRICT + metric, "lenient_less_strict", "answered", "cut_off", "errors"]
    columns[1:1] = ["with_reader"] if frame["with_reader"].notna().any() else []
    table = summary(frame, by, columns).merge(coverage(scored, by), on=by)
    groups = frame.groupby(by, sort=False)
    means = groups[["completion_tokens", "reasoning_tokens"]].mean().assign(cost=groups["cost"].sum(min_count=1))
    table = table.join(means.dropna(axis="columns", how="all"), on=by)
    note = (
        f"Ranked by {metric}, of all replies. {INTERVALS} With reader: unmarked replies by their readings. Unmarked: "
        "the reply marks no answer. Cut off: it reached the limit of tokens. Errors: of the harness. "
        "Asked: how many of the rows the model was asked. Tokens: the mean of a reply. Cost: the sum, in US dollars."
    )
    ranking = Plot("bars", "model", (metric,), name="ranking", series="metric", panel=tuple(by[:-1]))
    return Table("overview", "Models", frame=_best_first(table, metric), note=note, plots=(ranking,))


def _failures(frame: pd.DataFrame) -> Table:
    by, parts = [*places(frame), "model"], []
    totals = frame.groupby(by, sort=False).size().rename("replies")
    for reading, column in (("lenient", "reason"), ("strict", "strict_reason")):
        unread = frame[frame[column] != ""]
        counts = unread.groupby([*by, column], sort=False).size().rename("n").reset_index()
        parts.append(counts.rename(columns={column: "reason"}).assign(reading=reading).join(totals, on=by))
    table = pd.concat(parts)[[*by, "reading", "reason", "n", "replies"]]
    table["share"] = table["n"] / table["replies"]
    table = table.sort_values(
        [*by, "reading", "n", "reason"], ascending=[*[True] * len(by), True, False, True], ignore_index=True
    )
    note = "Replies in which no answer could be read; each counts as wrong."
    return Table("unread", "Why replies could not be read", frame=table, note=note, units={"share": "share"})


def _samples(scored: Scored) -> Table:
    by = [*places(scored.frame), "model"]
    table = _best_first(sample_summary(scored.frame, headline(scored), by), "pass_at_1")
    note = (
        "pass@k: the chance that one of k samples is right; maj@k: that the answer most often given is. n counts rows. "
        f"{INTERVALS}"
    )
    labels = {"metric": {f"pass_at_{k}": str(k) for k in ks(int(scored.frame["sample"].max()) + 1)}}
    plot = Plot("lines", "metric", labels=labels, panel=tuple(by[:-1]), xlabel="k", ylabel="pass@k")
    plot = replace(plot, name="pass_at_k", title="One of k samples is right")
    return Table("samples", "Several samples of a row", frame=table, note=note, plots=(plot,))


def _best_first(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    best = table.sort_values(metric, ascending=False, kind="stable")
    return arranged(best, "config", table["config"].unique())


def _strata(scored: Scored, config: str) -> Table:
    frame, axes = stratified(scored, config)
    table = by_stratum(with_flags(frame), axes, (headline(scored), "unmarked"))
    return Table(f"strata_{config}", f"{config}: by stratum", frame=table, note=INTERVALS)


def side_by_side(table: Table, metric: str) -> Table:
    """Return a table by stratum and model with the models side by side, as columns of ``metric``.

    Tables without strata, or of a single model, are returned unchanged.
    """
    frame, keys = table.frame, ["stratum", "value"]
    if not {*keys, "model"} <= {*frame} or frame["model"].nunique() < 2:
        return table
    result = frame.groupby(keys, sort=False)["questions"].max().reset_index()
    for name in frame["model"].unique():
        result = beside(result, frame[frame["model"] == name], metric, name, keys)
    return replace(table, frame=result, note=f"{metric.replace('_', ' ')}. {table.note}")


def cells(table: Table) -> tuple[list[str], list[list[str]]]:
    """Return the column heads of the printed table, and the cells of each line; a rate and its bounds share a cell."""
    columns = _printed_columns(table.frame)
    units = {name: table.unit(name) for name in columns}
    heads = [name.replace("_", " ") + (" (%)" if units[name] == "share" else "") for name in columns]
    lines = [[_cell(row, name, units[name]) for name in columns] for row in records(table.frame)]
    return heads, lines


def _printed_columns(frame: pd.DataFrame) -> list[str]:
    """Return the names of all columns except bounds, which are printed in the cell of their rate."""
    names = list(map(str, frame.columns))
    bounds = {name + end for name in names for end in ("_low", "_high")}
    return [name for name in names if name not in bounds]


def _cell(row: Row, name: str, unit: Unit) -> str:
    value = row[name]
    if pd.isna(value):
        return "–"
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if not isinstance(value, Real):
        return " ".join(str(value).split())
    if isinstance(value, Integral) and unit == "number":
        return str(value)
    if name + "_low" not in row:
        return _number(100 * float(value), 1) if unit == "share" else f"{value:.3g}"
    return with_interval(float(value), row[name + "_low"], row[name + "_high"], unit)


def with_interval(estimate: float, low: float, high: float, unit: Unit = "share") -> str:
    """Return an estimate with its bounds as text, such as "63.1 [60.7, 65.5]"; bounds that are NaN are omitted."""
    scale, digits = (100, 1) if unit == "share" else (1, 2)
    text, *bounds = (_number(float(scale * value), digits) for value in (estimate, low, high))
    return text if np.isnan(low) else f"{text} [{', '.join(bounds)}]"


def _number(value: float, digits: int) -> str:
    # Adding 0 turns -0.0 into 0.0.
    return f"{round(value, digits) + 0.0:.{digits}f}"


def markdown(table: Table) -> str:
    """Return a table in Markdown with its title and note, and cells such as "63.1 [60.7, 65.5]", shares in per cent."""
    heads, lines = cells(table)
    body = [heads, ["---:" if right else "---" for right in _numeric(table)], *lines]
    heading = f"## {table.title}" + (f" ({table.source})" if table.source else "")
    rows = "\n".join("| " + " | ".join(text.replace("|", "\\|") for text in line) + " |" for line in body)
    return "\n\n".join(part for part in (heading, table.note, rows) if part) + "\n"


def latex(table: Table) -> str:
    """Return a table as LaTeX's ``tabular`` with the lines of booktabs and the cells of ``markdown``."""
    heads, lines = cells(table)
    form = "".join("r" if right else "l" for right in _numeric(table))
    return pd.DataFrame(lines, columns=heads).to_latex(index=False, escape=True, column_format=form)


def terminal(table: Table) -> str:
    """Return a table as lines for a terminal: texts left-aligned, numbers right-aligned, nothing wrapped or cut."""
    heads, lines = cells(table)
    widths = [max(map(cell_len, column)) for column in zip(heads, *lines, strict=True)]
    rows = []
    for line in (heads, *lines):
        blanks = (" " * (width - cell_len(text)) for width, text in zip(widths, line, strict=True))
        parts = zip(_numeric(table), line, blanks, strict=True)
        rows.append("  ".join(blank + text if right else text + blank for right, text, blank in parts))
    return "\n".join([*rows, table.note])


def _numeric(table: Table) -> list[bool]:
    return [pd.api.types.is_numeric_dtype(table.frame[name]) for name in _printed_columns(table.frame)]


def write(folder: Path, tables: Iterable[Table], drawn: Iterable[Figure] = ()) -> list[Path]:
    """Write each table into ``folder`` as ``tables/<name>.csv``, ``.md`` and ``.tex``, each figure as
    ``figures/<name>.svg``; return the paths.

    The CSV has a column ``protocol`` with the version of the rules by which replies are read.

    Raises:
        ExportError: if the folder cannot be written.
    """
    files: dict[Path, str] = {}
    for table in tables:
        csv = csv_of(table.frame.assign(protocol=PROTOCOL))
        for ending, text in (("csv", csv), ("md", markdown(table)), ("tex", latex(table))):
            files[path_below(folder, "tables", f"{table.name}.{ending}")] = text
    for figure in drawn:
        files[path_below(folder, "figures", f"{figure.name}.svg")] = figure.svg
    for path, text in files.items():
        with explain_os_errors(path):
            write_file(path, text.encode())
    return list(files)
