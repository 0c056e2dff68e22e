"""The command `status`: the unfinished builds, how far they are, and how to go on."""

from contextlib import suppress

from rich.console import Console

from planimeter.flows.store import journal
from planimeter.flows.store.shard_cache import RECORDS
from planimeter.flows.store.storage import STORE, FolderStore, Store, checked, open_store
from planimeter.flows.store.sweep import is_held


def run(outputs: str, out: Console) -> None:
    """Print each unfinished build below ``outputs``, a path or an address: how far, whether it runs, how to go on."""
    store = open_store(f"{checked(outputs)}/{STORE}")
    builds = journal.unfinished(store)
    if not builds:
        out.print(f"no unfinished build below {outputs}", markup=False)
    for build in builds:
        done, total = len(store.names(RECORDS).intersection(build.keys)), len(build.keys)
        state = _state(store, build)
        out.print(f"{build.dataset} {build.version}: {done} of {total} shards finished; {state}", markup=False)


def _state(store: Store, build: journal.Journal) -> str:
    """Say whether the build runs, as far as that can be known, and how to go on."""
    if not isinstance(store, FolderStore):
        return f"running on {build.machine}, or stopped there; go on, there or anywhere, with: {build.command}"
    # In somebody else's folder, which we may only read, it cannot be told whether they build.
    with suppress(OSError):
        if is_held(store.folder / "locks" / f"{build.dataset}.lock"):
            return "running now"
    return f"stopped; go on with: {build.command}"
