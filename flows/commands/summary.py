"""Prints what there is: the recipes, the unfinished builds, a built dataset at a glance."""

import json
import webbrowser
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from rich.console import Console
from rich.table import Table

from planimeter.export.hub.versions import read_manifest
from planimeter.export.sample import Sample
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store import journal
from planimeter.flows.store.lease import holder_of
from planimeter.flows.store.storage import STORE, FolderStore, Store, checked, open_store
from planimeter.recipes.loading import Collection, load


def list_recipes(names: Iterable[str], out: Console) -> None:
    """Print a line for each recipe."""
    table = Table("dataset", "version", "what", box=None)
    for name in names:
        recipe = load(name)
        version = ", ".join(recipe.datasets) if isinstance(recipe, Collection) else recipe.version
        table.add_row(name, version, recipe.summary)
    out.print(table)


def status(outputs: str, out: Console) -> None:
    """Print each unfinished build below ``outputs``, a path or an address: how far, whether it runs, how to go on."""
    store = open_store(f"{checked(outputs)}/{STORE}")
    builds = journal.unfinished(store)
    if not builds:
        out.print(f"no unfinished build below {outputs}", markup=False)
    for build in builds:
        done, total = build.done(store), len(build.keys)
        state = _state(store, build.dataset) or f"stopped; go on with: {build.command}"
        out.print(f"{build.dataset} {build.version}: {done} of {total} shards finished; {state}", markup=False)


def show(folder: Path, out: Console) -> None:
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


def sampled(folder: Path, out: Console, err: Console) -> None:
    """Print what was drawn into ``folder``, and each stratum that could not give its share."""
    sample = Sample.of(read_manifest(folder))
    if sample is None:
        raise PlanimeterError(f"{folder} is no sample")
    for line in sample.told():
        err.print(line, markup=False)
    out.print(f"{sample}\n{folder}\nreport: {folder / 'report' / 'index.html'}", markup=False)


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


def _state(store: Store, dataset: str) -> str:
    """Say that the dataset is being built, if it is."""
    if isinstance(store, FolderStore):
        return "running now" if _is_locked(store.folder / "locks" / f"{dataset}.lock") else ""
    machine = holder_of(store, dataset).get("machine")
    return f"running on {machine}, or killed there; the same command there or anywhere goes on" if machine else ""


def _is_locked(path: Path) -> bool:
    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    except OSError:
        # Somebody else's folder, which we may only read: whether they build in it cannot be told.
        return False
    lock.release()
    return False
