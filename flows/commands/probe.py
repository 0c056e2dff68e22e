"""The commands `probe` and `measure`: what a score is worth, and whether two editions are of one kind."""

from pathlib import Path

import pyarrow as pa
from rich.console import Console
from rich.table import Column, Table

from planimeter.evals.probes.results import FILE, Probes
from planimeter.evals.probes.tables import sizes, tables
from planimeter.evals.scores.tables import markdown
from planimeter.export.manifest import Manifest
from planimeter.export.measures import measured
from planimeter.flows.commands.prefect_mode import importing_prefect
from planimeter.flows.display.bars import bars
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.learning import require_learning

#: Near duplicates that are named.
NAMED = 5


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


def compare(first: Path, second: Path, out: Console) -> None:
    """Print whether the datasets in ``first`` and ``second`` are of one kind.

    Raises:
        PlanimeterError, ExportError: if either cannot be read, or they have nothing to compare.
    """
    require_learning()
    from planimeter.evals.probes import against

    try:
        with bars() as shown:
            comparisons = against.run(first, second, lambda name, length: shown.stage(name, length).advance)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise PlanimeterError(f"{first} and {second} cannot be compared: {error}") from error
    heads = ("distinguished (%)", "by chance (%)", "above, in deviations")
    table = Table("config", "by", *(Column(head, justify="right") for head in heads), "", box=None)
    for config, comparison in comparisons.items():
        for test in comparison.tests:
            verdict = ("differs" if test.found else "alike",)
            mean = test.accuracy.mean or 0.0
            chance = f"{100 * test.null:.1f} ± {100 * test.deviation:.1f}"
            table.add_row(config, test.probe, f"{100 * mean:.1f}", chance, f"{test.deviations:.1f}", *verdict)
    out.print(table)
    for config, comparison in comparisons.items():
        pairs = "".join(f"\n  {a} and {b}" for a, b in comparison.twins[:NAMED])
        out.print(f"{config}: {len(comparison.twins):,} near duplicates in both{pairs}", markup=False)
    differing = [config for config, comparison in comparisons.items() if any(test.found for test in comparison.tests)]
    shared = [config for config, comparison in comparisons.items() if comparison.twins]
    if differing:
        out.print(f"not of one kind: {', '.join(differing)}", markup=False)
    if shared:
        out.print(f"not apart: {', '.join(shared)}", markup=False)
    if not differing and not shared:
        out.print("of one kind, and nothing in both")
