"""The flows that Prefect's users see: one for each recipe that comes with Planimeter, and one for any recipe.

Prefect reads a flow's parameters from its signature and what they mean from its docstring. Each flow of the table
``RECIPES`` is an attribute of this module, ``build_curves`` for `build-curves`: under that name a deployment finds it
(``planimeter.flows.deployments:build_curves`` in prefect.yaml). It is made when it is first asked for: all of them take
a third of a second, and a build needs one.
"""

import inspect
import logging
from collections.abc import Callable, Iterator
from functools import cache
from typing import Annotated, Any, cast

from prefect import flow
from prefect.flows import Flow
from prefect.runtime import flow_run
from prefect.states import Completed, State
from pydantic import Field

from planimeter.flows.build import own_values, run
from planimeter.flows.display.flow_names import FLOW_OF, GENERIC_FLOW
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.service.hooks import end_within, suspendable
from planimeter.flows.states import REFUSED, UNCHANGED, refused
from planimeter.flows.workers.runners import DEFAULT, Runner
from planimeter.recipes.base import Recipe, Scale, Seed, Version
from planimeter.recipes.loading import Collection, available, load

BuildFlow = Flow[..., object]


def _parameters(
    *,
    recipe: str,
    scale: Scale | None = None,
    seed: Seed | None = None,
    workers: Annotated[int, Field(ge=1, le=128)] | None = None,
    out: str | None = None,
    version: Version | None = None,
    runner: Runner = DEFAULT,
    address: str | None = None,
) -> object:
    """Signature of all build flows; a flow for one recipe has no ``recipe`` (see ``_signature``). Never called.

    Args:
        recipe: The name of a recipe that comes with Planimeter, or the path of a TOML file.
        scale: Share of the recipe's quotas, 0.01 for about one per cent.
        seed: Root seed; another seed is another dataset that shares no item.
        workers: Worker processes; one for each core by default. The bytes do not depend on it.
        out: Folder or s3://bucket/prefix, under which the folder of the dataset and in it that of its version are made;
            outputs/ by default, and for another scale than the recipe's own a folder below it, such as outputs/x0.05/.
        version: Version of the dataset, such as 1.0.0.
        runner: Who makes the shards, processes of this machine or a Dask cluster. The bytes do not depend on it.
        address: A Dask scheduler, such as tcp://host:8786; without it, dask starts a local cluster.
    """


#: The recipe of every flow that builds, by its name; none where the recipe is a parameter.
RECIPES = {**{FLOW_OF[name]: name for name in available()}, GENERIC_FLOW: ""}

DESCRIBED = "\n\n" + inspect.cleandoc(_parameters.__doc__ or "").partition("\n\n")[2]


@cache
def flow_called(name: str) -> BuildFlow:
    """Return the flow ``name``, a key of ``RECIPES``."""
    recipe = RECIPES[name]
    known = load(recipe) if recipe else None
    description = f"Build {recipe}. {known.summary}" if known else "Build the dataset of any recipe."
    body: Callable[..., object] = _build_each if isinstance(known, Collection) else run

    def build(**parameters: object) -> object:
        with suspendable():
            return body(**({"recipe": recipe} | parameters))

    build.__name__ = build.__qualname__ = _attribute(name)
    build.__signature__ = _signature(known)  # type: ignore[attr-defined]
    build.__doc__ = description + DESCRIBED

    def run_name() -> str:
        """Name the dataset, its version and the scale."""
        parameters = {"recipe": recipe} | flow_run.parameters
        try:
            loaded = load(parameters["recipe"], **{key: parameters.get(key) for key in ("scale", "seed", "version")})
        except PlanimeterError:
            # The run itself reports what is wrong with the recipe.
            return f"build {parameters['recipe']}"
        called = parameters["recipe"] if isinstance(loaded, Collection) else loaded.dataset
        return " ".join(filter(None, ("build", called, loaded.version, f"x{loaded.scale:g}")))

    return flow(
        name=name,
        description=description,
        flow_run_name=run_name,
        # For callers of `run_deployment`, and for a retry of a collection, which does not build it again.
        persist_result=True,
        on_crashed=[end_within],
        on_cancellation=[end_within],
    )(build)


def sound_flows() -> Iterator[BuildFlow]:
    """Yield all flows that build; one whose suite, of another distribution, fails to be imported is logged instead."""
    for name in RECIPES:
        try:
            yield flow_called(name)
        except PlanimeterError as error:
            logging.getLogger(__name__).warning("%s: %s", name, error)


def _signature(known: Recipe | Collection | None) -> inspect.Signature:
    """Return the parameters of the flow that builds ``known``, with its values as defaults, which Prefect's form shows.

    A flow that builds any recipe has ``recipe`` before them, and None for what the recipe sets itself.
    """
    signature = inspect.signature(_parameters)
    if known is None:
        return signature
    defaults = own_values(known)
    parameters = [
        parameter.replace(default=defaults.get(name, parameter.default))
        for name, parameter in signature.parameters.items()
        if name != "recipe"
    ]
    return signature.replace(parameters=parameters)


def _build_each(
    recipe: str,
    *,
    scale: Scale | None = None,
    seed: Seed | None = None,
    version: str | None = None,
    **execution: object,
) -> State[Any]:
    """Build the datasets of the collection ``recipe``, each as a run of its own flow within this one.

    The result lists where they stand. The first that cannot be built ends the run.
    """
    try:
        collection = cast("Collection", load(recipe, scale=scale, seed=seed, version=version))
    except PlanimeterError as error:
        return refused(error)
    overrides = own_values(collection)
    folders: list[str] = []
    unchanged = 0
    for dataset in collection.datasets:
        state = cast("State[object]", flow_called(FLOW_OF[dataset])(**overrides, **execution, return_state=True))
        if state.name == REFUSED:
            return refused(PlanimeterError(state.message))
        folders.append(str(state.result()))
        unchanged += state.name == UNCHANGED
    name = UNCHANGED if unchanged == len(folders) else "Completed"
    return Completed(name=name, message=f"{len(folders)} datasets, {unchanged} of them built before", data=folders)


def _attribute(name: str) -> str:
    return name.replace("-", "_")


def __getattr__(attribute: str) -> BuildFlow:
    for name in RECIPES:
        if _attribute(name) == attribute:
            return flow_called(name)
    raise AttributeError(f"module {__name__!r} has no attribute {attribute!r}")
