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
    app.command()(solve)


def solve(
    folder: Annotated[
        Path | None, typer.Argument(help="Folder of a built dataset, such as outputs/marvl-qa-mini/1.1.0.")
    ] = None,
    by: Annotated[str, typer.Option(help="Reference models, such as certifier,majority,random; see --list.")] = "",
    config: Annotated[str, typer.Option(help="Configs to answer, such as counting; all by default.")] = "",
    file: Annotated[
        Path | None,
        typer.Option("--out", help="File of replies (JSONL); in outputs/replies/ by default."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Another seed draws other lots.")] = 0,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; one for each core by default.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the reference models of each suite.")] = False,
) -> None:
    """Answer a built dataset with reference models that need no GPU, and write their replies for `planimeter score`."""
    from planimeter.flows.commands import solve as command

    if listed:
        command.show(folder, out)
    else:
        command.run(folder, out, by=by, configs=config, file=file, seed=seed, workers=workers)
