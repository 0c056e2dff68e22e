"""The commands `probe` and `measure`: what a score on a dataset is worth, and what each of its rows measures.

Both keep what they measured beside the dataset, in one folder, with one page.
"""

from importlib.util import find_spec
from pathlib import Path

from rich.console import Console

from planimeter.evals.probes import measuring
from planimeter.evals.probes.results import FILE, Probes, data_of, warning
from planimeter.evals.probes.tables import PICTURE, figure, page, sizes, tables
from planimeter.evals.scores.tables import markdown
from planimeter.export import measures
from planimeter.export.atomic import clear_errors, write_file
from planimeter.export.built import Built
from planimeter.export.manifest import MEASURES
from planimeter.flows.display.bars import bars
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store.sources import code_digest
from planimeter.flows.store.storage import resolved
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


def probe_folder(folder: Path, home: Path) -> Probes:
    """Probe the dataset in ``folder``; write probes.json, the page and its figure to ``home``.

    Raises:
        PlanimeterError, ExportError: if scikit-learn is not installed, or the dataset cannot be read.
    """
    if find_spec("sklearn") is None:
        raise PlanimeterError(
            'this command needs scikit-learn: pip install "planimeter[probe]", in a checkout make dev'
        )
    from planimeter.evals.probes import probing

    built = Built.at(folder)
    if resolved(home).is_relative_to(folder.resolve()):
        raise PlanimeterError(f"--out: {home} is inside the dataset folder, which is never modified")
    with bars() as shown, built.reading():
        probes = probing.run(folder, lambda name, length: shown.stage(name, length).advance)
    picture = figure(probes)
    with clear_errors(home):
        write_file(home / FILE, probes.to_json())
        (home / PICTURE).unlink(missing_ok=True)
        if picture:
            write_file(home / PICTURE, picture.encode())
    _write_page(built, home)
    return probes


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
    _write_page(built, home)
    return home / MEASURES


def code_of(suite: str) -> str:
    """Return a digest of the code that measures rows of ``suite``: measures by other code are made again."""
    return code_digest(suite, "evals")[:16]


def _write_page(built: Built, home: Path) -> None:
    """Write the page of what was probed, and of what was measured of each row, if the dataset was."""
    path = home / FILE
    if path.is_file():
        with clear_errors(home):
            probes = Probes.parse(path.read_bytes(), str(path))
            if probes.data == data_of(built.manifest):
                measured = measures.measured(built.folder, built.manifest)
                write_file(home / "report.html", page(probes, built.manifest.recipe, measured).encode())
