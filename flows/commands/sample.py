"""The command `sample`: draws a stratified sample of a built dataset, and writes it as a dataset."""

from typing import Annotated, Any

import typer

from planimeter.flows.commands.options import Folder, Out, Version, err, names_in, out
from planimeter.flows.errors import PlanimeterError, VersionExistsError
from planimeter.flows.store.storage import folder_of


def sample(
    folder: Folder,
    rows: Annotated[int, typer.Option(help="Number of rows to draw, in all configs together.")],
    by: Annotated[str, typer.Option(help="Columns whose values define the strata, such as family,plot_type.")] = "",
    equal: Annotated[
        bool,
        typer.Option(
            "--equal/--proportional", help="Draw equally many rows of each stratum, or in proportion to its size."
        ),
    ] = False,
    config: Annotated[str, typer.Option(help="Configs to draw from, such as counting; all by default.")] = "",
    seed: Annotated[int, typer.Option(help="Another seed draws other rows.")] = 0,
    out_folder: Out = None,
    version: Version = None,
    name: Annotated[str, typer.Option(help="Name of the sample; <dataset>-sample-<rows> by default.")] = "",
) -> None:
    """Draw a stratified sample of a built dataset, and verify it. A larger sample of the same seed contains it."""
    from planimeter.export.atomic import Staging
    from planimeter.export.manifest import Manifest
    from planimeter.export.sampling import draw_of, read, write
    from planimeter.flows.display.bars import bars
    from planimeter.flows.workers.processes import cores
    from planimeter.flows.writing import problems_of, require_sound
    from planimeter.suites import base

    if rows < 1 or not 0 <= seed < 2**64:
        raise PlanimeterError(f"--rows must be at least 1, and --seed 0 to 2**64 - 1, got {rows} and {seed}")
    draw = draw_of(folder, rows, names_in(by), "equal" if equal else "proportional", seed, names_in(config))
    name = _valid(base.DatasetName, name or f"{draw.parent.dataset}-sample-{rows}", "--name")
    version = _valid(base.Version, version or draw.parent.version, "--version")
    target = folder_of(out_folder) / name / version
    with bars() as shown:
        if target.exists():
            if not draw.gave(Manifest.read(target)):
                raise VersionExistsError(
                    f"{target} exists with other content (it is not this sample); it is not replaced. Give another "
                    "--version, --name or --out"
                )
            require_sound(target, problems_of(target, shown, cores()))
        else:
            with Staging(target) as staging:
                write(staging.path, draw, read(draw), name, version)
                require_sound(staging.path, problems_of(staging.path, shown, cores()))
                staging.commit()
    account = Manifest.read(target).sample
    if account is None:
        raise PlanimeterError(f"{target} was not made by `planimeter sample`; give another --version, --name or --out")
    for line in account.summary():
        err.print(line)
    out.print(f"{account}\n{target}\nreport: {target / 'report' / 'index.html'}")


def _valid(kind: Any, value: str, option: str) -> str:
    from pydantic import TypeAdapter, ValidationError

    try:
        return str(TypeAdapter(kind).validate_python(value))
    except ValidationError as error:
        raise PlanimeterError(f"{option}: {error.errors()[0]['msg'].removeprefix('Value error, ')}") from None
