"""Builds a dataset. Read this first: ``build`` is the whole machine, a verb a line.

Each dataset has a flow of its own name, so that Prefect's UI, its deployments and `prefect deployment run` speak of
datasets; they all call the same ``build``. A flow returns the folder it built, or fails with one clear message.
"""

import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated, Any

from prefect import flow
from prefect.runtime import flow_run
from prefect.states import Failed, State
from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner
from pydantic import Field

from export.atomic import ExportError
from flows import artifacts, making, zombies
from flows.errors import PlanimeterError, ShortfallError
from flows.names import FLOW_OF, GENERIC_FLOW
from flows.place import OUTPUTS, Place
from flows.pool import WorkerPool
from flows.progress import Bars, bars
from flows.selection import select
from flows.writing import verify, write
from recipes.base import Recipe, Scale, Seed
from recipes.loading import Collection, RecipeError, load

#: Threads only wait for worker processes, so that this bounds how many shards are handed out at once, not the work.
THREADS = 16

#: Rounds of refilling quotas that equal items left open. Equal items are rare; a second round is rarer.
REFILLS = 3

#: The name of the state of a run that ended in a message to the user, rather than in a fault of ours.
REFUSED = "Refused"

RUNNER: TaskRunner[Any] = ThreadPoolTaskRunner(max_workers=THREADS)

_COMMAND: ContextVar[str] = ContextVar("command", default="")

Workers = Annotated[int, Field(ge=1, le=128, description="Worker processes; by default one for each core.")]
Out = Annotated[str, Field(description="Folder under which <dataset>/<version>/ is built; by default outputs/.")]


def build(recipe: Recipe, outputs: Path, workers: int, command: str, shown: Bars) -> Path:
    """Build the dataset of ``recipe`` below ``outputs`` and return its folder.

    Raises ``PlanimeterError`` or ``ExportError`` for whatever a user can cause; finished shards are then kept.
    """
    place = Place(recipe, outputs)
    place.prepare()
    with place.locked():
        zombies.bury(place)
        if place.is_built():
            verify(place.folder, shown)
        else:
            with WorkerPool(workers) as pool:
                shards = making.plan(place, command, str(flow_run.id))
                records = making.make(place, pool, shards, shown)
                selection = select(recipe, shards, records)
                for _ in range(REFILLS):
                    if selection.open_shards:
                        shards += selection.open_shards
                        records += making.make(place, pool, selection.open_shards, shown)
                        selection = select(recipe, shards, records)
            _refuse_shortfall(recipe, making.shortfall(shards, records, selection))
            write(place, records, selection, shown)
            artifacts.publish_funnel(place)
        making.finish(place)
    return place.folder


@contextmanager
def run_options(command: str) -> Iterator[None]:
    """Note ``command`` as what to type to go on, for a flow that is called within."""
    token = _COMMAND.set(command)
    try:
        yield
    finally:
        _COMMAND.reset(token)


def run(recipe: str, **given: Any) -> State[Any] | str:
    """Load ``recipe`` with what was ``given`` and build it; turn what a user can cause into a failed state."""
    command = _COMMAND.get() or deployment_command(recipe, given)
    outputs = Path(given.pop("out", None) or OUTPUTS)
    workers = given.pop("workers", None) or os.cpu_count() or 1
    try:
        loaded = load(recipe, **given)
        if isinstance(loaded, Collection):
            raise PlanimeterError(f"{recipe} is a collection; build its datasets: {', '.join(loaded.datasets)}")
        with bars() as shown:
            return str(build(loaded, outputs, workers, command, shown))
    except (PlanimeterError, RecipeError, ExportError) as error:
        return Failed(name=REFUSED, message=str(error))


def deployment_command(recipe: str, given: Mapping[str, Any]) -> str:
    """Return what to type to run the deployment of ``recipe`` again with the parameters that were ``given``."""
    flow_name = FLOW_OF.get(recipe, GENERIC_FLOW)
    named = {"recipe": recipe, **given} if flow_name == GENERIC_FLOW else given
    parameters = [part for name, value in named.items() if value is not None for part in ("--param", f"{name}={value}")]
    return shlex.join(["prefect", "deployment", "run", f"{flow_name}/default", *parameters])


def _refuse_shortfall(recipe: Recipe, missing: list[str]) -> None:
    if missing and not recipe.allow_shortfall:
        listed = "".join(f"\n  {line}" for line in missing)
        raise ShortfallError(
            f"{recipe.dataset}: these quotas could not be filled:{listed}\nRaise `attempts`, lower the quotas, or set "
            "allow_shortfall = true in the recipe to publish fewer rows"
        )


@flow(name="build-marvl-mini", task_runner=RUNNER)
def build_marvl_mini(
    scale: Scale | None = None,
    seed: Seed | None = None,
    workers: Workers | None = None,
    out: Out | None = None,
    version: str | None = None,
) -> Any:
    """Build marvl-qa-mini: counting and transformation questions about plots of functions, each certified.

    Args:
        scale: Share of the recipe's quotas, 0.01 for about one per cent; the recipe's own by default.
        seed: Root seed; another seed is another dataset that shares no item.
        workers: Worker processes; one for each core by default. The bytes do not depend on it.
        out: Folder under which marvl-qa-mini/<version>/ is built; outputs/ by default.
        version: Version of the dataset, such as 1.0.0; the recipe's own by default.
    """
    given = {"scale": scale, "seed": seed, "workers": workers, "out": out, "version": version}
    return run("marvl-qa-mini", **given)


@flow(name="build-dataset", task_runner=RUNNER)
def build_dataset(
    recipe: str,
    scale: Scale | None = None,
    seed: Seed | None = None,
    workers: Workers | None = None,
    out: Out | None = None,
    version: str | None = None,
) -> Any:
    """Build the dataset of any recipe: the name of one that comes with Planimeter, or the path of a TOML file.

    Args:
        recipe: Name of a dataset, or path of a recipe that ends in .toml.
        scale: Share of the recipe's quotas, 0.01 for about one per cent; the recipe's own by default.
        seed: Root seed; another seed is another dataset that shares no item.
        workers: Worker processes; one for each core by default. The bytes do not depend on it.
        out: Folder under which <dataset>/<version>/ is built; outputs/ by default.
        version: Version of the dataset, such as 1.0.0; the recipe's own by default.
    """
    given = {"scale": scale, "seed": seed, "workers": workers, "out": out, "version": version}
    return run(recipe, **given)
