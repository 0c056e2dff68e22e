"""The steps of a build as tasks and flows of Prefect; ``build.py`` calls them in their order.

A step over many shards or files is a separate flow with one task for each shard or file. Prefect's cache resumes it:
the cache key of a task is a digest of all inputs of its result, and the result, a small record, is stored in the store
of the build.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from pathlib import Path
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar, cast

from prefect import Flow, Task, flow, task, unmapped
from prefect.assets import Asset, materialize
from prefect.context import FlowRunContext, TaskRunContext
from prefect.exceptions import FailedRun
from prefect.futures import PrefectFuture, as_completed
from prefect.logging import get_run_logger
from prefect.runtime import task_run
from prefect.states import Failed, State
from prefect.task_runners import ThreadPoolTaskRunner
from prefect.utilities.annotations import opaque, quote
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from planimeter.export.atomic import Staging
from planimeter.export.parquet import FileRecord
from planimeter.export.verify.folder import verify
from planimeter.export.verify.part import Checked, Job, check
from planimeter.flows import parts, work, writing
from planimeter.flows.blocks import SERIALIZER, results_in
from planimeter.flows.display import events
from planimeter.flows.display.bars import Stage, bars
from planimeter.flows.errors import PlanimeterError, ShortfallError, StoreError, WorkerLostError
from planimeter.flows.parts import Part
from planimeter.flows.secret import Sealed
from planimeter.flows.selection import Selection, Selector
from planimeter.flows.shards import Planned, Shard, ShardRecord
from planimeter.flows.store import disk, keys
from planimeter.flows.store.place import Place
from planimeter.flows.store.storage import Store
from planimeter.flows.store.tables import is_whole
from planimeter.flows.workers.calls import Workers
from planimeter.suites.base import Recipe
from planimeter.suites.loading import Values

P = ParamSpec("P")
R = TypeVar("R")

#: Names of final states: the run ended with a message to the user, or had nothing to do.
REFUSED, UNCHANGED = "Refused", "Unchanged"

#: Prefect's name of the final state of a task whose result was in the cache.
CACHED = "Cached"

#: The number of threads that compare the files of cached results with their hashes.
CHECKS = 16

#: Repetitions of a call whose worker died (the last one runs alone, ``workers/calls.py``), and seconds before each.
RETRIES, RETRY_SECONDS = 2, [1, 3]

#: The conversion of each type of result from and to JSON.
SHARD_RECORD, FILE_RECORD, CHECKED = TypeAdapter(ShardRecord), TypeAdapter(FileRecord), TypeAdapter(Checked)


class Batch(BaseModel, frozen=True, arbitrary_types_allowed=True):
    """The items of a step with one task for each item. As a flow's parameter, it is stored by Prefect without items."""

    count: int
    items: Sequence[Any] = Field(exclude=True, repr=False)

    @classmethod
    def of(cls, items: Iterable[Any]) -> "Batch":
        """Return the batch of ``items``."""
        listed = tuple(items)
        return cls(count=len(listed), items=listed)


def as_one(value: R) -> R:
    """Wrap ``value``, an argument of a task or flow, so that Prefect does not search it for results of other tasks.

    The search would visit every item of a large list.
    """
    return cast("R", opaque(value))


def in_threads(step: Flow[P, R], workers: Workers) -> Flow[P, R]:
    """Return the flow ``step`` with enough threads for its tasks to keep all ``workers`` busy."""
    threads: Any = ThreadPoolTaskRunner(max_workers=workers.threads)
    return step.with_options(task_runner=threads)


