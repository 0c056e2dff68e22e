"""The server of a command: its own, which ends with its parent, or the user's, which is asked as Prefect asks it."""

import os
import subprocess
import sys
from unittest import mock

import command_line
import pytest
from command_line import PATIENCE
from prefect.settings import PREFECT_API_URL, temporary_settings

from planimeter.flows.errors import PlanimeterError
from planimeter.flows.service import run
from planimeter.flows.service.run import check_server
from planimeter.flows.service.server import DIED


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


PROXY = "http://proxy.example:3128"


@pytest.mark.parametrize(
    ("given", "hosts"),
    [
        ({}, None),
        ({"NO_PROXY": "a"}, None),
        ({"http_proxy": PROXY}, "127.0.0.1,localhost"),
        ({"http_proxy": PROXY, "NO_PROXY": "a,b"}, "a,b,127.0.0.1,localhost"),
        ({"http_proxy": PROXY, "no_proxy": "*"}, None),
    ],
)
def test_loopback_is_excepted_from_proxies(given, hosts):
    with mock.patch.dict(os.environ, given, clear=True):
        run.except_loopback()
        assert dict(os.environ) == given | (dict.fromkeys(("no_proxy", "NO_PROXY"), hosts) if hosts else {})


@pytest.mark.parametrize("host", ["127.0.0.1:9", "127.0.0.1:port"])
def test_no_password_of_a_server_is_printed(host, monkeypatch):
    # Between its tries the client waits.
    monkeypatch.setattr("time.sleep", lambda _: None)
    address = {PREFECT_API_URL: f"http://me:secret@{host}/api"}
    words = r"http://\*\*\*@127.* does not answer .*; start it"
    with temporary_settings(address), pytest.raises(PlanimeterError, match=words) as refused:
        check_server("start it")
    assert "secret" not in str(refused.value) and "\n" not in str(refused.value)
