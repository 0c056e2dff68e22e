"""The command `sample`: a stratified sample of a built dataset, as a dataset of the same format."""

from pathlib import Path
from typing import Annotated

import typer

from planimeter.flows.commands.options import Folder, Out, Version, err, names_in, out
from planimeter.flows.commands.prefect_mode import importing_prefect
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store.storage import folder_of


def sample(
    folder: Folder,
    rows: Annotated[int, typer.Option(help="Rows to draw, of all configs together.")],
    by: Annotated[str, typer.Option(help="Columns whose values make the strata, such as family,plot_type.")] = "",
    equal: Annotated[
        bool, typer.Option("--equal/--proportional", help="As many rows of each stratum, or in proportion to it.")
    ] = False,
    config: Annotated[str, typer.Option(help="Configs to draw from, such as counting; all by default.")] = "",
    seed: Annotated[int, typer.Option(help="Another seed draws other rows.")] = 0,
    out_folder: Out = None,
    version: Version = None,
    name: Annotated[str, typer.Option(help="Name of the sample; <dataset>-sample-<rows> by default.")] = "",
) -> None:
    """Draw a stratified sample of a built dataset, and verify it. A smaller one lies within a larger one."""
    if rows < 1 or not 0 <= seed < 2**64:
        raise PlanimeterError(f"need --rows of 1 or more and a --seed of 0 to 2**64 - 1, got {rows} and {seed}")
    outputs = folder_of(out_folder)
    with importing_prefect():
        from planimeter.export.manifest import Manifest
        from planimeter.flows.service.run import run_flow
        from planimeter.flows.service.sample import sample_dataset
    drawn = run_flow(
        sample_dataset,
        folder=str(folder),
        rows=rows,
        by=names_in(by),
        shares="equal" if equal else "proportional",
        configs=names_in(config),
        seed=seed,
        out=str(outputs),
        version=version,
        name=name,
    )
    account = Manifest.read(Path(drawn)).sample
    if account is None:
        raise PlanimeterError(f"{drawn} is no sample")
    for line in account.told():
        err.print(line)
    out.print(f"{account}\n{drawn}\nreport: {Path(drawn, 'report', 'index.html')}")
