"""Draws a stratified sample of a built dataset as a Prefect flow."""

from pathlib import Path
from typing import Annotated, Any

from prefect import flow, task
from prefect.logging import get_run_logger
from pydantic import Field, TypeAdapter, ValidationError

from planimeter.export.atomic import ExportError, Staging
from planimeter.export.manifest import Manifest
from planimeter.export.sample import Shares
from planimeter.export.sampling import Draw, draw_of, read, write
from planimeter.filters.strata import Population
from planimeter.flows.display.bars import bars
from planimeter.flows.display.flow_names import SAMPLE_FLOW
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store.place import Destination
from planimeter.flows.store.storage import folder_of, local
from planimeter.flows.tasks import as_one, refusing
from planimeter.flows.workers.processes import cores
from planimeter.flows.writing import problems_of, require_sound
from planimeter.recipes.base import DatasetName, Seed, Version


@task(name="read-strata", task_run_name="read-strata", persist_result=False)
def read_strata(draw: Draw) -> Population:
    """Read which rows lie in which stratum."""
    return read(draw)


@task(name="write", task_run_name="write", persist_result=False)
def write_sample(folder: Path, draw: Draw, strata: Population, dataset: str, version: str) -> str:
    """Write the rows that are drawn, with manifest, Croissant, report and card; return the folder."""
    write(folder, draw, strata, dataset, version)
    return str(folder)


@task(name="verify", task_run_name="verify", persist_result=False)
def verify_sample(folder: str) -> str:
    """Check every promise of the sample from its folder alone; return the folder."""
    with bars() as shown:
        require_sound(Path(folder), problems_of(Path(folder), shown, cores()))
    return str(Path(folder))


@task(name="commit", task_run_name="commit", persist_result=False)
def commit_sample(staging: Staging, verified: str) -> None:
    """Give the folder that was ``verified`` its name."""
    get_run_logger().info("%s becomes %s", verified, staging.final)
    staging.commit()


def draw_sample(draw: Draw, place: Destination) -> None:
    """Draw the sample and put it into its place, unless it exists there."""
    place.prepare()
    with place.locked():
        if is_drawn(place, draw):
            verify_sample(str(place.folder))
            return
        strata = read_strata(as_one(draw))
        with Staging(place.folder) as staging:
            written = write_sample(staging.path, as_one(draw), as_one(strata), place.dataset, place.version)
            commit_sample(staging, verify_sample(written))


@flow(name=SAMPLE_FLOW, flow_run_name="sample {rows} rows of {folder}", persist_result=True, result_serializer="json")
@refusing
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
) -> str:
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
    draw = draw_of(local(folder), rows, by or (), shares, seed, configs or ())
    place = Destination(
        _valid(DatasetName, name or f"{draw.parent.dataset}-sample-{rows}", "--name"),
        _valid(Version, version or draw.parent.version, "--version"),
        folder_of(out),
    )
    draw_sample(draw, place)
    drawn = Manifest.read(place.folder).sample
    for line in drawn.summary() if drawn else ():
        get_run_logger().warning("%s", line)
    return str(place.folder)


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
