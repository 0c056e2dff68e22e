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

from planimeter.flows.service.proxies import loopback_direct
from planimeter.flows.service.server import LOCK, embedded_server

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
        if int(parent) == os.getpid() and state not in "ZX" and b"planimeter.flows.service.server" in command:
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


PROXY = "http://proxy.example:3128"


@pytest.mark.parametrize(
    ("given", "within"),
    [
        ({}, {}),
        ({"NO_PROXY": "a"}, {"NO_PROXY": "a"}),
        ({"HTTP_PROXY": PROXY}, {"HTTP_PROXY": PROXY} | dict.fromkeys(("no_proxy", "NO_PROXY"), "127.0.0.1,localhost")),
        # Of two spellings most read the lower one only, which must not lose what stands in the other.
        (
            {"all_proxy": PROXY, "NO_PROXY": "a, b"},
            {"all_proxy": PROXY} | dict.fromkeys(("no_proxy", "NO_PROXY"), "a,b,127.0.0.1,localhost"),
        ),
        ({"http_proxy": PROXY, "no_proxy": "*"}, {"http_proxy": PROXY, "no_proxy": "*"}),
    ],
)
def test_loopback_is_excepted_from_proxies_and_nothing_else_is_lost(
    given: dict[str, str], within: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    for name, value in given.items():
        monkeypatch.setenv(name, value)

    def proxies() -> dict[str, str]:
        return {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}

    with loopback_direct():
        assert proxies() == within
    assert proxies() == given


def test_the_proxies_of_the_system_hold_for_all_but_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on macOS, where they are used only while the environment says nothing of proxies."""
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr("planimeter.flows.service.proxies.getproxies", lambda: {"https": PROXY})
    with loopback_direct():
        assert os.environ["https_proxy"] == PROXY
        assert os.environ["no_proxy"] == "127.0.0.1,localhost"
    assert "https_proxy" not in os.environ
