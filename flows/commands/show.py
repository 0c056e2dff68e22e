"""The command `show`: a built dataset at a glance."""

import webbrowser
from pathlib import Path

from rich.console import Console
from rich.table import Table

from planimeter.export.manifest import Manifest
from planimeter.flows.errors import PlanimeterError


def run(folder: Path, out: Console) -> None:
    """Print the summary of the dataset in ``folder``. Raises ``ExportError`` if there is none."""
    manifest = Manifest.read(folder)
    out.print(f"{manifest.dataset} {manifest.version}, seed {manifest.seed}", markup=False)
    if manifest.sample is not None:
        out.print(f"a sample: {manifest.sample}", markup=False)
    rows = Table("config", "split", "rows", box=None)
    for config, splits in manifest.configs.items():
        for split, number in splits.items():
            rows.add_row(config, split, f"{number:,}")
    out.print(rows)
    funnel = Table("config", "check", "seen", "kept", "rejected", box=None)
    for config, checks in manifest.funnel.items():
        for check, entry in checks.items():
            reasons = ", ".join(f"{number:,} {reason}" for reason, number in entry.rejected.items())
            funnel.add_row(config, check, f"{entry.seen:,}", f"{entry.kept:,}", reasons)
    out.print(funnel)
    out.print(f"report: {folder / 'report' / 'index.html'}", markup=False)


def open_report(folder: Path) -> None:
    """Open the report of the dataset in ``folder`` in the user's browser; ``PlanimeterError`` if there is none."""
    page = (folder / "report" / "index.html").resolve()
    if not page.is_file():
        raise PlanimeterError(f"{page} is missing; `planimeter verify {folder}` says more")
    if not webbrowser.open(page.as_uri()):
        raise PlanimeterError(f"no browser was found; open {page} yourself")
