"""The commands `probe` and `measure`: what a score on a dataset is worth, and what each of its rows measures.

Both keep what they measured beside the dataset, in one folder, with one page.
"""

from pathlib import Path

from rich.console import Console

from planimeter.evals.probes import measuring
from planimeter.evals.probes.results import FILE, warning
from planimeter.evals.probes.tables import sizes, tables
from planimeter.evals.scores.tables import markdown
from planimeter.export import measures
from planimeter.export.built import Built
from planimeter.export.manifest import MEASURES
from planimeter.flows.display.bars import bars
from planimeter.flows.probing import probe_folder, write_page
from planimeter.flows.store.sources import code_digest
from planimeter.flows.workers.processes import cores, mapping

#: Fewer rows are measured before other processes have started.
WORTH_PROCESSES = 100


def probe(folder: Path, target: Path | None, out: Console, err: Console) -> None:
    """Probe ``folder``, and print chance levels, baselines and blind probes."""
    home = target or measures.beside(folder)
    probes = probe_folder(folder, home)
    for config, blind in probes.found():
        err.print(warning(config, blind), markup=False)
    for table in tables(probes, Built.at(folder).manifest.recipe, {})[:2]:
        out.print(markdown(table), markup=False)
    out.print(f"{home / FILE}\nreport: {home / 'report.html'}", markup=False)


def measure(folder: Path, workers: int | None, out: Console) -> None:
    """Measure each row of ``folder``, and print where the measures lie and at which sizes rows are read."""
    written = measure_folder(folder, workers or cores())
    built = Built.at(folder)
    for table in sizes(measures.measured(folder, built.manifest), built.suite):
        out.print(markdown(table), markup=False)
    out.print(str(written), markup=False)


def measure_folder(folder: Path, workers: int) -> Path:
    """Measure the rows of the dataset in ``folder``, and return where the measures lie.

    A killed run goes on behind the last data file whose measures are whole. Raises ``PlanimeterError`` or
    ``ExportError`` if the dataset cannot be read, or the measures cannot be written.
    """
    built, home = Built.at(folder), measures.beside(folder)
    manifest, key = built.manifest, code_of(built.suite)
    rows = sum(record.rows for record in manifest.files)
    with bars() as shown, mapping(workers if rows > WORTH_PROCESSES else 1) as each, built.reading():
        stage = shown.stage("measure", rows)
        for config in manifest.configs:
            for record, _ in manifest.files_of(config):
                if measures.is_written(home, record, key):
                    stage.advance(record.rows, config, worked=False)
                    continue
                measured = []
                for part in each(measuring.measure, measuring.tasks(built, config, folder / record.path)):
                    measured += part
                    stage.advance(len(part), config)
                measures.write(home, record, key, measured)
    write_page(built, home)
    return home / MEASURES


def code_of(suite: str) -> str:
    """Return a digest of the code that measures rows of ``suite``: measures by other code are made again."""
    return code_digest(suite, "evals")[:16]
