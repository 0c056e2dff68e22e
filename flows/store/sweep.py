"""Removes what killed builds left lying below the outputs: half-written shards, records of what failed, a dataset
folder under construction.

Nothing of it is ever read, but it takes room that the next build may need.
"""

import shutil
from pathlib import Path

from filelock import FileLock, Timeout

from planimeter.flows.store.place import Place

#: Prefect keeps what a failed task raised as a record too, under a random name that is half as long as a shard's key.
RAISED = "?" * 32


def sweep(place: Place) -> None:
    """Remove what dead builds left in the store of ``place``, and of its dataset. Call it while the lock is held."""
    for staging in place.folder.parent.glob(".*.staging"):
        shutil.rmtree(staging, ignore_errors=True)
    own = Path(place.lock().lock_file)
    # Other datasets share the store. What lay there before a look at their locks, and was nobody's then, is nobody's.
    store = own.parent.parent
    left = [*store.rglob(".tmp-*"), *store.glob(f"records/{RAISED}")]
    if left and not any(_is_held(lock) for lock in own.parent.glob("*.lock") if lock != own):
        for path in left:
            path.unlink(missing_ok=True)


def _is_held(path: Path) -> bool:
    try:
        with FileLock(path).acquire(timeout=0):
            return False
    except Timeout:
        return True
