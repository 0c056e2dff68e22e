"""Publishes a built dataset to the Hub as a Prefect flow. The token is no parameter, so that Prefect never sees it."""

from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import cast

from prefect import flow
from prefect.artifacts import create_link_artifact
from prefect.assets import materialize
from prefect.logging import get_run_logger
from prefect.states import Completed, State
from prefect.tasks import exponential_backoff

from planimeter.export.hub.faults import HubError
from planimeter.export.hub.publish import Published
from planimeter.flows.display import events
from planimeter.flows.display.artifacts import shown
from planimeter.flows.display.flow_names import PUBLISH_FLOW
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.service.hub import Log, plan, publication
from planimeter.flows.store.storage import local
from planimeter.flows.tasks import UNCHANGED, refused, settled

#: How often a step that the Hub failed is tried again, after 1, 2, 4, 8 and 16 seconds.
RETRIES = 5

#: Gets each line that the flow logs, too.
LISTENER: ContextVar[Log | None] = ContextVar("listener", default=None)


@flow(name=PUBLISH_FLOW, flow_run_name="publish {folder} to {repo}", persist_result=True)
def publish_dataset(
    folder: str, repo: str, private: bool = False, dry_run: bool = False, space: bool = True
) -> dict[str, object] | State[object]:
    """Publish a built dataset to the Hub as its version, certified before and compared after; again, it does nothing.

    Args:
        folder: Folder of a built dataset, such as outputs/geogram/1.2.3, on the machine that runs the flow.
        repo: Repository on the Hub, as owner/name; it is created if there is none.
        private: Make a new repository private.
        dry_run: Only say what would change.
        space: Show the report as a static Space of the same name, too.
    """
    log, listener = get_run_logger(), LISTENER.get()

    def report(line: str) -> None:
        log.info("%s", line)
        if listener:
            listener(line)

    try:
        built = local(folder)
        publish = publication(built, repo, private=private, dry_run=dry_run, log=report, space=space)
        done = publish() if dry_run else _as_asset(publish, built, repo)
    except PlanimeterError as error:
        return refused(error)
    if dry_run:
        # No artifact: there may be nothing at the address yet.
        for line in plan(done, repo):
            report(line)
        return {"steps": list(done.steps)}
    message = f"{'published' if done.steps else 'found published:'} {repo} {done.tag}, at {done.address}"
    if done.steps:
        events.emit("published", Path(folder), done.address)
    with shown("address"):
        create_link_artifact(link=done.address, link_text=f"{repo} {done.tag}", description=done.loader)
    result: dict[str, object] = {"address": done.address, "loader": done.loader, "steps": list(done.steps)}
    return Completed(name="Completed" if done.steps else UNCHANGED, message=message, data=result)


def _as_asset(publish: Callable[[], Published], folder: Path, repo: str) -> Published:
    """Return ``publish()``, run as a task that makes the repository an asset behind that of ``folder``.

    Prefect repeats it after a fault of the Hub, whose state decides what is left to do then.
    """
    asset = events.asset_at(f"hf://datasets/{repo}")
    described = events.materializing(asset, folder, publish)

    @materialize(
        asset,
        asset_deps=[events.asset_at(str(folder))],
        name="publish",
        task_run_name="publish",
        persist_result=False,
        retries=RETRIES,
        retry_delay_seconds=exponential_backoff(1),
        retry_condition_fn=_may_pass,
    )
    def step() -> object:
        done = settled(described)
        # Where nothing was left to do, nothing was made.
        return Completed(name="Cached", data=done) if isinstance(done, Published) and not done.steps else done

    return cast("Published", step(return_state=True).result())


def _may_pass(task: object, run: object, state: State[object]) -> bool:  # noqa: ARG001 - Prefect's
    """Return whether the Hub or the way to it failed: what is refused stays refused."""
    return isinstance(state.data, HubError)
