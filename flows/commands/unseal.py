"""The command `unseal`: a sealed edition against its seal and its seed."""

from pathlib import Path
from typing import Annotated

import typer

from planimeter.flows.commands.options import Folder, SeedFile, err, out
from planimeter.flows.commands.prefect_mode import importing_prefect
from planimeter.flows.errors import PlanimeterError


def unseal(
    folder: Folder,
    seed: SeedFile = None,
    seal: Annotated[
        Path | None, typer.Option(help="The seal as it was published before the rows; FOLDER/seal.json by default.")
    ] = None,
    rows: Annotated[int, typer.Option(min=1, help="Rows of each config that are made again.")] = 20,
    target: Annotated[
        Path | None, typer.Option("--out", help="Open the edition: build it below this folder, with all seeds.")
    ] = None,
) -> None:
    """Prove that the rows of a sealed edition, its seal and its seed belong together, by making rows again."""
    from planimeter.flows.display.bars import bars
    from planimeter.flows.secret import Secret
    from planimeter.flows.unsealing import faults, seed_file, unlike_edition, unlike_rows
    from planimeter.flows.workers.processes import cores

    path = seed_file(folder, seed)
    secret = Secret.read(path)
    _require_none(folder, list(faults(folder, secret, seal)))
    with bars() as progress:
        _require_none(folder, list(unlike_rows(folder, secret, rows, progress, cores())))
    out.print(f"{folder}: seal, seed, recipe and code belong together; {rows} rows of each config are the same again")
    if target:
        opened = _open(folder, path, target)
        _require_none(folder, list(unlike_edition(folder, opened)))
        out.print(f"{opened}\nopened: all rows are those of {folder}, with their seeds")


def _open(folder: Path, seed: Path, target: Path) -> Path:
    """Build the edition with its seeds below ``target``; return its folder."""
    from planimeter.export.manifest import Manifest
    from planimeter.flows.options import BuildOptions

    manifest = Manifest.read(folder)
    options = BuildOptions.of(
        recipe=manifest.dataset,
        scale=manifest.recipe["scale"],
        version=manifest.version,
        sealed=str(seed.absolute()),
        opened=True,
        out=str(target),
    )
    ours = options.load().model_dump(mode="json") | {"seed": None}
    odd = [key for key in sorted({*ours, *manifest.recipe}) if ours.get(key) != manifest.recipe.get(key)]
    if odd:
        raise PlanimeterError(f"the recipe {manifest.dataset} of this Planimeter is another: {', '.join(odd)} differ")
    with importing_prefect():
        from planimeter.flows.build import build_dataset
        from planimeter.flows.service.run import run_flow
    return Path(run_flow(build_dataset, **options.model_dump()))


def _require_none(folder: Path, faults: list[str]) -> None:
    for fault in faults[:20]:
        err.print(fault)
    if faults:
        raise PlanimeterError(f"{folder} is refused: {len(faults)} difference{'s' if len(faults) > 1 else ''}")
