"""Serves every flow to a running Prefect server, without work pool or worker."""

from typing import cast

import httpx
from prefect import serve as prefect_serve
from prefect.client.orchestration import get_client
from prefect.deployments.runner import RunnerDeployment
from prefect.exceptions import PrefectException
from prefect.settings import get_current_settings

from flows.collection import build_all
from flows.datasets import FLOWS
from flows.errors import PlanimeterError
from flows.publish import publish_dataset


def serve() -> None:
    """Serve until interrupted. Raises ``PlanimeterError`` if no server is configured, or if it does not answer."""
    url = get_current_settings().api.url
    if not url:
        raise PlanimeterError(
            "no Prefect server is configured: start one with `prefect server start` and name it with "
            "`prefect config set PREFECT_API_URL=http://127.0.0.1:4200/api`"
        )
    try:
        with get_client(sync_client=True) as client:
            client.hello()
    except (httpx.HTTPError, httpx.InvalidURL, PrefectException) as error:
        raise PlanimeterError(f"the Prefect server at {url} does not answer ({error}); is it started?") from error
    served = (*FLOWS, build_all, publish_dataset)
    prefect_serve(*(cast("RunnerDeployment", flow.to_deployment(name="default")) for flow in served))
