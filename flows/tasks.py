"""The tasks and flows of our runs as Prefect's API and UI list them: names, tags and retries. No work is done here.

Each is a function of this module, so that its key stays the same from run to run. What it does comes in a context
variable: a step knows the recipe, the folder and the workers of one build, which are no parameters: Prefect would store
them, and its graph would draw the edge between two steps once for each. A tag on a mapped task lets its users limit it
(``prefect concurrency-limit create make-shard 4``).

Two of Prefect's means are not used. Caching: a result of ours is found by the content that decides it, also where no
server remembers the run (``flows/store/``); a task that finds one ends as ``Cached``. Retries, but for an upload: the
work of a worker that dies is tried again by the pool of workers, and a fault of the work itself would come again.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Generic, TypeVar

from prefect import Task, flow, task
from prefect.assets import Asset
from prefect.states import Completed, State
from prefect.tasks import MaterializingTask

from planimeter.flows.states import settled
from planimeter.flows.store.bucket import StoreError

Result = TypeVar("Result")


#: The state of a mapped task that found an earlier result.
CACHED = "Cached"

#: What the step under way does.
_CALL: ContextVar[Callable[[], object]] = ContextVar("call")


def run(
    step: Callable[..., Any], function: Callable[[], Result], before: list[State[Any]]
) -> tuple[Result, State[object]]:
    """Return ``function()``, run as ``step``, a task or flow of this module, behind the runs of the states ``before``,
    and the state of its run.
    """
    # Prefect would search and store a result, so it is kept here and not returned.
    results: list[Result] = []
    token = _CALL.set(lambda: results.append(function()))
    try:
        state: State[object] = step(wait_for=before, return_state=True)
    finally:
        _CALL.reset(token)
    state.result()
    return results[0], state


def settle() -> object:
    """Do what the step under way is to do; returns the state of one that ends in a message to the user, else None."""
    return settled(_CALL.get())


class Mapped(Generic[Result]):
    """What a mapped task does: it looks for an earlier result, and works where there is none."""

    def __init__(self, find: Callable[[], Result | None], work: Callable[[], Result]) -> None:
        self.find, self.work = find, work

    def settle(self) -> Result | State[Any]:
        """Return the result, or the state that holds it, or that of a task that ends in a message to the user."""
        earlier = self.find()
        return settled(self.work) if earlier is None else Completed(name=CACHED, data=earlier)


def delivering(step: Task[..., Any], asset: Asset) -> MaterializingTask[..., Any]:
    """Return ``step`` as the task that makes ``asset``, which is known when its run begins."""
    options = ("name", "task_run_name", "retries", "retry_delay_seconds", "retry_condition_fn", "persist_result")
    return MaterializingTask(step.fn, assets=[asset], **{name: getattr(step, name) for name in options})


def _is_fault_of_store(_task: Task[..., Any], _run: object, state: State[Any]) -> bool:
    return isinstance(state.data, StoreError)


# The steps of a build, in order.


@task(name="plan", task_run_name="plan", persist_result=False)
def plan() -> object:
    """List the shards of the recipe."""
    return settle()


@flow(name="make-shards", persist_result=False)
def make_shards() -> object:
    """Generate, filter, render and certify the items of all shards."""
    return settle()


@task(name="make-shard", task_run_name="{label}", tags=["make-shard"], persist_result=False)
def make_shard(label: str, mapped: Mapped[Any]) -> object:  # noqa: ARG001 - the name of the run
    """Make one shard."""
    return mapped.settle()


@task(name="select", task_run_name="select", persist_result=False)
def select() -> object:
    """Choose which items are published."""
    return settle()


@flow(name="write-parts", persist_result=False)
def write_parts() -> object:
    """Write the Parquet files."""
    return settle()


@task(name="write-part", task_run_name="{label}", tags=["write-part"], persist_result=False)
def write_part(label: str, mapped: Mapped[Any]) -> object:  # noqa: ARG001 - the name of the run
    """Write one Parquet file."""
    return mapped.settle()


@task(name="describe", task_run_name="describe", persist_result=False)
def describe() -> object:
    """Write manifest, Croissant, report and card."""
    return settle()


@flow(name="verify-parts", persist_result=False)
def verify_parts() -> object:
    """Verify the dataset from its folder alone."""
    return settle()


@task(name="verify-part", task_run_name="{label}", tags=["verify-part"], persist_result=False)
def verify_part(label: str, mapped: Mapped[Any]) -> object:  # noqa: ARG001 - the name of the run
    """Verify one Parquet file."""
    return mapped.settle()


@task(name="commit", task_run_name="commit", persist_result=False)
def commit() -> object:
    """Give the folder its name."""
    return settle()


@task(
    name="upload",
    task_run_name="upload",
    persist_result=False,
    retries=3,
    retry_delay_seconds=[10, 30, 90],
    retry_condition_fn=_is_fault_of_store,
)
def upload() -> object:
    """Take the dataset to its bucket."""
    return settle()


# Of an import, before `select`.


@task(name="deduplicate", task_run_name="deduplicate", persist_result=False)
def deduplicate() -> object:
    """Read the files of the corpora, and drop problems that repeat an earlier one."""
    return settle()


@flow(name="curate-chunks", persist_result=False)
def curate_chunks() -> object:
    """Judge the problems."""
    return settle()


@task(name="curate-chunk", task_run_name="{label}", tags=["curate-chunk"], persist_result=False)
def curate_chunk(label: str, mapped: Mapped[Any]) -> object:  # noqa: ARG001 - the name of the run
    """Judge the problems of one chunk."""
    return mapped.settle()


# Of a sample; `write`, too, is a single step there.


@task(name="read-strata", task_run_name="read-strata", persist_result=False)
def read_strata() -> object:
    """Read which rows lie in which stratum."""
    return settle()


@task(name="write", task_run_name="write", persist_result=False)
def write() -> object:
    """Write the sample."""
    return settle()


@task(name="verify", task_run_name="verify", persist_result=False)
def verify() -> object:
    """Verify the sample."""
    return settle()
