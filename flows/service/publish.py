"""The flow that publishes a built dataset to the Hub. The token is not a parameter, so that Prefect never gets it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from prefect import Task, flow
from prefect.artifacts import create_link_artifact
from prefect.assets import Asset, materialize
from prefect.logging import get_run_logger
from prefect.states import Completed, State
from prefect.tasks import exponential_backoff

from planimeter.export.hub.faults import HubError
from planimeter.export.hub.publish import Published
from planimeter.flows.display import events
from planimeter.flows.display.artifacts import log_failure
from planimeter.flows.display.flow_names import PUBLISH_FLOW
from planimeter.flows.service.hub import LINES, plan, publication, sealed_publication
from planimeter.flows.store.storage import local
from planimeter.flows.tasks import UNCHANGED, as_one, refusing

#: The number of repetitions after a fault of the Hub: after 1, 2, 4, 8 and 16 seconds.
RETRIES = 5


def is_fault_of_hub(_task: Task[..., Any], _run: object, state: State[Any]) -> bool:
    """True if the Hub or the connection failed, so that another attempt may succeed; a refusal is final."""
    return isinstance(state.data, HubError)


@materialize(
    "hf://datasets/owner/name",
    name="publish",
    task_run_name="publish",
    persist_result=False,
    retries=RETRIES,
    retry_delay_seconds=exponential_backoff(1),
    retry_condition_fn=is_fault_of_hub,
)
def publish_version(publish: Callable[[], Published], folder: Path, asset: Asset) -> Published | State[Published]:
    """Publish the dataset in ``folder`` by calling ``publish``; a retry does only the steps that are still to do."""
    done = publish()
    events.describe_asset(asset, folder)
    # If the version was published before, no asset is made.
    return done if done.steps else Completed(name="Cached", data=done)


@flow(name=PUBLISH_FLOW, flow_run_name="publish {folder} to {repo}", persist_result=True, result_serializer="json")
@refusing
def publish_dataset(
    folder: str,
    repo: str,
    private: bool = False,
    dry_run: bool = False,
    space: bool = True,
    inspect: bool = False,
    only_seal: bool = False,
    seed: str | None = None,
) -> dict[str, object] | State[object]:
    """Certify a built dataset and publish it to the Hub, tagged with its version; if it is published, do nothing.

    Args:
        folder: Folder of a built dataset, such as outputs/geogram/1.2.3, on the machine that runs the flow.
        repo: Repository on the Hub, as owner/name; it is created if there is none.
        private: Make a new repository private.
        dry_run: Only print the changes.
        space: Publish the report, too, as a static Space of the same name.
        inspect: Add the rows in the form that Inspect loads from the Hub; this doubles the size of the dataset.
        only_seal: Publish only the seal (hash of the secret seed) of a sealed edition, before its rows are published.
        seed: Path of the file with the secret seed of a sealed edition, to publish it after the rows.
    """

    def report(line: str) -> None:
        get_run_logger().info("%s", line)
        LINES.info("%s", line)

    built = local(folder)
    if only_seal or seed:
        publish = sealed_publication(built, repo, private=private, dry_run=dry_run, log=report, seed=seed)
    else:
        publish = publication(built, repo, private=private, dry_run=dry_run, log=report, space=space, inspect=inspect)
    if dry_run:
        planned = publish()
        # No artifact with a link: the address may not exist yet.
        for line in plan(planned, repo):
            report(line)
        return {"steps": list(planned.steps)}
    asset = events.asset_at(f"hf://datasets/{repo}")
    step = publish_version.with_options(assets=[asset], asset_deps=[events.asset_at(folder)])
    done = cast("Published", cast("State[object]", step(as_one(publish), built, asset, return_state=True)).result())
    message = f"{'published' if done.steps else 'found published:'} {repo} {done.tag}, at {done.address}"
    if done.steps:
        events.emit("published", built, done.address)
    with log_failure("address"):
        create_link_artifact(link=done.address, link_text=f"{repo} {done.tag}", description=done.loader)
    result: dict[str, object] = {"address": done.address, "loader": done.loader, "steps": list(done.steps)}
    return Completed(name="Completed" if done.steps else UNCHANGED, message=message, data=result)
