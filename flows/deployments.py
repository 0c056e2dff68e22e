"""The flows that Prefect's users see: one for each recipe that comes with Planimeter, and one for any recipe.

All are ``build_dataset`` under other names: a flow whose name is that of a recipe builds it. Each is an attribute of
this module, ``build_curves`` for `build-curves`: under that name a deployment finds it
(``planimeter.flows.deployments:build_curves`` in prefect.yaml). It is made when it is first asked for: all of them take
a third of a second, and a build needs one.
"""

import logging
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, cast

from prefect import flow
from prefect.flows import Flow
from prefect.runtime import flow_run
from prefect.states import Completed, State
from pydantic import Field

from planimeter.flows.build import run
from planimeter.flows.display.flow_names import FLOW_OF, GENERIC_FLOW
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.service.hooks import end_within, suspendable
from planimeter.flows.tasks import REFUSED, UNCHANGED, refused
from planimeter.flows.workers.runners import DEFAULT, Runner
from planimeter.recipes.base import Scale, Seed, Version
from planimeter.recipes.loading import Collection, load

BuildFlow = Flow[..., object]

#: The recipe of every flow that builds, by its name; none where it has to be given.
RECIPES = {**{name: recipe for recipe, name in FLOW_OF.items()}, GENERIC_FLOW: ""}


def _run_name() -> str:
    """Name the dataset, its version and the scale."""
    given = flow_run.parameters
    recipe = given.get("recipe") or RECIPES.get(str(flow_run.flow_name), "")
    try:
        loaded = load(recipe, **{key: given.get(key) for key in ("scale", "seed", "version")})
    except PlanimeterError:
        # The run itself reports what is wrong with the recipe.
        return f"build {recipe}"
    called = recipe if isinstance(loaded, Collection) else loaded.dataset
    return " ".join(filter(None, ("build", called, loaded.version, f"x{loaded.scale:g}")))


@flow(
    name=GENERIC_FLOW,
    description="Build the dataset of any recipe.",
    flow_run_name=_run_name,
    # For callers of `run_deployment`, and for a retry of a collection, which does not build it again.
    persist_result=True,
    on_crashed=[end_within],
    on_cancellation=[end_within],
)
def build_dataset(
    *,
    recipe: str | None = None,
    scale: Scale | None = None,
    seed: Seed | None = None,
    workers: Annotated[int, Field(ge=1, le=128)] | None = None,
    out: str | None = None,
    version: Version | None = None,
    runner: Runner = DEFAULT,
    address: str | None = None,
) -> object:
    """Build the dataset of a recipe, or those of a collection.

    Args:
        recipe: The name of a recipe that comes with Planimeter, or the path of a TOML file; the flow's own by default.
        scale: Share of the recipe's quotas, 0.01 for about one per cent; the recipe's own by default, like all below.
        seed: Root seed; another seed is another dataset that shares no item.
        workers: Worker processes; one for each core by default. The bytes do not depend on it.
        out: Folder or s3://bucket/prefix, under which the folder of the dataset and in it that of its version are made;
            outputs/ by default, and for another scale than the recipe's own a folder below it, such as outputs/x0.05/.
        version: Version of the dataset, such as 1.0.0.
        runner: Who makes the shards, processes of this machine or a Dask cluster. The bytes do not depend on it.
        address: A Dask scheduler, such as tcp://host:8786; without it, dask starts a local cluster.
    """
    overrides: dict[str, Any] = {"scale": scale, "seed": seed, "version": version}
    execution: dict[str, Any] = {"workers": workers, "out": out, "runner": runner, "address": address}
    named = recipe or RECIPES.get(str(flow_run.flow_name), "")
    with suspendable():
        try:
            if not named:
                raise PlanimeterError("name a recipe")
            known = load(named, **overrides)
        except PlanimeterError as error:
            return refused(error)
        if isinstance(known, Collection):
            return _build_each(known, **execution)
        return run(named, **overrides, **execution)


def _build_each(collection: Collection, **execution: object) -> State[object]:
    """Build the datasets of ``collection``, each as a run of its own flow within this one.

    The result lists where they stand. The first that cannot be built ends the run.
    """
    overrides = {"scale": collection.scale, "seed": collection.seed, "version": collection.version}
    folders: list[str] = []
    unchanged = 0
    for dataset in collection.datasets:
        each = flow_called(FLOW_OF[dataset])
        state = cast("State[object]", each(recipe=dataset, **overrides, **execution, return_state=True))
        if state.name == REFUSED:
            return refused(PlanimeterError(state.message))
        folders.append(str(state.result()))
        unchanged += state.name == UNCHANGED
    name = UNCHANGED if unchanged == len(folders) else "Completed"
    return Completed(name=name, message=f"{len(folders)} datasets, {unchanged} of them built before", data=folders)


@cache
def flow_called(name: str) -> BuildFlow:
    """Return the flow ``name`` of those that build."""
    recipe = RECIPES[name]
    if not recipe:
        return build_dataset
    named = build_dataset.with_options(name=name, description=f"Build {recipe}. {load(recipe).summary}")
    # By this Prefect finds a flow in its module.
    vars(named)["__name__"] = name.replace("-", "_")
    return named


def sound_flows() -> Iterator[BuildFlow]:
    """Yield all flows that build; one whose suite, of another distribution, fails to be imported is logged instead."""
    for name in RECIPES:
        try:
            yield flow_called(name)
        except PlanimeterError as error:
            logging.getLogger(__name__).warning("%s: %s", name, error)


def __getattr__(attribute: str) -> BuildFlow:
    for name in RECIPES:
        if name.replace("-", "_") == attribute:
            return flow_called(name)
    raise AttributeError(f"module {__name__!r} has no attribute {attribute!r}")
