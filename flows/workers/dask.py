"""Workers of a Dask cluster, which make the same bytes as processes of this machine.

A worker whose code or libraries differ from those of this machine might make other bytes unnoticed. So each call
contains the fingerprint of code and libraries of this machine, and a worker with another fingerprint raises an error.
Dask itself repeats the calls of a dead worker on another one.
"""

import asyncio
import logging
import socket
import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, wait
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar, cast

import dask

# Set before distributed is imported, which configures its loggers by it: they would print faults that we report.
dask.config.set({"logging": dict.fromkeys(("distributed", "distributed.client", "tornado.application"), "critical")})

from distributed import Client, KilledWorker, Security, get_worker  # noqa: E402
from distributed.comm.core import connect  # noqa: E402
from distributed.versions import VersionMismatchWarning  # noqa: E402

from planimeter.flows.errors import PlanimeterError, WorkerLostError, first_line  # noqa: E402
from planimeter.flows.store.place import Place  # noqa: E402
from planimeter.flows.store.storage import TEMPORARY, Store  # noqa: E402
from planimeter.flows.work import environment_fingerprint  # noqa: E402
from planimeter.flows.workers.processes import OverdueError  # noqa: E402

Result = TypeVar("Result")

#: Seconds: time limit of the first answer of a scheduler, time limit of waiting for a worker, interval between checks
#: of a running call, and time limit of a check.
CONNECTING, JOINING, LOOK, ANSWERING = 10.0, 60.0, 1.0, 2.0

NEEDED = "every worker needs the environment of requirements.lock, this code, and the same --out (shared, or a bucket)"


class DaskPool:
    """The workers of the scheduler at ``address``, or of a new local cluster of ``workers`` processes.

    Raises ``PlanimeterError`` if no scheduler answers, or no worker joins within ``JOINING`` seconds.
    """

    def __init__(self, place: Place, workers: int, address: str | None) -> None:
        warnings.simplefilter("ignore", VersionMismatchWarning)
        # Workers would print that they cannot reach the scheduler, if this process is killed.
        local: dict[str, Any] = {
            "n_workers": workers,
            "threads_per_worker": 1,
            "dashboard_address": None,
            "silence_logs": logging.CRITICAL,
        }
        try:
            if address:
                asyncio.run(_connect(address))
            self._client = Client(address, timeout=CONNECTING, set_as_default=False, **({} if address else local))
        except (OSError, ValueError, TypeError) as error:
            raise PlanimeterError(
                f"no Dask scheduler answers at {address} ({first_line(error)}); start one with `dask scheduler`, or "
                "leave out --address for a local cluster"
            ) from None
        self._address = address or "the local cluster"
        try:
            self._client.wait_for_workers(1, timeout=JOINING)
        except (OSError, TimeoutError):
            self._client.close(timeout=2)
            raise self._without_workers() from None
        self._executor = self._client.get_executor(pure=False)
        #: The name of a test file in the store; a worker that cannot read it would store its shards elsewhere. Only one
        #: build of a dataset runs on a machine, so that the next one removes the file of a killed one.
        self._probe = f"locks/{TEMPORARY}{socket.gethostname()}-{place.dataset}"
        self._store = place.store
        self._store.write(self._probe, b"planimeter")
        suite = place.recipe.suite
        self._needs = (environment_fingerprint(suite), suite, place.store.url, self._probe)
        self._ended = False

    def run(self, seconds: float, function: Callable[..., Result], *arguments: object) -> Result:
        """Return ``function(*arguments)``, computed by a worker; see ``ProcessPool.run``.

        Raises ``PlanimeterError`` if the worker's code or libraries differ from those of this machine, if the scheduler
        is lost, or if it has had no worker for ``JOINING`` seconds; ``WorkerLostError`` if the cluster lost the call.
        """
        if self._ended:
            raise CancelledError
        future = self._executor.submit(_run_here, *self._needs, partial(function, *arguments))
        alone, until = 0.0, time.monotonic() + seconds
        # `wait` does not count a cancelled future as done.
        while not (wait([future], LOOK).done or future.done()):
            if self._ended:
                raise CancelledError
            if self._client.status != "running":
                raise PlanimeterError(
                    f"the Dask scheduler at {self._address} was lost; finished shards are kept, run the same command "
                    "again"
                )
            alone = 0.0 if self._has_workers() else alone + LOOK
            if alone > JOINING:
                raise self._without_workers()
            if time.monotonic() > until:
                raise OverdueError
        try:
            return cast("Result", future.result())
        except KilledWorker as error:
            raise PlanimeterError(
                f"Dask workers died one after another in one call ({first_line(error)}; out of memory?); finished "
                "shards are kept, run the same command again"
            ) from error
        except CancelledError:
            if self._ended:
                raise
            raise WorkerLostError(
                f"the Dask cluster at {self._address} lost a task (a worker may have died); finished shards are kept, "
                "run the same command again"
            ) from None
        except Exception as error:
            if isinstance(error, ImportError) or "Can't get attribute" in str(error) or "task graph" in str(error):
                raise PlanimeterError(
                    f"a Dask worker at {self._address} cannot run this code ({error}); {NEEDED}"
                ) from error
            raise

    def kill(self) -> None:
        """Drop all calls, and disconnect from the cluster."""
        if not self._ended:
            self._ended = True
            self._store.delete(self._probe)
            with suppress(OSError, TimeoutError):
                self._client.close(timeout=2)

    def _has_workers(self) -> bool:
        """True if the scheduler has workers, or does not answer: only ``run`` decides that the scheduler is lost."""
        # The limit is needed: if another thread closes the client, its event loop never answers.
        scheduler = self._client.scheduler
        with suppress(OSError, TimeoutError, RuntimeError):
            if scheduler:
                return bool(self._client.sync(scheduler.identity, callback_timeout=ANSWERING)["workers"])
        return True

    def _without_workers(self) -> PlanimeterError:
        return PlanimeterError(
            f"the Dask scheduler at {self._address} has had no worker for {JOINING:.0f} s; start some with `dask "
            f"worker {self._address} --nthreads 1`; finished shards are kept, run the same command again"
        )


async def _connect(address: str) -> None:
    """Connect to the scheduler at ``address`` once, and raise the error of Dask if it does not answer.

    A ``Client`` that raises this error would be collected later, in any thread. In the event loop of another client,
    ``Client.__del__`` waits for that loop, and stops it.
    """
    comm = await connect(address, timeout=CONNECTING, **Security().get_connection_args("client"))
    await comm.close()


def _run_here(expected: Mapping[str, str], suite: str, store: str, probe: str, call: Callable[[], Result]) -> Result:
    """Return ``call()``; runs in a worker. Raises ``PlanimeterError`` if this worker has several threads, cannot read
    the file ``probe`` in ``store``, or has another fingerprint than ``expected``.
    """
    worker = get_worker()
    if worker.state.nthreads != 1:
        raise PlanimeterError(f"the Dask worker {worker.address} runs threads; start it with --nthreads 1; {NEEDED}")
    try:
        Store(store).read(probe)
    except (PlanimeterError, OSError) as error:
        raise PlanimeterError(
            f"the Dask worker {worker.address} cannot read {store} ({first_line(error)}); {NEEDED}"
        ) from None
    here = environment_fingerprint(suite)
    if differing := sorted(key for key in expected if here.get(key) != expected[key]):
        listed = ", ".join("code of Planimeter" if key == "code" else f"{key} {here.get(key)}" for key in differing)
        raise PlanimeterError(
            f"the Dask worker {worker.address} would make other bytes than this machine, because it differs "
            f"in: {listed}; {NEEDED}"
        )
    return call()
