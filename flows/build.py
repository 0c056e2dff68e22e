"""Builds a dataset. Read this first: ``_build`` is the whole machine, a verb a line.

The flows that Prefect's users see are in ``flows/deployments.py``; they all call ``run``. A flow returns the folder it
built, or fails with one clear message.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import cast

from prefect.logging import get_run_logger
from prefect.states import Completed, State

from planimeter.export.atomic import Staging
from planimeter.flows import built
from planimeter.flows.display import artifacts
from planimeter.flows.display.bars import ERRORS, Bars, bars
from planimeter.flows.display.flow_names import FLOW_OF, GENERIC_FLOW
from planimeter.flows.errors import PlanimeterError, ShortfallError
from planimeter.flows.steps import Steps
from planimeter.flows.store import disk
from planimeter.flows.store.place import Place, default_outputs, place_of
from planimeter.flows.tasks import UNCHANGED, refused
from planimeter.flows.workers.processes import Workers
from planimeter.flows.workers.runners import DEFAULT, Execution, check, local_processes, workers_for
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import load

#: What to type to go on, where that is not to run the deployment again.
COMMAND: ContextVar[str] = ContextVar("command", default="")


def build(
    recipe: Recipe,
    outputs: str,
    execution: Execution,
    command: str,
    shown: Bars,
    steps_of: type[Steps] = Steps,
    workers_of: Callable[[Place, Execution], Workers] = workers_for,
) -> tuple[Place, str, bool]:
    """Build the dataset of ``recipe`` below ``outputs``, a path or an address, by ``steps_of`` with ``workers_of``.

    Returns its place, the message to print, and whether it stood there already. Raises ``PlanimeterError`` or
    ``ExportError`` for whatever a user can cause; finished shards are then kept.
    """
    place = place_of(recipe, outputs)
    place.prepare()
    with place.locked():
        message = built.find(place, shown, execution.workers)
        stood = message is not None
        if message is None:
            with workers_of(place, execution) as workers, local_processes(workers) as processes:
                steps = steps_of(place, workers, processes, shown)
                _build(steps, place, command, shown)
            built.note_verified(place)
            message = built.finish(place, "built")
            # While the lock is held: of a dataset in a bucket, this machine has its folder no longer.
            steps.show()
    shown.log(message)
    return place, message, stood


def _build(steps: Steps, place: Place, command: str, shown: Bars) -> None:
    planned = steps.plan(command)
    shown.say(disk.require(place, planned))
    records = steps.make(planned)
    selection = steps.select()
    if selection.shortfall and not place.recipe.allow_shortfall:
        listed = "".join(f"\n  {line}" for line in selection.shortfall)
        raise ShortfallError(
            f"{place.dataset}: these quotas could not be filled:{listed}\nRaise `attempts`, lower the quotas, or "
            "set allow_shortfall = true in the recipe to publish fewer rows"
        )
    files = steps.write(records, selection)
    with Staging(place.folder) as staging:
        steps.describe(staging.path, records, selection, files)
        # Before the folder gets its name: a version is never replaced, not even one that breaks a promise.
        steps.verify(staging.path)
        steps.commit(staging)
    steps.upload()


def run(
    recipe: str,
    *,
    out: str | None = None,
    workers: int | None = None,
    runner: str = DEFAULT,
    address: str | None = None,
    **overrides: object,
) -> State[object]:
    """Load ``recipe`` with ``overrides`` and build it; turn what a user can cause into a failed state.

    The parameters are those of the flows (``flows/deployments.py``), of which ``recipe`` is no collection here.
    """
    named = FLOW_OF.get(recipe, GENERIC_FLOW)
    command = COMMAND.get() or f"prefect deployment run {named}/default, with the same parameters"
    try:
        execution = check(runner, workers, address)
        loaded = cast("Recipe", load(recipe, **overrides))
        with bars(get_run_logger().info) as shown:
            outputs = out or str(default_outputs(recipe, loaded, overrides))
            place, message, stood = build(loaded, outputs, execution, command, shown)
            artifacts.publish_address(place, message)
        if COMMAND.get():
            # The command line has no log of Prefect's to look into.
            for line in shown.timings():
                ERRORS.print(str(line))
        return Completed(name=UNCHANGED if stood else "Completed", message=message, data=place.address)
    except PlanimeterError as error:
        return refused(error)
