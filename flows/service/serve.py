"""Registers a deployment of every flow with a running Prefect server, from the installed package.

``serve`` also runs them in this process; ``deploy`` leaves that to the workers of a work pool.
"""

from datetime import timedelta
from typing import Any, cast

from prefect import serve as prefect_serve
from prefect.automations import AutomationCore, ChangeFlowRunState, EventTrigger, Posture
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import ConcurrencyLimitConfig, ConcurrencyLimitStrategy, StateType
from prefect.deployments.runner import DeploymentApplyError, RunnerDeployment
from prefect.exceptions import ObjectNotFound
from prefect.flows import Flow
from prefect.settings import get_current_settings, update_current_profile
from prefect.types.entrypoint import EntrypointType

from planimeter.flows.build import build_dataset
from planimeter.flows.deployments import build_of
from planimeter.flows.display.flow_names import FLOW_OF
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.imports.steps import import_geogram
from planimeter.flows.service.probe import build_and_publish, probe_dataset
from planimeter.flows.service.publish import publish_dataset
from planimeter.flows.service.run import check_server

#: A second run of a deployment waits for the first: builds of one dataset exclude each other, and one uses all cores.
ONE_AT_A_TIME = ConcurrencyLimitConfig(limit=1, collision_strategy=ConcurrencyLimitStrategy.ENQUEUE)

#: The flows that do not belong to a recipe.
OTHERS: tuple[Flow[..., Any], ...] = (build_dataset, import_geogram, publish_dataset, probe_dataset, build_and_publish)

#: The name of the automation that ends lost runs, and the seconds without a heartbeat after which it ends one. Prefect
#: sends a heartbeat every 180 seconds.
AUTOMATION, LOST = "planimeter: end runs without a heartbeat", 600

#: The environment of runs: they do not need the plugin that completes bare names.
JOB_VARIABLES = {"env": {"PREFECT_PLUGINS_ENABLED": "false"}}


def serve() -> None:
    """Register all deployments, and run them one at a time until interrupted.

    Raises ``PlanimeterError`` if no server is configured, or it does not answer.
    """
    deployments = _deployments()
    # Each run starts a process for each core.
    prefect_serve(*deployments, limit=1)


def deploy(pool: str, image: str | None) -> list[str]:
    """Deploy every flow to the work pool ``pool``; return the names of the deployments.

    ``image`` is the container image of the runs; it is required if the pool runs containers, and refused otherwise.
    Raises ``PlanimeterError`` for a wrong ``image``, an unknown pool, or if the server does not answer.
    """
    deployments = _deployments(job_variables=JOB_VARIABLES)
    try:
        with get_client(sync_client=True) as client:
            takes_image = "image" in client.read_work_pool(pool).base_job_template["variables"]["properties"]
    except ObjectNotFound:
        raise PlanimeterError(
            f"there is no work pool {pool!r}; create it with `prefect work-pool create {pool} --type process`"
        ) from None
    if takes_image != bool(image):
        need = "runs containers: name their image with --image" if takes_image else "takes no --image"
        raise PlanimeterError(f"the work pool {pool!r} {need}")
    try:
        for deployment in deployments:
            deployment.apply(work_pool_name=pool, image=image)
    except DeploymentApplyError as error:
        raise PlanimeterError(f"the Prefect server refused a deployment: {error}") from error
    _end_lost_runs()
    return [f"{deployment.flow_name}/{deployment.name}" for deployment in deployments]


def enable_bare_names() -> None:
    """Enable plugins in Prefect's profile, so that `prefect deployment run build-marvl-mini` works in every folder.

    Without our plugin, Prefect requires the whole name `build-marvl-mini/default`.
    """
    update_current_profile({"PREFECT_PLUGINS_ENABLED": True})


def _end_lost_runs() -> None:
    """Register the automation that ends runs without a heartbeat, if it does not exist.

    The run of a lost machine would otherwise keep its concurrency slot forever.
    """
    ends = EventTrigger(
        posture=Posture.Proactive,
        match={"prefect.resource.id": "prefect.flow-run.*"},
        for_each={"prefect.resource.id"},
        after={"prefect.flow-run.heartbeat"},
        # Any change of state shows that the run has ended or is alive.
        expect={"prefect.flow-run.*"},
        threshold=1,
        within=timedelta(seconds=LOST),
    )
    action = ChangeFlowRunState(
        state=StateType.CRASHED,
        name="Crashed",
        message=f"no heartbeat for {LOST} s: its process or machine is lost",
        # A run that has ended is not changed: a busy server may miss the event of its end.
        force=False,
    )
    with get_client(sync_client=True) as client:
        if not client.read_automations_by_name(AUTOMATION):
            client.create_automation(AutomationCore(name=AUTOMATION, trigger=ends, actions=[action]))


def _deployments(**options: Any) -> list[RunnerDeployment]:
    """Return a deployment of every flow. Raises ``PlanimeterError`` if no Prefect server is configured or answers."""
    if not get_current_settings().api.url:
        raise PlanimeterError(
            "no Prefect server is configured: start one with `prefect server start` and name it with "
            "`prefect config set PREFECT_API_URL=http://127.0.0.1:4200/api`"
        )
    check_server("start it, or correct PREFECT_API_URL")
    # By module, not by file: Prefect would add the folder of the file to sys.path.
    shared: dict[str, Any] = {
        "entrypoint_type": EntrypointType.MODULE_PATH,
        "tags": ["planimeter"],
        "concurrency_limit": ONE_AT_A_TIME,
        **options,
    }
    builds = [build_of(recipe).to_deployment("default", parameters={"recipe": recipe}, **shared) for recipe in FLOW_OF]
    return cast("list[RunnerDeployment]", [*builds, *(flow.to_deployment("default", **shared) for flow in OTHERS)])
