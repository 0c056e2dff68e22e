"""A Dask cluster makes the shards: one that is there already, or one of this machine's own.

Threads of Prefect hand shards to it, as they do to ``WorkerPool``: 3 to 7 ms a shard, where Prefect's own Dask runner
takes 100 to 220 ms, and the workers need no Prefect. Dask gives what a dead worker had in hand to another one.

Other code or other libraries on a worker would make other bytes, silently. So every worker is asked who it is before
it counts, those that join later too, and each shard carries what its worker must be.
"""

import gc
import secrets
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import Any, Self, TypeVar

import dask

# Before distributed is loaded, which sets up its loggers from it. Its warnings are about what we handle and tell.
QUIET = {"logging": dict.fromkeys(("distributed", "distributed.client", "tornado", "tornado.application"), "critical")}
dask.config.update_defaults(QUIET)
dask.config.set(QUIET)

from distributed import CancelledError, Client, Future, KilledWorker  # noqa: E402
from distributed.versions import VersionMismatchWarning  # noqa: E402

from planimeter.flows.errors import PlanimeterError, said  # noqa: E402
from planimeter.flows.store.place import Place  # noqa: E402
from planimeter.flows.work import OtherWorkerError, differences, likeness, run_alike, sees  # noqa: E402
from planimeter.flows.workers.local_cluster import local_cluster  # noqa: E402

Result = TypeVar("Result")

#: Seconds that a scheduler may take to answer, and that a build waits for a first or for a next worker.
CONNECTING, JOINING = 10.0, 60.0

#: Seconds between two looks at the cluster.
LOOK = 1.0

#: Problems with workers that one message tells.
SHOWN = 3

REMEDY = "finished shards are kept, run the same command again"


