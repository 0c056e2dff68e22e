"""The flows that Prefect's users see: one of its own name for each dataset, and one for any recipe. All call ``run``.

Prefect reads a flow's parameters from its signature and what they mean from its docstring, so that each is written out
here; ``documented`` adds what all of them share.
"""

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from prefect import flow
from pydantic import Field

from planimeter.flows.build import RUNNER, run
from planimeter.flows.workers.runners import Runner
from planimeter.recipes.base import Scale, Seed

Function = TypeVar("Function", bound=Callable[..., Any])

Workers = Annotated[int, Field(ge=1, le=128)]

PARAMETERS = """

    Args:
        scale: Share of the recipe's quotas, 0.01 for about one per cent; the recipe's own by default.
        seed: Root seed; another seed is another dataset that shares no item.
        workers: Worker processes; one for each core by default. The bytes do not depend on it.
        out: Folder or s3://bucket/prefix under which <dataset>/<version>/ is built; outputs/ by default.
        version: Version of the dataset, such as 1.0.0; the recipe's own by default.
        runner: Who makes the shards, processes of this machine or a Dask cluster. The bytes do not depend on it.
        address: A Dask scheduler, such as tcp://host:8786; without it, dask means a cluster of this machine's own.
    """


def documented(function: Function) -> Function:
    """Say in the docstring of ``function`` what the parameters mean that all builds share."""
    function.__doc__ = (function.__doc__ or "").rstrip() + PARAMETERS
    return function


@flow(name="build-marvl-qa", task_runner=RUNNER)
@documented
def build_marvl_qa(
    scale: Scale | None = None,
    seed: Seed | None = None,
    workers: Workers | None = None,
    out: str | None = None,
    version: str | None = None,
    runner: Runner = "processes",
    address: str | None = None,
) -> Any:
    """Build marvl-qa: the counting questions, and 982 pairs of plots in all 81 pairs of styles, each certified."""
    means = {"workers": workers, "runner": runner, "address": address}
    return run("marvl-qa", scale=scale, seed=seed, out=out, version=version, **means)


@flow(name="build-marvl-mini", task_runner=RUNNER)
@documented
def build_marvl_mini(
    scale: Scale | None = None,
    seed: Seed | None = None,
    workers: Workers | None = None,
    out: str | None = None,
    version: str | None = None,
    runner: Runner = "processes",
    address: str | None = None,
) -> Any:
    """Build marvl-qa-mini: counting and transformation questions about plots of functions, each certified."""
    means = {"workers": workers, "runner": runner, "address": address}
    return run("marvl-qa-mini", scale=scale, seed=seed, out=out, version=version, **means)


@flow(name="build-traversal", task_runner=RUNNER)
@documented
def build_traversal(
    scale: Scale | None = None,
    seed: Seed | None = None,
    workers: Workers | None = None,
    out: str | None = None,
    version: str | None = None,
    runner: Runner = "processes",
    address: str | None = None,
) -> Any:
    """Build traversal: paths to be followed from marker to marker, plain, with gray spurs and in reading order."""
    means = {"workers": workers, "runner": runner, "address": address}
    return run("traversal", scale=scale, seed=seed, out=out, version=version, **means)


@flow(name="build-curves", task_runner=RUNNER)
@documented
def build_curves(
    scale: Scale | None = None,
    seed: Seed | None = None,
    workers: Workers | None = None,
    out: str | None = None,
    version: str | None = None,
    runner: Runner = "processes",
    address: str | None = None,
) -> Any:
    """Build curves: pictures of nested closed curves, whose tree is asked for, each certified."""
    means = {"workers": workers, "runner": runner, "address": address}
    return run("curves", scale=scale, seed=seed, out=out, version=version, **means)


@flow(name="build-curves-train", task_runner=RUNNER)
@documented
def build_curves_train(
    scale: Scale | None = None,
    seed: Seed | None = None,
    workers: Workers | None = None,
    out: str | None = None,
    version: str | None = None,
    runner: Runner = "processes",
    address: str | None = None,
) -> Any:
    """Build curves-train: training rows of nested closed curves in eight levels; none is a drawing of curves."""
    means = {"workers": workers, "runner": runner, "address": address}
    return run("curves-train", scale=scale, seed=seed, out=out, version=version, **means)


@flow(name="build-geogram", task_runner=RUNNER)
@documented
def build_geogram(
    scale: Scale | None = None,
    seed: Seed | None = None,
    workers: Workers | None = None,
    out: str | None = None,
    version: str | None = None,
    runner: Runner = "processes",
    address: str | None = None,
) -> Any:
    """Build geogram: geometry problems whose figure is given as drawing code, each answer certified."""
    means = {"workers": workers, "runner": runner, "address": address}
    return run("geogram", scale=scale, seed=seed, out=out, version=version, **means)


@flow(name="build-dataset", task_runner=RUNNER)
@documented
def build_dataset(
    recipe: str,
    scale: Scale | None = None,
    seed: Seed | None = None,
    workers: Workers | None = None,
    out: str | None = None,
    version: str | None = None,
    runner: Runner = "processes",
    address: str | None = None,
) -> Any:
    """Build the dataset of any recipe: the name of one that comes with Planimeter, or the path of a TOML file."""
    means = {"workers": workers, "runner": runner, "address": address}
    return run(recipe, scale=scale, seed=seed, out=out, version=version, **means)


#: Every flow that is deployed and served.
FLOWS = (
    build_marvl_mini,
    build_marvl_qa,
    build_traversal,
    build_curves,
    build_curves_train,
    build_geogram,
    build_dataset,
)
