"""Draws a stratified sample of a built dataset as a Prefect flow."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

from prefect import Task, flow
from prefect.logging import get_run_logger
from prefect.states import State
from pydantic import Field, TypeAdapter, ValidationError

from planimeter.export.atomic import ExportError, Staging
from planimeter.export.manifest import Manifest
from planimeter.export.sample import Shares
from planimeter.export.sampling import Draw, draw_of, read, write
from planimeter.flows import tasks
from planimeter.flows.display.bars import Bars, bars
from planimeter.flows.display.flow_names import SAMPLE_FLOW
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store.place import Destination
from planimeter.flows.store.storage import folder_of, local
from planimeter.flows.tasks import refused
from planimeter.flows.workers.processes import cores
from planimeter.flows.writing import problems_of, require_sound
from planimeter.recipes.base import DatasetName, Seed, Version

Result = TypeVar("Result")


def sample_folder(draw: Draw, place: Destination, shown: Bars) -> None:
    """Draw the sample and put it into its place, unless it stands there."""

    def verify(folder: Path) -> None:
        require_sound(folder, problems_of(folder, shown, cores()))

    def run(step: Task[..., object], function: Callable[[], Result]) -> Result:
        """Return ``function()``, run as ``step`` behind the one before it."""
        result, state = tasks.run(step, function, previous)
        previous[:] = [state]
        return result

    previous: list[State[object]] = []
    place.prepare()
    with place.locked():
        if is_drawn(place, draw):
            verify(place.folder)
            return
        strata = run(tasks.read_strata, lambda: read(draw))
        with Staging(place.folder) as staging:
            run(tasks.write, lambda: write(staging.path, draw, strata, place.dataset, place.version))
            run(tasks.verify, lambda: verify(staging.path))
            run(tasks.commit, staging.commit)


@flow(name=SAMPLE_FLOW, flow_run_name="sample {rows} rows of {folder}", persist_result=True)
def sample_dataset(
    folder: str,
    rows: Annotated[int, Field(gt=0)],
    by: list[str] | None = None,
    shares: Shares = "proportional",
    configs: list[str] | None = None,
    seed: Seed = 0,
    out: str | None = None,
    version: str | None = None,
    name: str = "",
) -> str | State[object]:
    """Draw a stratified sample of a built dataset, and verify it. A smaller one lies within a larger one.

    Args:
        folder: Folder of a built dataset, such as outputs/geogram/1.2.3, on the machine that runs the flow.
        rows: Rows to draw, of all configs together.
        by: Columns whose values make the strata, within each config; without any, the configs are the strata.
        shares: As many rows of each stratum (equal), or in proportion to the rows that it has.
        configs: Configs to draw from; all by default.
        seed: Another seed draws other rows.
        out: Folder under which the folder of the sample and in it that of its version are made; outputs/ by default.
        version: Version of the sample; that of the dataset by default.
        name: Name of the sample; that of the dataset and the number of rows by default, such as geogram-sample-100.
    """
    try:
        outputs = folder_of(out)
        draw = draw_of(local(folder), rows, by or (), shares, seed, configs or ())
        place = Destination(
            _valid(DatasetName, name or f"{draw.parent.dataset}-sample-{rows}", "--name"),
            _valid(Version, version or draw.parent.version, "--version"),
            outputs,
        )
        with bars() as shown:
            sample_folder(draw, place, shown)
        sample = Manifest.read(place.folder).sample
        for line in sample.summary() if sample else ():
            get_run_logger().warning("%s", line)
        return str(place.folder)
    except PlanimeterError as error:
        return refused(error)


def is_drawn(place: Destination, draw: Draw) -> bool:
    """Return whether this very sample stands in place; ``VersionExistsError`` if something else does."""
    if not place.is_taken():
        return False
    try:
        manifest = Manifest.read(place.folder)
    except ExportError:
        place.refuse("it is not a dataset that Planimeter finished")
    if not draw.gave(manifest):
        place.refuse("it is not this sample")
    return True


def _valid(kind: Any, value: str, option: str) -> str:
    try:
        return str(TypeAdapter(kind).validate_python(value))
    except ValidationError as error:
        raise PlanimeterError(f"{option}: {error.errors()[0]['msg'].removeprefix('Value error, ')}") from None
