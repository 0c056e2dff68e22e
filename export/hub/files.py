"""The files of a dataset here and on the Hub, and the differences between the two.

Files to publish are the client's own ``CommitOperationAdd``, which knows their SHA-256. The Hub lists a large file by
its SHA-256 and a small one by git's hash, so that files are compared without a download.
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

#: The Hub's own; it is neither compared nor removed.
HUBS_OWN = ".gitattributes"

#: Files to publish, by their path in the repository.
Additions = Mapping[str, CommitOperationAdd]


class Changes(NamedTuple):
    """Paths that a commit has to add, to change, and to remove, each sorted."""

    added: Sequence[str] = ()
    changed: Sequence[str] = ()
    removed: Sequence[str] = ()


def quote_paths(paths: Sequence[str]) -> str:
    """Return the first few of ``paths``, for a message."""
    return ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")


def local_files(folder: Path, manifest: Manifest) -> dict[str, CommitOperationAdd]:
    """Return the files that a build of ``manifest`` writes, by their path in the repository, and no others."""
    heroes = (hero_of(config) for config in manifest.configs)
    report = [name for name in ("report/index.html", *heroes) if (folder / name).is_file()]
    seals = [SEAL_FILE] if is_due(manifest) else []
    names = [*FILES, *seals, *added_files(folder), *(record.path for record in manifest.files), *report]
    return {name: CommitOperationAdd(name, folder / name) for name in names}


def added_files(home: Path) -> list[str]:
    """Return the names of the files in the folder ``home`` that publishing adds to a dataset."""
    return [name for name in ADDED if (home / name).is_file()]


def as_additions(contents: Mapping[str, bytes | Path]) -> dict[str, CommitOperationAdd]:
    """Return ``contents``, or the files with them, as files to publish."""
    return {name: CommitOperationAdd(name, content) for name, content in contents.items()}


def info_of(api: HfApi, repo: str, revision: str | None = None) -> DatasetInfo | None:
    """Return the Hub's description of a revision of ``repo``, or of its head; None if there is none for this token."""
    try:
        return api.dataset_info(repo, revision=revision, files_metadata=True)
    except (RepositoryNotFoundError, RevisionNotFoundError):
        return None


def remote_files(info: DatasetInfo | SpaceInfo | None) -> dict[str, RepoSibling]:
    """Return the files of a revision by their path, without the Hub's own."""
    siblings: Iterable[RepoSibling] = (info and info.siblings) or ()
    return {file.rfilename: file for file in siblings if file.rfilename != HUBS_OWN}


def is_same(local: CommitOperationAdd, remote: RepoSibling) -> bool:
    """True if the file on the Hub has the content of ``local``."""
    if local.upload_info.size != (remote.size or 0):
        return False
    if remote.lfs:
        return local.upload_info.sha256.hex() == remote.lfs.sha256
    with local.as_file() as file:
        return git_hash(file.read()) == remote.blob_id


def compare_files(local: Additions, remote: Mapping[str, RepoSibling]) -> Changes:
    """Return the additions and deletions that turn ``remote`` into ``local``."""
    return Changes(
        added=sorted(local.keys() - remote.keys()),
        changed=sorted(path for path in local if path in remote and not is_same(local[path], remote[path])),
        removed=sorted(remote.keys() - local.keys()),
    )
