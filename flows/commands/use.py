"""The commands `export` and `stream`: their options."""

from pathlib import Path
from typing import Annotated

import typer

from planimeter.flows.commands.options import Folder, Workers, out


def export(
    folder: Folder,
    target: Annotated[Path, typer.Option("--out", help="A new folder for the files.")],
    variant: Annotated[str, typer.Option(help="Prompt variant; the published prompts by default.")] = "default",
) -> None:
    """Write the rows of FOLDER as JSON lines that lmms-eval, VLMEvalKit, verl, EasyR1 and ms-swift load."""
    from planimeter.evals.harnesses.export import export
    from planimeter.evals.harnesses.rows import source

    export(source(str(folder)), target, variant)
    out.print(f"{target}: its README.md has the commands of lmms-eval, VLMEvalKit, verl, EasyR1 and ms-swift")


def stream(
    ladder: Annotated[
        str, typer.Argument(help="Name of a training stream, such as curves; an unknown name lists them all.")
    ],
    file: Annotated[Path, typer.Option("--out", help="A file that ends in .parquet or .jsonl.")],
    level: Annotated[int, typer.Option(help="Difficulty; 1 is the easiest.")] = 1,
    rows: Annotated[int, typer.Option("--count", min=1, help="How many rows.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Another seed gives other rows.")] = 0,
    workers: Workers = None,
) -> None:
    """Write fresh certified training rows of LADDER, none of them like a published test item."""
    from planimeter.flows.commands import stream as command

    command.run(ladder, level, seed, rows, file, out, workers=workers)
