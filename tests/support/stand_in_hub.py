"""The Hubs that publishing is tested against, and what one says of a repository.

``started`` gives the project's own (``loopback_hub``). The stand-in Hub of ../shared/tools is of another hand, and
speaks Xet too: where it is there, ``either`` gives it to the tests that run against both, and ``started_shared`` to
those of Xet.
"""

import json
import os
import subprocess
import sys
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import command_line
import loopback_hub
import pytest
from huggingface_hub import constants
from huggingface_hub.utils import disable_progress_bars
from loopback_hub import READ_TOKEN, TOKEN, Fault, Server

__all__ = ["KINDS", "READ_TOKEN", "TOKEN", "Hub", "either", "log_in", "needs_shared", "started", "started_shared"]

#: Beside the project, and beside a worktree's main folder.
SHARED = Path(os.environ.get("PLANIMETER_SHARED") or command_line.ROOT.parent / "shared") / "tools" / "local_hub.py"

KINDS = ("own", "shared") if SHARED.is_file() else ("own",)

needs_shared = pytest.mark.skipif(
    "shared" not in KINDS, reason=f"our own stand-in Hub does not speak Xet, and {SHARED} is missing"
)


@dataclass(frozen=True)
class Commit:
    """``files`` gives the SHA-256 of each."""

    title: str
    parent: str
    files: dict[str, str]


@dataclass(frozen=True)
class Repo:
    private: bool
    head: str
    tags: dict[str, str]
    commits: dict[str, Commit]


class Hub(ABC):
    def __init__(self, url: str, *, xet: bool) -> None:
        self.url, self._xet = url, xet

    @abstractmethod
    def fault(self, kind: str, method: str = "*", path: str = "", *, at: int = 1, times: int = 1) -> None:
        """Strike some requests from now on; see ``loopback_hub.Fault``."""

    @abstractmethod
    def reset(self) -> None:
        """Forget all faults and requests."""

    @abstractmethod
    def requests(self) -> list[dict[str, Any]]:
        """``method``, ``path`` and ``fault`` of each request since the last ``reset``."""

    @abstractmethod
    def repo(self, name: str) -> Repo | None:
        """The dataset repository of that name."""

    def environment(self, home: Path) -> dict[str, str]:
        """What leads a process to this Hub, with a cache of its own."""
        told = {"HF_ENDPOINT": self.url, "HF_HOME": str(home / "hf"), "HF_TOKEN": TOKEN}
        return told if self._xet else told | {"HF_HUB_DISABLE_XET": "1"}

    def titles(self, name: str) -> list[str]:
        """The commits of main, newest first, without the Hub's own first one."""
        repo = self.repo(name)
        assert repo
        found, commit = [], repo.head
        while commit:
            found.append(repo.commits[commit].title)
            commit = repo.commits[commit].parent
        return found[:-1]

    def files(self, name: str, revision: str = "main") -> dict[str, str]:
        """SHA-256 of each file at main or a tag, without the Hub's own."""
        repo = self.repo(name)
        assert repo
        files = repo.commits[{"main": repo.head, **repo.tags}[revision]].files
        return {path: sha256 for path, sha256 in files.items() if path != ".gitattributes"}


class OwnHub(Hub):
    def __init__(self, server: Server) -> None:
        super().__init__(server.url, xet=False)
        self._server = server

    def fault(self, kind: str, method: str = "*", path: str = "", *, at: int = 1, times: int = 1) -> None:
        self._server.faults.append(Fault(kind, method, path, at, times))

    def reset(self) -> None:
        self._server.faults.clear()
        self._server.log.clear()

    def requests(self) -> list[dict[str, Any]]:
        return list(self._server.log)

    def repo(self, name: str) -> Repo | None:
        if not (found := self._server.repos.get(name)):
            return None
        commits = {
            oid: Commit(commit.title, commit.parent, {path: blob.sha256 for path, blob in commit.files.items()})
            for oid, commit in found.commits.items()
        }
        return Repo(found.private, found.head, dict(found.tags), commits)


class SharedHub(Hub):
    def _ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{self.url}/_hub/{path}", data)) as answer:
            return json.load(answer)

    def fault(self, kind: str, method: str = "*", path: str = "", *, at: int = 1, times: int = 1) -> None:
        self._ask("faults", {"rule": f"{method} {path or '.*'}={kind}@{at}x{times}"})

    def reset(self) -> None:
        self._ask("reset", {})

    def requests(self) -> list[dict[str, Any]]:
        return [line for line in self._ask("log") if not line["path"].startswith("/_hub/")]

    def repo(self, name: str) -> Repo | None:
        if not (found := self._ask("state")["repos"].get(f"datasets/{name}")):
            return None
        commits = {
            oid: Commit(
                commit["title"], commit["parent"], {path: entry["sha"] for path, entry in commit["files"].items()}
            )
            for oid, commit in found["commits"].items()
        }
        return Repo(found["private"], found["branches"]["main"], found["tags"], commits)


def log_in(cache: Path, monkeypatch: pytest.MonkeyPatch, *, xet: bool = False) -> None:
    """Give the Hub's client in this process the token of the stand-ins and an empty ``cache``, without bars."""
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", not xet)
    disable_progress_bars()


@contextmanager
def started() -> Iterator[Hub]:
    """The project's own Hub."""
    with loopback_hub.serving() as server:
        yield OwnHub(server)


def either(kind: str, root: Path) -> AbstractContextManager[Hub]:
    """The Hub of one of ``KINDS``."""
    return started_shared(root) if kind == "shared" else started()


@contextmanager
def started_shared(root: Path, port: int = 0, xet: Path | None = None) -> Iterator[Hub]:
    """The Hub of ../shared, and a cache of Xet for it alone or at ``xet``.

    What Xet keeps of a Hub goes by its address, and another test's Hub may have had this one's port.
    """
    process = subprocess.Popen(
        [sys.executable, "-B", str(SHARED), "--port", str(port), "--root", str(root)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "HF_XET_CACHE": str(root / "xet")},
        text=True,
    )
    assert process.stdout
    before = os.environ.get("HF_XET_CACHE")
    os.environ["HF_XET_CACHE"] = str(xet or root / "xet-of-clients")
    try:
        yield SharedHub(process.stdout.readline().split()[3], xet=True)
    finally:
        process.terminate()
        process.wait()
        if before is None:
            del os.environ["HF_XET_CACHE"]
        else:
            os.environ["HF_XET_CACHE"] = before
