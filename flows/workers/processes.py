"""The processes of this machine that make shards, behind Prefect's threads.

Prefect's own ``ProcessPoolTaskRunner`` costs 67 ms of CPU a task, a thread that hands its work to these processes 5 ms.
Workers are started once a build, ignore Ctrl-C (the parent decides), and end by themselves when the parent is gone,
even by ``kill -9``. When a worker dies, the pool is started again, and the shards that were under way are tried again.

A worker takes more than a second to load what it needs. The command line, which needs the same, forks its workers
(``forked_workers``), and gives them the first shards while Prefect starts. All others are spawned: a fork of a process
with Prefect's threads in it may hang on a lock that no thread will release.
"""

import ctypes
import gc
import multiprocessing
import os
import signal
import sys
import threading
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.process import BaseProcess
from typing import Any, Self, TypeVar, cast

from planimeter.flows.errors import PlanimeterError, StoppedError

Result = TypeVar("Result")

#: A function and what it is called with.
Call = tuple[Any, ...]

#: What a worker was given, and where its result will be.
Begun = list[tuple[Call, Future[Any]]]

#: The workers that ``forked_workers`` has started, by their number, until a pool takes them; and what they have begun.
_FORKED: dict[int, tuple[ProcessPoolExecutor, Begun]] = {}

#: As ``map``: a function and what it is called with, one by one.
Mapping = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]

#: Pools that a shard may lose before the build gives up: if one shard kills its worker each time, or memory is short.
TRIES = 4

#: Shards that are handed over beyond one for each worker: the next ones, so that no worker waits for the parent. More
#: would only wait, and their durations in Prefect would be those of the wait.
AHEAD = 2

#: How a shard ends that no worker makes any more.
STOPPED = "the build was stopped; finished shards are kept"

#: Options of glibc's ``mallopt`` in workers: by its number in <malloc.h> (M_TRIM_THRESHOLD, M_TOP_PAD and
#: M_MMAP_THRESHOLD), bytes. Arrays of a picture are taken from memory that was freed; to give that back to the system
#: and take it anew costs a tenth of a row's time.
KEPT_MEMORY = {-1: 64 << 20, -2: 16 << 20, -3: 32 << 20}

#: Seconds that a worker may take to end.
SHUTDOWN_SECONDS = 5.0


def cores() -> int:
    """Return how many cores this process may use: a container or a batch system often gives it fewer than there are."""
    # macOS does not report it.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers(ABC):
    """Workers for one build, used within ``with``; leaving it ends what is under way."""

    @abstractmethod
    def run(self, function: Callable[..., Result], *arguments: object) -> Result:
        """Return ``function(*arguments)`` as computed by one of the workers. Raises what the function raises.

        Called from as many threads as one likes. A worker that dies costs only what it had in hand, which is tried
        again; ``PlanimeterError`` if that happens time after time or the workers are gone, ``StoppedError`` once they
        are closed.
        """

    def has_begun(self, *call: object) -> bool:  # noqa: ARG002 - most have nothing to begin before
        """Return whether a worker was given ``call``, a function and its arguments, before there was this pool."""
        return False

    @property
    @abstractmethod
    def in_flight(self) -> int:
        """How many calls of ``run`` at once keep all workers busy."""

    @abstractmethod
    def close(self) -> None:
        """Drop what has not begun, and end what is under way; ``run`` then raises ``StoppedError``."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class WorkerPool(Workers):
    """``workers`` processes of this machine."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._lock = threading.Lock()
        #: As many as the executor hands out at once: one in the hands of each worker, and one on its way.
        self._turns = threading.Semaphore(workers + 1)
        self._closed = False
        self._executor, self._begun = _FORKED.pop(workers) if workers in _FORKED else (_start("spawn", workers), [])

    def run(self, function: Callable[..., Result], *arguments: object) -> Result:
        # Shards that only wait for their turn are not in the pool: they lose none when a worker dies. Those that were
        # begun before there was a pool are, and whatever they fail of, the tries that count are those below.
        with self._turns:
            for future in self._futures(function, *arguments):
                with suppress(Exception):
                    return cast("Result", future.result())
            for _ in range(TRIES):
                executor = self._executor
                try:
                    with _block_signals_in_children():
                        future = executor.submit(function, *arguments)
                    return future.result()
                except (BrokenProcessPool, CancelledError, RuntimeError) as error:
                    # submit() raises RuntimeError after shutdown; a worker's own RuntimeError has the same type.
                    if self._closed:
                        raise StoppedError(STOPPED) from error
                    if not isinstance(error, BrokenProcessPool):
                        raise
                    self._replace(executor)
        raise PlanimeterError(
            f"worker processes died {TRIES} times while the same shard was waited for (out of memory?); free memory or "
            "use fewer --workers, and run the same command again: finished shards are kept"
        )

    def has_begun(self, *call: object) -> bool:
        return any(self._futures(*call))

    @property
    def in_flight(self) -> int:
        return self._workers + AHEAD

    def close(self) -> None:
        self._closed = True
        _end(self._executor)

    def _futures(self, *call: object) -> Iterator[Future[Any]]:
        return (future for begun, future in self._begun if begun == call)

    def _replace(self, broken: ProcessPoolExecutor) -> None:
        with self._lock:
            if self._executor is broken and not self._closed:
                for process in _end(broken):
                    # The others of the pool end too: until they have, one may still finish what is about to be retried.
                    process.join(SHUTDOWN_SECONDS)
                self._executor = _start("spawn", self._workers)


