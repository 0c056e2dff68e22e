"""Probes a built dataset (chance level, shortcuts, partial-input baselines), and writes the results into a folder.

The results are probes.json, a figure and a page. Needs no Prefect.
"""

from pathlib import Path

from planimeter.evals.probes.results import FILE, Probes, data_of
from planimeter.evals.probes.tables import PICTURE, figure, page
from planimeter.export.atomic import ExportError, explain_os_errors, write_file
from planimeter.export.built import Built
from planimeter.export.manifest import Manifest
from planimeter.flows.display.bars import bars
from planimeter.flows.errors import PlanimeterError, require_module
from planimeter.flows.store.storage import resolved

PAGE = "report.html"


def probe_folder(folder: Path, home: Path) -> Probes:
    """Probe the dataset in ``folder``; write probes.json, a figure and a page to the folder ``home``; return the
    results.

    Raises:
        PlanimeterError, ExportError: if scikit-learn is not installed, or the dataset cannot be read.
    """
    require_module("sklearn", "probe", "a probe")
    from planimeter.evals.probes import probing

    built = Built.at(folder)
    if resolved(home).is_relative_to(folder.resolve()):
        raise PlanimeterError(f"--out: {home} is inside the dataset folder, which is never modified")
    with bars() as shown, built.reading():
        probes = probing.run(folder, lambda name, length: shown.stage(name, length).advance)
    with explain_os_errors(home):
        write_file(home / FILE, probes.to_json())
        (home / PICTURE).unlink(missing_ok=True)
        if picture := figure(probes):
            write_file(home / PICTURE, picture.encode())
        write_file(home / PAGE, page(probes, built.manifest.recipe).encode())
    return probes


def is_probed(folder: Path, home: Path) -> bool:
    """True if ``home`` contains all results of a probe of the same data as in ``folder``."""
    try:
        probes = Probes.parse((home / FILE).read_bytes(), str(home / FILE))
        # The page is written last.
        return (home / PAGE).is_file() and probes.data == data_of(Manifest.read(folder))
    except (OSError, ExportError):
        return False
