"""The embedded server lives as long as its build, whatever happens to either."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest
from filelock import FileLock
from prefect.settings import PREFECT_HOME, temporary_settings

from flows.server import LOCK, embedded_server

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the server is looked for in /proc")


def servers() -> set[int]:
    """The living servers that this process has started."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if int(parent) == os.getpid() and state not in "ZX" and b"flows.server" in command:
            found.add(int(folder.name))
    return found


def test_a_server_that_dies_is_replaced_and_the_last_one_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path))
    alone, early = FileLock(tmp_path / LOCK, thread_local=False), list[set[int]]()

    def ready() -> None:
        early.append(servers())
        alone.release()

    # Another build's server is just setting up the database, which fails where two do.
    alone.acquire()
    threading.Timer(1, ready).start()
    with temporary_settings({PREFECT_HOME: tmp_path}), embedded_server() as url:
        assert early == [set()]
        (first,) = servers()
        os.kill(first, signal.SIGKILL)
        deadline = time.monotonic() + 120
        # The same address: the build has no other.
        while servers() in (set(), {first}) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert httpx.get(f"{url}/health", timeout=120).json() is True
        assert first not in servers()
    assert servers() == set()
