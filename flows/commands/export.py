"""The command `export`: writes what another harness loads to run a built dataset."""

from pathlib import Path

from rich.console import Console

from planimeter.evals.harnesses.exports import export
from planimeter.evals.harnesses.rows import source


def run(folder: Path, harness: str, to: Path, variant: str, out: Console) -> None:
    """Write the files of ``harness`` for the dataset in ``folder`` to the new folder ``to``, and print how to run them.

    Raises:
        ExportError: if there is no dataset, no such harness or variant, or ``to`` exists or cannot be written.
    """
    command = export(source(str(folder)), harness, to, variant)
    out.print(f"{to}: written for {harness}; run it with\n  {command}", markup=False)
