"""A Prefect server on loopback, with the commands that a user types to it and what its API says of runs."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import command_line

PREFECT = (sys.executable, "-m", "prefect")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """A Prefect server of its own, and the commands that a user types to it, in a copy of the project's folder."""

    def __init__(self, home: Path) -> None:
        self.url = f"http://127.0.0.1:{free_port()}/api"
        self.env = command_line.environment(
            home, PREFECT_API_URL=self.url, DO_NOT_TRACK="1", PREFECT_WORKER_QUERY_SECONDS="2"
        )
        self.started: list[subprocess.Popen[bytes]] = []
        #: What the server, the worker and its runs print.
        self.log = home / "printed.log"

    def background(self, *command: str) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                command, cwd=command_line.ROOT, env=self.env, stdout=log, stderr=log, start_new_session=True
            )
        self.started.append(process)
        return process

    def prefect(self, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*PREFECT, *arguments],
            cwd=command_line.ROOT,
            env={**self.env, **more},
            capture_output=True,
            text=True,
            timeout=300,
        )

    def post(self, path: str, body: dict[str, object]) -> list[dict[str, object]]:
        request = urllib.request.Request(
            f"{self.url}/{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        found: list[dict[str, object]] = self._answer(request)
        return found

    def get(self, path: str) -> Any:
        return self._answer(urllib.request.Request(f"{self.url}/{path}"))

    @staticmethod
    def _answer(request: urllib.request.Request) -> Any:
        """What the server answers; as Prefect's own clients do, ask again where its database is locked (503)."""
        deadline = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(request) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                if error.code != 503 or time.monotonic() > deadline:
                    raise
                time.sleep(0.5)

    def events(self, name: str, key: str, value: object) -> list[dict[str, Any]]:
        """The events of that name, those whose payload has this value (all without a key); they may come late."""

        def found() -> list[dict[str, Any]]:
            answer: Any = self.post("events/filter", {"filter": {"event": {"name": [name]}}, "limit": 50})
            return [event for event in answer["events"] if not key or event["payload"].get(key) == value]

        return command_line.wait_until(found)

    def graph(self, run: str) -> dict[str, Any]:
        """The nodes of a flow run's graph by their ids."""
        return dict(self.get(f"flow_runs/{run}/graph-v2")["nodes"])

    def deploy(self, *which: str) -> subprocess.Popen[bytes]:
        """Deploy ``which`` of prefect.yaml, all by default, by the README's own commands, and return a worker."""
        assert self.prefect("work-pool", "create", "planimeter", "--type", "process").returncode == 0
        names = [option for name in which for option in ("--name", name)]
        done = self.prefect("--no-prompt", "deploy", *(names or ["--all"]))
        assert done.returncode == 0, done.stdout + done.stderr
        return self.background(*PREFECT, "worker", "start", "--pool", "planimeter")

    def wait(self) -> None:
        def answers() -> bool:
            try:
                with urllib.request.urlopen(f"{self.url}/health") as answer:
                    return bool(answer.status == 200)
            except OSError:
                return False

        command_line.wait_until(answers)

    def stop(self) -> None:
        for process in reversed(self.started):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            process.wait()


@contextmanager
def started(home: Path) -> Iterator[Server]:
    server = Server(home)
    port = server.url.split(":")[2].removesuffix("/api")
    server.background(*PREFECT, "server", "start", "--port", port)
    try:
        server.wait()
        yield server
    finally:
        server.stop()
