"""Hooks of Prefect that end the sub-runs and tasks of a run that was killed, cancelled or suspended.

Otherwise they stay `Running`: a killed process cannot report how they ended, and Prefect's worker reports only the run
itself. The hooks run in the process of the run if it is alive, otherwise in the worker.
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

#: The types of state of a run that has begun and not ended.
UNDER_WAY = (StateType.PENDING, StateType.RUNNING, StateType.PAUSED, StateType.CANCELLING)

TASKS_UNDER_WAY = TaskRunFilter(state=TaskRunFilterState(type=TaskRunFilterStateType(any_=list(UNDER_WAY))))


@contextmanager
def suspendable() -> Iterator[None]:
    """Cancel the sub-runs and tasks of the current run if it is suspended in this block; Prefect has no hook for that.

    If the run is resumed later, new sub-runs continue the work. If it is cancelled later, no process is left that could
    end the old ones.
    """
    try:
        yield
    except Pause:
        context = FlowRunContext.get()
        if context and context.flow_run:
            end_within(context.flow, context.flow_run, Cancelling(message="suspended"))
        raise


def end_within(flow: Flow[..., object] | None, flow_run: FlowRun, state: State[object]) -> None:  # noqa: ARG001 - Prefect's
    """Set unfinished sub-runs and tasks of ``flow_run`` to Cancelled if the run was cancelled, otherwise to Crashed.

    The state on the server is read, too, since a worker can report a crash when a cancellation kills its process.
    """
    with get_client(sync_client=True) as client:
        now = client.read_flow_run(flow_run.id).state or state
        is_cancelled = any(each.is_cancelling() or each.is_cancelled() for each in (state, now))
        kind = Cancelled if is_cancelled else Crashed
        ended: State[object] = kind(message=f"the whole run ended: {state.message}")
        runs = [flow_run, *_within(client, flow_run.id)]
        for run in reversed(runs):
            # Unfinished tasks fit into one page of the API: there are a few for each core.
            for task_run in client.read_task_runs(
                flow_run_filter=FlowRunFilter(id=FlowRunFilterId(any_=[run.id])), task_run_filter=TASKS_UNDER_WAY
            ):
                client.set_task_run_state(task_run.id, ended, force=True)
            if run is not flow_run and run.state_type in UNDER_WAY:
                client.set_flow_run_state(run.id, ended, force=True)


def _within(client: SyncPrefectClient, flow_run: UUID) -> Iterator[FlowRun]:
    """Yield the direct and indirect sub-runs of ``flow_run``, each parent before its children."""
    above = FlowRunFilter(parent_flow_run_id=FlowRunFilterParentFlowRunId(any_=[flow_run]))
    for run in client.read_flow_runs(flow_run_filter=above):
        yield run
        yield from _within(client, run.id)
