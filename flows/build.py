"""Builds a dataset. Read this first: ``build`` is the whole machine, a verb a line.

The flows that Prefect's users see are in ``flows/deployments.py``; they all call ``run``. A flow returns the folder it
built, or fails with one clear message.
"""

import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from prefect.states import Failed, State
from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

from planimeter.export.atomic import ExportError
from planimeter.flows import tasks
from planimeter.flows.display import artifacts
from planimeter.flows.display.bars import ERRORS, Bars, bars
from planimeter.flows.errors import PlanimeterError, ShortfallError
from planimeter.flows.selection import Selector
from planimeter.flows.service import crashed
from planimeter.flows.service.names import FLOW_OF, GENERIC_FLOW
from planimeter.flows.shards import REFILLS
from planimeter.flows.store import disk, sweep
from planimeter.flows.store.place import OUTPUTS, place_of
from planimeter.flows.workers import runners
from planimeter.flows.workers.processes import cores
from planimeter.flows.workers.runners import workers_for
from planimeter.flows.writing import verify, write
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import Collection, RecipeError, load

#: Threads only wait for workers, so that this bounds how many shards are handed out at once, not the work: as many as
#: a large cluster has workers. 400 tasks cost the same CPU time and memory with 128 threads as with 16.
THREADS = 128

#: The name of the state of a run that ended in a message to the user, rather than in a fault of ours.
REFUSED = "Refused"

RUNNER: TaskRunner[Any] = ThreadPoolTaskRunner(max_workers=THREADS)

_COMMAND: ContextVar[str] = ContextVar("command", default="")


@dataclass(frozen=True, kw_only=True, slots=True)
class Means:
    """By whom a dataset is made; its bytes do not depend on it. ``address`` is that of a Dask scheduler."""

    runner: str = runners.DEFAULT
    workers: int = 1
    address: str | None = None


def build(recipe: Recipe, outputs: str, means: Means, command: str, shown: Bars) -> str:
    """Build the dataset of ``recipe`` below ``outputs``, a path or an address, and return where it stands.

    Raises ``PlanimeterError`` or ``ExportError`` for whatever a user can cause; finished shards are then kept.
    """
    place = place_of(recipe, outputs)
    place.prepare()
    with place.locked():
        crashed.bury(place)
        sweep.sweep(place)
        if place.is_built():
            place.fetch(shown)
            verify(place.folder, shown, means.workers)
        else:
            with workers_for(place, means.runner, means.workers, means.address) as pool:
                shards = tasks.plan(place, command)
                artifacts.tell(str(disk.require(place, shards)), shown)
                records = tasks.make(place, pool, shards, shown)
                selector = Selector(recipe)
                selection = selector.select(shards, records)
                for _ in range(REFILLS):
                    if selection.open_shards:
                        shards += selection.open_shards
                        records += tasks.make(place, pool, selection.open_shards, shown)
                        selection = selector.select(shards, records)
            _refuse_shortfall(recipe, tasks.shortfall(shards, records, selection))
            write(place, records, selection, shown, means.workers)
            place.deliver(shown)
            artifacts.publish_funnel(place)
            artifacts.publish_timings(place, shown.timings())
        tasks.finish(place)
    return place.address


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
    outputs = str(given.pop("out", None) or OUTPUTS)
    runner, workers, address = (given.pop(name, None) for name in ("runner", "workers", "address"))
    means = Means(runner=runner or runners.DEFAULT, workers=workers or cores(), address=address)
    try:
        runners.check(means.runner, workers, address)
        loaded = load(recipe, **given)
        if isinstance(loaded, Collection):
            raise PlanimeterError(f"{recipe} is a collection; build its datasets: {', '.join(loaded.datasets)}")
        with bars() as shown:
            built = build(loaded, outputs, means, command, shown)
        if _COMMAND.get():
            # The command line has no log of Prefect's to look into.
            for line in shown.timings():
                ERRORS.print(str(line), markup=False)
        return built
    except (PlanimeterError, RecipeError, ExportError) as error:
        return Failed(name=REFUSED, message=str(error))


def deployment_command(recipe: str, given: Mapping[str, Any]) -> str:
    """Return what to type to run the deployment of ``recipe`` again with the parameters that were ``given``."""
    flow_name = FLOW_OF.get(recipe, GENERIC_FLOW)
    named = {"recipe": recipe, **given} if flow_name == GENERIC_FLOW else given
    said = {name: value for name, value in named.items() if value not in (None, runners.DEFAULT)}
    parameters = [part for name, value in said.items() for part in ("--param", f"{name}={value}")]
    return shlex.join(["prefect", "deployment", "run", f"{flow_name}/default", *parameters])


def _refuse_shortfall(recipe: Recipe, missing: list[str]) -> None:
    if missing and not recipe.allow_shortfall:
        listed = "".join(f"\n  {line}" for line in missing)
        raise ShortfallError(
            f"{recipe.dataset}: these quotas could not be filled:{listed}\nRaise `attempts`, lower the quotas, or set "
            "allow_shortfall = true in the recipe to publish fewer rows"
        )