@contextmanager
def mapping(workers: int) -> Iterator[Mapping]:
    """Yield what maps a function over arguments, in their order: ``map`` itself, or up to ``workers`` processes."""
    if workers < 2:
        yield map
        return
    # Left in the other order: the pool ends first, so that no thread waits for it.
    with ThreadPoolExecutor(workers + 1) as threads, WorkerPool(workers) as pool:
        yield lambda function, arguments: threads.map(partial(pool.run, function), arguments)


@contextmanager
def forked_workers(workers: int, calls: Iterable[Call] = ()) -> Iterator[None]:
    """Start the workers of the next pool of ``workers`` as forks of this process, if that may be done, and give them
    ``calls``; the pool's ``run`` then returns the result of each to anyone who asks for just that. They end with this
    block if no pool has taken them.
    """
    # On macOS, a fork may not use what its parent has loaded.
    if sys.platform != "linux" or threading.active_count() > 1:
        yield
        return
    # What is loaded stays: to search it for garbage would copy its pages into each of them.
    gc.freeze()
    executor, begun = _FORKED[workers] = _start("fork", workers), []
    try:
        # Python 3.12 warns of native threads, too: those that the libraries of numbers keep are idle here.
        with _block_signals_in_children(), warnings.catch_warnings(action="ignore", category=DeprecationWarning):
            executor.submit(os.getpid)  # the first call starts them all
        # The pool replaces workers that die meanwhile.
        with suppress(BrokenProcessPool):
            begun.extend((call, executor.submit(*call)) for call in calls)
        yield
    finally:
        if workers in _FORKED:
            # Else Python would wait at its end until all is done.
            _end(_FORKED.pop(workers)[0])


def _start(method: str, workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, multiprocessing.get_context(method), initializer=_become_worker)


@contextmanager
def _block_signals_in_children() -> Iterator[None]:
    """Block SIGINT and SIGTERM in processes started within, which would end with a traceback: SIGTERM until it has no
    handler of the parent any more, and SIGINT for good.
    """
    # Python unblocks SIGINT after it has started this one, a helper of the workers.
    resource_tracker.ensure_running()
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _end(executor: ProcessPoolExecutor) -> list[BaseProcess]:
    """Drop what waits, terminate the workers, and return them."""
    processes: list[BaseProcess] = list((getattr(executor, "_processes", None) or {}).values())
    results: Any = getattr(executor, "_result_queue", None)
    executor.shutdown(wait=False, cancel_futures=True)
    if results:
        # Ours is the last end to write to, and without it the thread that reads sees that a result ends amid.
        results._writer.close()
    for process in processes:
        process.terminate()
    return processes


def _become_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):  # other C libraries have none
        for option, size in KEPT_MEMORY.items():
            library.mallopt(option, size)
    # What is loaded stays, and of the thousands of lists that hold a row none is garbage.
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
    os._exit(1)
