"""The steps of a build as Prefect shows them, each behind the one before: a single step is a task, a mapped one a flow.

Prefect draws no groups. Steps that are mapped over shards or files are therefore flows of their own, which its UI
folds. Workers note what they finish (``flows/store/shard_cache.py``); a task that finds such a note ends as ``Cached``.
The work itself is done in our own processes or by Dask (``flows/workers``), where what a dying worker had in hand is
tried again.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from threading import BoundedSemaphore
from typing import Any, Generic, TypeVar

from prefect import flow, tags, task
from prefect.context import TagsContext
from prefect.futures import PrefectFuture
from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings
from prefect.states import Completed
from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

from planimeter.export.atomic import Staging
from planimeter.export.parquet import FileRecord
from planimeter.export.verify.folder import verify
from planimeter.export.verify.part import Checked, Job
from planimeter.flows import parts, writing
from planimeter.flows.display import artifacts
from planimeter.flows.display.bars import Bars
from planimeter.flows.display.throughput import Throughput
from planimeter.flows.parts import Files
from planimeter.flows.selection import Selection, Selector
from planimeter.flows.service import crashed
from planimeter.flows.shards import Planned, Shard, ShardRecord
from planimeter.flows.store import journal, shard_cache, sources
from planimeter.flows.store.place import Place
from planimeter.flows.suites import suite_of
from planimeter.flows.work import ensure_shard
from planimeter.flows.workers.processes import Workers

#: Threads only wait for workers: this bounds how many shards are handed out at once, not the work. 400 tasks cost the
#: same CPU time and memory with 128 threads as with 16. A cluster gets more: twice its workers when a step begins, so
#: that the next shard of each lies ready.
THREADS = 128

#: Finished files that are compared with their hashes at once; in a bucket each is downloaded for that.
CHECKS = 16

Result = TypeVar("Result")


@dataclass(frozen=True)
class _Done(Generic[Result]):
    """What a step returned. Prefect links steps by their results, and would search a list of thousands of records."""

    result: Result


class Steps:
    """The steps of the build at ``place``: ``workers`` make shards, ``processes`` of this machine write and check.

    The label of a task is what a person reads in Prefect's UI.
    """

    def __init__(self, place: Place, workers: Workers, processes: Workers, shown: Bars) -> None:
        self._place, self._workers, self._processes, self._shown = place, workers, processes, shown
        self._recipe = place.recipe.model_dump(mode="json")
        self._before: list[object] = []
        self._checks = BoundedSemaphore(CHECKS)
        self._code = parts.code_of(place.recipe.suite)

    def plan(self, command: str) -> tuple[Planned, ...]:
        """Return the shards of the build, and note them down so that ``planimeter status`` can tell how far it is."""

        def plan() -> tuple[Planned, ...]:
            planned = self.keyed(suite_of(self._place.recipe).plan(self._place.recipe))
            journal.Journal(
                dataset=self._place.recipe.dataset,
                version=self._place.recipe.version,
                command=command,
                keys=tuple(key for _, key in planned),
                code=sources.Code.of(self._place.modules()),
            ).write(self._place.store)
            return planned

        return self._step("plan", plan)

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
        made: list[Planned] = []
        labels: list[str] = []
        finished: list[Callable[[], ShardRecord | None]] = []

        def add(more: Sequence[Planned]) -> None:
            made.extend(more)
            labels.extend(str(shard) for shard, _ in more)
            finished.extend(partial(shard_cache.finished, store, key) for _, key in more)
            stage.extend(len(made))

        def make_one(number: int) -> ShardRecord:
            shard, key = made[number]
            throughput.begin(key)
            code = shard_cache.code_of(self._place.recipe, shard)
            return self._workers.run(ensure_shard, self._recipe, shard, store.url, key, code)

        def make() -> list[ShardRecord]:
            records: list[ShardRecord] = []
            with artifacts.progress(self._place.recipe.dataset) as report:

                def ended(number: int, record: ShardRecord) -> None:
                    worked = throughput.add(made[number].key, record)
                    if worked:
                        stage.work.update(record.seconds)
                    stage.advance(note=str(throughput), worked=worked)
                    report(stage.done / len(made))

                for record in self._map("make-shard", labels, make_one, finished, ended):
                    shard, _ = made[len(records)]
                    records.append(record)
                    add(self.keyed(self._selector.judge(shard, record)))
            return records

        add(planned)
        return self._fold("make-shards", f"make {len(planned)} shards", make)

    def select(self) -> Selection:
        """Return which items of the shards that were made are published."""
        return self._step("select", lambda: self._selector.selection())

    def write(self, records: Sequence[ShardRecord], selection: Selection) -> Files:
        """Return each Parquet file of the dataset and its record; those that are written and whole stay."""
        files = parts.parts_of(self._place.recipe, records, selection)
        keys = [part.key(self._code) for part in files]
        folder = self._place.parts
        stage = self._shown.stage("write", sum(part.rows for part in files))

        def write_one(number: int) -> FileRecord:
            given = (self._place.store.url, folder.url, keys[number], self._code)
            return self._processes.run(parts.write_part, files[number], *given)

        def ended(number: int, record: FileRecord) -> None:
            stage.advance(record.rows, note=files[number].config)

        def write() -> Files:
            labels = [f"write {part}" for part in files]
            finished = [partial(parts.find_written, folder, key) for key in keys]
            return list(zip(files, self._map("write-part", labels, write_one, finished, ended), strict=True))

        return self._fold("write-parts", f"write {len(files)} files", write)

    def describe(self, folder: Path, records: Sequence[ShardRecord], selection: Selection, files: Files) -> None:
        """Put the files into ``folder``, and manifest, Croissant, report and card beside them."""
        self._step("describe", lambda: writing.describe(folder, self._place, records, selection, files))

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
            yield from self._map("verify-part", labels, check_one, finished, lambda _, found: stage.advance(found.rows))

        self._fold("verify-parts", "verify the files", lambda: writing.require_sound(folder, verify(folder, each=each)))

    def commit(self, staging: Staging) -> None:
        """Give the folder its name."""
        self._step("commit", staging.commit)

    def upload(self) -> None:
        """Take the dataset to where it belongs, if that is a bucket."""
        if self._place.address != str(self._place.folder):
            self._step("upload", lambda: self._place.deliver(self._shown))

    def _step(self, name: str, function: Callable[[], Result]) -> Result:
        """Return ``function()``, run as a task."""
        with self._unmarked():
            return self._after(task(name=name, task_run_name=name)(lambda: _Done(function())))

    def _fold(self, name: str, what: str, function: Callable[[], Result]) -> Result:
        """Return ``function()``, run as a flow whose tasks are those of ``_map``."""

        def tasks() -> _Done[Result]:
            with self._unmarked():
                return _Done(function())

        runner: TaskRunner[Any] = ThreadPoolTaskRunner(max_workers=max(THREADS, 2 * self._workers.size))
        step = flow(name=name, flow_run_name=what, task_runner=runner)(tasks)
        # The heartbeat of the whole run tells whether it lives; one for each step would add about a second to it.
        with tags(crashed.mark_of(self._place)), temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
            return self._after(step)

    def _unmarked(self) -> TagsContext:
        """Return a context whose tasks lack the mark of their flows.

        A task with a tag asks the server for leave to run, which costs as much as all else, and fails where a busy
        server answers 503.
        """
        return TagsContext(current_tags=TagsContext.get().current_tags - {crashed.mark_of(self._place)})

    def _after(self, step: Callable[..., _Done[Result]]) -> Result:
        done = step(wait_for=self._before)
        self._before = [done]
        return done.result

    def _map(
        self,
        name: str,
        labels: Sequence[str],
        function: Callable[[int], Result],
        finished: Sequence[Callable[[], Result | None]],
        ended: Callable[[int, Result], object],
    ) -> Iterator[Result]:
        """Yield ``function(number)`` for each of ``labels`` in order, run as a task of that label.

        It is not called where ``finished[number]()`` returns an earlier result; ``ended`` is told of each as it ends.
        ``labels`` and ``finished`` may grow while results are read.
        """

        @task(name=name, task_run_name="{label}")
        def one(label: str, number: int) -> Any:  # noqa: ARG001 - Prefect's name of the run
            with self._checks:
                there = finished[number]()
            if there is not None:
                return Completed(name="Cached", data=there)
            return function(number)

        # Not Prefect's as_completed: Ctrl-C while it waits can release a lock that a task's thread still holds, which
        # then ends with a traceback. A SimpleQueue waits in C.
        done: SimpleQueue[PrefectFuture[Any]] = SimpleQueue()
        try:
            numbers: dict[PrefectFuture[Any], int] = {}
            waiting: dict[int, Result] = {}
            wanted = 0
            while wanted < len(labels):
                for number in range(len(numbers), len(labels)):
                    future = one.submit(labels[number], number)
                    numbers[future] = number
                    future.add_done_callback(done.put)
                future = done.get()
                number = numbers[future]
                waiting[number] = future.result()
                ended(number, waiting[number])
                while wanted in waiting:
                    yield waiting.pop(wanted)
                    wanted += 1
        except BaseException:
            # Also when whoever reads the results stops early: Prefect waits for the threads, and they for workers.
            self._workers.close()
            self._processes.close()
            raise
