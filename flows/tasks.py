"""The tasks and flows of our runs as Prefect's API and UI list them: names, tags, retries, and the states in which they
end. No work is done here.

Each has a name of its own in this module, so that its key stays the same from run to run. What it does comes in a
context variable: a step knows the recipe, the folder and the workers of one build, which are no parameters: Prefect
would store them, and its graph would draw the edge between two steps once for each. A tag on a mapped task lets its
users limit it (``prefect concurrency-limit create make-shard 4``).

Two of Prefect's means are not used. Caching: a result of ours is found by the content that decides it, also where no
server remembers the run (``flows/store/``); a task that finds one ends as ``Cached``. Retries, but for an upload: the
work of a worker that dies is tried again by the pool of workers, and a fault of the work itself would come again.
"""

import logging
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from prefect import Flow, Task, flow, task
from prefect.assets import Asset
from prefect.exceptions import FailedRun
from prefect.states import Cancelled, Completed, Failed, State
from prefect.tasks import MaterializingTask

from planimeter.flows.errors import PlanimeterError, StoppedError
from planimeter.flows.store.bucket import StoreError

Result = TypeVar("Result")

#: The name of the state of a run that ended in a message to the user.
REFUSED = "Refused"

#: The name of the state of a build that found its dataset built and sound.
UNCHANGED = "Unchanged"

#: The state of a mapped task that found an earlier result.
CACHED = "Cached"

#: What the step under way does.
_CALL: ContextVar[Callable[[], object]] = ContextVar("call")


def refused(error: Exception) -> State[object]:
    """Return the state of a run that a user's mistake ended; ``error`` is the whole message.

    Prefect logs the failure of a deployment's run with a stack trace of Prefect's frames; that message replaces it.
    """
    logging.getLogger("prefect.flow_runs").addFilter(_only_message)
    return Failed(name=REFUSED, message=str(error))


def settled(function: Callable[[], Result]) -> Result | State[object]:
    """Return ``function()``, or the state of a step that it cannot finish: no fault of ours, so without a stack trace.

    The result of that state is the exception.
    """
    try:
        return function()
    except StoppedError as error:
        return Cancelled(message=str(error), data=error)
    except PlanimeterError as error:
        return Failed(name=REFUSED, message=str(error), data=error)


def _only_message(record: logging.LogRecord) -> bool:
    if record.exc_info and isinstance(record.exc_info[1], FailedRun):
        record.msg, record.args, record.exc_info = str(record.exc_info[1]), (), None
    return True


def run(
    step: Callable[..., object], function: Callable[[], Result], before: Sequence[State[Any]]
) -> tuple[Result, State[object]]:
    """Return ``function()``, run as ``step``, a task or flow of this module, behind the runs of the states ``before``,
    and the state of its run.
    """
    # Prefect would search and store a result, so it is kept here and not returned.
    results: list[Result] = []
    token = _CALL.set(lambda: results.append(function()))
    try:
        state = cast("State[object]", step(wait_for=before, return_state=True))
    finally:
        _CALL.reset(token)
    state.result()
    return results[0], state


@dataclass(frozen=True)
class Mapped(Generic[Result]):
    """What a mapped task does: it looks for an earlier result, and works where there is none."""

    find: Callable[[], Result | None]
    work: Callable[[], Result]

    def settle(self) -> Result | State[object]:
        """Return the result, or the state that holds it, or that of a task that ends in a message to the user."""
        earlier = self.find()
        return settled(self.work) if earlier is None else Completed(name=CACHED, data=earlier)


def delivering(step: Task[..., object], asset: Asset) -> MaterializingTask[..., object]:
    """Return ``step`` as the task that makes ``asset``, which is known when its run begins."""
    options = ("name", "task_run_name", "retries", "retry_delay_seconds", "retry_condition_fn", "persist_result")
    return MaterializingTask(step.fn, assets=[asset], **{name: getattr(step, name) for name in options})


Run = TypeVar("Run", Task[..., object], Flow[..., object])


def _named(name: str, meaning: str, function: Callable[..., object], kind: Callable[..., Run], **options: Any) -> Run:
    """Return ``function`` as the task or flow of this module that is called ``name`` and described by ``meaning``."""
    function.__name__ = function.__qualname__ = name.replace("-", "_")
    function.__doc__ = meaning
    return kind(function, name=name, persist_result=False, **options)


def _step(name: str, meaning: str, **options: Any) -> Task[..., object]:
    """Return a single step."""
    return _named(name, meaning, lambda: settled(_CALL.get()), task, task_run_name=name, **options)


def _fold(name: str, meaning: str) -> Flow[..., object]:
    """Return a step whose tasks are mapped."""
    return _named(name, meaning, lambda: settled(_CALL.get()), flow)


def _each(name: str, meaning: str) -> Task[..., object]:
    """Return a mapped task; what it is given are the name of its run and what it does."""

    def each(label: str, mapped: Mapped[object]) -> object:  # noqa: ARG001 - the name of the run
        return mapped.settle()

    return _named(name, meaning, each, task, task_run_name="{label}", tags=[name])


def _is_fault_of_store(_task: Task[..., object], _run: object, state: State[object]) -> bool:
    return isinstance(state.data, StoreError)


# The steps of a build, in order.
plan = _step("plan", "List the shards of the recipe.")
make_shards = _fold("make-shards", "Generate, filter, render and certify the items of all shards.")
make_shard = _each("make-shard", "Make one shard.")
select = _step("select", "Choose which items are published.")
write_parts = _fold("write-parts", "Write the Parquet files.")
write_part = _each("write-part", "Write one Parquet file.")
describe = _step("describe", "Write manifest, Croissant, report and card.")
verify_parts = _fold("verify-parts", "Verify the dataset from its folder alone.")
verify_part = _each("verify-part", "Verify one Parquet file.")
commit = _step("commit", "Give the folder its name.")
upload = _step(
    "upload",
    "Take the dataset to its bucket.",
    retries=3,
    retry_delay_seconds=[10, 30, 90],
    retry_condition_fn=_is_fault_of_store,
)

# Of an import, before `select`.
read_corpora = _step("read-corpora", "Read the files of the corpora, a chunk at a time.")
curate_chunks = _fold("curate-chunks", "Judge the problems.")
curate_chunk = _each("curate-chunk", "Judge the problems of one chunk.")

# Of a sample; `write`, too, is a single step there.
read_strata = _step("read-strata", "Read which rows lie in which stratum.")
write = _step("write", "Write the sample.")
verify = _step("verify", "Verify the sample.")
