"""The command `probe`: measures chance level, shortcuts and partial-input baselines of a dataset."""

from pathlib import Path
from typing import Annotated

import typer

from planimeter.flows.commands.options import Folder, err, out


def probe(
    folder: Folder,
    target: Annotated[
        Path | None, typer.Option("--out", help="Folder of the results; <version>.probes next to FOLDER by default.")
    ] = None,
) -> None:
    """Probe FOLDER (chance level, shortcuts, partial-input baselines), which is required before it is published."""
    from planimeter.evals.probes.results import FILE, probes_folder, warning
    from planimeter.evals.probes.tables import tables
    from planimeter.evals.scores.tables import markdown
    from planimeter.export.manifest import Manifest
    from planimeter.flows.probing import PAGE, probe_folder

    home = target or probes_folder(folder)
    probes = probe_folder(folder, home)
    for config, blind in probes.found():
        err.print(warning(config, blind), markup=False)
    for table in tables(probes, Manifest.read(folder).recipe)[:2]:
        out.print(markdown(table), markup=False)
    out.print(f"{home / FILE}\nreport: {home / PAGE}", markup=False)
