"""The folders in which libraries store and compile: below the user's home, unless a variable names another one."""

import os
from pathlib import Path

from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store.sources import ROOT


def require_home() -> None:
    """Refuse a user without a writable home folder, as in a container that runs as another user.

    Raises:
        PlanimeterError: with every variable to set; libraries would fail one after another.
    """
    # Unlike Path.expanduser, this one raises nothing for a user unknown to the system.
    home = Path(os.path.expanduser("~"))  # noqa: PTH111
    cache = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    wanted = {"PREFECT_HOME": home / ".prefect"}
    if not os.access(ROOT, os.W_OK):
        # Else numba stores compiled code next to our sources.
        wanted["NUMBA_CACHE_DIR"] = cache / "numba"
    lacking = [name for name, folder in wanted.items() if not _is_writable(Path(os.environ.get(name) or folder))]
    if lacking:
        raise PlanimeterError(
            f"the home folder of this user is not writable (HOME is {os.environ.get('HOME') or 'not set'}): set HOME "
            "to a writable folder, or PREFECT_HOME, NUMBA_CACHE_DIR and MPLCONFIGDIR each to one"
        )


def _is_writable(folder: Path) -> bool:
    """True if ``folder`` is writable or can be made; never below an unknown home (``~``)."""
    there = next((path for path in (folder, *folder.parents) if path.exists()), Path())
    return folder.parts[:1] != ("~",) and there.is_dir() and os.access(there, os.W_OK | os.X_OK)
