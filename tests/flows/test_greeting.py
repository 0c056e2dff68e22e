"""The user's own Prefect server is asked as Prefect asks it, and no secret of its address is told."""

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from prefect.settings import (
    PREFECT_API_KEY,
    PREFECT_API_REQUEST_TIMEOUT,
    PREFECT_API_SSL_CERT_FILE,
    PREFECT_API_URL,
    temporary_settings,
)

from planimeter.flows.errors import PlanimeterError, redacted, said
from planimeter.flows.service.run import HASTE, greet


class Guarded(BaseHTTPRequestHandler):
    """Answers those who know the key."""

    def do_GET(self) -> None:
        self.send_response(200 if self.headers["Authorization"] == "Bearer sesame" else 401)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        """Be silent."""


@pytest.fixture
def guarded() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Guarded) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/api"
        server.shutdown()


def test_a_server_that_wants_a_key_is_not_taken_for_one_that_is_down(guarded: str) -> None:
    with temporary_settings({PREFECT_API_URL: guarded, PREFECT_API_KEY: "sesame"}):
        greet("")
    with (
        temporary_settings({PREFECT_API_URL: guarded}),
        pytest.raises(PlanimeterError, match="401 Unauthorized") as told,
    ):
        greet("log in")
    assert str(told.value).endswith("log in")
    assert "\n" not in str(told.value)


def test_a_password_in_the_address_is_not_told(guarded: str) -> None:
    for host in (guarded.removeprefix("http://"), "127.0.0.1:9/api", "127.0.0.1:port/api"):
        url = f"http://me:secret@{host}"
        with temporary_settings({PREFECT_API_URL: url}), pytest.raises(PlanimeterError) as told:
            greet("")
        assert f"http://***@{host} does not answer" in str(told.value)
        assert "secret" not in str(told.value)


def test_credentials_go_and_addresses_stay() -> None:
    told = "one 'http://me:se/c@ret@host/api' and https://host/a, mail to me@host"
    assert redacted(told) == "one 'http://***@host/api' and https://host/a, mail to me@host"
    signed = "GET https://user@host/a?X-Amz-Signature=secret&b is not there"
    assert redacted(signed) == "GET https://***@host/a is not there"


def test_an_error_is_one_line_without_secrets_whatever_it_says() -> None:
    assert said(ValueError("\n  cannot reach http://me:secret@host\nFor more see https://help")) == (
        "cannot reach http://***@host"
    )
    assert [said(TimeoutError()), said(ValueError(" \n"))] == ["TimeoutError", "ValueError"]


def test_a_server_that_hangs_is_given_up_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prefect's own client would wait for a minute, six times."""
    monkeypatch.setitem(HASTE, PREFECT_API_REQUEST_TIMEOUT, 0.2)
    with socket.create_server(("127.0.0.1", 0)) as deaf, ExitStack() as stack:
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}/api"
        stack.enter_context(temporary_settings({PREFECT_API_URL: url}))
        with pytest.raises(PlanimeterError, match=r"does not answer \(.*\); start it"):
            greet("start it")


def test_a_certificate_that_is_not_there_is_one_line() -> None:
    settings = {PREFECT_API_URL: "https://127.0.0.1:9/api", PREFECT_API_SSL_CERT_FILE: "missing.pem"}
    with temporary_settings(settings), pytest.raises(PlanimeterError, match="No such file"):
        greet("")
