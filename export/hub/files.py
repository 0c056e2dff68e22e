"""The files of a dataset here and on the Hub, and what lies between the two.

The Hub tells of each file what it is without a download: SHA-256 for a large file, git's own hash for a small one.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from huggingface_hub.hf_api import DatasetInfo

from planimeter.export.manifest import STRAYS

#: What belongs to a dataset, as ``export.verify.folder`` has it; whatever else lies in the folder is not published.
_FILES = ("README.md", "croissant.json", "manifest.json")
_FOLDERS = ("data", "report")

#: The Hub's own; it is neither compared nor removed.
HUBS_OWN = frozenset({".gitattributes"})


@dataclass(frozen=True, kw_only=True, slots=True)
class LocalFile:
    """A file to publish: its content or where it lies, its size in bytes, and both of its hashes."""

    source: Path | bytes
    size: int
    sha256: str
    git: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RemoteFile:
    """A file on the Hub; ``sha256`` is empty for a small one, which the Hub keeps in git."""

    size: int
    sha256: str
    git: str

    def holds(self, local: LocalFile) -> bool:
        """Return whether the content is that of ``local``."""
        return self.size == local.size and (self.sha256 == local.sha256 if self.sha256 else self.git == local.git)


@dataclass(frozen=True, kw_only=True, slots=True)
class Changes:
    """Paths that a commit has to add, to change, and to remove, each sorted."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)

    def __str__(self) -> str:
        """Name the first few, for a message."""
        return named((*self.added, *self.changed, *self.removed))


def named(paths: Sequence[str]) -> str:
    """Return the first few of ``paths``, for a message."""
    return ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")


def local_files(folder: Path) -> dict[str, LocalFile]:
    """Return the dataset's files by their path in the repository; every file is read once."""
    paths = [folder / name for name in _FILES]
    found = (path for name in _FOLDERS for path in (folder / name).rglob("*") if path.is_file())
    paths += sorted(path for path in found if path.name not in STRAYS)
    return {path.relative_to(folder).as_posix(): _read(path) for path in paths}


def local_text(content: bytes) -> LocalFile:
    """Return ``content`` as a file to publish."""
    return LocalFile(
        source=content,
        size=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        git=_git_hash(len(content), [content]),
    )


def remote_files(info: DatasetInfo) -> dict[str, RemoteFile]:
    """Return the files of a revision by their path, without the Hub's own."""
    return {
        file.rfilename: RemoteFile(
            size=file.size or 0, sha256=file.lfs.sha256 if file.lfs else "", git=file.blob_id or ""
        )
        for file in info.siblings or ()
        if file.rfilename not in HUBS_OWN
    }


def changes(local: Mapping[str, LocalFile], remote: Mapping[str, RemoteFile]) -> Changes:
    """Return what makes ``remote`` equal to ``local``."""
    return Changes(
        added=tuple(sorted(path for path in local if path not in remote)),
        changed=tuple(sorted(path for path in local if path in remote and not remote[path].holds(local[path]))),
        removed=tuple(sorted(path for path in remote if path not in local)),
    )


def _read(path: Path) -> LocalFile:
    size = path.stat().st_size
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        return LocalFile(
            source=path, size=size, sha256=sha256, git=_git_hash(size, iter(lambda: file.read(1 << 20), b""))
        )


def _git_hash(size: int, pieces: Iterable[bytes]) -> str:
    # Git's name for a blob, not a protection against anybody.
    digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()
