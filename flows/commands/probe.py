"""The commands `probe` and `measure`: what a score on a dataset is worth, and what each of its rows measures."""

from pathlib import Path

from rich.console import Console

from planimeter.evals.probes.results import FILE, Probes
from planimeter.evals.probes.tables import sizes, tables
from planimeter.evals.scores.tables import markdown
from planimeter.export.manifest import Manifest
from planimeter.export.measures import measured
from planimeter.flows.commands.prefect_mode import importing_prefect


def run(folder: Path, out: Console, *, home: Path | None) -> None:
    """Probe ``folder`` by the flow, and print chance levels, baselines and blind probes."""
    with importing_prefect():
        from planimeter.flows.service.probe import probe_dataset
        from planimeter.flows.service.run import run_flow
    written = Path(run_flow(probe_dataset, folder=str(folder), out=str(home) if home else None))
    probes = Probes.parse((written / FILE).read_bytes(), str(written / FILE))
    for table in tables(probes, Manifest.read(folder).recipe, {})[:2]:
        out.print(markdown(table), markup=False)
    out.print(f"{written / FILE}\nreport: {written / 'report.html'}", markup=False)


def measure(folder: Path, out: Console, *, workers: int | None) -> None:
    """Measure each row of ``folder`` by the flow, and print where the measures lie and at which sizes rows are read."""
    with importing_prefect():
        from planimeter.flows.service.measure import measure_dataset
        from planimeter.flows.service.run import run_flow
    written = run_flow(measure_dataset, folder=str(folder), workers=workers)
    manifest = Manifest.read(folder)
    for table in sizes(measured(folder, manifest), manifest.recipe["suite"]):
        out.print(markdown(table), markup=False)
    out.print(str(written), markup=False)
