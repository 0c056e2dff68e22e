"""Worker processes of this machine, which ignore Ctrl-C and end when their parent process ends.

On Linux they are forked from a fork server that has loaded our modules and nothing of Prefect.
"""

import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import connection
from typing import Any, TypeVar

from planimeter.flows.errors import PlanimeterError

Result = TypeVar("Result")

#: A function like ``map``: applies a function to each of its arguments.
Mapping = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]

#: The most bytes of the path of the temporary folder: the address of the fork server's socket is below it, and has at
#: most 108 bytes on Linux.
LONGEST_FOLDER = 64

#: Environment variables of workers, unless the user has set them. Libraries use one thread, since each core has a
#: worker: waiting threads of OpenCV took an eighth of the CPU time of `traversal`. And glibc keeps the memory of arrays
#: and of Arrow for the next ones, up to 64 MiB, instead of returning it to the system, which took a twelfth of
#: `marvl-qa-mini`.
ENVIRONMENT = {
    "OPENCV_FOR_THREADS_NUM": 1,
    "OPENBLAS_NUM_THREADS": 1,
    "OMP_NUM_THREADS": 1,
    "MALLOC_TRIM_THRESHOLD_": 64 << 20,
    "MALLOC_TOP_PAD_": 16 << 20,
    "MALLOC_MMAP_THRESHOLD_": 32 << 20,
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}

DIED = "a worker process died (out of memory?); free memory or use fewer --workers, and run the same command again"

#: What starting a process raises if the fork server dies meanwhile.
FORK_SERVER_LOST = (EOFError, ConnectionError)

#: Attempts at starting a pool, each with a new fork server if the last one died, and the seconds between them.
STARTS, PAUSE = 3, 0.2


class OverdueError(Exception):
    """A call has exceeded its time limit."""


def cores() -> int:
    """Return the number of cores that this process may use, which a container or a batch system may limit."""
    # macOS lacks `sched_getaffinity`.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class ProcessPool(ProcessPoolExecutor):
    """An executor of ``workers`` processes, all started at once; the fork server loads ``modules`` once for all.

    Raises ``BrokenProcessPool`` if the fork server dies meanwhile; ``start_pool`` tries again.
    """

    def __init__(self, workers: int, modules: Sequence[str] = ()) -> None:
        # System libraries of macOS crash after a fork.
        can_fork = sys.platform == "linux" and len(os.fsencode(tempfile.gettempdir())) <= LONGEST_FOLDER
        for variable, value in ENVIRONMENT.items():
            os.environ.setdefault(variable, str(value))
        context = multiprocessing.get_context("forkserver" if can_fork else "spawn")
        context.set_forkserver_preload([*modules])
        super().__init__(workers, context, initializer=_become_worker)
        others = set(multiprocessing.active_children())
        lost: Exception | None = None
        try:
            with _ignoring_ctrl_c():
                for _ in range(workers):
                    self.submit(os.getpid)
        except FORK_SERVER_LOST as error:
            lost = error
        self._started = set(multiprocessing.active_children()) - others
        if lost:
            self.kill()
            raise BrokenProcessPool("the fork server died") from lost

    def run(self, seconds: float, function: Callable[..., Result], *arguments: object) -> Result:
        """Return ``function(*arguments)``, computed by one of the processes.

        Raises what the function raises, ``OverdueError`` after ``seconds``, and ``BrokenExecutor`` or
        ``CancelledError`` if the process dies or another thread calls ``kill``.
        """
        try:
            future = self.submit(function, *arguments)
        except (RuntimeError, *FORK_SERVER_LOST) as error:
            # Another thread has shut down the pool, or the fork server died.
            raise CancelledError from error
        try:
            return future.result(seconds)
        except TimeoutError:
            # A finished call has raised this error itself; otherwise the limit of `result` is exceeded.
            if future.done():
                raise
            raise OverdueError from None

    def kill(self) -> None:
        """End all processes at once, and drop the waiting calls."""
        self.shutdown(wait=False, cancel_futures=True)
        for process in self._started:
            process.kill()


def start_pool(workers: int, modules: Sequence[str] = ()) -> ProcessPool:
    """Return a new pool of ``workers`` processes, which share ``modules``.

    Raises:
        PlanimeterError: if the fork server dies in each of ``STARTS`` attempts.
    """
    for _ in range(STARTS):
        with suppress(BrokenProcessPool):
            return ProcessPool(workers, modules)
        # Until the kernel reports the death, multiprocessing asks the dead fork server once more.
        time.sleep(PAUSE)
    raise PlanimeterError(DIED)


@contextmanager
def mapping(workers: int) -> Iterator[Mapping]:
    """Yield a function like ``map`` that uses ``workers`` processes; ``map`` itself for fewer than two.

    Results come in the order of the arguments. Raises ``PlanimeterError`` if a process dies.
    """
    if workers < 2:
        yield map
        return
    pool = start_pool(workers)
    try:
        yield pool.map
    except BrokenProcessPool as error:
        raise PlanimeterError(DIED) from error
    finally:
        pool.kill()


@contextmanager
def _ignoring_ctrl_c() -> Iterator[None]:
    """Let processes that start in this block ignore Ctrl-C at once, before ``_become_worker`` runs."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _become_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        connection.wait([parent.sentinel])
    os._exit(1)
