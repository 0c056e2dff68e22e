"""The command `show`: a built dataset at a glance."""

import json
import webbrowser
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from planimeter.export.sample import Sample
from planimeter.flows.errors import PlanimeterError


def run(folder: Path, out: Console) -> None:
    """Print the summary of the dataset in ``folder``. Raises ``PlanimeterError`` if there is none."""
    path = folder / "manifest.json"
    try:
        manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        _print_manifest(manifest, out)
    except FileNotFoundError:
        raise PlanimeterError(f"{folder} holds no dataset: {path} is missing") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise PlanimeterError(f"{path} cannot be read ({error}); `planimeter verify {folder}` says more") from error
    out.print(f"report: {folder / 'report' / 'index.html'}", markup=False)


def open_report(folder: Path) -> None:
    """Open the report of the dataset in ``folder`` in the user's browser; ``PlanimeterError`` if there is none."""
    page = (folder / "report" / "index.html").resolve()
    if not page.is_file():
        raise PlanimeterError(f"{page} is missing; `planimeter verify {folder}` says more")
    if not webbrowser.open(page.as_uri()):
        raise PlanimeterError(f"no browser was found; open {page} yourself")


def _print_manifest(manifest: dict[str, Any], out: Console) -> None:
    out.print(f"{manifest['dataset']} {manifest['version']}, seed {manifest['seed']}", markup=False)
    sample = Sample.of(manifest)
    if sample is not None:
        out.print(f"a sample: {sample}", markup=False)
    rows = Table("config", "split", "rows", box=None)
    for config, splits in manifest["configs"].items():
        for split, number in splits.items():
            rows.add_row(config, split, f"{number:,}")
    out.print(rows)
    funnel = Table("config", "check", "seen", "kept", "rejected", box=None)
    for config, checks in manifest["funnel"].items():
        for check, entry in checks.items():
            reasons = ", ".join(f"{number:,} {reason}" for reason, number in entry["rejected"].items())
            funnel.add_row(config, check, f"{entry['seen']:,}", f"{entry['kept']:,}", reasons)
    out.print(funnel)
