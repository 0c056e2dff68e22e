"""Finds a built dataset for a harness, in a folder or in a repository on the Hub."""

from pathlib import Path

from huggingface_hub import snapshot_download

from planimeter.export.built import Built
from planimeter.items.hub import repository


def source(place: str) -> Built:
    """Return the dataset at ``place``: its folder, or ``owner/name`` or ``owner/name@tag`` on the Hub.

    Raises:
        NoDatasetError: if a folder contains no dataset.
        Errors of ``huggingface_hub``: if the Hub has no such repository.
    """
    folder = Path(place).expanduser()
    if remote := repository(place):
        name, revision = remote
        patterns = ["manifest.json", "data/*"]
        folder = Path(snapshot_download(name, repo_type="dataset", revision=revision, allow_patterns=patterns))
    return Built.at(folder.resolve())
