"""Publishes a built dataset to the Hub as a Prefect flow. The token is no parameter, so that Prefect never sees it."""

from contextvars import ContextVar

from prefect import flow
from prefect.artifacts import create_link_artifact
from prefect.logging import get_run_logger
from prefect.states import Failed, State

from planimeter.export.atomic import ExportError
from planimeter.flows.build import REFUSED
from planimeter.flows.display.artifacts import FAULTS
from planimeter.flows.display.flow_names import PUBLISH_FLOW
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.service.hub import Tell, plan, publish_folder
from planimeter.flows.store.storage import local

#: Gets each line that the flow logs, too.
LISTENER: ContextVar[Tell | None] = ContextVar("listener", default=None)


@flow(name=PUBLISH_FLOW)
def publish_dataset(
    folder: str, repo: str, private: bool = False, dry_run: bool = False
) -> dict[str, object] | State[object]:
    """Publish a built dataset to the Hub as its version, verified before and compared after; again, it does nothing.

    Args:
        folder: Folder <dataset>/<version> of a built dataset, on the machine that runs the flow.
        repo: Repository on the Hub, as owner/name; it is created if there is none.
        private: Make a new repository private.
        dry_run: Only say what would change.
    """
    log, listener = get_run_logger(), LISTENER.get()

    def tell(line: str) -> None:
        log.info("%s", line)
        if listener:
            listener(line)

    try:
        done = publish_folder(local(folder), repo, private=private, dry_run=dry_run, tell=tell)
    except (PlanimeterError, ExportError) as error:
        return Failed(name=REFUSED, message=str(error))
    if dry_run:
        # No artifact: there may be nothing at the address yet.
        for line in plan(done, repo):
            tell(line)
        return {"steps": list(done.steps)}
    try:
        create_link_artifact(link=done.address, link_text=f"{repo} {done.tag}", description=done.loader)
    except FAULTS as error:
        log.warning("the address could not be shown in Prefect: %s", error)
    return {"address": done.address, "loader": done.loader, "steps": list(done.steps)}
