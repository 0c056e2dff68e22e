"""Serves every flow to a running Prefect server, without work pool or worker."""

from typing import Any, cast

from prefect import serve as prefect_serve
from prefect.deployments.runner import RunnerDeployment
from prefect.flows import Flow
from prefect.settings import get_current_settings
from prefect.types.entrypoint import EntrypointType

from planimeter.flows.deployments import RECIPES, flow_called
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.service.import_geogram import import_geogram
from planimeter.flows.service.measure import measure_dataset
from planimeter.flows.service.probe import probe_dataset
from planimeter.flows.service.publish import publish_dataset
from planimeter.flows.service.run import greet
from planimeter.flows.service.sample import sample_dataset


def serve() -> None:
    """Serve until interrupted. Raises ``PlanimeterError`` if no server is configured, or if it does not answer."""
    if not get_current_settings().api.url:
        raise PlanimeterError(
            "no Prefect server is configured: start one with `prefect server start` and name it with "
            "`prefect config set PREFECT_API_URL=http://127.0.0.1:4200/api`"
        )
    greet("is it started?")
    # By the path of a file, Prefect would put the file's folder on sys.path.
    by_module = EntrypointType.MODULE_PATH
    served: tuple[Flow[..., Any], ...] = (
        *map(flow_called, RECIPES),
        import_geogram,
        measure_dataset,
        probe_dataset,
        publish_dataset,
        sample_dataset,
    )
    deployments = [
        flow.to_deployment("default", entrypoint_type=by_module, tags=["planimeter"], concurrency_limit=1)
        for flow in served
    ]
    # Each run starts a process for each core.
    prefect_serve(*cast("list[RunnerDeployment]", deployments), limit=1)
