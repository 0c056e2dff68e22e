"""The Hub that publishing is tested against: ``loopback_hub``, with what a test asks of it, and a client's login."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import loopback_hub
import pytest
from hub_repos import Repo
from huggingface_hub import constants
from huggingface_hub.utils import disable_progress_bars
from loopback_hub import READ_TOKEN, TOKEN, Fault

__all__ = ["READ_TOKEN", "REPO", "TOKEN", "Hub", "log_in", "started"]

#: The repository of a test that needs no second one.
REPO = "tester/data"


class Hub(loopback_hub.Server):
    def fault(self, kind: str, method: str = "*", path: str = "", *, at: int = 1, times: int = 1) -> None:
        """Strike some requests from now on; see ``loopback_hub.Fault``."""
        self.faults.append(Fault(kind, method, path, at, times))

    def reset(self) -> None:
        """Forget all faults and requests."""
        self.faults.clear()
        self.log.clear()

    def requests(self) -> list[dict[str, Any]]:
        """``method``, ``path`` and ``fault`` of each request since the last ``reset``."""
        return list(self.log)

    def writes(self) -> list[str]:
        """The paths of the requests since the last ``reset`` that do not only read."""
        return [request["path"] for request in self.log if request["method"] not in ("GET", "HEAD")]

    def repo(self, name: str = REPO) -> Repo | None:
        return self.repos.get(name)

    def environment(self, home: Path) -> dict[str, str]:
        """What leads a process to this Hub, with a cache of its own."""
        return {"HF_ENDPOINT": self.url, "HF_HOME": str(home / "hf"), "HF_TOKEN": TOKEN, "HF_HUB_DISABLE_XET": "1"}

    def titles(self, name: str = REPO) -> list[str]:
        """The commits of main, newest first, without the Hub's own first one."""
        repo = self.repos[name]
        titles, commit = [], repo.head
        while commit:
            titles.append(repo.commits[commit].title)
            commit = repo.commits[commit].parent
        return titles[:-1]

    def files(self, name: str = REPO, revision: str = "main") -> dict[str, str]:
        """SHA-256 of each file at main or a tag, without the Hub's own."""
        repo = self.repos[name]
        files = repo.commits[repo.find(revision)].files
        return {path: blob.sha256 for path, blob in files.items() if path != ".gitattributes"}


def log_in(cache: Path, monkeypatch: pytest.MonkeyPatch, *, xet: bool = False) -> None:
    """Give the Hub's client in this process the token of the stand-in and an empty ``cache``, without bars."""
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", not xet)
    disable_progress_bars()


@contextmanager
def started() -> Iterator[Hub]:
    """A Hub that listens until the end of the block."""
    with loopback_hub.serving(Hub()) as hub:
        yield hub
