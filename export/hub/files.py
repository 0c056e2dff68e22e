"""The files of a dataset here and on the Hub, and what lies between the two.

The Hub identifies each file without a download: by SHA-256 for a large file, by git's hash for a small one.
"""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from huggingface_hub import HfApi
from huggingface_hub.errors import RepositoryNotFoundError, RevisionNotFoundError
from huggingface_hub.hf_api import DatasetInfo, SpaceInfo
from huggingface_hub.utils.sha import git_hash

from planimeter.export.manifest import ADDED, FILES, Manifest
from planimeter.export.pages.report import hero_of
from planimeter.export.parquet import sha256_of

#: The Hub's own; it is neither compared nor removed.
HUBS_OWN = ".gitattributes"


class LocalFile(NamedTuple):
    """A file to publish: its content or where it lies, its size in bytes, and its SHA-256."""

    source: Path | bytes
    size: int
    sha256: str

    @property
    def git(self) -> str:
        """The name of its content in git, where the Hub keeps small files."""
        return git_hash(self.source.read_bytes() if isinstance(self.source, Path) else self.source)


class RemoteFile(NamedTuple):
    """A file on the Hub; ``sha256`` is empty for a small one, which the Hub keeps in git."""

    size: int
    sha256: str
    git: str

    def holds(self, local: LocalFile) -> bool:
        """Return whether the content is that of ``local``."""
        return self.size == local.size and (self.sha256 == local.sha256 if self.sha256 else self.git == local.git)


class Changes(NamedTuple):
    """Paths that a commit has to add, to change, and to remove, each sorted."""

    added: Sequence[str] = ()
    changed: Sequence[str] = ()
    removed: Sequence[str] = ()


def named(paths: Sequence[str]) -> str:
    """Return the first few of ``paths``, for a message."""
    return ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")


def local_files(folder: Path, manifest: Manifest) -> dict[str, LocalFile]:
    """Return the files that a build of ``manifest`` writes, by their path in the repository, and no others."""
    heroes = (hero_of(config) for config in manifest.configs)
    report = [name for name in ("report/index.html", *heroes) if (folder / name).is_file()]
    data = [record.path for record in manifest.files]
    names = [*FILES, *added_files(folder), *data, *report]
    return {name: LocalFile(folder / name, (folder / name).stat().st_size, sha256_of(folder / name)) for name in names}


def added_files(home: Path) -> list[str]:
    """Return the names of the files in the folder ``home`` that publishing adds to a dataset."""
    return [name for name in ADDED if (home / name).is_file()]


def local_text(content: bytes) -> LocalFile:
    """Return ``content`` as a file to publish."""
    return LocalFile(content, len(content), hashlib.sha256(content).hexdigest())


def info_of(api: HfApi, repo: str, revision: str | None = None) -> DatasetInfo | None:
    """Return what the Hub reports of a revision of ``repo``, or of its head; None if it shows no such thing."""
    try:
        return api.dataset_info(repo, revision=revision, files_metadata=True)
    except (RepositoryNotFoundError, RevisionNotFoundError):
        return None


def remote_files(info: DatasetInfo | SpaceInfo | None) -> dict[str, RemoteFile]:
    """Return the files of a revision by their path, without the Hub's own."""
    return {
        file.rfilename: RemoteFile(file.size or 0, file.lfs.sha256 if file.lfs else "", file.blob_id or "")
        for file in (info and info.siblings) or ()
        if file.rfilename != HUBS_OWN
    }


def changes(local: Mapping[str, LocalFile], remote: Mapping[str, RemoteFile]) -> Changes:
    """Return what makes ``remote`` equal to ``local``."""
    return Changes(
        added=sorted(local.keys() - remote.keys()),
        changed=sorted(path for path in local if path in remote and not remote[path].holds(local[path])),
        removed=sorted(remote.keys() - local.keys()),
    )
