"""What names a dataset: a folder on this machine, or a repository on the Hub."""

from pathlib import Path
from typing import NamedTuple


class Repository(NamedTuple):
    """A repository on the Hub, and the branch, tag or commit of it that is meant; None for the newest."""

    name: str
    revision: str | None


def repository(place: str) -> Repository | None:
    """Return which repository ``place`` names, as ``owner/name`` or ``owner/name@tag``; None where it is a path.

    What exists here or begins like a path is one.
    """
    if place.count("/") != 1 or place[0] in "./~" or Path(place).exists():
        return None
    name, _, revision = place.partition("@")
    return Repository(name, revision or None)
