"""A Dask cluster makes the shards: one that is there already, or a local one that the build starts.

Threads of Prefect hand shards to it, as they do to ``WorkerPool``: 3 to 7 ms a shard, where Prefect's own Dask runner
takes 100 to 220 ms, and the workers need no Prefect. Dask gives what a dead worker had in hand to another one.

Other code or other libraries on a worker would make other bytes, silently. So each shard carries what its worker must
be, and a worker that is something else raises an error instead of making it.
"""

import asyncio
import gc
import pickle
import secrets
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import wait
from contextlib import ExitStack, suppress
from functools import cache
from typing import Any, TypeVar

import dask

# Before distributed is loaded, which sets up its loggers from it. Its warnings are about what we handle and report.
QUIET = {"logging": dict.fromkeys(("distributed", "distributed.client", "tornado", "tornado.application"), "critical")}
dask.config.update_defaults(QUIET)
dask.config.set(QUIET)

from distributed import CancelledError, Client, KilledWorker, get_worker  # noqa: E402
from distributed.versions import VersionMismatchWarning  # noqa: E402

from planimeter.flows.errors import PlanimeterError, StoppedError, first_line  # noqa: E402
from planimeter.flows.store.place import Place  # noqa: E402
from planimeter.flows.store.storage import open_store  # noqa: E402
from planimeter.flows.work import environment_fingerprint  # noqa: E402
from planimeter.flows.workers.local_cluster import local_cluster  # noqa: E402
from planimeter.flows.workers.processes import STOPPED, Workers  # noqa: E402

Result = TypeVar("Result")

#: Seconds that a scheduler may take to answer, and that a build waits for a first or for a next worker.
CONNECTING, JOINING = 10.0, 60.0

#: Shards that a small cluster is handed at once, too: workers may join while a step runs.
THREADS = 128

#: Seconds between two looks at the cluster while a call waits for a worker.
LOOK = 1.0

REMEDY = "finished shards are kept, run the same command again"

NEEDED = (
    "Every worker needs the environment of requirements.lock, this code, and the same --out (a shared folder, or a "
    "bucket)"
)


class DaskPool(Workers):
    """Workers of the Dask scheduler at ``address``, or of a cluster of ``workers`` processes that ends with the pool.

    Raises ``PlanimeterError`` if there is no scheduler, or no worker.
    """

    def __init__(self, place: Place, workers: int, address: str | None) -> None:
        suite = place.recipe.suite
        #: A worker that does not find this in the store would keep its shards elsewhere. A kill leaves it there.
        probe = f"locks/.tmp-{secrets.token_hex(8)}"
        self._needs = (environment_fingerprint(suite), suite, place.store.url, probe)
        self._alone_since: float | None = None
        self._closed = threading.Event()
        self._looking = threading.Lock()
        with ExitStack() as stack:
            self._address = address or stack.enter_context(local_cluster(workers))
            self._client = _connect(self._address)
            stack.callback(self._leave)
            try:
                self._client.wait_for_workers(1, timeout=JOINING)
            except TimeoutError:
                raise self._no_workers() from None
            except OSError:
                raise self._gone() from None
            place.store.write(probe, b"planimeter")
            stack.callback(place.store.delete, probe)
            self._stack = stack.pop_all()

    def run(self, function: Callable[..., Result], *arguments: object) -> Result:
        """See ``Workers``. Raises ``PlanimeterError`` also if a worker's bytes would differ from ours."""
        if self._is_gone():
            raise self._gone()
        # Bytes for the scheduler, and for a worker until the task begins: without our code it could not report that.
        call = pickle.dumps(_Call(_run_here, *self._needs, function, *arguments))
        future = self._client.submit(pickle.loads, call, key=f"{function.__name__}-{secrets.token_hex(8)}")
        try:
            # Not `future.result()`: asked of a client that closes meanwhile, it waits for ever. Nor with a timeout:
            # when it runs out, Dask cancels what other threads' results travel in.
            loop: Any = self._client.loop
            fetched = self._client.gather(future, asynchronous=True)
            waiting = asyncio.run_coroutine_threadsafe(fetched, loop.asyncio_loop)
            while not wait([waiting], LOOK).done:
                self._look()
            result: Result = waiting.result()
        except (ImportError, AttributeError) as error:
            # The second is what pickle raises for another version of a module; a shard's own error has the same type.
            if isinstance(error, AttributeError) and "Can't get attribute" not in str(error):
                raise
            raise PlanimeterError(
                f"a Dask worker at {self._address} cannot run this code ({first_line(error)}). {NEEDED}"
            ) from None
        except KilledWorker:
            raise PlanimeterError(
                "Dask workers died one after the other while the same shard was made (out of memory?); give them more "
                f"memory or start fewer on one machine; {REMEDY}"
            ) from None
        except (CancelledError, RuntimeError) as error:
            # A client that was closed raises RuntimeError; a shard's own has the same type.
            if isinstance(error, CancelledError) or self._is_gone():
                raise self._gone() from None
            raise
        return result

    @property
    def in_flight(self) -> int:
        """See ``Workers``: twice the workers that there are now, so that the next shard of each lies ready, and at the
        least what a cluster that grows can use.
        """
        return max(THREADS, 2 * (self._count() or 0))

    def close(self) -> None:
        self._closed.set()
        self._stack.close()

    def _look(self) -> None:
        """Raise ``PlanimeterError`` if no worker will do what is waited for."""
        if self._is_gone():
            raise self._gone()
        if self._looking.locked():
            # Of all that wait one asks at a time.
            return
        with self._looking:
            number = self._count()
            if number:
                self._alone_since = None
            elif number == 0:
                self._alone_since = self._alone_since or time.monotonic()
                if time.monotonic() - self._alone_since > JOINING:
                    raise self._no_workers()

    def _count(self) -> int | None:
        """Return how many workers there are; None if the connection breaks: the next look says whether for good."""
        with suppress(OSError, CancelledError, RuntimeError):
            return len(self._client.nthreads(callback_timeout=CONNECTING))
        return None

    def _is_gone(self) -> bool:
        return self._closed.is_set() or self._client.status != "running"

    def _leave(self) -> None:
        # The scheduler drops what a client wanted that has left.
        with suppress(OSError, TimeoutError, CancelledError, RuntimeError):
            self._client.close(timeout=2)

    def _gone(self) -> PlanimeterError:
        if self._closed.is_set():
            return StoppedError(STOPPED)
        return PlanimeterError(f"the Dask scheduler at {self._address} went away; {REMEDY} when it is back")

    def _no_workers(self) -> PlanimeterError:
        return PlanimeterError(
            f"the Dask scheduler at {self._address} has had no worker for {JOINING:.0f} s; start some with `dask "
            f"worker {self._address} --nthreads 1`; {REMEDY}"
        )


