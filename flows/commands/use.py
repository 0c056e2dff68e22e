"""The commands that use a built dataset: what each is given. What it does stands in a module of its own beside it.

The command line (``cli``) registers them all.
"""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

out = Console(highlight=False, soft_wrap=True)


def register(app: typer.Typer) -> None:
    """Add the commands to ``app``."""
    app.command()(compare)


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
    """Compare models, or conditions, on the same rows: differences with intervals, and McNemar's test."""
    from planimeter.flows.commands import compare as command

    command.run(scores, out, between=between, dataset=dataset, benchmarks=benchmarks, folder=folder)
