"""Clears away what killed builds left in Prefect: flow runs, and task runs of theirs, that say RUNNING for ever.

So each run carries from its start a tag that names the dataset and the folder in which it is built; for a bucket that
is this machine's temporary folder. A build that holds the dataset's lock there knows that every other run with the tag
is dead, and marks it as crashed. What stays RUNNING all the same: a run of a deployment that was killed before its
first line (Prefect's own worker reports that one), and runs of outputs that this machine never builds in again.
"""

import secrets
from pathlib import Path
from uuid import UUID

import httpx
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import (
    FlowRunFilter,
    FlowRunFilterId,
    FlowRunFilterState,
    FlowRunFilterStateType,
    FlowRunFilterTags,
    TaskRunFilter,
    TaskRunFilterId,
    TaskRunFilterState,
    TaskRunFilterStateType,
)
from prefect.client.schemas.objects import StateType
from prefect.exceptions import PrefectException
from prefect.logging import get_run_logger
from prefect.runtime import flow_run
from prefect.states import Crashed, State

from planimeter.flows.store.place import Place

#: States of a run that has begun and not ended; one that is scheduled for later has not begun.
UNDER_WAY = [StateType.PENDING, StateType.RUNNING, StateType.CANCELLING]
_FLOW_UNDER_WAY = FlowRunFilterState(type=FlowRunFilterStateType(any_=UNDER_WAY))

#: A build that is stopped says so of itself, and has a second to tell of its last tasks, which may be too short.
_CUT_SHORT = [*UNDER_WAY, StateType.CRASHED, StateType.FAILED, StateType.CANCELLED]
_FLOW_CUT_SHORT = FlowRunFilterState(type=FlowRunFilterStateType(any_=_CUT_SHORT))
_TASK_UNDER_WAY = TaskRunFilter(state=TaskRunFilterState(type=TaskRunFilterStateType(any_=UNDER_WAY)))


def mark_of(place: Place) -> str:
    """Return the tag of all runs that build the dataset of ``place`` under its lock.

    Raises ``OSError`` if the folder of the locks has no name yet and cannot be written.
    """
    locks = Path(place.lock().lock_file).parent
    # A random name, which is that of an empty file: a path may be in use on more than one machine.
    names = sorted(path.name for path in locks.glob("folder-*"))
    if not names:
        names = [f"folder-{secrets.token_hex(8)}"]
        locks.mkdir(parents=True, exist_ok=True)
        (locks / names[0]).touch()
    return f"planimeter-{place.recipe.dataset}-{names[0]}"


def mark_crashed(place: Place) -> None:
    """Mark the runs of earlier, killed builds of this dataset as crashed. Call it while the lock is held.

    A build outside of any run, by a call from Python, has no server to tell.
    """
    if not flow_run.id:
        return
    try:
        mark = mark_of(place)
        with get_client(sync_client=True) as client:
            if mark not in flow_run.tags:
                # Begun by a deployment, which did not know where it would build.
                client.update_flow_run(UUID(flow_run.id), tags=[*flow_run.tags, mark])
            tagged = FlowRunFilterTags(all_=[mark])
            found = client.read_flow_runs(flow_run_filter=FlowRunFilter(tags=tagged, state=_FLOW_UNDER_WAY))
            dead = [run for run in found if str(run.id) != flow_run.id]
            # The run of a collection is in the same process as that of its dataset: what killed one killed both.
            calls = [run.parent_task_run_id for run in dead if run.parent_task_run_id]
            above = client.read_flow_runs(
                flow_run_filter=FlowRunFilter(state=_FLOW_UNDER_WAY),
                task_run_filter=TaskRunFilter(id=TaskRunFilterId(any_=calls)),
            )
            crashed: State[object] = Crashed(message="killed; the next build went on from its shards")
            own, others = FlowRunFilter(tags=tagged, state=_FLOW_CUT_SHORT), FlowRunFilterId(any_=[r.id for r in above])
            for runs in (own, FlowRunFilter(id=others)):
                for task_run in client.read_task_runs(flow_run_filter=runs, task_run_filter=_TASK_UNDER_WAY):
                    if str(task_run.flow_run_id) != flow_run.id:
                        client.set_task_run_state(task_run.id, crashed, force=True)
            # Last: if this is cut short, the next build finds the runs again.
            for run_id in dict.fromkeys(run.id for run in (*above, *dead)):
                client.set_flow_run_state(run_id, crashed, force=True)
    except (PrefectException, httpx.HTTPError, OSError, ValueError) as error:
        get_run_logger().warning("the run of a killed build could not be marked as crashed: %s", error)