class DaskPool:
    """Workers of the Dask scheduler at ``address``, or of a cluster of ``workers`` processes that ends with the pool.

    Raises ``PlanimeterError`` if there is no scheduler, no worker, or one whose bytes would differ from ours.
    """

    def __init__(self, place: Place, workers: int, address: str | None) -> None:
        self._place = place
        self._modules = place.modules()
        self._wanted = likeness(self._modules)
        self._known: set[str] = set()
        self._under_way: set[Future[Any]] = set()
        self._fault: PlanimeterError | None = None
        self._closed = threading.Event()
        self._lock = threading.Lock()
        with ExitStack() as stack:
            self._address = address or stack.enter_context(local_cluster(workers))
            self._client = _connect(self._address)
            stack.callback(self._leave)
            self._begin()
            self._stack = stack.pop_all()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def run(self, function: Callable[..., Result], *arguments: object) -> Result:
        """Return ``function(*arguments)`` as computed by a worker. Raises what the function raises.

        Raises ``PlanimeterError`` if it kills one worker after the other, or if the cluster is gone or was closed.
        """
        future = self._submit(function, arguments)
        try:
            # Not `result(timeout)`: when it runs out, Dask cancels what other threads' results travel in.
            done = threading.Event()
            future.add_done_callback(lambda _: done.set())
            while not done.wait(LOOK):
                if self._fault or self._closed.is_set():
                    raise self._fault or self._gone()
            result: Result = future.result()
        except OtherWorkerError as error:
            raise PlanimeterError(f"a Dask worker at {self._address} would make other bytes: {error}") from None
        except KilledWorker:
            raise PlanimeterError(
                "Dask workers died one after the other while the same shard was made (out of memory?); give them more "
                f"memory or start fewer on one machine; {REMEDY}"
            ) from None
        except CancelledError:
            raise self._fault or self._gone() from None
        finally:
            with self._lock:
                self._under_way.discard(future)
        return result

    def close(self) -> None:
        """Drop what has not begun, and leave the cluster; one of our own ends."""
        self._closed.set()
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _submit(self, function: Callable[..., Any], arguments: tuple[object, ...]) -> "Future[Any]":
        if self._closed.is_set() or self._client.status != "running":
            raise self._fault or self._gone()
        future = self._client.submit(run_alike, self._wanted, self._modules, function, *arguments, pure=False)
        with self._lock:
            self._under_way.add(future)
        return future

    def _begin(self) -> None:
        """Wait for the first worker, and look at all that are there."""
        self._ask_scheduler()
        deadline = time.monotonic() + JOINING
        while not self._look():
            if time.monotonic() > deadline:
                raise self._no_workers()
            time.sleep(LOOK / 5)

    def _watch(self) -> None:
        """Look at the cluster until the pool is closed; what is wrong with it ends what waits in ``run``."""
        alone_since: float | None = None
        while not self._closed.wait(LOOK) and self._fault is None:
            try:
                if self._client.status != "running":
                    self._fault = self._gone()
                elif self._look():
                    alone_since = None
                elif alone_since is None:
                    alone_since = time.monotonic()
                elif time.monotonic() - alone_since > JOINING:
                    self._fault = self._no_workers()
            except PlanimeterError as error:
                self._fault = error
            except (OSError, CancelledError, RuntimeError):
                # The connection broke while we asked; the next look finds out whether for good.
                continue

    def _look(self) -> int:
        """Return how many workers there are, after a look at those that are new."""
        threads: Mapping[str, int] = self._client.nthreads()
        several = sorted(worker for worker, number in threads.items() if number != 1)
        if several:
            raise PlanimeterError(
                f"the Dask worker {several[0]} runs {threads[several[0]]} threads; drawing needs one process for "
                "each: start it with --nthreads 1, and --nworkers for as many processes"
            )
        self._known &= threads.keys()
        new = sorted(threads.keys() - self._known)
        if new:
            self._known.update(self._introduced(new))
        return len(self._known)

    def _introduced(self, workers: list[str]) -> Iterable[str]:
        """Return those of ``workers`` that answered. Raises ``PlanimeterError`` if the bytes of one would differ."""
        probe = f"locks/.probe-{secrets.token_hex(8)}"
        store = self._place.store
        store.put(probe, b"planimeter")
        try:
            answers = self._client.run(likeness, self._modules, workers=workers, on_error="return")
            seen = self._client.run(sees, store.url, probe, workers=workers, on_error="return")
        finally:
            store.delete(probe)
        here = [worker for worker in workers if not isinstance(answers.get(worker, OSError()), OSError)]
        problems = [problem for worker in here for problem in self._problems(worker, answers[worker], seen.get(worker))]
        if problems:
            more = f"; and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
            raise PlanimeterError(
                f"{'; '.join(problems[:SHOWN])}{more}. Every worker needs the environment of requirements.lock, this "
                "code, and the same --out (a shared folder, or a bucket)"
            )
        return here

    def _problems(self, worker: str, answer: object, seen: object) -> list[str]:
        if not isinstance(answer, dict):
            return [f"the Dask worker {worker} cannot run this code ({said(answer)})"]
        different = differences(answer, self._wanted)
        if different:
            return [f"the Dask worker {worker} would make other bytes: {different}"]
        if seen is False or (isinstance(seen, Exception) and not isinstance(seen, OSError)):
            why = f" ({said(seen)})" if isinstance(seen, Exception) else ""
            return [f"the Dask worker {worker} does not see {self._place.store.url}{why}"]
        return []

    def _ask_scheduler(self) -> None:
        try:
            self._client.run_on_scheduler(likeness, ())
        except (ImportError, AttributeError) as error:
            raise PlanimeterError(
                f"the Dask scheduler at {self._address} cannot read this code ({said(error)}); start it in the "
                "environment of requirements.lock, as the workers"
            ) from None

    def _leave(self) -> None:
        with self._lock:
            waiting = list(self._under_way)
        with suppress(OSError, TimeoutError, CancelledError, RuntimeError):
            if self._client.status == "running":
                self._client.cancel(waiting, force=True)
        with suppress(OSError, TimeoutError, CancelledError, RuntimeError):
            self._client.close(timeout=2)

    def _gone(self) -> PlanimeterError:
        if self._closed.is_set():
            return PlanimeterError("the build was stopped; finished shards are kept")
        return PlanimeterError(f"the Dask scheduler at {self._address} went away; {REMEDY} when it is back")

    def _no_workers(self) -> PlanimeterError:
        return PlanimeterError(
            f"the Dask scheduler at {self._address} has had no worker for {JOINING:.0f} s; start some with `dask "
            f"worker {self._address} --nthreads 1`; {REMEDY}"
        )


def _connect(address: str) -> Client:
    # A table of what differs, on stderr; we compare what decides bytes, and refuse.
    warnings.simplefilter("ignore", VersionMismatchWarning)
    try:
        return Client(address, timeout=CONNECTING, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        why = said(error)
    # The client that failed is collected here: within the next one's start, its destructor would wait for a lock that
    # its own thread holds, for ever.
    gc.collect()
    raise PlanimeterError(
        f"no Dask scheduler answers at {address} ({why}); start one with `dask scheduler`, or leave out --address for "
        "a cluster of this machine's own"
    )
