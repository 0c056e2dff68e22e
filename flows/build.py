"""Builds a dataset. Read this first: ``_build`` is the whole machine, a verb a line.

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

from planimeter.export.atomic import ExportError, Staging
from planimeter.flows import tasks
from planimeter.flows.display import artifacts
from planimeter.flows.display.bars import ERRORS, Bars, bars
from planimeter.flows.display.flow_names import FLOW_OF, GENERIC_FLOW
from planimeter.flows.errors import PlanimeterError, ShortfallError
from planimeter.flows.service import crashed
from planimeter.flows.shards import REFILLS
from planimeter.flows.store import disk, sweep
from planimeter.flows.store.place import OUTPUTS, Place
from planimeter.flows.store.places import place_of
from planimeter.flows.workers import runners
from planimeter.flows.workers.processes import cores
from planimeter.flows.workers.runners import hands_for, workers_for
from planimeter.flows.writing import problems_of, refuse
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import Collection, RecipeError, load

#: The name of the state of a run that ended in a message to the user, rather than in a fault of ours.
REFUSED = "Refused"

RUNNER: TaskRunner[Any] = ThreadPoolTaskRunner(max_workers=1)

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
            refuse(place.folder, problems_of(place.folder, shown, means.workers))
        else:
            _build(place, means, command, shown)
        tasks.finish(place)
    return place.address


def _build(place: Place, means: Means, command: str, shown: Bars) -> None:
    pool = workers_for(place, means.runner, means.workers, means.address)
    with pool, hands_for(pool) as hands:
        steps = tasks.Steps(place, pool, hands, shown)
        planned = steps.plan(command)
        artifacts.tell(str(disk.require(place, planned)), shown)
        records = steps.make(planned)
        selection = steps.select(planned, records)
        for _ in range(REFILLS):
            if selection.open_shards:
                more = steps.refill(selection)
                planned, records = (*planned, *more), [*records, *steps.make(more)]
                selection = steps.select(planned, records)
        _refuse_shortfall(place.recipe, tasks.shortfall(planned, records, selection))
        files = steps.write(records, selection)
        with Staging(place.folder) as staging:
            steps.describe(staging.path, records, selection, files)
            # Before it gets its name: a folder that broke a promise would stay, since a version is never replaced.
            steps.verify(staging.path)
            steps.commit(staging)
        steps.upload()
    artifacts.publish_funnel(place)
    artifacts.publish_timings(place, shown.timings())


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
