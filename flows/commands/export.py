"""The command `export`: what another harness or a trainer loads."""

from pathlib import Path
from typing import Annotated

import typer

from planimeter.flows.commands.options import Folder, out


def export(
    folder: Folder,
    harness: Annotated[str, typer.Option("--for", help="Which one: lmms-eval, vlmevalkit, verl, easyr1 or swift.")],
    target: Annotated[Path, typer.Option("--out", help="A new folder for what it loads.")],
    variant: Annotated[str, typer.Option(help="Prompt variant; the published prompts by default.")] = "default",
) -> None:
    """Write what another harness loads to ask a model the rows of FOLDER, or a trainer to reward it by them."""
    from planimeter.evals.harnesses.exports import export
    from planimeter.evals.harnesses.rows import source

    command = export(source(str(folder)), harness, target, variant)
    out.print(f"{target}: written for {harness}; run it with\n  {command}")
