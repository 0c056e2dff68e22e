"""The command `compare`: two models, or one model under two conditions, paired by row or by question."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from planimeter.evals.scores import compare, sides
from planimeter.evals.scores.dataset import load
from planimeter.evals.scores.forms import FILE
from planimeter.evals.scores.tables import figures, markdown, with_interval, write
from planimeter.flows.errors import PlanimeterError


def run(
    scores: Sequence[Path],
    out: Console,
    *,
    between: str,
    dataset: Path | None,
    benchmarks: Path | None,
    folder: Path | None,
) -> None:
    """Print the tables of the comparison, or write them, with the figure, into ``folder``; then print the differences.

    Raises:
        PlanimeterError, ExportError: if the scores cannot be compared, or there is no such dataset.
    """
    try:
        files = {_name(path): sides.load(path) for path in scores}
        if len(files) < len(scores):
            raise PlanimeterError("two of the scores are the same file, or bear the same name; rename one")
        data = load(dataset) if dataset else None
        versions = {name: (score.dataset, score.version) for name, score in files.items()}
        known = {str(dataset): (data.manifest.dataset, data.manifest.version)} if data else {}
        sides.require_one_version(versions | known)
        compared = sides.comparison(files, between=_between(between), rows=data.rows if data else None)
        tables = compare.tables(compared)
        if benchmarks:
            every = pd.concat([score.frame for score in files.values()], ignore_index=True)
            tables.append(compare.correlations(every, _read_benchmarks(benchmarks), compared.headline))
    except sides.ComparisonError as error:
        raise PlanimeterError(str(error)) from None
    if folder is None:
        out.print("\n".join(map(markdown, tables)), markup=False)
    else:
        write(folder, tables, figures(tables))
    _print(tables[1].frame, compared.headline, out)
    if folder is not None:
        out.print(f"all tables and the figure: {folder}", markup=False)


def _print(differences: pd.DataFrame, metric: str, out: Console) -> None:
    """Print the differences of all pairs in ``metric``, in points, with their intervals and p."""
    tests = {name: head for name, head in (("p", "p"), ("p_holm", "p (Holm)")) if name in differences}
    names = (Column(head, overflow="fold") for head in ("a", "b"))
    numbers = (Column(head, justify="right", no_wrap=True) for head in ("a less b (%)", *tests.values()))
    table = Table(Column("config", no_wrap=True), *names, *numbers, box=None)
    for line in differences[differences["metric"] == metric].to_dict("records"):
        difference = with_interval(*(line[f"difference{bound}"] for bound in ("", "_low", "_high")))
        p = ("<0.0001" if line[name] < 0.0001 else f"{line[name]:.4f}" for name in tests)
        table.add_row(*(escape(str(line[name])) for name in ("config", "a", "b")), difference, *p)
    out.print(table)
    out.print(f"{metric}, with the 95% interval in which a question counts once", markup=False)


def _between(text: str) -> tuple[str, list[str]] | None:
    if not text:
        return None
    column, _, listed = text.partition("=")
    values = [value.strip() for value in listed.split(",") if value.strip()]
    if not column.strip() or len(set(values)) < 2:
        raise PlanimeterError(
            f"--between: need COLUMN=A,B with two values or more, such as config=base,confounded; got {text}"
        )
    return column.strip(), values


def _name(path: Path) -> str:
    """Return the name of a file of scores, or of the folder that holds it."""
    return path.resolve().parent.name if path.name == FILE else path.resolve().name


def _read_benchmarks(path: Path) -> pd.DataFrame:
    try:
        return pd.read_csv(path)
    except (OSError, ValueError) as error:
        raise PlanimeterError(f"--benchmarks: {path}: {error}") from None
