"""The command `compare`: two models, or one model under two conditions, paired by row or by question."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Column, Table

from planimeter.flows.commands.options import names_in, out
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store.storage import resolved

if TYPE_CHECKING:
    import pandas as pd


def compare(
    scores: Annotated[
        list[Path], typer.Argument(help="What `planimeter score` wrote: folders, or scores.parquet files.")
    ],
    between: Annotated[
        str, typer.Option(help="Compare conditions of each model: a column or stratum, as config=base,confounded.")
    ] = "",
    dataset: Annotated[
        Path | None, typer.Option(help="Folder of the built dataset, for differences by stratum.")
    ] = None,
    benchmarks: Annotated[
        Path | None, typer.Option(help="CSV of model,benchmark,score: correlate with scores elsewhere.")
    ] = None,
    folder: Annotated[Path | None, typer.Option("--out", help="Write tables and figure here instead.")] = None,
) -> None:
    """Compare models, or conditions, on the same rows: differences with intervals and permutation tests."""
    import pandas as pd

    from planimeter.evals.scores import compare, sides
    from planimeter.evals.scores.dataset import load
    from planimeter.evals.scores.forms import FILE
    from planimeter.evals.scores.tables import figures, markdown, write

    # By the name of the file, or of the folder that holds it.
    named = [resolved(path).parent if path.name == FILE else resolved(path) for path in scores]
    files = {home.name: sides.load(path) for home, path in zip(named, scores, strict=True)}
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
        try:
            elsewhere = pd.read_csv(benchmarks)
        except (OSError, ValueError) as error:
            raise PlanimeterError(f"--benchmarks: {benchmarks}: {error}") from None
        tables.append(compare.correlations(every, elsewhere, compared.headline))
    if folder is None:
        out.print("\n".join(map(markdown, tables)))
    else:
        write(folder, tables, figures(tables))
    _print(tables[1].frame, compared.headline)
    if folder is not None:
        out.print(f"all tables and the figure: {folder}")


def _print(differences: "pd.DataFrame", metric: str) -> None:
    """Print the differences of all pairs in ``metric``, in points, with their intervals and p."""
    from planimeter.evals.scores.tables import with_interval

    tests = {name: head for name, head in (("p", "p"), ("p_holm", "p (Holm)")) if name in differences}
    names = (Column(head, overflow="fold") for head in ("a", "b"))
    numbers = (Column(head, justify="right", no_wrap=True) for head in ("a less b (%)", *tests.values()))
    table = Table(Column("config", no_wrap=True), *names, *numbers, box=None)
    for line in differences[differences["metric"] == metric].to_dict("records"):
        difference = with_interval(*(line[f"difference{bound}"] for bound in ("", "_low", "_high")))
        p = ("<0.0001" if line[name] < 0.0001 else f"{line[name]:.4f}" for name in tests)
        table.add_row(*(str(line[name]) for name in ("config", "a", "b")), difference, *p)
    out.print(table)
    out.print(f"{metric}, with the 95% interval in which a question counts once")


def _between(text: str) -> tuple[str, list[str]] | None:
    column, _, listed = text.partition("=")
    values = names_in(listed)
    if text and (not column.strip() or len(set(values)) < 2):
        raise PlanimeterError(
            f"--between: need COLUMN=A,B with two values or more, such as config=base,confounded; got {text}"
        )
    return (column.strip(), values) if text else None
