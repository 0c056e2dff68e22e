"""A repository of the Hub in memory, and what the Hub's API tells of its revisions."""

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Blob:
    """The content of a file. Of a large one, git keeps a pointer, and LFS the content."""

    content: bytes
    large: bool

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @cached_property
    def in_git(self) -> bytes:
        version = "https://git-lfs.github.com/spec/v1"
        pointer = f"version {version}\noid sha256:{self.sha256}\nsize {len(self.content)}\n"
        return pointer.encode() if self.large else self.content

    @cached_property
    def git(self) -> str:
        return hashlib.sha1(b"blob %d\0%b" % (len(self.in_git), self.in_git), usedforsecurity=False).hexdigest()

    def lfs(self, name: str) -> Json:
        """What the API tells of a large file; it calls the SHA-256 ``name``."""
        known = {name: self.sha256, "size": len(self.content), "pointerSize": len(self.in_git)}
        return {"lfs": known} if self.large else {}


@dataclass(frozen=True)
class Commit:
    title: str
    parent: str
    files: dict[str, Blob]


@dataclass
class Repo:
    private: bool
    commits: dict[str, Commit] = field(default_factory=dict)
    head: str = ""
    tags: dict[str, str] = field(default_factory=dict)

    def add(self, title: str, files: dict[str, Blob]) -> None:
        content = json.dumps([title, self.head, {path: blob.git for path, blob in sorted(files.items())}])
        parent, self.head = self.head, hashlib.sha1(content.encode(), usedforsecurity=False).hexdigest()
        self.commits[self.head] = Commit(title, parent, files)

    def find(self, revision: str) -> str:
        """The commit of a branch, a tag or a commit's own name; empty if there is none."""
        named = {"main": self.head, **self.tags}.get(revision, revision)
        return named if named in self.commits else ""


def info(repo: Repo, name: str, commit: str) -> Json:
    siblings = [
        {"rfilename": path, "size": len(blob.content), "blobId": blob.git, **blob.lfs("sha256")}
        for path, blob in sorted(repo.commits[commit].files.items())
    ]
    named = {"_id": name, "id": name, "author": name.split("/")[0], "sha": commit, "private": repo.private}
    idle = {"gated": False, "disabled": False, "downloads": 0, "likes": 0, "tags": []}
    return {**named, **idle, "lastModified": "2026-11-20T00:00:00.000Z", "siblings": siblings}


def tree(files: dict[str, Blob], folder: str, *, recursive: bool) -> list[Json]:
    """The entries below ``folder``, which is the root if it is empty; none if there is no such folder."""
    root, found = PurePosixPath(folder), dict[str, Json]()
    for path, blob in sorted(files.items()):
        parents = PurePosixPath(path).parents
        if root not in parents:
            continue
        for parent in parents[: parents.index(root)]:
            found[str(parent)] = {"type": "directory", "path": str(parent), "size": 0, "oid": "0" * 40}
        found[path] = {"type": "file", "path": path, "size": len(blob.content), "oid": blob.git, **blob.lfs("oid")}
    return [entry for path, entry in found.items() if recursive or PurePosixPath(path).parent == root]


def built(files: dict[str, str]) -> dict[str, str]:
    """What of the files of a version its build alone decides: the documents are made when they are published."""
    return {path: digest for path, digest in files.items() if path not in ("README.md", "croissant.json", "eval.yaml")}
