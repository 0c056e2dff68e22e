"""The embedded server lives as long as its block."""

import os
import re
import threading
from pathlib import Path

import command_line
import httpx
import pytest
from filelock import FileLock
from prefect.settings import PREFECT_HOME, temporary_settings

from planimeter.flows.service.proxies import loopback_direct
from planimeter.flows.service.server import LOCK, embedded_server


def answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health", timeout=5).json() is True
    except httpx.HTTPError:
        return False


def test_a_server_ends_with_its_block_and_waits_for_another_that_is_starting(tmp_path: Path) -> None:
    alone, early = FileLock(tmp_path / LOCK, thread_local=False), list[bool]()

    def ready() -> None:
        early.append((tmp_path / "prefect.db").exists())
        alone.release()

    # Another build's server is just setting up the database, which fails where two do.
    alone.acquire()
    threading.Timer(1, ready).start()
    with temporary_settings({PREFECT_HOME: tmp_path}), embedded_server() as url:
        assert early == [False]
        assert answers(url)
    assert not answers(url)


def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    (tmp_path / "home" / "prefect.db").mkdir(parents=True)
    ended = command_line.run("build", *command_line.TINY, "--out", str(tmp_path / "out"), home=tmp_path / "home")
    assert (ended.code, len(ended.lines)) == (1, 1), ended.err
    assert re.search(r"did not start \(.*unable to open database file.*\); it needs a writable PREFECT_HOME", ended.err)


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
