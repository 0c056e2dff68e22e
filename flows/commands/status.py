"""The command `status`: the unfinished builds, how far they are, and how to go on."""

from pathlib import Path

from filelock import FileLock, Timeout
from rich.console import Console

from planimeter.flows.store import journal
from planimeter.flows.store.storage import STORE, FolderStore, Store, checked, open_store


def run(outputs: str, out: Console) -> None:
    """Print each unfinished build below ``outputs``, a path or an address: how far, whether it runs, how to go on."""
    store = open_store(f"{checked(outputs)}/{STORE}")
    builds = journal.unfinished(store)
    if not builds:
        out.print(f"no unfinished build below {outputs}", markup=False)
    for build in builds:
        done, total = build.done(store), len(build.keys)
        state = _state(store, build)
        out.print(f"{build.dataset} {build.version}: {done} of {total} shards finished; {state}", markup=False)


def _state(store: Store, build: journal.Journal) -> str:
    """Say whether the build runs, as far as that can be known, and how to go on."""
    if not isinstance(store, FolderStore):
        return f"running on {build.machine}, or stopped there; go on, there or anywhere, with: {build.command}"
    if _is_locked(store.folder / "locks" / f"{build.dataset}.lock"):
        return "running now"
    return f"stopped; go on with: {build.command}"


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
