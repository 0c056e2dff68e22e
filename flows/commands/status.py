"""The command `status`: the unfinished builds, how far they are, and how to go on."""

from contextlib import suppress

from planimeter.flows.commands.options import Out, out
from planimeter.flows.store.storage import OUTPUTS, STORE, checked, open_store


def status(out_folder: Out = None) -> None:
    """Report which builds are unfinished, how far they are, and how to go on."""
    from planimeter.flows.store import journal
    from planimeter.flows.store.place import is_held
    from planimeter.flows.store.tables import finished as kept

    outputs = out_folder or str(OUTPUTS)
    store = open_store(f"{checked(outputs)}/{STORE}")
    builds = journal.unfinished(store)
    if not builds:
        out.print(f"no unfinished build below {outputs}")
    for build in builds:
        state = "stopped; go on"
        if store.folder is None:
            state = f"running on {build.machine}, or stopped there; go on, there or anywhere,"
        # In another user's folder, which we may only read, it is unknown whether they build.
        with suppress(OSError):
            if store.folder and is_held(store.folder / "locks" / f"{build.dataset}.lock"):
                state = "running now; should it stop, go on"
        finished, total = len(kept(store).intersection(build.keys)), len(build.keys)
        progress = f"{build.dataset} {build.version}: {finished} of {total} shards finished"
        out.print(f"{progress}; {state} with: {build.command}")
