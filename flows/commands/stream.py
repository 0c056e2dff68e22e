"""The command `stream`: writes the first rows of a training stream to one Parquet or JSONL file."""

from pathlib import Path
from typing import Annotated

import typer

from planimeter.flows.commands.options import Workers, out


def stream(
    ladder: Annotated[
        str, typer.Argument(help="Name of a training stream, such as curves; an unknown name lists them all.")
    ],
    file: Annotated[Path, typer.Option("--out", help="File to write, which ends in .parquet or .jsonl.")],
    level: Annotated[int, typer.Option(help="Difficulty; 1 is the easiest.")] = 1,
    rows: Annotated[int, typer.Option("--count", min=1, help="Number of rows.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Another seed gives other rows.")] = 0,
    workers: Workers = None,
) -> None:
    """Write new certified rows of the training stream LADDER; none is a near-duplicate of a published test item."""
    from planimeter.flows.streaming import write_stream

    out.print(write_stream(ladder, level, seed, rows, file, workers))