def refusing(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate the ``function`` of a flow: if it raises ``PlanimeterError``, the run ends in the state ``Refused``.

    Do not decorate tasks: if a task returns a failed state, Prefect returns that to the caller and raises nothing.
    """

    @wraps(function)
    def refuses(*given: P.args, **named: P.kwargs) -> R:
        try:
            return function(*given, **named)
        except PlanimeterError as error:
            return cast("R", Failed(name=REFUSED, message=str(error), data=error))

    return refuses


def content_key(_: TaskRunContext, parameters: dict[str, Any]) -> str:
    """Return the cache key of a task: its parameter ``key``, a digest that the caller computed."""
    return str(parameters["key"])


def is_passing(_task: Task[..., Any], _run: object, state: State[Any]) -> bool:
    """True if a failed task is worth repeating, since a worker died or a store did not answer."""
    return isinstance(state.data, (StoreError, WorkerLostError))


#: Options of mapped tasks: how they are repeated; and in addition how their results are cached.
RETRIED: dict[str, Any] = {"retries": RETRIES, "retry_delay_seconds": RETRY_SECONDS, "retry_condition_fn": is_passing}
KEPT: dict[str, Any] = {
    "cache_key_fn": content_key,
    "cache_result_in_memory": False,
    "persist_result": True,
    "result_serializer": SERIALIZER,
    **RETRIED,
}


@task(name="plan", task_run_name="plan", persist_result=False)
def plan(place: Place) -> Batch:
    """Return the shards of the recipe, each with its cache key; log the disk space that the build needs."""
    planned = keys.plan(place.recipe, place.sealed)
    get_run_logger().info(disk.require(place, planned))
    return Batch.of(planned)


@task(name="make-shard", task_run_name="{shard}", tags=["make-shard"], **KEPT)
def make_shard(
    shard: Shard, key: str, recipe: Values, store: str, workers: Workers, sealed: Sealed | None = None
) -> Values:
    """Generate, filter, render and certify the items of one shard, and store them; return its record."""
    seed = "sealed" if sealed else recipe["seed"]
    get_run_logger().info("recipe %s, seed %s, cache key %s", recipe["dataset"], seed, key)
    record = workers.call(f"shard {shard}", task_run.run_count, work.make_shard, recipe, shard, store, sealed)
    return record.model_dump(mode="json")


@flow(name="generate", flow_run_name="{shards.count} shards", validate_parameters=False, persist_result=False)
@refusing
def make_shards(recipe: Recipe, shards: Batch, store: str, workers: Workers, sealed: Sealed | None = None) -> quote:
    """Make all shards; return the list of their records, quoted so that Prefect does not search it for results."""
    planned: Sequence[Planned] = shards.items
    opened, values = Store(store), recipe.model_dump(mode="json")

    def is_kept(key: str, record: ShardRecord) -> bool:
        return record.key == key and is_whole(record, opened)

    items, content_keys = [shard for shard, _ in planned], [key for _, key in planned]
    step = Step("generate", make_shard, opened, (values, store, workers, sealed), SHARD_RECORD, is_kept)
    return quote(run_step(step, items, content_keys, workers))


class Distinct(BaseModel, frozen=True, arbitrary_types_allowed=True):
    """The result of ``deduplicate``: the items ``chosen`` so far, and shards of new items to replace dropped items."""

    chosen: Selection
    refills: Batch


@task(name="deduplicate", task_run_name="deduplicate", persist_result=False)
def deduplicate(
    selector: Selector, shards: Batch, records: Sequence[ShardRecord], sealed: Sealed | None = None
) -> Distinct:
    """Drop items of ``shards`` that equal earlier ones or are too similar to them.

    Returns the selection from all shards so far, and shards of new items that replace dropped ones.
    """
    pairs: Iterator[tuple[Planned, ShardRecord]] = zip(shards.items, records, strict=True)
    refills = [refill for (shard, _), record in pairs for refill in selector.judge(shard, record)]
    return Distinct(chosen=selector.selection(), refills=Batch.of(keys.keyed(selector.recipe, refills, sealed)))


@task(name="sample", task_run_name="sample", persist_result=False)
def sample(recipe: Recipe, records: Sequence[ShardRecord], chosen: Selection) -> Batch:
    """Return the Parquet files to write, with the chosen items of each config and split in the order of their seeds.

    Raises ``ShortfallError`` if a quota is not filled, unless the recipe allows that.
    """
    if chosen.shortfall and not recipe.allow_shortfall:
        listed = "".join(f"\n  {line}" for line in chosen.shortfall)
        raise ShortfallError(
            f"{recipe.dataset}: these quotas could not be filled:{listed}\nRaise `attempts`, lower the quotas, or "
            "set allow_shortfall = true in the recipe to publish fewer rows"
        )
    return Batch.of(parts.parts_of(recipe, records, chosen))


@task(name="write-part", task_run_name="write {part}", tags=["write-part"], **KEPT)
def write_part(part: Part, key: str, store: str, folder: str, workers: Workers) -> Values:
    """Write one Parquet file to ``folder``, under the SHA-256 of its content; return its record."""
    get_run_logger().info("writing %s, cache key %s", part, key)
    record = workers.call(str(part), task_run.run_count, parts.write_part, part, store, folder)
    return cast("Values", FILE_RECORD.dump_python(record, mode="json"))


@flow(name="write", flow_run_name="{files.count} files", validate_parameters=False, persist_result=False)
@refusing
def write_parts(files: Batch, store: str, folder: str, workers: Workers) -> list[FileRecord]:
    """Write all Parquet files from the shards in the store to ``folder``; return their records in order."""
    target = Store(folder)

    def is_kept(_: str, record: FileRecord) -> bool:
        return target.sha256(record.path) == record.sha256

    step = Step("write", write_part, target, (store, folder, workers), FILE_RECORD, is_kept)
    return run_step(step, files.items, [keys.part_key(part) for part in files.items], workers)


@task(name="describe", task_run_name="describe", persist_result=False)
def describe(
    folder: Path,
    place: Place,
    records: Sequence[ShardRecord],
    chosen: Selection,
    files: Batch,
    written: Sequence[FileRecord],
) -> str:
    """Put the written files into ``folder``, add manifest, Croissant, report and card; return ``folder``."""
    writing.describe(folder, place, records, chosen, [*zip(files.items, written, strict=True)])
    return str(folder)


@task(name="verify-part", task_run_name="verify {job.record.path}", tags=["verify-part"], **KEPT)
def verify_part(job: Job, key: str, workers: Workers) -> Values:
    """Verify the Parquet file of ``job`` (hash, layout, rows, pictures); return the result as JSON values."""
    get_run_logger().info("verifying %s, cache key %s", job.record.path, key)
    checked = workers.call(job.record.path, task_run.run_count, check, job)
    return cast("Values", CHECKED.dump_python(checked, mode="json"))


@flow(name="verify", flow_run_name="all files", validate_parameters=False, persist_result=False)
@refusing
def verify_parts(folder: str, kept: str, workers: Workers) -> str:
    """Verify the dataset in ``folder`` from its files alone; return ``folder``.

    Results of files without a fault are cached in the store at ``kept``. Raises ``PlanimeterError`` with the problems.
    """
    dataset = Store(folder)

    def each(_: object, jobs: Iterable[Job]) -> Iterator[Checked]:
        listed = [*jobs]
        hashes = {keys.check_key(job): job.record for job in listed}

        def is_kept(key: str, checked: Checked) -> bool:
            return checked.is_clean and dataset.sha256(hashes[key].path) == hashes[key].sha256

        step = Step("verify", verify_part, Store(kept), (workers,), CHECKED, is_kept)
        yield from run_step(step, listed, [*hashes], workers)

    writing.require_sound(Path(folder), verify(Path(folder), each=each))
    return str(Path(folder))


@materialize("file://dataset", name="commit", task_run_name="commit", persist_result=False)
def commit(staging: Staging, verified: str, asset: Asset) -> None:
    """Rename the ``verified`` folder to its final name, after which the dataset exists."""
    get_run_logger().info("renaming %s to %s", verified, staging.final)
    staging.commit()
    events.describe_asset(asset, staging.final)


@materialize(
    "s3://dataset",
    name="upload",
    task_run_name="upload",
    persist_result=False,
    retries=3,
    retry_delay_seconds=[10, 30, 90],
    retry_condition_fn=is_passing,
)
def upload(place: Place, asset: Asset) -> None:
    """Upload the dataset to its bucket."""
    with bars(get_run_logger().info) as progress:
        place.deliver(progress)
    events.describe_asset(asset, place.folder)


class Step(NamedTuple, Generic[R]):
    """A task to call once for each item; ``name`` is shown on its progress bar.

    Each call gets an item, its key and the arguments ``given``. Results are cached in the store ``results`` and parsed
    by ``adapter``; ``is_kept(key, result)`` is True if the files of a cached result are complete and undamaged.
    """

    name: str
    task: Task[..., Any]
    results: Store
    given: tuple[object, ...]
    adapter: TypeAdapter[R]
    is_kept: Callable[[str, R], bool]

    def mapped(self, items: Sequence[object], keys: Sequence[str], stage: Stage, *, refresh: bool) -> list[R | None]:
        """Return the result of each item; None for a cached result that is damaged, or whose file is damaged.

        With ``refresh``, every result is computed again; ``stage`` is the progress bar.
        """
        task = self.task.with_options(result_storage=results_in(self.results))
        # Without `refresh`, Prefect's setting decides (PREFECT_TASKS_REFRESH_CACHE).
        task = task.with_options(refresh_cache=True) if refresh else task
        given = (unmapped(quote(value)) for value in self.given)
        futures = [*task.map([quote(item) for item in items], keys, *given)]
        for future in as_completed(futures):
            future.result()
            stage.advance(worked=future.state.name != CACHED)
        with ThreadPoolExecutor(CHECKS) as threads:
            # If the store is a bucket, this downloads each file of a cached result.
            return [*threads.map(self._result, keys, futures)]

    def _result(self, key: str, future: PrefectFuture[Any]) -> R | None:
        try:
            result = self.adapter.validate_python(future.result())
        except ValidationError:
            return None
        return result if future.state.name != CACHED or self.is_kept(key, result) else None


def run_step(step: Step[R], items: Sequence[object], keys: Sequence[str], workers: Workers) -> list[R]:
    """Return the results of ``step`` for ``items`` with these cache ``keys``; damaged cached ones are computed again.

    After an error, ``workers`` are stopped.
    """
    try:
        with bars(get_run_logger().info) as progress:
            stage = progress.stage(step.name, len(items))
            results = step.mapped(items, keys, stage, refresh=False)
            damaged = [number for number, result in enumerate(results) if result is None]
            if damaged:
                get_run_logger().warning("%d cached results are damaged, and are computed again", len(damaged))
                chosen = [items[n] for n in damaged], [keys[n] for n in damaged]
                for number, result in zip(damaged, step.mapped(*chosen, stage, refresh=True), strict=True):
                    results[number] = result
        return [result for result in results if result is not None]
    except BaseException:
        # At the same time: Prefect drops the waiting tasks, which otherwise would start and fail one by one, and then
        # waits for the running ones, which wait for the workers.
        running = FlowRunContext.get()
        with ThreadPoolExecutor(1) as thread:
            if running and isinstance(running.task_runner, ThreadPoolTaskRunner):
                thread.submit(running.task_runner.cancel_all)
            workers.stop()
        raise


def _only_message(record: logging.LogRecord) -> bool:
    """Reduce the log record of an error that a user caused to its message, without a stack trace.

    A filter of the logging module, which always returns True to keep the record.
    """
    if record.exc_info and isinstance(record.exc_info[1], (FailedRun, PlanimeterError)):
        record.msg, record.args, record.exc_info = str(record.exc_info[1]), (), None
    return True


for _name in ("prefect.flow_runs", "prefect.task_runs"):
    logging.getLogger(_name).addFilter(_only_message)
