"""The flows that Prefect's users see: one for each recipe that comes with Planimeter, and one for any recipe.

Prefect reads a flow's parameters from its signature and what they mean from its docstring. Each flow of the table
``FLOWS`` is an attribute of this module too, ``build_curves`` for `build-curves`: under that name a deployment finds
it (``planimeter.flows.deployments:build_curves`` in prefect.yaml).
"""

from collections.abc import Callable
from typing import Annotated, Any, cast

from prefect import flow
from prefect.flows import Flow
from prefect.runtime import flow_run
from prefect.states import Failed, State
from pydantic import Field

from planimeter.flows.build import REFUSED, RUNNER, run
from planimeter.flows.display.flow_names import FLOW_OF, GENERIC_FLOW
from planimeter.flows.workers.runners import Runner
from planimeter.recipes.base import Scale, Seed
from planimeter.recipes.loading import Collection, RecipeError, available, load

Workers = Annotated[int, Field(ge=1, le=128)]

PARAMETERS = """
    recipe: The name of a recipe that comes with Planimeter, or the path of a TOML file.
    scale: Share of the recipe's quotas, 0.01 for about one per cent; the recipe's own by default.
    seed: Root seed; another seed is another dataset that shares no item.
    workers: Worker processes; one for each core by default. The bytes do not depend on it.
    out: Folder or s3://bucket/prefix under which <dataset>/<version>/ is built; outputs/ by default.
    version: Version of the dataset, such as 1.0.0; the recipe's own by default.
    runner: Who makes the shards, processes of this machine or a Dask cluster. The bytes do not depend on it.
    address: A Dask scheduler, such as tcp://host:8786; without it, dask means a cluster of this machine's own.
"""


def _any_recipe() -> Flow[..., Any]:
    """Return the flow that takes the recipe as a parameter."""

    def build(
        recipe: str,
        scale: Scale | None = None,
        seed: Seed | None = None,
        workers: Workers | None = None,
        out: str | None = None,
        version: str | None = None,
        runner: Runner = "processes",
        address: str | None = None,
    ) -> Any:
        means = {"workers": workers, "runner": runner, "address": address}
        return run(recipe, scale=scale, seed=seed, out=out, version=version, **means)

    return _flow(build, GENERIC_FLOW, "Build the dataset of any recipe.")


def _one_recipe(name: str) -> Flow[..., Any]:
    """Return the flow of the recipe ``name``, a dataset or a collection."""
    recipe = load(name)
    body = _build_each if isinstance(recipe, Collection) else run

    def build(
        scale: Scale | None = None,
        seed: Seed | None = None,
        workers: Workers | None = None,
        out: str | None = None,
        version: str | None = None,
        runner: Runner = "processes",
        address: str | None = None,
    ) -> Any:
        means = {"workers": workers, "runner": runner, "address": address}
        return body(name, scale=scale, seed=seed, out=out, version=version, **means)

    return _flow(build, FLOW_OF[name], f"Build {name}. {recipe.summary}", name)


def _flow(build: Callable[..., Any], name: str, description: str, recipe: str = "") -> Flow[..., Any]:
    """Return ``build`` as the flow ``name``; the names of its runs tell the dataset, its version and the scale."""
    build.__name__ = build.__qualname__ = _attribute(name)
    known = [line for line in PARAMETERS.splitlines(keepends=True) if not recipe or "  recipe:" not in line]
    build.__doc__ = f"{description}\n\nArgs:{''.join(known)}"

    def run_name() -> str:
        given = flow_run.parameters
        wanted = recipe or given["recipe"]
        try:
            loaded = load(wanted, **{key: given.get(key) for key in ("scale", "seed", "version")})
        except RecipeError:
            # The run itself will say what is wrong with the recipe.
            return f"build {wanted}"
        called = wanted if isinstance(loaded, Collection) else loaded.dataset
        return " ".join(filter(None, ("build", called, loaded.version, f"x{loaded.scale:g}")))

    return flow(name=name, description=description, task_runner=RUNNER, flow_run_name=run_name)(build)


def _build_each(name: str, *, scale: Scale | None, seed: Seed | None, version: str | None, **means: Any) -> Any:
    """Build the datasets of the collection ``name``, each as a run of its own flow within this one.

    The first that cannot be built ends the run.
    """
    try:
        collection = cast("Collection", load(name, scale=scale, seed=seed, version=version))
    except RecipeError as error:
        return Failed(name=REFUSED, message=str(error))
    own = {"scale": collection.scale, "seed": collection.seed, "version": collection.version}
    folders: list[str] = []
    for dataset in collection.datasets:
        state = cast("State[Any]", FLOWS[FLOW_OF[dataset]](**own, **means, return_state=True))
        if state.name == REFUSED:
            return Failed(name=REFUSED, message=state.message)
        folders.append(str(state.result()))
    return folders


def _attribute(name: str) -> str:
    return name.replace("-", "_")


#: Every flow that builds, by its name.
FLOWS = {**{FLOW_OF[name]: _one_recipe(name) for name in available()}, GENERIC_FLOW: _any_recipe()}

_BY_ATTRIBUTE = {_attribute(name): found for name, found in FLOWS.items()}


def __getattr__(name: str) -> Flow[..., Any]:
    """Return the flow whose function has this name."""
    if name not in _BY_ATTRIBUTE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _BY_ATTRIBUTE[name]
