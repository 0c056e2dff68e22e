"""The steps of a build, each behind the one before: a single step is a task, a mapped one a flow (``flows/tasks.py``).

Prefect draws no groups. Steps that are mapped over shards or files are therefore flows of their own, which its UI
folds. Workers note what they finish (``flows/store/shard_cache.py``); a task that finds such a note ends as ``Cached``.
The work itself is done in our own processes or by Dask (``flows/workers``), where what a dying worker had in hand is
tried again.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from operator import attrgetter
from pathlib import Path
from queue import SimpleQueue
from threading import BoundedSemaphore
from typing import Any, TypeVar
from uuid import UUID

from prefect import Flow, Task
from prefect.client.schemas.objects import StateDetails
from prefect.futures import PrefectFuture
from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings
from prefect.states import Completed, State
from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

from planimeter.export.atomic import Staging
from planimeter.export.parquet import FileRecord
from planimeter.export.verify.folder import verify
from planimeter.export.verify.part import Checked, Job
from planimeter.flows import parts, tasks, writing
from planimeter.flows.display import artifacts, events
from planimeter.flows.display.bars import Bars
from planimeter.flows.display.throughput import Throughput
from planimeter.flows.parts import Files
from planimeter.flows.selection import Selection, Selector
from planimeter.flows.shards import Planned, Shard, ShardRecord
from planimeter.flows.store import journal, shard_cache, sources
from planimeter.flows.store.place import Place
from planimeter.flows.suites import suite_of
from planimeter.flows.tasks import Mapped
from planimeter.flows.work import ensure_shard
from planimeter.flows.workers.processes import Workers
from planimeter.items.suites import declared

#: Finished files that are compared with their hashes at once; in a bucket each is downloaded for that.
CHECKS = 16

Result = TypeVar("Result")


class Steps:
    """The steps of the build at ``place``: ``workers`` make shards, ``processes`` of this machine write and check.

    The label of a task is what a person reads in Prefect's UI.
    """

    def __init__(self, place: Place, workers: Workers, processes: Workers, shown: Bars) -> None:
        self._place, self._workers, self._processes, self._shown = place, workers, processes, shown
        self._recipe = place.recipe.model_dump(mode="json")
        self._before: list[State[bool]] = []
        self._checks = BoundedSemaphore(CHECKS)
        self._code = parts.code_of(place.recipe.suite)

    def plan(self, command: str) -> tuple[Planned, ...]:
        """Return the shards of the build, and note them down so that ``planimeter status`` can report its progress."""

        def plan() -> tuple[Planned, ...]:
            with declared(self._place.recipe.suite).blamed("its plan failed"):
                planned = self.keyed(suite_of(self._place.recipe).plan(self._place.recipe))
            journal.Journal(
                dataset=self._place.recipe.dataset,
                version=self._place.recipe.version,
                command=command,
                keys=tuple(key for _, key in planned),
                code=sources.Code.of(self._place.modules()),
            ).write(self._place.store)
            return planned

        return self._step(tasks.plan, plan)

    def keyed(self, shards: Iterable[Shard]) -> tuple[Planned, ...]:
        """Return ``shards``, each with its cache key."""
        return tuple(Planned(shard, shard_cache.key_of(self._place.recipe, shard)) for shard in shards)

    def make(self, planned: Sequence[Planned]) -> list[ShardRecord]:
        """Return the record of each shard, in order, and of the refills behind them; those that are finished and whole
        are not made again.

        Shards are judged as they come in, and what refills a quota is begun as soon as that is known.
        """
        stage, throughput, store = self._shown.stage("generate", len(planned)), Throughput(), self._place.store
        self._selector = Selector(self._place.recipe, [shard for shard, _ in planned])
        known: list[Planned] = []
        labels: list[str] = []
        finished: list[Callable[[], ShardRecord | None]] = []

        def add(more: Sequence[Planned]) -> None:
            known.extend(more)
            labels.extend(str(shard) for shard, _ in more)
            finished.extend(partial(shard_cache.finished, store, key) for _, key in more)
            stage.extend(len(known))

        def make_one(number: int) -> ShardRecord:
            shard, key = known[number]
            throughput.begin(key)
            code = shard_cache.code_of(self._place.recipe, shard)
            return self._workers.run(ensure_shard, self._recipe, shard, store.url, key, code)

        def ended(number: int, record: ShardRecord) -> None:
            worked = throughput.add(known[number].key, record)
            if worked:
                stage.work.update(record.seconds)
            stage.advance(note=str(throughput), worked=worked)
            report(stage.done / len(known))

        def make() -> list[ShardRecord]:
            records: list[ShardRecord] = []
            for record in self._map(tasks.make_shard, labels, make_one, finished, ended):
                shard, _ = known[len(records)]
                records.append(record)
                add(self.keyed(self._selector.judge(shard, record)))
            return records

        add(planned)
        # Around the step rather than within: Prefect shows an artifact on the page of the run that made it.
        with self._progress() as report:
            return self._fold(tasks.make_shards, f"make {len(planned)} shards", make, self._workers)

    def select(self) -> Selection:
        """Return which items of the shards that were made are published."""
        return self._step(tasks.select, lambda: self._selector.selection())

    def write(self, records: Sequence[ShardRecord], selection: Selection) -> Files:
        """Return each Parquet file of the dataset and its record; those that are written and whole stay."""
        files = parts.parts_of(self._place.recipe, records, selection)
        keys = [part.key(self._code) for part in files]
        folder = self._place.parts
        stage = self._shown.stage("write", sum(part.rows for part in files))

        def write_one(number: int) -> FileRecord:
            arguments = (self._place.store.url, folder.url, keys[number], self._code)
            return self._processes.run(parts.write_part, files[number], *arguments)

        def ended(number: int, record: FileRecord) -> None:
            stage.advance(record.rows, note=files[number].config)

        def write() -> Files:
            labels = [f"write {part}" for part in files]
            finished = [partial(parts.find_written, folder, key) for key in keys]
            return list(zip(files, self._map(tasks.write_part, labels, write_one, finished, ended), strict=True))

        return self._fold(tasks.write_parts, f"write {len(files)} files", write, self._processes)

    def describe(self, folder: Path, records: Sequence[ShardRecord], selection: Selection, files: Files) -> None:
        """Put the files into ``folder``, and manifest, Croissant, report and card beside them."""
        self._step(tasks.describe, lambda: writing.describe(folder, self._place, records, selection, files))

    def verify(self, folder: Path) -> None:
        """Verify the folder from the folder alone; ``PlanimeterError`` lists what is wrong with it.

        Files that were found sound before, under the same name and with the same content, are only hashed.
        """
        stage, notes = self._shown.stage("verify", writing.rows_in(folder)), self._place.parts

        def each(_: object, jobs: Sequence[Job]) -> Iterator[Checked]:
            keys = [parts.key_of_check(job, self._code) for job in jobs]

            def check_one(number: int) -> Checked:
                return self._processes.run(parts.check_part, jobs[number], notes.url, keys[number], self._code)

            labels = [f"verify {job.record.path.removeprefix('data/')}" for job in jobs]
            finished = [partial(parts.find_checked, job, notes, key) for job, key in zip(jobs, keys, strict=True)]
            yield from self._map(
                tasks.verify_part, labels, check_one, finished, lambda _, checked: stage.advance(checked.rows)
            )

        def check() -> None:
            writing.require_sound(folder, verify(folder, each=each))

        self._fold(tasks.verify_parts, "verify the files", check, self._processes)

    def commit(self, staging: Staging) -> None:
        """Give the folder its name."""
        self._step(tasks.commit, staging.commit, delivers=not self._is_elsewhere())

    def upload(self) -> None:
        """Take the dataset to where it belongs, if that is a bucket."""
        if self._is_elsewhere():
            self._step(tasks.upload, lambda: self._place.deliver(self._shown), delivers=True)

    def show(self) -> None:
        """Show the finished dataset in Prefect: its funnel, a few pictures, where the time went, and an event."""
        artifacts.publish_funnel(self._place)
        artifacts.publish_timings(self._place, self._shown.timings())
        events.emit("built", self._place.folder, self._place.address)

    def _progress(self) -> AbstractContextManager[Callable[[float], None]]:
        return artifacts.progress(self._place.recipe.dataset)

    def _is_elsewhere(self) -> bool:
        return self._place.address != str(self._place.folder)

    def _step(self, step: Task[..., Any], function: Callable[[], Result], *, delivers: bool = False) -> Result:
        """Return ``function()``, run as ``step``; one that ``delivers`` makes the dataset the asset at its address."""
        if delivers:
            asset = events.asset_at(self._place.address)
            step = tasks.delivering(step, asset)
            function = events.materializing(asset, self._place.folder, function)
        return self._after(step, function, attrgetter("task_run_id"))

    def _fold(self, step: Flow[..., Any], label: str, function: Callable[[], Result], workers: Workers) -> Result:
        """Return ``function()``, run as ``step``, a flow whose tasks, those of ``_map``, are done by ``workers``."""
        runner: TaskRunner[Any] = ThreadPoolTaskRunner(max_workers=workers.in_flight)
        folded = step.with_options(task_runner=runner, flow_run_name=label)
        # The heartbeat of the whole run shows whether it lives; one for each step would add about a second to it.
        with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
            return self._after(folded, function, attrgetter("flow_run_id"))

    def _after(
        self, step: Callable[..., Any], function: Callable[[], Result], run_of: Callable[[StateDetails], UUID]
    ) -> Result:
        """Return ``function()``, run as ``step`` behind the one before it; ``run_of`` picks its run from its state.

        Prefect links steps by what they return, and would search thousands of records for it: so it does not see them,
        but a state of the step's run. That of a flow passes for a task's: the graph draws the edge all the same, but
        Prefect's first UI lists no task runs at all where one of them waits for a flow.
        """
        result, state = tasks.run(step, function, self._before)
        self._before = [Completed(data=True, state_details=StateDetails(task_run_id=run_of(state.state_details)))]
        return result

    def _map(
        self,
        step: Task[..., Any],
        labels: Sequence[str],
        function: Callable[[int], Result],
        finished: Sequence[Callable[[], Result | None]],
        ended: Callable[[int, Result], object],
    ) -> Iterator[Result]:
        """Yield ``function(number)`` for each of ``labels`` in order, run as ``step`` under that label.

        It is not called where ``finished[number]()`` returns an earlier result; ``ended`` is called with each as it
        ends. ``labels`` and ``finished`` may grow while results are read.
        """

        def find(number: int) -> Result | None:
            with self._checks:
                return finished[number]()

        # Not Prefect's as_completed: Ctrl-C while it waits can release a lock that a task's thread still holds, which
        # then ends with a traceback. A SimpleQueue waits in C.
        ended_futures: SimpleQueue[PrefectFuture[Any]] = SimpleQueue()
        try:
            numbers: dict[PrefectFuture[Any], int] = {}
            waiting: dict[int, Result] = {}
            following = 0
            while following < len(labels):
                for number in range(len(numbers), len(labels)):
                    future = step.submit(labels[number], Mapped(partial(find, number), partial(function, number)))
                    numbers[future] = number
                    future.add_done_callback(ended_futures.put)
                future = ended_futures.get()
                number = numbers[future]
                waiting[number] = future.result()
                ended(number, waiting[number])
                while following in waiting:
                    yield waiting.pop(following)
                    following += 1
        except BaseException:
            # Also when the reader of the results stops early: Prefect waits for the threads, and they for workers.
            self._workers.close()
            self._processes.close()
            raise
