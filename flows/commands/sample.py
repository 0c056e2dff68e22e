"""The command `sample`: a stratified sample of a built dataset, as a dataset of the same format."""

from pathlib import Path

from rich.console import Console

from planimeter.export.manifest import Manifest
from planimeter.flows.commands.prefect_mode import importing_prefect
from planimeter.flows.errors import PlanimeterError


def run(console: Console, errors: Console, **parameters: object) -> None:
    """Draw the sample by the flow's parameters; print what was drawn, and each stratum that is too small."""
    with importing_prefect():
        from planimeter.flows.service.run import run_flow
        from planimeter.flows.service.sample import sample_dataset
    folder = Path(run_flow(sample_dataset, **parameters))
    sample = Manifest.read(folder).sample
    if sample is None:
        raise PlanimeterError(f"{folder} is no sample")
    for line in sample.told():
        errors.print(line, markup=False)
    console.print(f"{sample}\n{folder}\nreport: {folder / 'report' / 'index.html'}", markup=False)
