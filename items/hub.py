"""Names of datasets: a folder on this machine, or a repository on the Hub."""

from pathlib import Path
from typing import NamedTuple


class Repository(NamedTuple):
    """A repository on the Hub with a branch, tag or commit; None for the newest."""

    name: str
    revision: str | None


def repository(place: str) -> Repository | None:
    """Return the repository at ``place``, ``owner/name`` or ``owner/name@tag``; None for a path.

    ``place`` is a path if it exists on this machine or begins like one.
    """
    if place.count("/") != 1 or place[0] in "./~" or Path(place).exists():
        return None
    name, _, revision = place.partition("@")
    return Repository(name, revision or None)
