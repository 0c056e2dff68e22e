"""Builds a dataset. Read this module first: ``make_dataset`` is the whole process, one line for each step.

``deployments.py`` offers the flow ``build_dataset`` under one name for each recipe. The flow returns the address of the
dataset, or fails with one clear message.
"""

from collections.abc import Sequence
from typing import cast

from prefect import flow
from prefect.runtime import flow_run
from prefect.states import Completed, State

from planimeter.export.atomic import Staging
from planimeter.flows import built
from planimeter.flows.display import artifacts, events
from planimeter.flows.display.bars import bars
from planimeter.flows.display.flow_names import FLOW_OF, GENERIC_FLOW, RECIPE_OF
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.options import BuildOptions, Runner, WorkerCount
from planimeter.flows.selection import Selection, Selector
from planimeter.flows.service.hooks import end_within, suspendable
from planimeter.flows.shards import ShardRecord
from planimeter.flows.store.place import Place
from planimeter.flows.store.storage import is_remote
from planimeter.flows.tasks import (
    REFUSED,
    UNCHANGED,
    as_one,
    commit,
    deduplicate,
    describe,
    in_threads,
    make_shards,
    plan,
    refusing,
    sample,
    upload,
    verify_parts,
    write_parts,
)
from planimeter.flows.workers.calls import Workers
from planimeter.flows.workers.processes import cores
from planimeter.suites.base import Scale, Seed, Version


def run_name() -> str:
    """Return the name of the current run, such as "build curves 1.4.0 x1": dataset, version and scale."""
    given = flow_run.parameters
    recipe = given.get("recipe") or RECIPE_OF.get(str(flow_run.flow_name), "")
    try:
        loaded = BuildOptions.of(**{**given, "recipe": recipe}).load()
    except PlanimeterError:
        # The run itself reports the fault.
        return f"build {recipe}"
    called = getattr(loaded, "dataset", recipe)
    return " ".join(filter(None, ("build", called, loaded.version, f"x{loaded.scale:g}")))


@flow(
    name=GENERIC_FLOW,
    description="Build the dataset of any recipe.",
    flow_run_name=run_name,
    persist_result=True,
    result_serializer="json",
    on_crashed=[end_within],
    on_cancellation=[end_within],
)
@refusing
def build_dataset(
    *,
    recipe: str | None = None,
    scale: Scale | None = None,
    seed: Seed | None = None,
    workers: WorkerCount | None = None,
    out: str | None = None,
    version: Version | None = None,
    runner: Runner = "processes",
    address: str | None = None,
    sealed: str | None = None,
) -> State[object]:
    """Build the dataset of a recipe, or each dataset of a collection of recipes.

    Args:
        recipe: Name of a recipe that comes with Planimeter, or path of a TOML file; by default the recipe of this flow.
        scale: Factor for the recipe's numbers of items, such as 0.01 for one per cent; by default that of the recipe.
        seed: Root seed, by default that of the recipe; datasets with different seeds share no item.
        workers: Number of worker processes, by default one for each core. The dataset's bytes do not depend on it.
        out: Folder or s3://bucket/prefix in which DATASET/VERSION/ is made; outputs/ by default, and a folder such as
            outputs/x0.05/ if the scale is not that of the recipe.
        version: Version of the dataset, such as 1.0.0; by default that of the recipe.
        runner: Workers that make the shards: processes of this machine, or a Dask cluster. The bytes are the same.
        address: Address of a Dask scheduler, such as tcp://host:8786; without it, Dask starts a local cluster.
        sealed: Path of a file with a secret seed, which must exist on each machine that makes shards. It makes the
            dataset a sealed edition: the seed stays secret until this file is published.
    """
    named = recipe or RECIPE_OF.get(str(flow_run.flow_name), "")
    options = BuildOptions.of(
        recipe=named,
        scale=scale,
        seed=seed,
        workers=workers,
        out=out,
        version=version,
        runner=runner,
        address=address,
        sealed=sealed,
    )
    with suspendable():
        each = options.each()
        return build_at(options.place(), options) if each == [options] else build_several(each)


