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
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import command_line

PREFECT = (sys.executable, "-m", "prefect")
ENDS = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")


class Server:
    """The server of ``home``, which `background` starts, and the commands that a user types to it at our root."""

    def __init__(self, home: Path) -> None:
        self.home = home
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/api"
        more = {"PREFECT_WORKER_QUERY_SECONDS": "2", "PREFECT_RUNNER_POLL_FREQUENCY": "2", "DO_NOT_TRACK": "1"}
        # No test looks at these.
        idle = ("UI_ENABLED", "API_BLOCKS_REGISTER_ON_START", "SERVER_SERVICES_TRIGGERS_ENABLED")
        more |= {f"PREFECT_{name}": "false" for name in idle}
        self.env = command_line.environment(home, PREFECT_API_URL=self.url, **more)
        self.started: list[subprocess.Popen[bytes]] = []
        #: What the server, the worker and its runs print.
        self.log = home / "printed.log"

    def background(self, *command: str) -> None:
        given: Any = {"cwd": command_line.ROOT, "env": self.env, "start_new_session": True}
        with self.log.open("ab") as log:
            self.started.append(subprocess.Popen(command, stdout=log, stderr=log, **given))

    def prefect(self, *arguments: str, **more: str) -> command_line.Ended:
        return command_line.child(*PREFECT, *arguments, env={**self.env, **more})

    def get(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """What the server answers to a GET, or to a POST of ``body``."""
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/{path}", content, {"Content-Type": "application/json"})
        deadline = time.monotonic() + command_line.PATIENCE
        while True:
            try:
                with urllib.request.urlopen(request) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                # Its database is locked; Prefect's own clients ask again too.
                if error.code != 503 or time.monotonic() > deadline:
                    raise
                time.sleep(0.5)

    post = get

    def run(self, flow: str, **given: object) -> str:
        """The id of a new run of `<flow>/default`."""
        deployment = self.get(f"deployments/name/{flow}/default")["id"]
        return str(self.post(f"deployments/{deployment}/create_flow_run", {"parameters": given})["id"])

    def ended(self, flow_run: str) -> str:
        """The name of the state in which the run ended."""
        state = lambda: self.get(f"flow_runs/{flow_run}")["state"]  # noqa: E731
        return str(command_line.wait_until(lambda: (s := state())["type"] in ENDS and s["name"]))

    def artifacts(self, flow_run: str) -> list[dict[str, Any]]:
        """What the run shows, but for its result, which has no key."""
        shown = self.post("artifacts/filter", {"artifacts": {"flow_run_id": {"any_": [flow_run]}}})
        return [artifact for artifact in shown if artifact["key"]]

    def events(self, name: str, key: str, value: object) -> list[dict[str, Any]]:
        """The events of that name, those whose payload has this value (all without a key); they may come late."""

        def there() -> list[dict[str, Any]]:
            answer = self.post("events/filter", {"filter": {"event": {"name": [name]}}, "limit": 50})
            return [event for event in answer["events"] if not key or event["payload"].get(key) == value]

        return command_line.wait_until(there)

    def deploy(self) -> None:
        """Deploy all of prefect.yaml by the README's own commands, and start a worker."""
        assert self.prefect("work-pool", "create", "planimeter", "--type", "process").code == 0
        done = self.prefect("--no-prompt", "deploy", "--all")
        assert done.code == 0, done.out + done.err
        self.background(*PREFECT, "worker", "start", "--pool", "planimeter")

    def answers(self) -> bool:
        with suppress(OSError):
            return bool(self.get("health"))
        return False


@contextmanager
def started(home: Path) -> Iterator[Server]:
    server = Server(home)
    server.background(*PREFECT, "server", "start", "--port", str(server.port))
    try:
        command_line.wait_until(server.answers)
        yield server
    finally:
        for process in reversed(server.started):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
