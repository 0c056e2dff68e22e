"""Runs a flow from the command line, in Prefect's embedded mode: no server to start.

A server that the user has configured (``PREFECT_API_URL``) is used instead, so that the build shows in its UI.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any, cast

import httpx
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import FlowRun
from prefect.concurrency.asyncio import ConcurrencySlotAcquisitionError
from prefect.exceptions import PrefectException
from prefect.flows import Flow
from prefect.settings import get_current_settings, temporary_settings
from prefect.states import State
from prefect.utilities.urls import url_for

from planimeter.flows.build import COMMAND
from planimeter.flows.deployments import flow_called
from planimeter.flows.display.bars import ERRORS
from planimeter.flows.display.events import EMBEDDED
from planimeter.flows.display.flow_names import FLOW_OF, GENERIC_FLOW
from planimeter.flows.errors import PlanimeterError, first_line, redacted
from planimeter.flows.service.server import embedded_server
from planimeter.flows.tasks import REFUSED

#: For the first request to a server that may not be there: seconds, and no second try.
ONE_QUICK_TRY: dict[Any, Any] = {"api.request_timeout": 10.0, "client.max_retries": 0}


def run(recipe: str, command: str, **parameters: object) -> str:
    """Build ``recipe`` and return its folder. Raises ``PlanimeterError`` with what went wrong."""
    flow = flow_called(GENERIC_FLOW).with_options(name=FLOW_OF.get(recipe, GENERIC_FLOW))
    context = copy_context()
    context.run(COMMAND.set, command)
    return str(context.run(run_flow, flow, recipe=recipe, **parameters))


def run_flow(flow: Flow[..., Any], **parameters: object) -> Any:
    """Run ``flow`` to its end and return its result. Raises ``PlanimeterError`` with what went wrong."""
    with server():
        if not EMBEDDED.get():
            flow = flow.with_options(on_running=[_print_address])
        try:
            state = cast("State[object]", flow(**parameters, return_state=True))
        except (httpx.HTTPError, PrefectException) as error:
            raise _silent(error) from error
        if state.name == REFUSED:
            raise PlanimeterError(state.message or "the run was refused")
        try:
            return state.result()
        except ConcurrencySlotAcquisitionError as error:
            # A server on a machine that is busy with other work answers 503, and fails the task that asked it.
            raise _silent(error) from error


def _print_address(flow: Flow[..., object], flow_run: FlowRun, state: State[object]) -> None:  # noqa: ARG001 - Prefect's
    """Print where a run that begins can be looked at."""
    ERRORS.print(f"run: {url_for(flow_run)}")


def _silent(error: Exception) -> PlanimeterError:
    return PlanimeterError(
        f"the Prefect server stopped answering ({first_line(error)}); finished work is kept, run the same command again"
    )


def check_server(remedy: str) -> None:
    """Raise ``PlanimeterError``, which ends with ``remedy``, if the configured server does not answer.

    It is asked by Prefect's own client, which has the certificates, the key and the headers of Prefect's settings.
    """
    try:
        with temporary_settings(ONE_QUICK_TRY), get_client(sync_client=True) as client:
            client.hello()
    except (httpx.HTTPError, httpx.InvalidURL, PrefectException, OSError) as error:
        url = redacted(str(get_current_settings().api.url))
        raise PlanimeterError(f"the Prefect server at {url} does not answer ({first_line(error)}); {remedy}") from error


@contextmanager
def server() -> Iterator[None]:
    """Use the configured server if there is one, else an embedded one that lives as long as this block.

    Blocks may lie in one another, as those of the builds of a collection do: all share the server of the outermost.
    """
    url = get_current_settings().api.url
    if url:
        if url != EMBEDDED.get():
            check_server(
                "start it, or unset PREFECT_API_URL (`prefect config unset PREFECT_API_URL`) to build without one"
            )
        yield
        return
    with embedded_server() as url:
        ours = EMBEDDED.set(url)
        try:
            yield
        finally:
            EMBEDDED.reset(ours)