def build_at(place: Place, options: BuildOptions) -> State[object]:
    """Build the dataset at ``place``, or only verify it if it exists.

    Returns the final state of the run, whose result is the address of the dataset.
    """
    place.prepare()
    with place.locked():
        with bars() as progress:
            message = built.find(place, progress, options.workers or cores())
        name = "Completed" if message is None else UNCHANGED
        if message is None:
            with options.workers_for(place) as workers, options.writers_beside(workers) as writers:
                make_dataset(place, workers, writers)
            message = built.finish(place, "built")
            artifacts.publish_funnel(place)
            events.emit("built", place.folder, place.address)
    artifacts.publish_address(place, message)
    return Completed(name=name, message=message, data=place.address)


def make_dataset(place: Place, workers: Workers, writers: Workers) -> None:
    """Make the dataset at ``place``: ``workers`` make its shards, and ``writers`` write and verify its files.

    Each step is a task of Prefect, or a flow with one task for each shard or file.
    """
    recipe, store, sealed = place.recipe, place.store.url, place.sealed
    generate = in_threads(make_shards, workers)

    shards = plan(place)
    # All rounds are kept: Prefect finds the source of an argument by its address in memory, which must not be reused.
    rounds = [generate(recipe, as_one(shards), store, workers, sealed)]
    records: list[ShardRecord] = rounds[0].unwrap()
    selector = Selector(recipe, [shard for shard, _ in shards.items])
    distinct = deduplicate(selector, as_one(shards), as_one(records), sealed)
    while distinct.refills.items:
        rounds.append(generate(recipe, as_one(distinct.refills), store, workers, sealed))
        distinct = deduplicate(selector, as_one(distinct.refills), as_one(rounds[-1].unwrap()), sealed)
        records += rounds[-1].unwrap()
    write_dataset(place, records, distinct.chosen, writers)
    artifacts.publish_timings(place, records)


def write_dataset(place: Place, records: Sequence[ShardRecord], chosen: Selection, writers: Workers) -> None:
    """Write the ``chosen`` items as the dataset at ``place``; ``records`` describe the shards that contain them.

    The folder of the dataset gets its final name only after verification.
    """
    recipe, store, asset = place.recipe, place.store.url, events.asset_at(place.address)
    files = sample(recipe, as_one(records), as_one(chosen))
    written = in_threads(write_parts, writers)(as_one(files), store, place.parts.url, writers)
    with Staging(place.folder) as staging:
        described = describe(staging.path, place, as_one(records), as_one(chosen), as_one(files), as_one(written))
        # Before the folder gets its name: a version is never replaced, not even one that breaks a promise.
        verified = in_threads(verify_parts, writers)(described, f"{place.parts.url}/checked", writers)
        commit.with_options(assets=[] if is_remote(place.address) else [asset])(staging, verified, asset)
    if is_remote(place.address):
        upload.with_options(assets=[asset])(place, asset)


def build_several(each: Sequence[BuildOptions]) -> State[object]:
    """Build several datasets one after the other, each in a sub-run.

    Returns the final state of the run, whose result lists the addresses of the datasets. Raises ``PlanimeterError`` for
    the first dataset that cannot be built.
    """
    folders, unchanged = [], 0
    for options in each:
        build = build_dataset.with_options(name=FLOW_OF[options.recipe])
        state = cast("State[object]", build(**options.model_dump(), return_state=True))
        if state.name == REFUSED:
            raise PlanimeterError(state.message)
        folders.append(str(state.result()))
        unchanged += state.name == UNCHANGED
    name = UNCHANGED if unchanged == len(folders) else "Completed"
    return Completed(name=name, message=f"{len(folders)} datasets, {unchanged} of them unchanged", data=folders)
