"""The command `show`: prints a summary of a built dataset."""

import webbrowser
from typing import Annotated

import typer
from rich.table import Table

from planimeter.flows.commands.options import Folder, out
from planimeter.flows.errors import PlanimeterError
from planimeter.items.printing import command


def show(
    folder: Folder, open_report: Annotated[bool, typer.Option("--open", help="Open the report in a browser.")] = False
) -> None:
    """Summarise a built dataset: rows by config, items that each check rejected, and the path of the report."""
    from planimeter.export.manifest import Manifest

    manifest = Manifest.read(folder)
    origin = f"sealed edition, seal {manifest.seal}" if manifest.seal else f"seed {manifest.seed}"
    out.print(f"{manifest.dataset} {manifest.version}, {origin}")
    if manifest.sample is not None:
        out.print(f"a sample: {manifest.sample}")
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
    out.print(f"report: {folder / 'report' / 'index.html'}")
    if not open_report:
        return
    page = (folder / "report" / "index.html").absolute()
    if not page.is_file():
        raise PlanimeterError(f"{page} is missing; `{command('planimeter', 'verify', folder)}` shows the details")
    if not webbrowser.open(page.as_uri()):
        raise PlanimeterError(f"no browser was found; open {page} yourself")
