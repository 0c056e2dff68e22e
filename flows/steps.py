"""The steps of a build, each behind the one before: a single step is a task, a mapped one a flow (``flows/tasks.py``).

Prefect draws no groups. Steps that are mapped over shards or files are therefore flows of their own, which its UI
folds. Workers keep what they finish (``flows/store/cached.py``); a task that finds such a result ends as ``Cached``.
The work itself is done in our own processes or by Dask (``flows/workers``), where what a dying worker had in hand is
tried again.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import BoundedSemaphore
from typing import Any, TypeVar, cast

from prefect import Flow, Task
from prefect.client.schemas.objects import StateDetails
from prefect.futures import PrefectFuture
from prefect.settings import get_current_settings, temporary_settings
from prefect.states import Completed, State
from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

from planimeter.export.atomic import Staging
from planimeter.export.parquet import FileRecord
from planimeter.export.verify.folder import verify
from planimeter.export.verify.part import Checked, Job, check
from planimeter.flows import parts, tasks, writing
from planimeter.flows.display import artifacts, events
from planimeter.flows.display.bars import Bars
from planimeter.flows.parts import CHECKED, WRITTEN, Files, Part
from planimeter.flows.selection import Selection, Selector
from planimeter.flows.shards import Planned, Shard, ShardRecord
from planimeter.flows.store import journal, keys
from planimeter.flows.store.place import Place
from planimeter.flows.store.results import made
from planimeter.flows.store.storage import Store
from planimeter.flows.store.tables import find_shard
from planimeter.flows.tasks import CACHED, Mapped
from planimeter.flows.work import make_shard
from planimeter.flows.workers.processes import SHUTDOWN_SECONDS, Workers

#: Finished files that are compared with their hashes at once; in a bucket each is downloaded for that.
CHECKS = 16

Result = TypeVar("Result")

#: A mapped task: the label that a person reads in Prefect's UI, and what it does.
Labelled = tuple[str, Mapped[Result]]


class Steps:
    """The steps of the build at ``place``: ``workers`` make shards, ``processes`` of this machine write and check."""

    def __init__(self, place: Place, workers: Workers, processes: Workers, shown: Bars) -> None:
        self._place, self._workers, self._processes, self._shown = place, workers, processes, shown
        self._recipe = place.recipe.model_dump(mode="json")
        self._before: list[State[bool]] = []
        self._checks = BoundedSemaphore(CHECKS)

    def plan(self, command: str) -> tuple[Planned, ...]:
        """Return the shards of the build, and note them down so that ``planimeter status`` can report its progress."""

        def plan() -> tuple[Planned, ...]:
            planned = keys.plan(self._place.recipe)
            self.note(command, [key for _, key in planned])
            return planned

        return self._step(tasks.plan, plan)

    def note(self, command: str, keys: Sequence[str]) -> None:
        """Note down what is being built, ``keys`` of its shards and the ``command`` that goes on with it."""
        recipe = self._place.recipe
        build = journal.Journal(dataset=recipe.dataset, version=recipe.version, command=command, keys=tuple(keys))
        build.write(self._place.store)

    def make(self, planned: Sequence[Planned]) -> list[ShardRecord]:
        """Return the record of each shard, in order, and of the refills behind them; those that are finished and whole
        are not made again.

        Shards are judged as they come in, and what refills a quota is begun as soon as that is known.
        """
        stage, store = self._shown.stage("generate", len(planned)), self._place.store
        self._selector = Selector(self._place.recipe, [shard for shard, _ in planned])
        shards: list[Shard] = []
        jobs: list[Labelled[ShardRecord]] = []

        def add(more: Sequence[Planned]) -> None:
            for shard, key in more:
                shards.append(shard)
                find = partial(find_shard, store, key)
                jobs.append(self._job(str(shard), find, self._workers, make_shard, self._recipe, shard, store.url))
            stage.extend(len(jobs))

        def ended(_: int, record: ShardRecord, is_made: bool) -> None:
            if is_made:
                stage.work.update(record.seconds)
            stage.advance(worked=is_made)

        def make() -> list[ShardRecord]:
            records: list[ShardRecord] = []
            for record in self._map(tasks.make_shard, jobs, ended):
                shard = shards[len(records)]
                records.append(record)
                add(keys.keyed(self._place.recipe, self._selector.judge(shard, record)))
            return records

        add(planned)
        return self._fold(tasks.make_shards, f"make {len(planned)} shards", make, self._workers)

    def select(self) -> Selection:
        """Return which items of the shards that were made are published."""
        return self._step(tasks.select, lambda: self._selector.selection())

    def write(self, records: Sequence[ShardRecord], selection: Selection) -> Files:
        """Return each Parquet file of the dataset and its record; those that are written and whole stay."""
        files = parts.parts_of(self._place.recipe, records, selection)
        store, folder = self._place.store, self._place.parts
        stage = self._shown.stage("write", sum(part.rows for part in files))

        def job_of(part: Part) -> Labelled[FileRecord]:
            key = keys.part_key(part)

            def find() -> FileRecord | None:
                record = WRITTEN.find(folder, key)
                return record if record and folder.sha256(record.path) == record.sha256 else None

            call = made, folder.url, WRITTEN, key, parts.write_part, part, store.url, folder.url
            return self._job(f"write {part}", find, self._processes, *call)

        def write() -> Files:
            jobs = [*map(job_of, files)]
            written = self._map(
                tasks.write_part, jobs, lambda number, record, _: stage.advance(record.rows, files[number].config)
            )
            return list(zip(files, written, strict=True))

        return self._fold(tasks.write_parts, f"write {len(files)} files", write, self._processes)

    def describe(self, folder: Path, records: Sequence[ShardRecord], selection: Selection, files: Files) -> None:
        """Put the files into ``folder``, and manifest, Croissant, report and card beside them."""
        self._step(tasks.describe, lambda: writing.describe(folder, self._place, records, selection, files))

    def verify(self, folder: Path) -> None:
        """Verify the folder from the folder alone; ``PlanimeterError`` lists what is wrong with it.

        Files that were checked before, under the same name and with the same content, are only hashed.
        """
        stage = self._shown.stage("verify", writing.rows_in(folder))

        def job_of(job: Job) -> Labelled[Checked]:
            name, key, kept = job.record.path, keys.check_key(job), self._place.parts

            def find() -> Checked | None:
                checked = CHECKED.find(kept, key)
                if checked is None or not checked.is_clean:
                    return None
                return checked if Store(str(job.folder)).sha256(name) == job.record.sha256 else None

            call = made, kept.url, CHECKED, key, check, job
            return self._job(f"verify {name.removeprefix('data/')}", find, self._processes, *call)

        def each(_: object, jobs: Iterable[Job]) -> Iterator[Checked]:
            return self._map(
                tasks.verify_part, [*map(job_of, jobs)], lambda _, checked, __: stage.advance(checked.rows)
            )

        def check_all() -> None:
            writing.require_sound(folder, verify(folder, each=each))

        self._fold(tasks.verify_parts, "verify the files", check_all, self._processes)

    def commit(self, staging: Staging) -> None:
        """Give the folder its name."""
        self._step(tasks.commit, staging.commit, delivers=not self._is_elsewhere())

    def upload(self) -> None:
        """Take the dataset to where it belongs, if that is a bucket."""
        if self._is_elsewhere():
            self._step(tasks.upload, lambda: self._place.deliver(self._shown), delivers=True)

    def show(self) -> None:
        """Show the finished dataset in Prefect: its funnel, where the time went, and an event."""
        artifacts.publish_funnel(self._place)
        artifacts.publish_timings(self._place, self._shown.timings())
        events.emit("built", self._place.folder, self._place.address)

    def _is_elsewhere(self) -> bool:
        return self._place.address != str(self._place.folder)

    def _job(self, label: str, find: Callable[[], Result | None], workers: Workers, *call: Any) -> Labelled[Result]:
        """Return what has one of ``workers`` make the ``call``, whose result is kept, unless ``find`` finds it."""

        def look() -> Result | None:
            # What this build has begun is new, even if it has ended by now.
            if workers.has_begun(*call):
                return None
            with self._checks:
                return find()

        return label, Mapped(look, lambda: workers.run(*call))

    def _step(self, step: Task[..., object], function: Callable[[], Result], *, delivers: bool = False) -> Result:
        """Return ``function()``, run as ``step``; one that ``delivers`` makes the dataset the asset at its address."""
        if delivers:
            asset = events.asset_at(self._place.address)
            step = tasks.delivering(step, asset)
            function = events.materializing(asset, self._place.folder, function)
        return self._after(step, function)

    def _fold(self, step: Flow[..., object], label: str, function: Callable[[], Result], workers: Workers) -> Result:
        """Return ``function()``, run as ``step``, a flow whose tasks, those of ``_map``, are done by ``workers``."""
        runner: TaskRunner[Any] = ThreadPoolTaskRunner(max_workers=workers.in_flight)
        folded = step.with_options(task_runner=runner, flow_run_name=label)
        # The heartbeat of the whole run shows whether it lives; one for each step would add about a second to it.
        beats = get_current_settings().flows.heartbeat_frequency
        with temporary_settings({"flows.heartbeat_frequency": None}) if beats else nullcontext():
            return self._after(folded, function)

    def _after(self, step: Callable[..., object], function: Callable[[], Result]) -> Result:
        """Return ``function()``, run as ``step`` behind the one before it.

        Prefect links steps by what they return, and would search thousands of records for it: so it does not see them,
        but a state of the step's run. That of a flow passes for a task's: the graph draws the edge all the same, but
        Prefect's first UI lists no task runs at all where one of them waits for a flow.
        """
        result, state = tasks.run(step, function, self._before)
        details = state.state_details
        run = details.flow_run_id if isinstance(step, Flow) else details.task_run_id
        self._before = [Completed(data=True, state_details=StateDetails(task_run_id=run))]
        return result

    def _map(
        self, step: Task[..., Any], jobs: Sequence[Labelled[Result]], ended: Callable[[int, Result, bool], object]
    ) -> Iterator[Result]:
        """Yield the result of each of ``jobs`` in order, run as ``step``; the list may grow while results are read.

        ``ended`` is called with each as it ends, and whether it is new.
        """
        # Not Prefect's as_completed: Ctrl-C while it waits can release a lock that a task's thread still holds, which
        # then ends with a traceback. A SimpleQueue waits in C.
        ended_futures: SimpleQueue[PrefectFuture[Any]] = SimpleQueue()
        numbers: dict[PrefectFuture[Any], int] = {}
        try:
            waiting: dict[int, Result] = {}
            following = 0
            while following < len(jobs):
                for number in range(len(numbers), len(jobs)):
                    future = step.submit(*jobs[number])
                    numbers[future] = number
                    future.add_done_callback(ended_futures.put)
                future = ended_futures.get()
                number = numbers[future]
                waiting[number] = future.result()
                ended(number, waiting[number], future.state.name != CACHED)
                while following in waiting:
                    yield waiting.pop(following)
                    following += 1
        except BaseException:
            # Also when the reader of the results stops early: Prefect waits for the threads, and they for workers.
            self._workers.close()
            self._processes.close()
            _wait_for_begun(numbers, ended_futures)
            raise


def _wait_for_begun(futures: Iterable[PrefectFuture[Any]], ended: "SimpleQueue[PrefectFuture[Any]]") -> None:
    """Wait until tasks that have begun say why they end, and drop the others: Prefect would interrupt them amid that,
    and call them crashed.
    """
    # Backwards, so that none begins because one before it was dropped.
    dropped = {future for future in reversed([*futures]) if cast("Any", future).wrapped_future.cancel()}
    begun = {future for future in futures if future not in dropped and not cast("Any", future).wrapped_future.done()}
    while begun:
        try:
            begun.discard(ended.get(timeout=SHUTDOWN_SECONDS))
        except Empty:
            return
