"""The command `status`: the unfinished builds, how far they are, and how to go on."""

import shlex
from contextlib import suppress

from rich.console import Console

from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store import journal
from planimeter.flows.store.shard_cache import RECORDS
from planimeter.flows.store.storage import STORE, FolderStore, Store, checked, open_store
from planimeter.flows.store.sweep import is_held


def run(outputs: str, out: Console, *, forget: bool = False) -> None:
    """Print each unfinished build below ``outputs``, a path or an address: how far, whether it runs, how to go on.

    ``forget`` removes those that other code began, with their shards, but for one that runs. Raises ``PlanimeterError``
    if ``outputs`` is then an address, where it is unknown what runs.
    """
    store = open_store(f"{checked(outputs)}/{STORE}")
    if forget and not isinstance(store, FolderStore):
        raise PlanimeterError(f"--forget needs a folder of this machine, got {outputs}; remove {STORE}/ there yourself")
    builds = journal.unfinished(store)
    if not builds:
        out.print(f"no unfinished build below {outputs}", markup=False)
    for build in builds:
        running = _runs(store, build)
        if forget and not (running or build.is_current):
            removed = journal.forget(store, build)
            out.print(f"{build.dataset} {build.version}: forgotten, {removed} shards removed", markup=False)
            continue
        finished, total = len(store.names(RECORDS).intersection(build.keys)), len(build.keys)
        state = running or _stopped(build, outputs)
        out.print(f"{build.dataset} {build.version}: {finished} of {total} shards finished; {state}", markup=False)


def _runs(store: Store, build: journal.Journal) -> str:
    """Return where the build runs, as far as that can be known; empty if it has stopped."""
    if not isinstance(store, FolderStore):
        return f"running on {build.machine}, or stopped there; go on, there or anywhere, with: {build.going_on}"
    # In another user's folder, which we may only read, it is unknown whether they build.
    with suppress(OSError):
        if is_held(store.folder / "locks" / f"{build.dataset}.lock"):
            return "running now"
    return ""


def _stopped(build: journal.Journal, outputs: str) -> str:
    if build.is_current:
        return f"stopped; go on with: {build.going_on}"
    return (
        "stopped, and made by other code, so that a build begins anew; forget it with: "
        f"{shlex.join(['planimeter', 'status', '--forget', '--out', outputs])}"
    )
