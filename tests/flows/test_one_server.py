"""All builds of a collection share one embedded server, which ends with its block and is reached past any proxy."""

import http.server
import json
import os
import subprocess
import sys
import threading
from typing import ClassVar

import command_line
import pytest

SCRIPT = """
import json
import os
import httpx
from prefect.client.orchestration import get_client
from prefect.settings import get_current_settings
from planimeter.flows.service.run import server

url = lambda: get_current_settings().api.url
seen = []
with server():
    seen.append(url())
    for _ in range(2):
        with server():
            seen.append(url())
    seen.append(url())
    alive = httpx.get(f"{seen[0]}/health").status_code
    with get_client(sync_client=True) as client:
        known = client.hello().status_code
try:
    httpx.get(f"{seen[0]}/health", timeout=5, trust_env=False)
    ended = False
except httpx.HTTPError:
    ended = True
print(json.dumps({"urls": len(set(seen)), "alive": alive, "known": known, "ended": ended, "left": url() is None,
    "except": [os.environ.get(name) for name in ("no_proxy", "NO_PROXY")]}))
"""


class _Refusing(http.server.BaseHTTPRequestHandler):
    """A proxy that lets nobody through, and notes who asked."""

    asked: ClassVar[list[str]] = []

    def parse_request(self) -> bool:
        if super().parse_request():
            self.asked.append(self.requestline)
            self.send_error(403)
        return False

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What the script printed, behind such a proxy."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Refusing) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{proxy.server_port}"
        proxies = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), address)
        ran = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            cwd=command_line.ROOT,
            env=command_line.environment(tmp_path_factory.mktemp("home"), **proxies, NO_PROXY="example.org"),
            capture_output=True,
            text=True,
            timeout=200,
        )
        proxy.shutdown()
    assert ran.returncode == 0, ran.stderr
    found: dict[str, object] = json.loads(ran.stdout)
    return found


def test_a_block_within_another_uses_its_server(told: dict[str, object]) -> None:
    assert {name: told[name] for name in ("urls", "ended", "left")} == {"urls": 1, "ended": True, "left": True}


def test_behind_a_proxy_the_server_of_this_machine_is_asked_directly(told: dict[str, object]) -> None:
    assert (told["alive"], told["known"]) == (200, 200)
    assert _Refusing.asked == []
    assert told["except"] == [os.environ.get("no_proxy"), "example.org"]
