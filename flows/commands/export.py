"""The command `export`: writes the rows of a built dataset in the formats of other harnesses and trainers."""

from pathlib import Path
from typing import Annotated

import typer

from planimeter.flows.commands.options import Folder, out


def export(
    folder: Folder,
    target: Annotated[Path, typer.Option("--out", help="New folder for the files.")],
    variant: Annotated[str, typer.Option(help="Prompt variant; the published prompts by default.")] = "default",
) -> None:
    """Write the rows of FOLDER as JSON lines that lmms-eval, VLMEvalKit, verl, EasyR1 and ms-swift load."""
    from planimeter.evals.harnesses.export import export
    from planimeter.evals.harnesses.rows import source

    export(source(str(folder)), target, variant)
    out.print(f"{target}: its README.md has the commands of lmms-eval, VLMEvalKit, verl, EasyR1 and ms-swift")
