"""The stand-in Hub of ../shared/tools, started on loopback, and what it says of a repository."""

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import command_line
import pytest
from huggingface_hub import constants
from huggingface_hub.utils import disable_progress_bars

TOKEN = "hf_local"
READ_TOKEN = "hf_readonly"


def shared() -> Path:
    """Where the tools are: PLANIMETER_SHARED, or ../shared beside the project (and beside a worktree's main folder)."""
    named = os.environ.get("PLANIMETER_SHARED")
    return Path(named) if named else command_line.ROOT.parent / "shared"


def absent() -> str:
    """Why the stand-in cannot be started; empty if it can."""
    tool = shared() / "tools" / "local_hub.py"
    return "" if tool.is_file() else f"no stand-in Hub: {tool} is missing (set PLANIMETER_SHARED)"


needs_hub = pytest.mark.skipif(bool(absent()), reason=absent() or "present")


@dataclass(frozen=True)
class Hub:
    url: str

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1])

    def _ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{self.url}/_hub/{path}", data)) as answer:
            return json.load(answer)

    def fault(self, rule: str) -> None:
        self._ask("faults", {"rule": rule})

    def reset(self) -> None:
        self._ask("reset", {})

    def requests(self) -> list[dict[str, Any]]:
        return [line for line in self._ask("log") if not line["path"].startswith("/_hub/")]

    def repo(self, name: str) -> dict[str, Any] | None:
        found: dict[str, Any] | None = self._ask("state")["repos"].get(f"datasets/{name}")
        return found

    def titles(self, name: str) -> list[str]:
        """The commits of main, newest first, without the Hub's own first one."""
        repo = self.repo(name)
        assert repo
        found, commit = [], repo["branches"]["main"]
        while commit:
            found.append(repo["commits"][commit]["title"])
            commit = repo["commits"][commit]["parent"]
        return found[:-1]

    def files(self, name: str, revision: str = "main") -> dict[str, str]:
        """SHA-256 of each file at a branch or tag, without the Hub's own."""
        repo = self.repo(name)
        assert repo
        commit = {**repo["branches"], **repo["tags"]}[revision]
        files = repo["commits"][commit]["files"]
        return {path: entry["sha"] for path, entry in files.items() if path != ".gitattributes"}


def log_in(cache: Path, monkeypatch: pytest.MonkeyPatch, *, xet: bool = False) -> None:
    """Give the Hub's client in this process the token of the stand-in and an empty ``cache``, without bars."""
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    if not xet:
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    disable_progress_bars()


@contextmanager
def started(root: Path, port: int = 0, xet: Path | None = None) -> Iterator[Hub]:
    """A Hub, and a cache of Xet for it alone or at ``xet``.

    What Xet keeps of a Hub goes by its address, and another test's Hub may have had this one's port.
    """
    process = subprocess.Popen(
        [sys.executable, "-B", str(shared() / "tools" / "local_hub.py"), "--port", str(port), "--root", str(root)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "HF_XET_CACHE": str(root / "xet")},
        text=True,
    )
    assert process.stdout
    before = os.environ.get("HF_XET_CACHE")
    os.environ["HF_XET_CACHE"] = str(xet or root / "xet-of-clients")
    try:
        yield Hub(process.stdout.readline().split()[3])
    finally:
        process.terminate()
        process.wait()
        if before is None:
            del os.environ["HF_XET_CACHE"]
        else:
            os.environ["HF_XET_CACHE"] = before
