"""Worker processes of this machine: forked from a process that has loaded our modules and nothing of Prefect, ignoring
Ctrl-C, and ended when their parent ends.
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

#: As ``map``: a function and its arguments, one by one.
Mapping = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]

#: Bytes of the folder of temporary files up to which the fork server's socket fits into an address (108 on Linux).
LONGEST_FOLDER = 64

DIED = "a worker process died (out of memory?); free memory or use fewer --workers, and run the same command again"


#: What starting a process raises if the fork server dies meanwhile.
FORK_SERVER_LOST = (EOFError, ConnectionError)

#: Attempts at starting a pool, each with a new fork server if the last one died, and the seconds between them.
STARTS, PAUSE = 3, 0.2


class OverdueError(Exception):
    """A call exceeds its time limit."""


def cores() -> int:
    """Return the number of cores that this process may use, which a container or a batch system may limit."""
    # macOS does not report it.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class ProcessPool(ProcessPoolExecutor):
    """``workers`` processes, all started at once, which share ``modules`` that are loaded once.

    Raises ``BrokenProcessPool`` if the fork server dies meanwhile (see ``start_pool``).
    """

    def __init__(self, workers: int, modules: Sequence[str] = ()) -> None:
        # The libraries of macOS do not survive a fork.
        can_fork = sys.platform == "linux" and len(os.fsencode(tempfile.gettempdir())) <= LONGEST_FOLDER
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
        """Return ``function(*arguments)``.

        Raises what it raises, ``OverdueError`` if it takes more than ``seconds``, and ``BrokenExecutor`` or
        ``CancelledError`` if its process dies or the pool is ended.
        """
        try:
            future = self.submit(function, *arguments)
        except (RuntimeError, *FORK_SERVER_LOST) as error:
            # Another thread ended the pool, or the fork server died.
            raise CancelledError from error
        try:
            return future.result(seconds)
        except TimeoutError:
            # An error of the function itself, or ours.
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
    """Yield ``map``, or the map of a pool of ``workers`` processes, which keeps the order of its arguments.

    Raises ``PlanimeterError`` if a process dies.
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
    """Let processes that start within this block ignore Ctrl-C from the beginning, before ``_become_worker``."""
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
