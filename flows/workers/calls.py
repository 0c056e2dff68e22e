"""Calls of one build to its workers, by threads of Prefect: a worker that dies costs only the calls in flight."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, CancelledError
from typing import Protocol, Self, TypeVar

from planimeter.flows.errors import PlanimeterError, StoppedError, WorkerLostError
from planimeter.flows.workers.processes import OverdueError, ProcessPool, start_pool

Result = TypeVar("Result")

#: Seconds that one call may take.
LIMIT = 3600.0

#: Submitted calls in addition to one for each worker, so that no worker waits for the parent.
AHEAD = 2

#: The attempt at a call that runs in a separate process.
ALONE = 3

STOPPED = "the build was stopped; finished shards are kept"


class Pool(Protocol):
    """Workers of one kind, which ``kill`` ends at once."""

    def run(self, seconds: float, function: Callable[..., Result], *arguments: object) -> Result:
        """Return ``function(*arguments)``, as ``ProcessPool.run``."""

    def kill(self) -> None:
        """End the running work, and drop the waiting calls."""


class Workers:
    """A pool of workers that is replaced when it breaks; ``threads`` calls at once keep all workers busy."""

    # Without ``__dict__`` Prefect stores no more than the type of this parameter.
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
        """Return ``workers`` processes of this machine, which share ``modules`` that are loaded once."""
        return cls(lambda: start_pool(workers, modules), workers + AHEAD)

    def call(self, name: str, attempt: int, function: Callable[..., Result], *arguments: object) -> Result:
        """Return ``function(*arguments)``, computed by a worker; errors name the call ``name``.

        From the third ``attempt`` on it runs alone in a process. Raises what the function raises, ``WorkerLostError``
        if a worker died, and ``StoppedError`` after ``stop``.
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
        """End the running work; every call raises ``StoppedError`` from now on."""
        self._closed = True
        for pool in (self._pool, self._alone):
            if pool:
                pool.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _call_alone(self, name: str, function: Callable[..., Result], *arguments: object) -> Result:
        """Return ``function(*arguments)``, computed by a process without other work, one call at a time."""
        with self._lock:
            pool = self._alone = start_pool(1)
            try:
                return pool.run(LIMIT, function, *arguments)
            except (BrokenExecutor, CancelledError) as error:
                if self._closed:
                    raise StoppedError(STOPPED) from error
                died = f"{name} ended its worker process {ALONE} times, at last alone (out of memory?)"
                raise PlanimeterError(f"{died}; finished shards are kept") from error
            finally:
                pool.kill()

    def _replace(self, broken: Pool) -> None:
        with self._lock:
            if self._pool is broken and not self._closed:
                broken.kill()
                self._pool = self._start()
