"""Runs functions of a build in worker processes. If a worker dies, only the running calls are lost."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, CancelledError
from typing import Protocol, Self, TypeVar

from planimeter.flows.errors import PlanimeterError, StoppedError, WorkerLostError
from planimeter.flows.workers.processes import OverdueError, ProcessPool, start_pool

Result = TypeVar("Result")

#: The time limit of one call in seconds.
LIMIT = 3600.0

#: The number of submitted calls above one for each worker, so that no worker waits for the parent process.
AHEAD = 2

#: The number of the attempt at a call that runs alone, in a process of its own.
ALONE = 3

STOPPED = "the build was stopped; finished shards are kept"


class Pool(Protocol):
    """A set of workers: processes of this machine (``ProcessPool``), or those of a Dask cluster (``DaskPool``)."""

    def run(self, seconds: float, function: Callable[..., Result], *arguments: object) -> Result:
        """Return ``function(*arguments)``, computed by a worker within ``seconds``; see ``ProcessPool.run``."""

    def kill(self) -> None:
        """End the running calls at once, and cancel the waiting ones."""


class Workers:
    """A pool of workers, replaced by a new pool if a worker dies; ``threads``: calls at a time that keep all busy."""

    # Of a parameter without ``__dict__``, Prefect stores only the type.
    __slots__ = ("_alone", "_closed", "_lock", "_pool", "_start", "threads")

    def __init__(self, start: Callable[[], Pool], threads: int) -> None:
        self.threads = threads
        self._start = start
        self._lock = threading.Lock()
        self._closed = False
        self._alone: Pool | None = None
        self._pool = start()

    @classmethod
    def of_processes(cls, workers: int, modules: Sequence[str] = ()) -> Self:
        """Start ``workers`` processes of this machine; ``modules`` are imported once, before the fork."""
        return cls(lambda: start_pool(workers, modules), workers + AHEAD)

    def call(self, name: str, attempt: int, function: Callable[..., Result], *arguments: object) -> Result:
        """Return ``function(*arguments)``, computed by a worker; error messages contain ``name``.

        The third ``attempt`` runs alone in a new process. Raises what the function raises, ``WorkerLostError`` if a
        worker died, ``StoppedError`` after ``stop``, and ``PlanimeterError`` after ``LIMIT`` seconds, or if the process
        of the third attempt died.
        """
        if attempt >= ALONE and isinstance(self._pool, ProcessPool):
            return self._call_alone(name, function, *arguments)
        pool = self._pool
        try:
            return pool.run(LIMIT, function, *arguments)
        except OverdueError:
            self._replace(pool)
            raise PlanimeterError(f"{name} took longer than {LIMIT:.0f} s and was stopped") from None
        except (BrokenExecutor, CancelledError) as error:
            if self._closed:
                raise StoppedError(STOPPED) from error
            self._replace(pool)
            raise WorkerLostError(f"a worker process died while {name} was made") from error

    def stop(self) -> None:
        """End the running calls; these and all later ones raise ``StoppedError``."""
        self._closed = True
        for pool in (self._pool, self._alone):
            if pool:
                pool.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _call_alone(self, name: str, function: Callable[..., Result], *arguments: object) -> Result:
        """Return ``function(*arguments)``, computed by a new process; only one such call runs at a time."""
        with self._lock:
            pool = self._alone = start_pool(1)
            try:
                return pool.run(LIMIT, function, *arguments)
            except (BrokenExecutor, CancelledError) as error:
                if self._closed:
                    raise StoppedError(STOPPED) from error
                died = f"{name} ended its worker process {ALONE} times, even when run alone (out of memory?)"
                raise PlanimeterError(f"{died}; finished shards are kept") from error
            finally:
                pool.kill()

    def _replace(self, broken: Pool) -> None:
        """End the pool ``broken`` and start a new one, unless another thread did."""
        with self._lock:
            if self._pool is broken and not self._closed:
                broken.kill()
                self._pool = self._start()
