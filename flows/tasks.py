"""The steps of a build as tasks and flows of Prefect; ``build.py`` calls them in their order.

A step over many shards or files is a separate flow, with one task for each. Prefect's cache resumes it: the key of a
task is a digest of all inputs of its result, and the result, a small record, is in the store of the build.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from pathlib import Path
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar, cast

from prefect import Flow, Task, flow, task, unmapped
from prefect.assets import Asset, materialize
from prefect.context import TaskRunContext
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

#: The names of states in which runs end: with a message to the user, and without anything to do.
REFUSED, UNCHANGED = "Refused", "Unchanged"

CACHED = "Cached"

#: Cached results whose files are compared with their hashes at the same time.
CHECKS = 16

#: Attempts at a call whose worker died: two among others, and one alone. Seconds before the second and the third.
RETRIES, RETRY_SECONDS = 2, [1, 3]

#: Conversion of results from and to JSON.
SHARD_RECORD, FILE_RECORD, CHECKED = TypeAdapter(ShardRecord), TypeAdapter(FileRecord), TypeAdapter(Checked)


class Batch(BaseModel, frozen=True, arbitrary_types_allowed=True):
    """The items of a mapped step; Prefect stores only their number among the parameters of a flow."""

    count: int
    items: Sequence[Any] = Field(exclude=True, repr=False)

    @classmethod
    def of(cls, items: Iterable[Any]) -> "Batch":
        """Return the batch of ``items``."""
        listed = tuple(items)
        return cls(count=len(listed), items=listed)


def as_one(value: R) -> R:
    """Return ``value`` wrapped for a step: Prefect waits for it as a whole, and does not search its contents for other
    results.
    """
    return cast("R", opaque(value))


def in_threads(step: Flow[P, R], workers: Workers) -> Flow[P, R]:
    """Return the flow ``step`` with a thread runner that has enough threads to keep ``workers`` busy."""
    threads: Any = ThreadPoolTaskRunner(max_workers=workers.threads)
    return step.with_options(task_runner=threads)


def refused(error: Exception) -> State[Any]:
    """Return the state of a run that ended by a user's mistake; ``error`` is the whole message."""
    return Failed(name=REFUSED, message=str(error), data=error)


def refusing(function: Callable[P, R]) -> Callable[P, R]:
    """Return ``function`` of a flow, which ends in the state ``Refused`` if it raises ``PlanimeterError``.

    Not for tasks: Prefect returns a state of a task to its caller, and raises nothing.
    """

    @wraps(function)
    def refuses(*given: P.args, **named: P.kwargs) -> R:
        try:
            return function(*given, **named)
        except PlanimeterError as error:
            return cast("R", refused(error))

    return refuses


def content_key(_: TaskRunContext, parameters: dict[str, Any]) -> str:
    """Return the cache key of a task: the digest of its inputs that its caller computed."""
    return str(parameters["key"])


def is_passing(_task: Task[..., Any], _run: object, state: State[Any]) -> bool:
    """True if a repeated attempt may succeed: a worker died, or a store did not answer."""
    return isinstance(state.data, (StoreError, WorkerLostError))


#: The common options of mapped tasks.
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
    """List the shards of the recipe, each with its content key."""
    planned = keys.plan(place.recipe, place.sealed)
    get_run_logger().info(disk.require(place, planned))
    return Batch.of(planned)


@task(name="make-shard", task_run_name="{shard}", tags=["make-shard"], **KEPT)
def make_shard(
    shard: Shard, key: str, recipe: Values, store: str, workers: Workers, sealed: Sealed | None = None
) -> Values:
    """Generate, filter, render and certify the items of one shard, and store them; return its record."""
    seed = "sealed" if sealed else recipe["seed"]
    get_run_logger().info("recipe %s, seed %s, key %s", recipe["dataset"], seed, key)
    record = workers.call(f"shard {shard}", task_run.run_count, work.make_shard, recipe, shard, store, sealed)
    return record.model_dump(mode="json")


@flow(name="generate", flow_run_name="{shards.count} shards", validate_parameters=False, persist_result=False)
@refusing
def make_shards(
    recipe: Recipe, shards: Batch, store: str, workers: Workers, sealed: Sealed | None = None
) -> list[ShardRecord]:
    """Make all shards, and return their records in order."""
    planned: Sequence[Planned] = shards.items
    opened, values = Store(store), recipe.model_dump(mode="json")

    def is_kept(key: str, record: ShardRecord) -> bool:
        return record.key == key and is_whole(record, opened)

    items, content_keys = [shard for shard, _ in planned], [key for _, key in planned]
    step = Step("generate", make_shard, opened, (values, store, workers, sealed), SHARD_RECORD, is_kept)
    return run_step(step, items, content_keys, workers)


class Distinct(BaseModel, frozen=True, arbitrary_types_allowed=True):
    """The result of deduplication: the items that are ``chosen``, and the shards that refill their quotas."""

    chosen: Selection
    refills: Batch


