"""Probes a built dataset for shortcuts as a Prefect flow, and keeps what was measured beside it."""

from pathlib import Path

import pyarrow as pa
from prefect import flow
from prefect.logging import get_run_logger
from prefect.states import State

from planimeter.evals.probes.results import FILE, Probes, data_of, warning
from planimeter.evals.probes.tables import PICTURE
from planimeter.export import measures
from planimeter.export.atomic import ExportError, clear_errors, write_file
from planimeter.export.manifest import Manifest
from planimeter.export.promises import MISSHAPEN
from planimeter.flows.display.bars import bars
from planimeter.flows.display.flow_names import PROBE_FLOW
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.learning import require_learning
from planimeter.flows.states import refused


@flow(name=PROBE_FLOW, flow_run_name="probe {folder}", persist_result=True)
def probe_dataset(folder: str, out: str | None = None) -> str | State[object]:
    """Measure what a score on a built dataset is worth: chance level, blind probes, partial-input baselines.

    Args:
        folder: Folder of a built dataset, such as outputs/geogram/1.2.2, on the machine that runs the flow.
        out: Folder for what was measured; beside the dataset by default, such as outputs/geogram/1.2.2.probes.
    """
    try:
        home = Path(out) if out else measures.beside(Path(folder))
        probes = probe_folder(Path(folder), home)
    except (PlanimeterError, ExportError) as error:
        return refused(error)
    for config, blind in probes.found():
        get_run_logger().warning("%s", warning(config, blind))
    return str(home)


def probe_folder(folder: Path, home: Path) -> Probes:
    """Probe the dataset in ``folder``; write probes.json, the page and its figure to ``home``.

    Raises:
        PlanimeterError, ExportError: if scikit-learn is not installed, or the dataset cannot be read.
    """
    require_learning()
    from planimeter.evals.probes import probing
    from planimeter.evals.probes.tables import figure

    manifest = Manifest.read(folder)
    if home.resolve().is_relative_to(folder.resolve()):
        raise PlanimeterError(f"--out: {home} is inside the dataset folder, which is never modified")
    try:
        with bars() as shown:
            probes = probing.run(folder, lambda name, length: shown.stage(name, length).advance)
    except (OSError, pa.ArrowException, *MISSHAPEN) as error:
        raise PlanimeterError(
            f"{folder} cannot be probed ({error!r}); `planimeter verify {folder}` says more"
        ) from error
    picture = figure(probes)
    with clear_errors(home):
        write_file(home / FILE, probes.to_json())
        (home / PICTURE).unlink(missing_ok=True)
        if picture:
            write_file(home / PICTURE, picture.encode())
    write_page(folder, manifest, home)
    return probes


def write_page(folder: Path, manifest: Manifest, home: Path) -> None:
    """Write the page of what was probed, and of what was measured of each row, if the dataset was."""
    from planimeter.evals.probes import page

    path = home / FILE
    if path.is_file():
        with clear_errors(home):
            probes = Probes.parse(path.read_bytes(), str(path))
            if probes.data == data_of(manifest):
                shown = page.render(probes, manifest.recipe, measures.measured(folder, manifest))
                write_file(home / "report.html", shown.encode())
