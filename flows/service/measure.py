"""Measures each row of a built dataset as a Prefect flow, and keeps what was measured beside it, a file a data file."""

from pathlib import Path

import pyarrow as pa
from prefect import flow
from prefect.states import State

from planimeter.evals.probes import measuring
from planimeter.export import measures
from planimeter.export.atomic import ExportError
from planimeter.export.manifest import MEASURES, Manifest
from planimeter.export.promises import MISSHAPEN
from planimeter.flows.display.bars import bars
from planimeter.flows.display.flow_names import MEASURE_FLOW
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.service.probe import write_page
from planimeter.flows.states import refused
from planimeter.flows.store.sources import digest
from planimeter.flows.workers.processes import cores, mapping

#: Fewer rows are measured before other processes have started.
WORTH_PROCESSES = 100


@flow(name=MEASURE_FLOW, flow_run_name="measure {folder}", persist_result=True)
def measure_dataset(folder: str, workers: int | None = None) -> str | State[object]:
    """Measure each row of a built dataset: the smallest readable size of its picture, the baselines that solve it.

    Args:
        folder: Folder of a built dataset, such as outputs/geogram/1.2.2, on the machine that runs the flow.
        workers: Worker processes; one for each core by default. The bytes do not depend on it.
    """
    try:
        return str(measure_folder(Path(folder), workers or cores()))
    except (PlanimeterError, ExportError) as error:
        return refused(error)


def measure_folder(folder: Path, workers: int) -> Path:
    """Measure the rows of the dataset in ``folder``, and return where the measures lie.

    A killed run goes on behind the last data file whose measures are whole. Raises ``PlanimeterError`` or
    ``ExportError`` if the dataset cannot be read, or the measures cannot be written.
    """
    manifest, home = Manifest.read(folder), measures.beside(folder)
    key = _key(str(manifest.recipe["suite"]))
    rows = sum(record.rows for record in manifest.files)
    try:
        with bars() as shown, mapping(workers if rows > WORTH_PROCESSES else 1) as each:
            stage = shown.stage("measure", rows)
            for config in manifest.configs:
                for record, _ in manifest.files_of(config):
                    if measures.is_written(home, record, key):
                        stage.advance(record.rows, config, worked=False)
                        continue
                    measured = []
                    for part in each(measuring.measure, measuring.tasks(folder, manifest, config, record.path)):
                        measured += part
                        stage.advance(len(part), config)
                    measures.write(home, record, key, measured)
    except (OSError, ValueError, pa.ArrowException, *MISSHAPEN) as error:
        raise PlanimeterError(
            f"{folder} cannot be measured ({error!r}); `planimeter verify {folder}` says more"
        ) from error
    write_page(folder, manifest, home)
    return home / MEASURES


def _key(suite: str) -> str:
    """Return a digest of the code that measures: measures by other code are made again."""
    of_all = ("probes.measuring", "probes.readers", "baselines.thumbnails")
    of_suite = (f"probes.suites.{suite}", f"baselines.{suite}", f"{suite}.protocol")
    return digest(tuple(f"planimeter.evals.{name}" for name in (*of_all, *of_suite)))[:16]
