"""Names of datasets: a local folder, or a repository on the Hugging Face Hub."""

from pathlib import Path
from typing import NamedTuple


class Repository(NamedTuple):
    """A repository on the Hugging Face Hub and its revision: a branch, tag or commit, or None for the newest."""

    name: str
    revision: str | None


def repository(place: str) -> Repository | None:
    """Return the repository that ``place`` names as ``owner/name`` or ``owner/name@revision``; None for a local path.

    ``place`` is a local path if it exists on this machine, or begins with ``.``, ``/`` or ``~``.
    """
    if place.count("/") != 1 or place[0] in "./~" or Path(place).exists():
        return None
    name, _, revision = place.partition("@")
    return Repository(name, revision or None)