class _Call:
    """``function(*arguments)``, which happens where this is unpickled, and is what comes out."""

    def __init__(self, function: Callable[..., object], *arguments: object) -> None:
        self._reduced = function, arguments

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return self._reduced


def _run_here(
    expected: Mapping[str, str], suite: str, store: str, probe: str, function: Callable[..., Result], *arguments: object
) -> Result:
    """Return ``function(*arguments)``, in a worker. Raises ``PlanimeterError`` if it is not what a build needs."""
    worker = get_worker()
    name = f"the Dask worker {worker.address}"
    if worker.state.nthreads != 1:
        raise PlanimeterError(
            f"{name} runs {worker.state.nthreads} threads; drawing needs one process for each: start it with "
            f"--nthreads 1, and --nworkers for as many processes. {NEEDED}"
        )
    unseen = _unseen(store, probe)
    if unseen:
        raise PlanimeterError(f"{name} does not see {store} ({unseen}). {NEEDED}")
    fingerprint = environment_fingerprint(suite)
    differing = ", ".join(
        "other code of Planimeter" if key == "code" else f"{key} {fingerprint.get(key)} (here {expected[key]})"
        for key in sorted(expected)
        if fingerprint.get(key) != expected[key]
    )
    if differing:
        raise PlanimeterError(f"{name} would make other bytes: {differing}. {NEEDED}")
    return function(*arguments)


@cache
def _unseen(store: str, name: str) -> str:
    """Return why ``name`` cannot be read here from ``store``, nothing if it can."""
    try:
        open_store(store).read(name)
    except FileNotFoundError:
        return "what the build wrote there is missing"
    except (PlanimeterError, OSError) as error:
        return first_line(error)
    return ""


def _connect(address: str) -> Client:
    # A table of what differs, on stderr; we compare what decides bytes, and refuse.
    warnings.simplefilter("ignore", VersionMismatchWarning)
    try:
        return Client(address, timeout=CONNECTING, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        why = first_line(error)
    # The client that failed is collected here: within the next one's start, its destructor would wait for a lock that
    # its own thread holds, for ever.
    gc.collect()
    raise PlanimeterError(
        f"no Dask scheduler answers at {address} ({why}); start one with `dask scheduler`, or leave out --address for "
        "a local cluster"
    )
