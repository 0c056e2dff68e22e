"""Prefect's embedded server, in a thread of the build: it ends with the build, however that ends.

Prefect's own would be a process that outlives a `kill -9` of the build and holds its terminal open. Events and logs
reach the server beside the work. At the end they are waited for, but not for long: the next `prefect server start` on
the same PREFECT_HOME shows the run as far as it got.
"""

import contextvars
import ctypes
import logging
import os
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from typing import Any
from urllib.request import getproxies

import httpx
from filelock import FileLock
from prefect.events.worker import EventsWorker
from prefect.logging.handlers import APILogWorker
from prefect.settings import get_current_settings, temporary_settings

from planimeter.flows.errors import PlanimeterError

#: Seconds that a start may take; it takes 3 to 6 on an idle machine and some 30 on a busy one.
PATIENCE = 180.0

#: Seconds to wait at the end for events that are not yet sent or stored, after a build that was finished and after one
#: that was stopped; and for the server's own end.
FLUSH_SECONDS, FLUSH_AFTER_ERROR_SECONDS, SHUTDOWN_SECONDS = 5.0, 1.0, 5.0

#: Seconds between two looks at whether it has started, and at what it has stored.
LOOK = 0.1

#: In PREFECT_HOME, held while a server starts.
LOCK = "planimeter-server.lock"

#: An API without the UI, without telemetry and without blocks. What tasks report is stored once a second, in batches,
#: and is neither kept as events beside the states, nor streamed out, nor matched with automations: of 24 CPU ms of a
#: task that leaves 4. Nor would anything hear a heartbeat. On loopback there is no TLS, for which each of Prefect's
#: many clients would load all certificates: 25 CPU ms.
SETTINGS: dict[Any, Any] = {
    "api.tls_insecure_skip_verify": True,
    "flows.heartbeat_frequency": None,
    "server.analytics_enabled": False,
    "server.events.stream_out_enabled": False,
    "server.register_blocks_on_start": False,
    "server.services.event_persister.enabled": False,
    "server.services.task_run_recorder.batch_size": 200,
    "server.services.task_run_recorder.flush_interval": 1.0,
    "server.services.triggers.enabled": False,
    "server.ui.enabled": False,
}


@contextmanager
def embedded_server() -> Iterator[str]:
    """Yield the API's address on loopback, which Prefect's settings name within this block.

    Raises ``PlanimeterError`` if there is no free port or no server.
    """
    except_loopback()
    server, patience = _Server(), FLUSH_AFTER_ERROR_SECONDS
    # Prefect's log would report on the terminal that a server cannot store it.
    raising, logging.raiseExceptions = logging.raiseExceptions, False
    try:
        # The server's settings too: each change of Prefect's settings takes a quarter of a second.
        with temporary_settings({**SETTINGS, "api.url": server.url}):
            with ExitStack() as stack:
                # Of two servers that set up a new database at once, one fails. A folder that cannot be written is for
                # the server to report; and it starts even if another one never gets ready.
                with suppress(OSError):
                    stack.enter_context(FileLock(get_current_settings().home / LOCK).acquire(timeout=PATIENCE))
                server.start()
            yield server.url
        patience = FLUSH_SECONDS
    finally:
        # Prefect still sends events at the exit of the program, and would try for a minute to reach a server that is
        # gone: it is stopped only if all of them were sent.
        if server.is_flushed(patience):
            server.end()
        logging.raiseExceptions = raising


def except_loopback() -> None:
    """Let requests to this machine pass by the proxies of the environment or the system, which cannot reach it."""
    proxies = getproxies()
    excepted = proxies.pop("no", "")
    if proxies and "*" not in excepted:
        # Those of the system count only as long as the environment says nothing of proxies.
        os.environ.update({f"{scheme}_proxy": address for scheme, address in proxies.items()})
        # Of the two spellings some read one and some the other.
        os.environ.update(dict.fromkeys(("no_proxy", "NO_PROXY"), f"{excepted},127.0.0.1,localhost".strip(",")))


class _Server:
    """The thread of the server, and what went wrong in it."""

    def __init__(self) -> None:
        try:
            # Bound before the server starts, so that no other process can take the port in between.
            self._listener = socket.create_server(("127.0.0.1", 0))
        except OSError as error:
            raise PlanimeterError(
                f"Prefect's embedded server did not start: no free port on 127.0.0.1 ({error.strerror})"
            ) from error
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/api"
        self._began = datetime.now(UTC).isoformat()
        self._fault: BaseException | None = None
        self._server: Any = None
        self._thread = threading.Thread()

    def start(self) -> None:
        """Start it, with the settings of this moment, and wait until it answers. ``PlanimeterError`` if it does not."""
        self._thread = threading.Thread(target=contextvars.copy_context().run, args=(self._serve,), daemon=True)
        self._thread.start()
        deadline = time.monotonic() + PATIENCE
        while self._thread.is_alive() and time.monotonic() < deadline:
            if self._server and self._server.started:
                return
            time.sleep(LOOK)
        why = next(iter(str(self._fault or "").splitlines()), "") or "no reason given"
        raise PlanimeterError(
            f"Prefect's embedded server did not start ({why}); it needs a writable PREFECT_HOME (by default ~/.prefect)"
        )

    def is_flushed(self, patience: float) -> bool:
        """Wait until it has stored what tasks did; return whether all events were sent to it."""
        deadline = time.monotonic() + patience
        sent: list[Any] = [worker.drain_all(timeout=patience) for worker in (EventsWorker, APILogWorker)]
        known: object = -1
        with httpx.Client(timeout=1) as client:
            while self._thread.is_alive() and time.monotonic() < deadline:
                with suppress(httpx.HTTPError, ValueError):
                    before, known = known, self._count(client, {})
                    under_way = {"task_runs": {"state": {"type": {"any_": ["PENDING", "RUNNING"]}}}}
                    if known == before and not self._count(client, under_way):
                        break
                time.sleep(LOOK)
        return not any(unsent for _, unsent in sent)

    def end(self) -> None:
        """End it, even while it loads, and wait for that a little."""
        if self._thread.is_alive():
            if self._server is not None:
                self._server.should_exit = True
            else:
                # The interpreter aborts if it ends while a thread is deep in code that is not Python's, as in pydantic.
                loading = ctypes.c_ulong(self._thread.ident or 0)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(loading, ctypes.py_object(SystemExit))
            self._thread.join(SHUTDOWN_SECONDS)
        self._listener.close()

    def _count(self, client: httpx.Client, filters: Mapping[str, object]) -> object:
        """Return how many task runs it knows that pass the ``filters``, of flows that began since its start."""
        since = {"flow_runs": {"start_time": {"after_": self._began}}}
        return client.post(f"{self.url}/task_runs/count", json={**since, **filters}).json()

    def _serve(self) -> None:
        # Loading it takes two seconds, which a build with a server of the user's can do without.
        import uvicorn
        from prefect.server.api.server import create_app

        async def noting(scope: Any, receive: Any, send: Any) -> None:
            try:
                await app(scope, receive, send)
            except Exception as error:
                # Its start is one long request; uvicorn would report no more than that it has failed.
                self._fault = self._fault or error
                raise

        try:
            app = create_app(ephemeral=True, ignore_cache=True)
            options: Any = {"lifespan": "on", "log_level": "critical", "access_log": False}
            self._server = uvicorn.Server(uvicorn.Config(noting, timeout_graceful_shutdown=1, **options))
            self._server.run(sockets=[self._listener])
        except BaseException as error:  # noqa: BLE001 - raised again where the start is waited for
            self._fault = self._fault or error
