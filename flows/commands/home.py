"""Checks that the folders in which libraries store files, by default in the user's home, are writable."""

import os
from pathlib import Path

from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store.sources import ROOT


def require_home() -> None:
    """Raise ``PlanimeterError`` if the home folder is not writable, as in a container that runs as another user.

    The message names all environment variables to set; otherwise libraries would fail one after the other.
    """
    # Unlike Path.expanduser, this function raises no error if the system does not know the user.
    home = Path(os.path.expanduser("~"))  # noqa: PTH111
    cache = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    wanted = {"PREFECT_HOME": home / ".prefect"}
    if not os.access(ROOT, os.W_OK):
        # If it is writable, numba stores compiled code next to our sources.
        wanted["NUMBA_CACHE_DIR"] = cache / "numba"
    lacking = [name for name, folder in wanted.items() if not _is_writable(Path(os.environ.get(name) or folder))]
    if lacking:
        raise PlanimeterError(
            f"the home folder of this user is not writable (HOME is {os.environ.get('HOME') or 'not set'}): set HOME "
            "to a writable folder, or set each of PREFECT_HOME, NUMBA_CACHE_DIR and MPLCONFIGDIR to such a folder"
        )


def _is_writable(folder: Path) -> bool:
    """True if ``folder`` is writable or can be made; False if its path begins with ``~`` (home folder unknown)."""
    there = next((path for path in (folder, *folder.parents) if path.exists()), Path())
    return folder.parts[:1] != ("~",) and there.is_dir() and os.access(there, os.W_OK | os.X_OK)
