"""Prefect's embedded server, in a process that lives exactly as long as the build that started it.

Prefect starts one by itself, but that one outlives a `kill -9` of the build and holds its terminal open. This one
reads a pipe that only the build holds the other end of: when the build is gone, however it went, the pipe ends and so
does the server. The port is bound by the build and handed over, so that nobody can take it in between.

`python -m planimeter.flows.service.server FD` is the child; FD is the listening socket.
"""

import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import IO

import httpx
from filelock import FileLock

from planimeter.flows.errors import PlanimeterError
from planimeter.flows.service.proxies import loopback_direct

#: Seconds that a start may take; it takes 3 to 6 on an idle machine and some 30 on a busy one.
PATIENCE = 180.0

#: In PREFECT_HOME, held while a server starts.
LOCK = "planimeter-server.lock"

#: Times that a server which has died is replaced.
RESTARTS = 5

#: An API without the UI, without telemetry, and without a log of its own.
SETTINGS = {
    "DO_NOT_TRACK": "1",
    "PREFECT_LOGGING_SERVER_LEVEL": "CRITICAL",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_UI_ENABLED": "0",
    "PREFECT__SERVER_EPHEMERAL": "1",
    "PREFECT__SERVER_FINAL": "1",
}


@contextmanager
def embedded_server() -> Iterator[str]:
    """Yield the API's address on loopback. Raises ``PlanimeterError`` if there is no free port or no server.

    A server that dies while the build is at work is started again, on the same socket and the same database: requests
    wait there meanwhile, and Prefect's client repeats those that were being answered.
    """
    with loopback_direct(), tempfile.TemporaryFile() as log, _listening() as listener, ExitStack() as stack:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/api"
        with _alone():
            server = _Server(listener, log)
            stack.callback(server.end)
            if not _answers(server.child, url):
                log.seek(0)
                said = log.read().decode(errors="replace").strip().splitlines()
                raise PlanimeterError(
                    f"Prefect's embedded server did not start ({said[-1] if said else 'no reason given'}); it needs a "
                    "writable PREFECT_HOME (by default ~/.prefect)"
                )
        server.keep_alive()
        yield url


@contextmanager
def _alone() -> Iterator[None]:
    """Let no other build start its server meanwhile: of two that set up a new database at once, one fails."""
    from prefect.settings import get_current_settings

    lock = FileLock(get_current_settings().home / LOCK)
    # A folder that cannot be written is for the server to tell; and it starts even if another one never gets ready.
    with suppress(OSError):
        lock.acquire(timeout=PATIENCE)
    try:
        yield
    finally:
        lock.release()


class _Server:
    """The child, and the thread that replaces it if it dies."""

    def __init__(self, listener: socket.socket, log: IO[bytes]) -> None:
        self._listener, self._log = listener, log
        self._lock = threading.Lock()
        self._over = False
        self.child = self._start()

    def keep_alive(self) -> None:
        threading.Thread(target=self._watch, daemon=True).start()

    def end(self) -> None:
        with self._lock:
            self._over = True
        self.child.kill()
        self.child.wait()

    def _watch(self) -> None:
        for _ in range(RESTARTS):
            self.child.wait()
            with self._lock:
                if self._over:
                    return
                self.child = self._start()
        self.child.wait()
        # Requests are now refused, so that the build ends with a message instead of waiting for answers.
        self._listener.close()

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "planimeter.flows.service.server", str(self._listener.fileno())],
            stdin=subprocess.PIPE,
            stdout=self._log,
            stderr=self._log,
            pass_fds=[self._listener.fileno()],
            env={**os.environ, **SETTINGS},
            # Ctrl-C is for the build alone, which still has to report to the server how it ended.
            start_new_session=True,
        )


def _listening() -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", 0))
    except OSError as error:
        raise PlanimeterError(
            f"Prefect's embedded server did not start: no free port on 127.0.0.1 ({error.strerror})"
        ) from error


def _answers(child: subprocess.Popen[bytes], url: str) -> bool:
    deadline = time.monotonic() + PATIENCE
    while child.poll() is None and time.monotonic() < deadline:
        with suppress(httpx.HTTPError):
            if httpx.get(f"{url}/health", timeout=5).status_code == httpx.codes.OK:
                return True
        time.sleep(0.1)
    return False


def _end_with_the_build() -> None:
    # Not sys.stdin.read(): at exit, Python would wait for the lock of its buffer.
    while os.read(0, 1):
        pass
    os._exit(0)


def _serve(descriptor: int) -> None:
    import uvicorn

    threading.Thread(target=_end_with_the_build, daemon=True).start()
    config = uvicorn.Config(
        "prefect.server.api.server:create_app", factory=True, lifespan="on", log_level="critical", access_log=False
    )
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=descriptor)])


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
