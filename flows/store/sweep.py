"""Removes what killed builds left lying below the outputs: half-written files, a dataset folder under construction.

Nothing of it is ever read, but it takes disk space that the next build may need.
"""

import shutil
from pathlib import Path

from filelock import FileLock, Timeout

from planimeter.flows.store.place import Place


def sweep(place: Place) -> None:
    """Remove what dead builds left in the store of ``place``, and of its dataset. Call it while the lock is held."""
    for staging in place.folder.parent.glob(".*.staging"):
        shutil.rmtree(staging, ignore_errors=True)
    lock_file = Path(place.lock().lock_file)
    # Other datasets share the store. The files are listed first and the locks tested then: what was listed before all
    # locks were found idle belongs to no build at work.
    leftovers = list(lock_file.parent.parent.rglob(".tmp-*"))
    if leftovers and not any(is_held(lock) for lock in lock_file.parent.glob("*.lock") if lock != lock_file):
        for path in leftovers:
            path.unlink(missing_ok=True)


def is_held(path: Path) -> bool:
    """Return whether a build holds the lock at ``path``. Raises ``OSError`` if that may not be tried."""
    try:
        with FileLock(path).acquire(timeout=0):
            return False
    except Timeout:
        return True
