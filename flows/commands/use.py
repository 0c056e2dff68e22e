"""The commands `probe` and `measure`: their options. What they do stands in modules of their own,
which load the libraries of numbers.
"""

from pathlib import Path
from typing import Annotated

import typer

from planimeter.flows.commands.options import Folder, Workers, err, out


def probe(
    folder: Folder,
    target: Annotated[
        Path | None,
        typer.Option("--out", help="Folder of what is measured; <version>.probes beside FOLDER by default."),
    ] = None,
) -> None:
    """Measure what a score on FOLDER is worth: chance level, shortcuts, partial-input baselines; needed to publish."""
    from planimeter.flows.commands import probe as command

    command.probe(folder, target, out, err)


def measure(folder: Folder, workers: Workers = None) -> None:
    """Measure each row of FOLDER: the smallest readable size of its picture, and which baselines solve it."""
    from planimeter.flows.commands import probe as command

    command.measure(folder, workers, out)
