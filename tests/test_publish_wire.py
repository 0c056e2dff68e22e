"""What only the wire shows: a Hub that asks to wait, and faults on the way that Xet's data take."""

import http.client
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import command_line
import pytest
import stand_in_hub
from huggingface_hub import HfApi, constants
from huggingface_hub.utils import logging
from stand_in_hub import Hub

from planimeter.export.hub.faults import TRIES, PublishError
from planimeter.export.hub.publish import Published, Target, publish

pytestmark = stand_in_hub.needs_hub


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    with stand_in_hub.started(tmp_path / "hub") as hub:
        yield hub


@pytest.fixture(autouse=True)
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in_hub.log_in(tmp_path / "cache", monkeypatch, xet=True)
    logging.set_verbosity(logging.CRITICAL)


class Busy(ThreadingHTTPServer):
    """A Hub that answers the first request for ``path`` with 429 and Retry-After, and hands on all others."""

    daemon_threads = True

    def __init__(self, hub: Hub, method: str, path: str, asked: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behind = hub.url.removeprefix("http://")
        self.struck, self.rule, self.asked = 0, (method, path), asked
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Busy

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        method, path = self.server.rule
        if self.command == method and path in self.path and not self.server.struck:
            self.server.struck += 1
            self.reply(429, {"Retry-After": self.server.asked, "X-Error-Message": "slow down"}, b"")
            return
        # The host that the client named goes along, so that the addresses it is given lead here again.
        behind = http.client.HTTPConnection(self.server.behind)
        behind.request(self.command, self.path, body, dict(self.headers))
        told = behind.getresponse()
        kept = {
            name: value for name, value in told.getheaders() if name.lower() not in ("date", "server", "connection")
        }
        self.reply(told.status, kept, told.read())
        behind.close()

    def reply(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = answer  # noqa: N815 - the names are http.server's


def put(url: str, folder: Path, slept: list[float]) -> Published:
    return publish(folder, Target(repo="tester/wire"), api=HfApi(url), sleep=slept.append, tell=str)


def whole(hub: Hub, folder: Path) -> None:
    assert hub.files("tester/wire") == hub.files("tester/wire", "v1.0.0") == command_line.digests(folder)
    assert hub.titles("tester/wire") == ["marvl-qa-mini 1.0.0"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/datasets/tester/wire/refs"),
        ("POST", "/api/repos/create"),
        ("POST", "/commit/main"),
        ("POST", "/tag/"),
    ],
)
def test_the_wait_that_a_busy_hub_asks_for_is_kept(
    hub: Hub, folder: Path, method: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    busy = Busy(hub, method, path, "7")
    threading.Thread(target=busy.serve_forever, daemon=True).start()
    slept: list[float] = []
    try:
        put(busy.url, folder, slept)
    finally:
        busy.shutdown()
        busy.server_close()
    assert busy.struck == 1
    assert slept == [7]
    whole(hub, folder)


def test_a_hub_that_asks_for_too_long_a_wait_ends_the_run_and_another_goes_on(
    hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    busy = Busy(hub, "POST", "/commit/main", "3600")
    threading.Thread(target=busy.serve_forever, daemon=True).start()
    slept: list[float] = []
    try:
        with pytest.raises(PublishError, match="the Hub asks to wait 3600 s; run the same command again then"):
            put(busy.url, folder, slept)
        put(busy.url, folder, slept)
    finally:
        busy.shutdown()
        busy.server_close()
    assert slept == []
    whole(hub, folder)


TOKEN, DATA, LAST = "GET /xet-write-token/", "POST /_xet/v1/xorbs/", "POST /_xet/v1/shards"


@pytest.mark.parametrize(
    ("route", "kind"),
    [(TOKEN, "503"), *((route, kind) for route in (DATA, LAST) for kind in ("503", "drop", "lost", "cut"))],
)
def test_a_fault_on_the_way_of_xets_data_passes(
    hub: Hub, folder: Path, route: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", False)
    hub.fault(f"{route}={kind}@1")
    put(hub.url, folder, [])
    assert [request["fault"] for request in hub.requests() if request["fault"]] == [kind]
    assert any("/_xet/" in request["path"] for request in hub.requests())
    whole(hub, folder)


def test_a_xet_cache_that_knows_more_than_the_hub_is_named(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", False)
    cache = tmp_path / "xet"
    monkeypatch.setattr(constants, "HF_XET_CACHE", str(cache))
    with stand_in_hub.started(tmp_path / "first", xet=cache) as first:
        put(first.url, folder, [])
    slept: list[float] = []
    with stand_in_hub.started(tmp_path / "emptied", port=first.port, xet=cache) as emptied:
        with pytest.raises(PublishError, match=rf"delete {re.escape(str(cache))}, then run the same"):
            put(emptied.url, folder, slept)
        assert slept == []
        shutil.rmtree(cache)
        put(emptied.url, folder, slept)
        whole(emptied, folder)


#: hf_xet goes on for minutes before it gives up, unless told otherwise when its process starts.
STAYS = """
import sys
from pathlib import Path
from huggingface_hub import HfApi
from planimeter.export.hub.publish import Target, publish
from planimeter.export.hub.faults import PublishError

slept = []
try:
    publish(Path(sys.argv[1]), Target(repo="tester/wire"), api=HfApi(sys.argv[2]), sleep=slept.append, tell=str)
except PublishError as error:
    print(slept, error)
"""


def test_a_fault_of_xet_that_stays_is_one_line_and_a_rerun_finishes(hub: Hub, folder: Path, tmp_path: Path) -> None:
    hub.fault(f"{DATA}=403@1x999")
    more = {"HF_HOME": str(tmp_path / "hf"), "HF_TOKEN": stand_in_hub.TOKEN, "HF_XET_CLIENT_RETRY_MAX_ATTEMPTS": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", STAYS, str(folder), hub.url],
        cwd=command_line.ROOT,
        env=command_line.environment(tmp_path, **more),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
    assert re.fullmatch(rf"\[1.0, 2.0, 4.0, 8.0, 16.0\] .* failed \(.*; given up after {TRIES} tries, .*\n", ran.stdout)
    hub.reset()
    put(hub.url, folder, [])
    whole(hub, folder)


@pytest.mark.parametrize("path", ["/commit/main", "/tag/", "/repos/create"])
def test_a_step_that_always_fails_ends_although_every_look_at_the_hub_succeeds(
    hub: Hub, folder: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    hub.fault(f"POST {path}=503@1x999")
    slept: list[float] = []
    with pytest.raises(PublishError, match=rf"the Hub answered 503 .*given up after {TRIES} tries"):
        put(hub.url, folder, slept)
    assert slept == [1, 2, 4, 8, 16]
    hub.reset()
    put(hub.url, folder, [])
    whole(hub, folder)
