"""What Prefect calls when one of our runs ends before its time, so that nothing within it stays `Running` for ever.

A run whose process was killed cannot report how its sub-runs and tasks ended, and Prefect's worker reports only the run
itself. These hooks do the rest at once: in the process of the run where that still lives, else from the worker.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import (
    FlowRunFilter,
    FlowRunFilterId,
    FlowRunFilterParentFlowRunId,
    TaskRunFilter,
    TaskRunFilterState,
    TaskRunFilterStateType,
)
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.context import FlowRunContext
from prefect.exceptions import Pause
from prefect.flows import Flow
from prefect.states import Cancelled, Cancelling, Crashed, State

#: States of a run that has begun and not ended.
UNDER_WAY = (StateType.PENDING, StateType.RUNNING, StateType.PAUSED, StateType.CANCELLING)

#: Runs that the server returns at once, at the most.
PAGE = 200


@contextmanager
def suspendable() -> Iterator[None]:
    """Cancel what is under way within the run of this block if it is suspended, for which Prefect has no hook.

    A resumed run goes on with it. One that is cancelled instead has no process any more that could end it.
    """
    try:
        yield
    except Pause:
        context = FlowRunContext.get()
        if context and context.flow_run:
            end_within(context.flow, context.flow_run, Cancelling(message="suspended"))
        raise


def end_within(flow: Flow[..., object] | None, flow_run: FlowRun, state: State[object]) -> None:  # noqa: ARG001 - Prefect's
    """End the runs and tasks within ``flow_run`` that are under way as it ended itself: in ``state``."""
    kind = Cancelled if state.is_cancelling() else Crashed
    ended: State[object] = kind(message=f"the whole run ended: {state.message}")
    with get_client(sync_client=True) as client:
        runs = [flow_run, *_within(client, flow_run.id)]
        for run in reversed(runs):
            for task_run in _tasks_under_way(client, run.id):
                client.set_task_run_state(task_run, ended, force=True)
            if run is not flow_run and run.state_type in UNDER_WAY:
                client.set_flow_run_state(run.id, ended, force=True)


def _within(client: SyncPrefectClient, flow_run: UUID) -> Iterator[FlowRun]:
    """Yield the runs that ``flow_run`` called, those that they called, and so on: each behind its caller."""
    above = FlowRunFilterParentFlowRunId(any_=[flow_run])
    offset = 0
    while page := client.read_flow_runs(
        flow_run_filter=FlowRunFilter(parent_flow_run_id=above), limit=PAGE, offset=offset
    ):
        offset += PAGE
        for run in page:
            yield run
            yield from _within(client, run.id)


def _tasks_under_way(client: SyncPrefectClient, flow_run: UUID) -> list[UUID]:
    """Return the task runs of ``flow_run`` that have not ended."""
    state = TaskRunFilterState(type=TaskRunFilterStateType(any_=list(UNDER_WAY)))
    tasks: list[UUID] = []
    while page := client.read_task_runs(
        flow_run_filter=FlowRunFilter(id=FlowRunFilterId(any_=[flow_run])),
        task_run_filter=TaskRunFilter(state=state),
        limit=PAGE,
        offset=len(tasks),
    ):
        tasks += (task_run.id for task_run in page)
    return tasks
