"""The command `status`: the unfinished builds, how far they are, and how to go on."""

from pathlib import Path

from filelock import FileLock, Timeout
from rich.console import Console

from planimeter.flows.store import journal
from planimeter.flows.store.lease import holder_of
from planimeter.flows.store.storage import STORE, FolderStore, Store, checked, open_store


def run(outputs: str, out: Console) -> None:
    """Print each unfinished build below ``outputs``, a path or an address: how far, whether it runs, how to go on."""
    store = open_store(f"{checked(outputs)}/{STORE}")
    builds = journal.unfinished(store)
    if not builds:
        out.print(f"no unfinished build below {outputs}", markup=False)
    for build in builds:
        done, total = build.done(store), len(build.keys)
        state = _state(store, build.dataset) or f"stopped; go on with: {build.command}"
        out.print(f"{build.dataset} {build.version}: {done} of {total} shards finished; {state}", markup=False)


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
