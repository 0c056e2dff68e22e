"""The server of a build: its own, which ends with its block, or the user's, which is asked as Prefect asks it."""

import http.server
import json
import os
import re
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from types import SimpleNamespace

import command_line
import httpx
import pytest
from filelock import FileLock
from prefect.concurrency.asyncio import ConcurrencySlotAcquisitionError
from prefect.settings import (
    PREFECT_API_KEY,
    PREFECT_API_SSL_CERT_FILE,
    PREFECT_API_URL,
    PREFECT_HOME,
    get_current_settings,
    temporary_settings,
)

from planimeter.flows.display.events import EMBEDDED
from planimeter.flows.errors import PlanimeterError, first_line, redacted
from planimeter.flows.service import run, server
from planimeter.flows.service.run import ONE_QUICK_TRY, check_server
from planimeter.flows.service.server import _Server, embedded_server

URL = "http://127.0.0.1:9/api"


def answering_by(answer, key=""):
    """What answers each POST by its content, and each GET by "true"; those alone who know the ``key``."""

    class Answering(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send(b"true")

        def do_POST(self):
            self.send(answer(self.rfile.read(int(self.headers["Content-Length"]))))

        def send(self, content):
            self.send_response(200 if self.headers["Authorization"] == key or not key else 401)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    return Answering


def test_a_block_within_another_uses_its_server_and_a_configured_one_is_greeted_before(monkeypatch):
    seen, greetings = [], []

    @contextmanager
    def embedded():
        seen.append("start")
        with temporary_settings({PREFECT_API_URL: URL}):
            yield URL
        seen.append("end")

    def look():
        seen.append((get_current_settings().api.url, EMBEDDED.get()))

    monkeypatch.setattr(run, "embedded_server", embedded)
    with temporary_settings(restore_defaults={PREFECT_API_URL}):
        with run.server():
            for _ in range(2):
                with run.server():
                    look()
            look()
        look()
    assert seen == ["start", *[(URL, URL)] * 3, "end", (None, "")]
    monkeypatch.setattr(run, "check_server", greetings.append)
    with temporary_settings({PREFECT_API_URL: URL}), run.server():
        assert len(greetings) == 1


def test_a_server_starts_behind_another_and_ends_with_its_block_when_all_is_written_down(tmp_path, monkeypatch):
    """All but Prefect's own part, which counts the task runs that it knows, and those of them that have not ended."""
    known, waiting, begun = [2, 3, 3, 3], [1, 0], []

    def counts(query):
        unfinished = json.loads(query).get("task_runs") == {"state": {"type": {"any_": ["PENDING", "RUNNING"]}}}
        return str((waiting if unfinished else known).pop(0)).encode()

    def serve(server):
        begun.append(True)
        server._server = SimpleNamespace(should_exit=False, started=True)
        with http.server.HTTPServer(("127.0.0.1", 0), answering_by(counts), bind_and_activate=False) as answering:
            answering.socket.close()
            answering.socket, answering.timeout = server._listener, 0.02
            while not server._server.should_exit:
                answering.handle_request()

    class Waiting(FileLock):
        def acquire(self, *given, **more):
            assert not begun, "of two servers that set up a database at once one fails"
            other.release()
            return super().acquire(*given, **more)

    other = FileLock(tmp_path / server.LOCK, thread_local=False)
    other.acquire()
    monkeypatch.setattr(server, "FileLock", Waiting)
    monkeypatch.setattr(server, "FLUSH_SECONDS", 60.0)
    monkeypatch.setattr(_Server, "_serve", serve)
    with temporary_settings({PREFECT_HOME: tmp_path}), embedded_server() as url:
        assert begun and not other.is_locked and get_current_settings().api.url == url
        assert httpx.get(f"{url}/health").json() is True
    assert (known, waiting) == ([], []), "it ends before all is written down"
    with pytest.raises(httpx.HTTPError):
        httpx.get(f"{url}/health")


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

    def flow(**given):
        assert given == {"recipe": "curves", "return_state": True}
        return SimpleNamespace(name=state, message=message, result=outcome) if state else outcome()

    monkeypatch.setattr(run, "server", nullcontext)
    monkeypatch.setattr(run, "EMBEDDED", SimpleNamespace(get=lambda: URL))
    with pytest.raises(PlanimeterError) if message else nullcontext() as refused:
        assert run.run_flow(flow, recipe="curves") == result
    if message:
        assert message in str(refused.value) and "\n" not in str(refused.value)
        assert state == "Refused" or str(refused.value).endswith("finished work is kept, run the same command again")


def test_a_server_that_cannot_start_says_why(tmp_path, monkeypatch):
    def fail(server):
        server._fault = OSError("unable to open database file\nand where")

    def refuse(_):
        raise OSError(98, "Address already in use")

    monkeypatch.setattr(_Server, "_serve", fail)
    message = r"did not start \(unable to open database file\); it needs a writable PREFECT_HOME"
    with temporary_settings({PREFECT_HOME: tmp_path}), pytest.raises(PlanimeterError, match=message), embedded_server():
        pytest.fail("it started")
    monkeypatch.setattr(socket, "create_server", refuse)
    message = r"did not start: no free port on 127\.0\.0\.1 \(Address already in use\)"
    with pytest.raises(PlanimeterError, match=message), embedded_server():
        pytest.fail("it started")


def test_a_server_that_is_stopped_while_it_loads_ends_its_thread(monkeypatch):
    loading, ended = threading.Event(), threading.Event()

    def load(**_):
        loading.set()
        while not ended.wait(0.01):
            pass

    monkeypatch.setattr("prefect.server.api.server.create_app", load)
    started = _Server()
    with ThreadPoolExecutor() as pool:
        start = pool.submit(started.start)
        try:
            assert loading.wait(60)
            started.end()
            assert not started._thread.is_alive()
        finally:
            ended.set()
        with pytest.raises(PlanimeterError, match="did not start"):
            start.result()


@pytest.mark.slow
def test_a_server_without_a_database_cannot_start(tmp_path):
    (tmp_path / "home" / "prefect.db").mkdir(parents=True)
    ended = command_line.run("build", *command_line.TINY, "--out", str(tmp_path / "out"), home=tmp_path / "home")
    assert (ended.code, len(ended.lines)) == (1, 1), ended.err
    assert re.search(r"did not start \(.*unable to open database file.*\); it needs a writable PREFECT_HOME", ended.err)


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
            server.except_loopback()
            assert proxies() == before | (dict.fromkeys(("no_proxy", "NO_PROXY"), hosts) if hosts else {})
            for name in ("no_proxy", "NO_PROXY"):
                os.environ.pop(name, None)
    # Those of the system, as on macOS, count only while the environment says nothing of proxies.
    with monkeypatch.context() as patch:
        for name in ("https_proxy", "no_proxy", "NO_PROXY"):
            patch.setenv(name, "")
        patch.setattr(server, "getproxies", lambda: {"https": PROXY})
        server.except_loopback()
        assert proxies()["https_proxy"] == PROXY


@pytest.fixture(scope="module")
def guarded():
    """The address of a server that answers those who know the key."""
    with http.server.HTTPServer(("127.0.0.1", 0), answering_by(lambda _: b"", key="Bearer sesame")) as server:
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


def test_an_error_is_one_line_without_secrets_whatever_it_says():
    text = "one 'http://me:se/c@ret@host/api' and https://host/a, mail to me@host"
    assert redacted(text) == "one 'http://***@host/api' and https://host/a, mail to me@host"
    signed = "GET https://user@host/a?X-Amz-Signature=secret&b is not there"
    assert redacted(signed) == "GET https://***@host/a is not there"
    long = ValueError("\n  cannot reach http://me:secret@host\nFor more see https://help")
    assert first_line(long) == "cannot reach http://***@host"
    assert [first_line(TimeoutError()), first_line(ValueError(" \n"))] == ["TimeoutError", "ValueError"]