@task(name="deduplicate", task_run_name="deduplicate", persist_result=False)
def deduplicate(
    selector: Selector, shards: Batch, records: Sequence[ShardRecord], sealed: Sealed | None = None
) -> Distinct:
    """Drop items that equal earlier ones, or are too similar."""
    pairs: Iterator[tuple[Planned, ShardRecord]] = zip(shards.items, records, strict=True)
    refills = [refill for (shard, _), record in pairs for refill in selector.judge(shard, record)]
    return Distinct(chosen=selector.selection(), refills=Batch.of(keys.keyed(selector.recipe, refills, sealed)))


@task(name="sample", task_run_name="sample", persist_result=False)
def sample(recipe: Recipe, records: Sequence[ShardRecord], chosen: Selection) -> Batch:
    """Distribute the chosen items over the files of each config and split, in the order of their seeds.

    Raises ``ShortfallError`` if a stratum lacks items, unless the recipe allows that.
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
    """Write one Parquet file under the hash of its content; return its record."""
    get_run_logger().info("file %s, key %s", part, key)
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
    """Put the files into ``folder``, with manifest, Croissant, report and card; return it."""
    writing.describe(folder, place, records, chosen, [*zip(files.items, written, strict=True)])
    return str(folder)


@task(name="verify-part", task_run_name="verify {job.record.path}", tags=["verify-part"], **KEPT)
def verify_part(job: Job, key: str, workers: Workers) -> Values:
    """Check every promise of one Parquet file; return the result."""
    get_run_logger().info("file %s, key %s", job.record.path, key)
    checked = workers.call(job.record.path, task_run.run_count, check, job)
    return cast("Values", CHECKED.dump_python(checked, mode="json"))


@flow(name="verify", flow_run_name="all files", validate_parameters=False, persist_result=False)
@refusing
def verify_parts(folder: str, kept: str, workers: Workers) -> str:
    """Check every promise of the dataset from its folder alone; return the folder.

    Raises ``PlanimeterError`` with the broken promises.
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
    """Give the folder that was ``verified`` its name: from here on the dataset exists."""
    get_run_logger().info("%s becomes %s", verified, staging.final)
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
    """A mapped task: its name on bars, the store of its results, further arguments of each call in addition to item and
    key, the parser of its results from JSON, and the check of a cached result and its key.
    """

    name: str
    task: Task[..., Any]
    results: Store
    given: tuple[object, ...]
    adapter: TypeAdapter[R]
    is_kept: Callable[[str, R], bool]

    def mapped(self, items: Sequence[object], keys: Sequence[str], stage: Stage, *, refresh: bool) -> list[R | None]:
        """Return the result for each item, or None if the cached one, or one of its files, is damaged."""
        task = self.task.with_options(result_storage=results_in(self.results))
        # Otherwise Prefect's setting decides.
        task = task.with_options(refresh_cache=True) if refresh else task
        given = (unmapped(quote(value)) for value in self.given)
        futures = [*task.map([quote(item) for item in items], keys, *given)]
        for future in as_completed(futures):
            future.result()
            stage.advance(worked=future.state.name != CACHED)
        with ThreadPoolExecutor(CHECKS) as threads:
            # In a bucket, this downloads each file.
            return [*threads.map(self._result, keys, futures)]

    def _result(self, key: str, future: PrefectFuture[Any]) -> R | None:
        try:
            result = self.adapter.validate_python(future.result())
        except ValidationError:
            return None
        return result if future.state.name != CACHED or self.is_kept(key, result) else None


def run_step(step: Step[R], items: Sequence[object], keys: Sequence[str], workers: Workers) -> list[R]:
    """Return the results of ``step`` mapped over ``items`` and their ``keys``.

    A damaged result of the cache is made again.
    """
    try:
        with bars(get_run_logger().info) as progress:
            stage = progress.stage(step.name, len(items))
            results = step.mapped(items, keys, stage, refresh=False)
            damaged = [number for number, result in enumerate(results) if result is None]
            if damaged:
                get_run_logger().warning("%d results are damaged, and are made again", len(damaged))
                chosen = [items[n] for n in damaged], [keys[n] for n in damaged]
                for number, result in zip(damaged, step.mapped(*chosen, stage, refresh=True), strict=True):
                    results[number] = result
        return [result for result in results if result is not None]
    except BaseException:
        # Prefect waits for its threads, which wait for the workers.
        workers.stop()
        raise


def _only_message(record: logging.LogRecord) -> bool:
    """Replace Prefect's stack trace in the log of a user's mistake by the message."""
    if record.exc_info and isinstance(record.exc_info[1], (FailedRun, PlanimeterError)):
        record.msg, record.args, record.exc_info = str(record.exc_info[1]), (), None
    return True


for _name in ("prefect.flow_runs", "prefect.task_runs"):
    logging.getLogger(_name).addFilter(_only_message)
