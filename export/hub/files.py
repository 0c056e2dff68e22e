"""Lists the files of a dataset on this machine and on the Hub, and compares them.

A file to publish is a ``CommitOperationAdd`` of the Hub's client, which knows its SHA-256. The Hub lists a large file
with its SHA-256 and a small one with git's hash, so that files are compared without a download.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from huggingface_hub import CommitOperationAdd, HfApi
from huggingface_hub.errors import RepositoryNotFoundError, RevisionNotFoundError
from huggingface_hub.hf_api import DatasetInfo, RepoSibling, SpaceInfo
from huggingface_hub.utils.sha import git_hash

from planimeter.export.manifest import ADDED, FILES, Manifest
from planimeter.export.pages.report import hero_of
from planimeter.export.seal import SEAL_FILE, is_due

#: The file that the Hub itself writes; it is neither compared nor removed.
HUBS_OWN = ".gitattributes"

#: Path in the repository -> file to publish.
Additions = Mapping[str, CommitOperationAdd]


class Changes(NamedTuple):
    """The paths of files that a commit adds, changes and removes, each sorted."""

    added: Sequence[str] = ()
    changed: Sequence[str] = ()
    removed: Sequence[str] = ()


def quote_paths(paths: Sequence[str]) -> str:
    """Return the first three of ``paths`` and the number of the others as a text."""
    return ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")


def local_files(folder: Path, manifest: Manifest) -> dict[str, CommitOperationAdd]:
    """Return path in the repository -> file to publish, for the files in ``folder`` that belong to a dataset."""
    heroes = (hero_of(config) for config in manifest.configs)
    report = [name for name in ("report/index.html", *heroes) if (folder / name).is_file()]
    seals = [SEAL_FILE] if is_due(manifest) else []
    names = [*FILES, *seals, *added_files(folder), *(record.path for record in manifest.files), *report]
    return {name: CommitOperationAdd(name, folder / name) for name in names}


def added_files(home: Path) -> list[str]:
    """Return the names of the files in ``home`` with results of `planimeter probe`, which are published, too."""
    return [name for name in ADDED if (home / name).is_file()]


def as_additions(contents: Mapping[str, bytes | Path]) -> dict[str, CommitOperationAdd]:
    """Return path in the repository -> file to publish, for ``contents``: bytes, or the path of a local file."""
    return {name: CommitOperationAdd(name, content) for name, content in contents.items()}


def info_of(api: HfApi, repo: str, revision: str | None = None) -> DatasetInfo | None:
    """Return the Hub's description of ``revision`` of ``repo``, by default the head; None if it is not visible."""
    try:
        return api.dataset_info(repo, revision=revision, files_metadata=True)
    except (RepositoryNotFoundError, RevisionNotFoundError):
        return None


def remote_files(info: DatasetInfo | SpaceInfo | None) -> dict[str, RepoSibling]:
    """Return the files that ``info`` describes, by their path, without .gitattributes; empty for None."""
    siblings: Iterable[RepoSibling] = (info and info.siblings) or ()
    return {file.rfilename: file for file in siblings if file.rfilename != HUBS_OWN}


def is_same(local: CommitOperationAdd, remote: RepoSibling) -> bool:
    """True if ``remote``, a file on the Hub, has the content of ``local``."""
    if local.upload_info.size != (remote.size or 0):
        return False
    if remote.lfs:
        return local.upload_info.sha256.hex() == remote.lfs.sha256
    with local.as_file() as file:
        return git_hash(file.read()) == remote.blob_id


def compare_files(local: Additions, remote: Mapping[str, RepoSibling]) -> Changes:
    """Return the additions, changes and deletions that turn the files ``remote`` into ``local``."""
    return Changes(
        added=sorted(local.keys() - remote.keys()),
        changed=sorted(path for path in local if path in remote and not is_same(local[path], remote[path])),
        removed=sorted(remote.keys() - local.keys()),
    )
