"""Builds the datasets of the papers in one run."""

from typing import Any

from prefect import flow
from prefect.states import State

from planimeter.flows.build import REFUSED, RUNNER, run
from planimeter.flows.deployments import Workers
from planimeter.flows.service.names import BUILD_ALL_FLOW
from planimeter.flows.workers.runners import Runner
from planimeter.recipes.base import Scale, Seed
from planimeter.recipes.loading import Collection, load

ALL = "all"


@flow(name=BUILD_ALL_FLOW, task_runner=RUNNER)
def build_all(
    scale: Scale | None = None,
    seed: Seed | None = None,
    workers: Workers | None = None,
    out: str | None = None,
    runner: Runner = "processes",
    address: str | None = None,
) -> Any:
    """Build the datasets of the papers, one after the other; the first that cannot be built ends the run.

    Args:
        scale: Share of each recipe's quotas, 0.01 for about one per cent; all of it by default.
        seed: Root seed of every dataset; the recipes' own by default.
        workers: Worker processes; one for each core by default. The bytes do not depend on it.
        out: Folder or s3://bucket/prefix under which <dataset>/<version>/ is built; outputs/ by default.
        runner: Who makes the shards, processes of this machine or a Dask cluster. The bytes do not depend on it.
        address: A Dask scheduler, such as tcp://host:8786; without it, dask means a cluster of this machine's own.
    """
    collection = load(ALL, scale=scale, seed=seed)
    names = collection.datasets if isinstance(collection, Collection) else ()
    folders: list[str] = []
    for name in names:
        built = run(name, scale=scale, seed=seed, workers=workers, out=out, runner=runner, address=address)
        if isinstance(built, State) and built.name == REFUSED:
            return built
        folders.append(str(built))
    return folders
