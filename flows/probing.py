"""Probes a built dataset, and keeps what was measured beside it, in one folder with one page. Needs no Prefect."""

from importlib.util import find_spec
from pathlib import Path

from planimeter.evals.probes.results import FILE, Probes, data_of
from planimeter.evals.probes.tables import PICTURE, figure, page
from planimeter.export import measures
from planimeter.export.atomic import ExportError, clear_errors, write_file
from planimeter.export.built import Built
from planimeter.export.manifest import Manifest
from planimeter.flows.display.bars import bars
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store.storage import resolved

PAGE = "report.html"


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
    write_page(built, home)
    return probes


def is_probed(folder: Path, home: Path) -> bool:
    """Return whether all that is measured of the dataset in ``folder`` as it is now lies in ``home``."""
    try:
        probes = Probes.parse((home / FILE).read_bytes(), str(home / FILE))
        # Written last.
        return (home / PAGE).is_file() and probes.data == data_of(Manifest.read(folder))
    except (OSError, ExportError):
        return False


def write_page(built: Built, home: Path) -> None:
    """Write the page of what was probed, and of what was measured of each row, if the dataset was."""
    path = home / FILE
    if path.is_file():
        with clear_errors(home):
            probes = Probes.parse(path.read_bytes(), str(path))
            if probes.data == data_of(built.manifest):
                measured = measures.measured(built.folder, built.manifest)
                write_file(home / PAGE, page(probes, built.manifest.recipe, measured).encode())
