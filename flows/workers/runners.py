"""Who makes the shards: processes of this machine, or a Dask cluster. The bytes do not depend on it."""

from dataclasses import dataclass
from typing import Literal, get_args

from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store.place import Place
from planimeter.flows.workers.processes import WorkerPool, Workers, cores

Runner = Literal["processes", "dask"]

#: Needs nothing but this machine.
DEFAULT: Runner = "processes"


@dataclass(frozen=True, kw_only=True, slots=True)
class Execution:
    """By whom a dataset is made. ``address`` is that of a Dask scheduler, None for a local cluster."""

    runner: str
    workers: int
    address: str | None


def check(runner: str, workers: int | None, address: str | None) -> Execution:
    """Return by whom to build, with a worker for each core by default.

    Raises ``PlanimeterError`` if these settings do not go together.
    """
    if runner not in get_args(Runner):
        raise PlanimeterError(f"--runner: need {' or '.join(get_args(Runner))}, got {runner!r}")
    if address and runner != "dask":
        raise PlanimeterError(f"--address names a Dask scheduler: add --runner dask, or leave out --address {address}")
    if address and "@" in address:
        raise PlanimeterError(
            "--address holds credentials, which Prefect would store; put them into Dask's configuration"
        )
    if address and workers is not None:
        raise PlanimeterError("--workers and --address exclude each other: the scheduler at the address has its own")
    return Execution(runner=runner, workers=workers or cores(), address=address)


def workers_for(place: Place, execution: Execution) -> Workers:
    """Return the workers of a build at ``place``. Raises ``PlanimeterError`` if there are none to be had."""
    if execution.runner == "processes":
        return WorkerPool(execution.workers)
    try:
        # distributed takes a second to load, and need not be installed.
        from planimeter.flows.workers.dask_cluster import DaskPool
    except ModuleNotFoundError as error:
        raise PlanimeterError(
            f"--runner dask: {error.name} is not installed; it comes with Planimeter's extra `dask` (in a checkout: "
            "`make dev`)"
        ) from None
    return DaskPool(place, execution.workers, execution.address)


def local_processes(workers: Workers) -> Workers:
    """Return processes of this machine to write and check files beside ``workers``, which may be just that."""
    return workers if isinstance(workers, WorkerPool) else WorkerPool(cores())
