"""The server of a command: its own, which ends with its parent, or the user's, which is asked as Prefect asks it."""

import http.server
import os
import socket
import subprocess
import sys
import threading
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import command_line
import httpx
import pytest
from command_line import PATIENCE, wait_until
from prefect.concurrency.asyncio import ConcurrencySlotAcquisitionError
from prefect.settings import PREFECT_API_KEY, PREFECT_API_SSL_CERT_FILE, PREFECT_API_URL, temporary_settings
from worker_tasks import alive

from planimeter.flows.errors import PlanimeterError
from planimeter.flows.service import run
from planimeter.flows.service.run import ONE_QUICK_TRY, check_server
from planimeter.flows.service.server import DIED


@pytest.mark.slow
def test_a_server_of_our_own_ends_with_a_parent_that_was_killed(tmp_path):
    code = (
        "import sys\n"
        "from planimeter.flows.service.server import child_server\n"
        "with child_server() as url:\n"
        "    print(url, flush=True)\n"
        "    sys.stdin.read()\n"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "env": command_line.environment(tmp_path)}
    parent = subprocess.Popen([sys.executable, "-c", code], **pipes)
    url = parent.stdout.readline().decode().strip()
    children = f"/proc/{parent.pid}/task/{parent.pid}/children"
    (child,) = map(int, Path(children).read_text().split())
    assert httpx.get(f"{url}/health").json() is True
    parent.kill()
    parent.wait()
    wait_until(lambda: not alive(child))


@pytest.mark.slow
def test_a_command_ends_with_its_server_and_says_so(tmp_path):
    code = (
        "import os, signal, sys\n"
        "from planimeter.flows.service import server\n"
        "with server.child_server():\n"
        "    (child,) = map(int, open(f'/proc/self/task/{os.getpid()}/children').read().split())\n"
        "    os.kill(child, signal.SIGKILL)\n"
        "    sys.stdin.read()\n"
    )
    command, env = [sys.executable, "-c", code], command_line.environment(tmp_path)
    # Its input never ends.
    ended = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    assert ended.wait(PATIENCE) == 1
    assert ended.stderr.read().decode() == f"planimeter: {DIED}\n"


@pytest.mark.slow
def test_a_server_without_a_database_cannot_start(tmp_path):
    (tmp_path / "home" / "prefect.db").mkdir(parents=True)
    ended = command_line.run("build", *command_line.TINY, "--out", str(tmp_path / "out"), home=tmp_path / "home")
    assert (ended.code, len(ended.lines)) == (1, 1), ended.err
    assert "did not start (" in ended.err and "it needs a writable PREFECT_HOME" in ended.err


BUSY = ConcurrencySlotAcquisitionError("503 Service Unavailable\nmore")
GONE = httpx.ConnectError("All attempts failed")
ENDS = [
    ("Completed", "the folder", ""),
    ("Refused", "unread", "there is no such recipe"),
    ("Failed", BUSY, "answering (503 Service Unavailable)"),
    ("", GONE, "the Prefect server stopped answering (All attempts failed)"),
]


@pytest.mark.parametrize("state, result, message", ENDS)
def test_what_a_run_ends_in_is_its_result_or_one_line(state, result, message, monkeypatch):
    def outcome():
        if isinstance(result, Exception):
            raise result
        return result

    class Flow:
        def with_options(self, **_):
            return self

        def __call__(self, **given):
            assert given == {"recipe": "curves", "return_state": True}
            return SimpleNamespace(name=state, message=message, result=outcome) if state else outcome()

    monkeypatch.setattr(run, "server", nullcontext)
    with pytest.raises(PlanimeterError) if message else nullcontext() as refused:
        assert run.run_flow(Flow(), recipe="curves") == result
    if message:
        assert message in str(refused.value) and "\n" not in str(refused.value)
        assert state == "Refused" or str(refused.value).endswith("finished work is kept, run the same command again")


PROXY = "http://proxy.example:3128"


def test_loopback_is_excepted_from_proxies(monkeypatch):
    def proxies():
        return {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}

    for name in proxies():
        monkeypatch.delenv(name)
    asked = {"http_proxy": PROXY}
    for given, hosts in (
        ({}, None),
        ({"NO_PROXY": "a"}, None),
        (asked, "127.0.0.1,localhost"),
        (asked | {"NO_PROXY": "a,b"}, "a,b,127.0.0.1,localhost"),
        (asked | {"no_proxy": "*"}, None),
    ):
        with monkeypatch.context() as patch:
            for name, value in given.items():
                patch.setenv(name, value)
            before = proxies()
            run.except_loopback()
            assert proxies() == before | (dict.fromkeys(("no_proxy", "NO_PROXY"), hosts) if hosts else {})
            for name in ("no_proxy", "NO_PROXY"):
                os.environ.pop(name, None)


@pytest.fixture(scope="module")
def guarded():
    """The address of a server that answers those who know the key."""

    class Guarded(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200 if self.headers["Authorization"] == "Bearer sesame" else 401)
            self.send_header("Content-Length", "4")
            self.end_headers()
            self.wfile.write(b"true")

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Guarded) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/api"
        server.shutdown()


def refusal(settings, remedy="start it"):
    with temporary_settings(settings), pytest.raises(PlanimeterError) as refused:
        check_server(remedy)
    message = str(refused.value)
    assert message.endswith(f"; {remedy}") and "\n" not in message
    return message


def test_a_server_that_wants_a_key_is_not_taken_for_one_that_is_down_and_no_password_is_printed(guarded, monkeypatch):
    # Between its tries the client waits.
    monkeypatch.setattr("time.sleep", lambda _: None)
    with temporary_settings({PREFECT_API_URL: guarded, PREFECT_API_KEY: "sesame"}):
        check_server("")
    assert "401 Unauthorized" in refusal({PREFECT_API_URL: guarded}, "log in")
    for host in (guarded.removeprefix("http://"), "127.0.0.1:9/api", "127.0.0.1:port/api"):
        message = refusal({PREFECT_API_URL: f"http://me:secret@{host}"})
        assert f"http://***@{host} does not answer" in message and "secret" not in message


def test_a_server_that_hangs_or_has_no_certificate_is_given_up_soon(monkeypatch):
    """Prefect's own client would wait for a minute, six times."""
    monkeypatch.setitem(ONE_QUICK_TRY, "api.request_timeout", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert "does not answer (" in refusal({PREFECT_API_URL: f"http://127.0.0.1:{silent.getsockname()[1]}/api"})
    missing = {PREFECT_API_URL: "https://127.0.0.1:9/api", PREFECT_API_SSL_CERT_FILE: "missing.pem"}
    assert "No such file" in refusal(missing)
