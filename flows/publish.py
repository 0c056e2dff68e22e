"""Publishes a built dataset to the Hub as a Prefect flow, and compares versions wherever they are.

The token is read by the client itself, from the environment or from its own store, in the process that publishes. It
is no parameter, so Prefect never sees it; and no line that is logged, shown or raised contains it.
"""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated, Any

import httpx2
from huggingface_hub import HfApi, set_client_factory
from huggingface_hub.utils import disable_progress_bars, logging
from prefect import flow
from prefect.artifacts import create_link_artifact
from prefect.logging import get_run_logger
from prefect.states import Failed
from pydantic import Field

from export.atomic import ExportError
from export.diff import Difference, diff
from export.hub import Published, Target, publish
from export.hub_faults import Patience
from export.verify import verify
from export.versions import Folder, Revision, Version
from flows.artifacts import FAULTS
from flows.build import REFUSED
from flows.errors import PlanimeterError
from flows.names import PUBLISH_FLOW

#: Seconds that the Hub may take to answer; without a limit, which the client does not have, a run could wait for ever.
TIMEOUT = httpx2.Timeout(30, read=120, write=120)

_REVISION = re.compile(r"([\w.-]+/[\w.-]+)@([\w.-]+)")

Tell = Callable[[str], object]

_TELL: ContextVar[Tell | None] = ContextVar("tell", default=None)


def publish_folder(folder: Path, repo: str, *, private: bool, dry_run: bool, tell: Tell) -> Published:
    """Verify ``folder`` and publish it; see ``export.hub``. Raises ``PlanimeterError`` with one line."""
    problems = verify(folder)
    if problems:
        raise PlanimeterError(
            f"{folder} is not published, it breaks {len(problems)} promise{'s' if len(problems) > 1 else ''} "
            f"({problems[0]}); `planimeter verify {folder}` lists all"
        )
    try:
        target = Target(repo=repo, private=private)
        return publish(folder, target, api=client(), sleep=time.sleep, tell=tell, dry_run=dry_run)
    except ExportError as error:
        raise PlanimeterError(str(error)) from None


def compare(old: str, new: str, tell: Tell) -> Difference:
    """Return what differs between two versions, each a folder or ``owner/name@tag``."""
    try:
        return diff(_version(old, tell), _version(new, tell))
    except ExportError as error:
        raise PlanimeterError(str(error)) from None


def client() -> HfApi:
    """Return the client, with a time limit; its own log, which names signed addresses, is kept quiet."""
    logging.set_verbosity_error()
    disable_progress_bars()
    set_client_factory(lambda: httpx2.Client(follow_redirects=True, timeout=TIMEOUT))
    return HfApi(library_name="planimeter")


@contextmanager
def telling(tell: Tell) -> Iterator[None]:
    """Pass each line that the flow logs within to ``tell`` too."""
    token = _TELL.set(tell)
    try:
        yield
    finally:
        _TELL.reset(token)


def _version(named: str, tell: Tell) -> Version:
    remote = _REVISION.fullmatch(named)
    if Path(named).exists() or not remote:
        return Folder(Path(named))
    return Revision(client(), remote[1], remote[2], Patience(time.sleep, tell).persist)


@flow(name=PUBLISH_FLOW)
def publish_dataset(
    folder: Annotated[str, Field(description="Folder <dataset>/<version> of a built dataset.")],
    repo: Annotated[str, Field(description="Repository on the Hub, as owner/name.")],
    private: Annotated[bool, Field(description="Make a new repository private.")] = False,
    dry_run: Annotated[bool, Field(description="Only say what would change.")] = False,
) -> Any:
    """Publish a built dataset to the Hub as its version, verified before and compared after; again, it does nothing.

    Args:
        folder: Folder <dataset>/<version> of a built dataset, on the machine that runs the flow.
        repo: Repository on the Hub, as owner/name; it is created if there is none.
        private: Make a new repository private.
        dry_run: Only say what would change.
    """
    log, listener = get_run_logger(), _TELL.get()

    def tell(line: str) -> None:
        log.info("%s", line)
        if listener:
            listener(line)

    try:
        done = publish_folder(Path(folder), repo, private=private, dry_run=dry_run, tell=tell)
    except PlanimeterError as error:
        return Failed(name=REFUSED, message=str(error))
    try:
        create_link_artifact(link=done.address, link_text=f"{repo} {done.tag}", description=done.loader)
    except FAULTS as error:
        log.warning("the address could not be shown in Prefect: %s", error)
    return {"address": done.address, "loader": done.loader, "steps": list(done.steps)}
