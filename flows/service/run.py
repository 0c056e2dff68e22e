"""Runs a flow from the command line: on the configured Prefect server, or on a temporary one."""

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, cast
from urllib.request import getproxies

import httpx
from filelock import FileLock
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import FlowRun
from prefect.concurrency.asyncio import ConcurrencySlotAcquisitionError
from prefect.events.worker import EventsWorker
from prefect.exceptions import PrefectException
from prefect.flows import Flow
from prefect.logging.handlers import APILogWorker
from prefect.settings import get_current_settings, temporary_settings
from prefect.states import State
from prefect.utilities.urls import url_for

from planimeter.flows.display.bars import ERRORS
from planimeter.flows.errors import PlanimeterError, first_line, redacted
from planimeter.flows.service.server import FLUSHING, PATIENCE, child_server, end_process
from planimeter.flows.tasks import REFUSED, UNCHANGED

#: Settings of a request that tests whether a server answers: a time limit of 10 seconds, and no repetition.
ONE_QUICK_TRY: dict[Any, Any] = {"api.request_timeout": 10.0, "client.max_retries": 0}

#: Settings for runs on a temporary server: nobody hears their heartbeats, whose end delays each flow by up to a second.
TEMPORARY: dict[Any, Any] = {"flows.heartbeat_frequency": None}

#: Seconds between two checks of a configured server, and the number of consecutive failures after which it is lost.
LOOK, LOOKS = 30.0, 3

#: The file in PREFECT_HOME that is locked while a server starts: of two that create a database at once, one fails.
LOCK = "planimeter-server.lock"


def run_flow(flow: Flow[..., Any], **parameters: object) -> Any:
    """Run ``flow`` with ``parameters`` to its end and return its result.

    Raises ``PlanimeterError`` with the message of a refused run, or if the server stops answering.
    """
    is_configured = bool(get_current_settings().api.url)
    with server():
        if is_configured:
            flow = flow.with_options(on_running=[_print_address])
        try:
            state = cast("State[object]", flow(**parameters, return_state=True))
            if state.name == REFUSED:
                raise PlanimeterError(state.message or "the run was refused")
            if state.name == UNCHANGED:
                ERRORS.print(state.message or "")
            return state.result()
        except (httpx.HTTPError, PrefectException, ConcurrencySlotAcquisitionError) as error:
            raise PlanimeterError(
                f"the Prefect server stopped answering ({first_line(error)}); finished work is kept, run the same "
                "command again"
            ) from error


def _print_address(flow: Flow[..., object], flow_run: FlowRun, state: State[object]) -> None:  # noqa: ARG001 - Prefect's
    """Print the address of a new run in Prefect's UI; a hook of Prefect."""
    ERRORS.print(f"run: {url_for(flow_run)}")


def check_server(remedy: str) -> None:
    """Raise ``PlanimeterError`` if the configured server does not answer; its message ends with ``remedy``.

    Prefect's client sends the request with the certificates, key and headers of Prefect's settings.
    """
    try:
        with temporary_settings(ONE_QUICK_TRY), get_client(sync_client=True) as client:
            client.hello()
    except (httpx.HTTPError, httpx.InvalidURL, PrefectException, OSError) as error:
        url = redacted(str(get_current_settings().api.url))
        raise PlanimeterError(f"the Prefect server at {url} does not answer ({first_line(error)}); {remedy}") from error


@contextmanager
def server() -> Iterator[None]:
    """Let flows of this block use the configured server, or else a temporary one that ends with the block.

    Raises ``PlanimeterError`` if the configured one does not answer, or the temporary one does not start.
    """
    if get_current_settings().api.url:
        check_server("start it, or unset PREFECT_API_URL (`prefect config unset PREFECT_API_URL`) to build without one")
        # If the server is lost, each batch of the log would print an error.
        logging.raiseExceptions = False
        leaving = threading.Event()
        threading.Thread(target=_end_without_server, args=(leaving,), daemon=True).start()
        try:
            yield
        finally:
            leaving.set()
        return
    except_loopback()
    home = get_current_settings().home
    with ExitStack() as stack:
        try:
            home.mkdir(parents=True, exist_ok=True)
            with FileLock(home / LOCK).acquire(timeout=PATIENCE):
                url = stack.enter_context(child_server())
        except (OSError, RuntimeError) as error:
            raise PlanimeterError(
                f"Prefect's server did not start ({first_line(error)}); it needs a writable PREFECT_HOME (by default "
                "~/.prefect)"
            ) from error
        with temporary_settings(TEMPORARY | {"api.url": url}):
            try:
                yield
            except Exception:
                _flush()
                raise
            _flush()


def _end_without_server(leaving: threading.Event) -> None:
    """End this process if the configured server fails ``LOOKS`` checks in succession, unless ``leaving`` is set.

    Prefect's client would repeat the requests of each task for minutes.
    """
    missed = 0
    while missed < LOOKS and not leaving.wait(LOOK):
        try:
            check_server("finished work is kept, run the same command again when it is back")
            missed = 0
        except PlanimeterError as error:
            missed += 1
            message = str(error)
    if missed == LOOKS:
        end_process(message)


def _flush() -> None:
    """Send Prefect's pending logs and events to the temporary server before it ends."""
    for worker in (EventsWorker, APILogWorker):
        worker.drain_all(timeout=FLUSHING)


def except_loopback() -> None:
    """Set ``no_proxy`` so that requests to this machine bypass the proxies of environment and system."""
    proxies = getproxies()
    excepted = proxies.pop("no", "")
    if proxies and "*" not in excepted:
        # `no_proxy` of the environment is ignored while the proxies come from the system only.
        os.environ.update({f"{scheme}_proxy": address for scheme, address in proxies.items()})
        os.environ.update(dict.fromkeys(("no_proxy", "NO_PROXY"), f"{excepted},127.0.0.1,localhost".strip(",")))
