"""Who makes the shards: processes of this machine, or a Dask cluster. The bytes do not depend on it."""

from collections.abc import Callable
from types import TracebackType
from typing import Literal, Protocol, Self, TypeVar, get_args

from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store.place import Place
from planimeter.flows.workers.processes import WorkerPool, cores

Runner = Literal["processes", "dask"]

#: Needs nothing but this machine.
DEFAULT: Runner = "processes"

Result = TypeVar("Result")


class Workers(Protocol):
    """Workers for one build, used within ``with``; leaving it ends what is under way."""

    def run(self, function: Callable[..., Result], *arguments: object) -> Result:
        """Return ``function(*arguments)`` as computed by one of the workers; raise what the function raises.

        Called from as many threads as one likes. A worker that dies costs only what it had in hand, which is tried
        again; ``PlanimeterError`` if that happens time after time, or if the workers are gone or were ended.
        """
        ...

    def close(self) -> None:
        """Drop what has not begun, and end what is under way; ``run`` then raises ``PlanimeterError``."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def check(runner: str, workers: int | None, address: str | None) -> None:
    """Raise ``PlanimeterError`` if these settings do not go together."""
    if runner not in get_args(Runner):
        raise PlanimeterError(f"--runner: need {' or '.join(get_args(Runner))}, got {runner!r}")
    if address and runner != "dask":
        raise PlanimeterError(f"--address names a Dask scheduler: add --runner dask, or leave out --address {address}")
    if address and workers is not None:
        raise PlanimeterError("--workers and --address exclude each other: the scheduler at the address has its own")


def workers_for(place: Place, runner: str, workers: int, address: str | None) -> Workers:
    """Return the workers of a build at ``place``. Raises ``PlanimeterError`` if there are none to be had."""
    if runner == "processes":
        return WorkerPool(workers)
    try:
        # distributed takes a second to load, and need not be installed.
        from planimeter.flows.workers.dask_cluster import DaskPool
    except ModuleNotFoundError as error:
        raise PlanimeterError(
            f"--runner dask: {error.name} is not installed; it comes with Planimeter's extra `dask` (make .venv)"
        ) from None
    return DaskPool(place, workers, address)


def hands_for(pool: Workers) -> Workers:
    """Return processes of this machine to write and check files by the side of ``pool``, which may be just that."""
    return pool if isinstance(pool, WorkerPool) else WorkerPool(cores())
