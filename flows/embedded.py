"""Runs a build's flow from the command line, in Prefect's embedded mode: no server to start.

A server that the user has configured (``PREFECT_API_URL``) is used instead, so that the build shows in its UI.
"""

from typing import Any, cast

import httpx
from prefect.exceptions import PrefectException, TerminationSignal
from prefect.flows import Flow
from prefect.settings import get_current_settings
from prefect.states import State

from flows.build import REFUSED, build_dataset, run_options
from flows.errors import PlanimeterError, Terminated
from flows.names import FLOW_OF, GENERIC_FLOW


def run(recipe: str, command: str, **given: Any) -> str:
    """Build ``recipe`` and return its folder. Raises ``PlanimeterError`` with what went wrong."""
    flow: Flow[..., Any] = build_dataset.with_options(name=FLOW_OF.get(recipe, GENERIC_FLOW))
    with run_options(command):
        try:
            state = cast("State[Any]", flow(recipe, **given, return_state=True))
        except TerminationSignal:
            raise Terminated from None
        except (httpx.HTTPError, PrefectException, RuntimeError) as error:
            raise PlanimeterError(_server_trouble(error)) from error
    if state.name == REFUSED:
        raise PlanimeterError(state.message or "the build was refused")
    return str(state.result())


def _server_trouble(error: Exception) -> str:
    url = get_current_settings().api.url
    if url:
        return (
            f"the Prefect server at {url} does not answer ({error}); start it, or unset PREFECT_API_URL to go without"
        )
    return (
        f"Prefect's embedded server did not start ({error}); it needs a free port on 127.0.0.1 from 8000 to 9000 and a "
        "writable PREFECT_HOME"
    )
