"""The command `unseal`: checks a dataset with a secret seed (sealed edition) against its seed and the seed's hash."""

from pathlib import Path
from typing import Annotated

import typer

from planimeter.flows.commands.options import Folder, SeedFile, err, out
from planimeter.flows.errors import PlanimeterError


def unseal(
    folder: Folder,
    seed: SeedFile = None,
    seal: Annotated[
        Path | None, typer.Option(help="The seal.json that was published before the rows; FOLDER/seal.json by default.")
    ] = None,
    rows: Annotated[int, typer.Option(min=1, help="Number of rows of each config to make again.")] = 20,
) -> None:
    """Check that rows, seed and seal (hash of the seed) of a sealed edition match, by making some rows again."""
    from planimeter.export.built import Built
    from planimeter.flows.display.bars import bars
    from planimeter.flows.secret import Secret
    from planimeter.flows.unsealing import faults, seed_file, unlike_rows
    from planimeter.flows.workers.processes import cores

    secret, built = Secret.read(seed_file(folder, seed)), Built.at(folder)
    with built.reading(), bars() as progress:
        # If files do not fit the seal, no row is made again.
        found = list(faults(built, secret, seal)) or list(unlike_rows(built, secret, rows, progress, cores()))
    for fault in found[:20]:
        err.print(fault)
    if found:
        raise PlanimeterError(f"{folder} differs from its seal: {len(found)} fault{'s' if len(found) > 1 else ''}")
    out.print(
        f"{folder}: seal, seed, recipe and code match; {rows} rows of each config were made again and are identical"
    )
